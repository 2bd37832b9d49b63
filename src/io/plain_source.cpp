#include "sources.hpp"

#include <algorithm>
#include <utility>

namespace widehash::detail {
namespace {

/// Reads a file up to where it ended when its size was taken, as RangeFile does for a file that is left on
/// disk: whole rows appended meanwhile are ignored, and a last row that was not whole then is an error.
class PlainSource final : public ByteSource {
 public:
  explicit PlainSource(RawFile file) : file_(std::move(file)) {}

  std::size_t read(std::span<char> buffer) override {
    const auto most = std::min<std::uint64_t>(buffer.size(), file_.bytes_left());
    const std::size_t count = file_.read(buffer.first(static_cast<std::size_t>(most)));
    if (count > 0) last_ = buffer[count - 1];
    if (file_.bytes_left() == 0 && last_ != '\n') file_.require_end();
    return count;
  }
  std::uint64_t position() const noexcept override { return file_.position(); }
  Compression compression() const noexcept override { return Compression::none; }

 private:
  RawFile file_;
  // No LF: a file whose size is 0 but that is not empty, as files of /proc, must not be taken for empty.
  char last_ = '\0';
};

}  // namespace

std::unique_ptr<ByteSource> make_plain_source(RawFile file) {
  return std::make_unique<PlainSource>(std::move(file));
}

}  // namespace widehash::detail
