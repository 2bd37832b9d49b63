#include "sources.hpp"

namespace widehash::detail {
namespace {

class PlainSource final : public ByteSource {
 public:
  explicit PlainSource(RawFile file) : file_(std::move(file)) {}

  std::size_t read(std::span<char> buffer) override { return file_.read(buffer); }
  std::uint64_t position() const noexcept override { return file_.position(); }
  Compression compression() const noexcept override { return Compression::none; }

 private:
  RawFile file_;
};

}  // namespace

std::unique_ptr<ByteSource> make_plain_source(RawFile file) {
  return std::make_unique<PlainSource>(std::move(file));
}

}  // namespace widehash::detail
