#include "sources.hpp"

#include <algorithm>
#include <utility>

namespace widehash::detail {
namespace {

/// A file is read up to where it ended when its size was taken, as one that is left on disk is (RangeFile):
/// whole rows that are appended meanwhile are left alone, and a last row that was not whole then is an error.
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
  char last_ =
      '\0';  // what has a size of 0 and is not empty, as files of /proc, is not to be taken for empty
};

}  // namespace

std::unique_ptr<ByteSource> make_plain_source(RawFile file) {
  return std::make_unique<PlainSource>(std::move(file));
}

}  // namespace widehash::detail
