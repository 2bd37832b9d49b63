#include <widehash/device_hash.hpp>
#include <widehash/error.hpp>

#include <cstring>

#include <fmt/format.h>

namespace widehash {

MissingTexts::MissingTexts(std::span<const std::string> texts) {
  if (texts.size() > max_texts) {
    throw ConfigError(
        fmt::format("{} texts stand for missing values, but a device looks for at most {}; encode on the CPU",
                    texts.size(), max_texts));
  }
  for (const std::string& text : texts) {
    if (text.size() > max_bytes) {
      throw ConfigError(
          fmt::format("'{}' stands for a missing value, but a device compares texts of at most {} bytes; "
                      "encode on the CPU",
                      text, max_bytes));
    }
    lengths[count] = static_cast<std::uint32_t>(text.size());
    if (!text.empty()) std::memcpy(words[count], text.data(), text.size());
    ++count;
  }
}

}  // namespace widehash
