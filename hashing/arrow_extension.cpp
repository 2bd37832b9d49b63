#include "arrow_extension.hpp"

#include <widehash/error.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace widehash::detail {
namespace {

/// Parses the metadata of https://arrow.apache.org/docs/format/CDataInterface.html: a count of pairs, then
/// keys and values, each preceded by its length. The total size is not stored.
class MetadataReader {
 public:
  explicit MetadataReader(const char* at) : at_(at) {}

  std::int32_t count() {
    std::int32_t count = 0;
    std::memcpy(&count, at_, sizeof count);  // it may be unaligned
    at_ += sizeof count;
    if (count < 0) throw ShapeError("metadata of a negative length");
    return count;
  }
  std::string_view text() {
    const auto size = static_cast<std::size_t>(count());
    const std::string_view text(at_, size);
    at_ += size;
    return text;
  }

 private:
  const char* at_;
};

bool is_text(std::string_view format) { return format == "u" || format == "U" || format == "vu"; }

}  // namespace

std::optional<std::string_view> arrow_extension(const ArrowSchema& field) {
  if (field.metadata == nullptr) return std::nullopt;
  MetadataReader metadata(field.metadata);
  const std::int32_t num_pairs = metadata.count();
  for (std::int32_t i = 0; i < num_pairs; ++i) {
    const std::string_view key = metadata.text();
    const std::string_view value = metadata.text();
    if (key == "ARROW:extension:name" && !value.empty()) return value;
  }
  return std::nullopt;
}

ExtensionTexts extension_texts(std::string_view extension, const ArrowSchema& field) {
  const bool is_dictionary = field.dictionary != nullptr;
  const std::string_view format = is_dictionary ? field.dictionary->format : field.format;
  if (extension == "arrow.bool8" && !is_dictionary && format == "c") return ExtensionTexts::booleans;
  if (extension == "arrow.json" && is_text(format)) return ExtensionTexts::texts;
  return ExtensionTexts::none;
}

}  // namespace widehash::detail
