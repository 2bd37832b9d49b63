#include <widehash/cross.hpp>
#include <widehash/error.hpp>

#include <cstdint>
#include <cstring>

#include <fmt/format.h>

namespace widehash {
namespace {
constexpr std::size_t length_bytes = sizeof(std::uint32_t);
}

void append_cross_part(std::string& value, std::string_view part) {
  // The build requires a little-endian machine, so the length's bytes are already in the order of the format.
  const auto length = static_cast<std::uint32_t>(part.size());
  char raw[length_bytes];
  std::memcpy(raw, &length, length_bytes);
  value.append(raw, length_bytes);
  value.append(part);
}

std::string cross_value(std::span<const std::string_view> parts) {
  std::string value;
  std::size_t bytes = 0;
  for (const auto part : parts) bytes += length_bytes + part.size();
  value.reserve(bytes);
  for (const auto part : parts) append_cross_part(value, part);
  return value;
}

std::vector<std::string_view> cross_parts(std::string_view value) {
  const std::size_t total_bytes = value.size();
  std::vector<std::string_view> parts;
  while (!value.empty()) {
    std::uint32_t length = 0;
    if (value.size() >= length_bytes) std::memcpy(&length, value.data(), length_bytes);
    if (value.size() < length_bytes || value.size() - length_bytes < length) {
      throw ConfigError(fmt::format("not the value of a cross: part {} runs past the end at byte {}",
                                    parts.size() + 1, total_bytes));
    }
    parts.push_back(value.substr(length_bytes, length));
    value.remove_prefix(length_bytes + length);
  }
  return parts;
}

std::vector<std::string_view> cross_parts(std::string_view value, const std::string& path) {
  try {
    return cross_parts(value);
  } catch (const ConfigError& error) {
    throw DataError(path, 0, fmt::format("a value is {}; rebuild the tables", error.what()));
  }
}

std::string cross_text(std::string_view value) {
  return fmt::format("{}", fmt::join(cross_parts(value), cross_between));
}

std::string cross_text(std::string_view value, const std::string& path) {
  return fmt::format("{}", fmt::join(cross_parts(value, path), cross_between));
}

}  // namespace widehash
