#include "foreign_format.hpp"
#include "sources.hpp"

#include <widehash/error.hpp>

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace widehash {
namespace {

constexpr std::size_t magic_bytes = 4;
static_assert(magic_bytes <= detail::foreign_format_bytes);

bool is_gzip(std::string_view head) { return head.starts_with("\x1f\x8b"); }

bool is_zstd(std::string_view head) {
  constexpr std::string_view frame = "\x28\xb5\x2f\xfd";
  // A file that was cut inside these four bytes is a truncated zstd file, not a table.
  if (head.size() >= 2 && frame.starts_with(head)) return true;
  // Skippable frames: any of 0x184D2A50 to 0x184D2A5F, little-endian.
  return head.size() == magic_bytes && (head[0] & 0xF0) == 0x50 && head.substr(1) == "\x2a\x4d\x18";
}

class PutBackSource final : public ByteSource {
 public:
  PutBackSource(std::string bytes, std::unique_ptr<ByteSource> source)
      : bytes_(std::move(bytes)), source_(std::move(source)) {}

  std::size_t read(std::span<char> buffer) override {
    const std::size_t kept = std::min(buffer.size(), bytes_.size() - given_);
    std::copy_n(bytes_.data() + given_, kept, buffer.data());
    given_ += kept;
    return kept + (kept < buffer.size() ? source_->read(buffer.subspan(kept)) : 0);
  }

  std::uint64_t position() const noexcept override { return source_->position(); }
  Compression compression() const noexcept override { return source_->compression(); }

 private:
  std::string bytes_;
  std::size_t given_ = 0;
  std::unique_ptr<ByteSource> source_;
};

/// The text of a packed file. The unpacked bytes are checked at the first read.
class LookedAtSource final : public ByteSource {
 public:
  LookedAtSource(std::string name, std::string_view unpacker, std::unique_ptr<ByteSource> source)
      : name_(std::move(name)), unpacker_(unpacker), source_(std::move(source)) {}

  std::size_t read(std::span<char> buffer) override {
    if (!std::exchange(is_looked_at_, true)) look();
    return source_->read(buffer);
  }
  std::uint64_t position() const noexcept override { return source_->position(); }
  Compression compression() const noexcept override { return source_->compression(); }

 private:
  void look() {
    std::string head(detail::foreign_format_bytes, '\0');
    head.resize(source_->read(head));
    if (is_gzip(head) || is_zstd(std::string_view(head).substr(0, magic_bytes))) {
      throw DataError(
          name_, 0,
          fmt::format(
              "is compressed twice, but only one layer is unpacked: `{} -dc FILE | widehash ... -` reads it",
              unpacker_));
    }
    if (const std::string what = detail::foreign_format(head, unpacker_); !what.empty())
      throw DataError(name_, 0, what);
    source_ = put_back(std::move(head), std::move(source_));
  }

  std::string name_;
  std::string_view unpacker_;
  std::unique_ptr<ByteSource> source_;
  bool is_looked_at_ = false;
};

}  // namespace

std::unique_ptr<ByteSource> open_source(const Input& input, const StopFlag* stop) {
  detail::RawFile file(input, stop);
  const std::string_view head = file.peek(detail::foreign_format_bytes);
  if (is_gzip(head)) return detail::make_gzip_source(std::move(file));
  if (is_zstd(head.substr(0, magic_bytes))) return detail::make_zstd_source(std::move(file));
  if (const std::string what = detail::foreign_format(head); !what.empty()) {
    throw DataError(file.name(), 0, what);
  }
  return detail::make_plain_source(std::move(file));
}

std::unique_ptr<ByteSource> open_text(const Input& input, const StopFlag* stop) {
  auto source = open_source(input, stop);
  switch (source->compression()) {
    case Compression::gzip:
      return std::make_unique<LookedAtSource>(input.name(), "gzip", std::move(source));
    case Compression::zstd:
      return std::make_unique<LookedAtSource>(input.name(), "zstd", std::move(source));
    default:
      return source;
  }
}

std::unique_ptr<ByteSource> put_back(std::string bytes, std::unique_ptr<ByteSource> source) {
  return std::make_unique<PutBackSource>(std::move(bytes), std::move(source));
}

}  // namespace widehash
