#include "arrow_type_name.hpp"

#include "arrow_extension.hpp"

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace widehash::detail {
namespace {

using Name = std::pair<std::string_view, std::string_view>;

// Format strings as defined in https://arrow.apache.org/docs/format/CDataInterface.html.
constexpr auto plain_names = std::to_array<Name>({
    {"n", "null"},
    {"b", "bool"},
    {"c", "int8"},
    {"C", "uint8"},
    {"s", "int16"},
    {"S", "uint16"},
    {"i", "int32"},
    {"I", "uint32"},
    {"l", "int64"},
    {"L", "uint64"},
    {"e", "halffloat"},
    {"f", "float"},
    {"g", "double"},
    {"z", "binary"},
    {"Z", "large_binary"},
    {"vz", "binary_view"},
    {"u", "string"},
    {"U", "large_string"},
    {"vu", "string_view"},
    {"tdD", "date32[day]"},
    {"tdm", "date64[ms]"},
    {"tts", "time32[s]"},
    {"ttm", "time32[ms]"},
    {"ttu", "time64[us]"},
    {"ttn", "time64[ns]"},
    {"tDs", "duration[s]"},
    {"tDm", "duration[ms]"},
    {"tDu", "duration[us]"},
    {"tDn", "duration[ns]"},
    {"tiM", "month_interval"},
    {"tiD", "day_time_interval"},
    {"tin", "month_day_nano_interval"},
    {"+r", "run_end_encoded"},
});

// Types with children, by the prefix of their format string.
constexpr auto nested_names = std::to_array<Name>({
    {"+l", "list"},
    {"+L", "large_list"},
    {"+vl", "list_view"},
    {"+vL", "large_list_view"},
    {"+w:", "fixed_size_list"},
    {"+s", "struct"},
    {"+m", "map"},
    {"+ud:", "dense_union"},
    {"+us:", "sparse_union"},
});

std::string children_names(const ArrowSchema& field) {
  std::string names;
  for (std::int64_t i = 0; i < field.n_children; ++i) {
    names += (i == 0 ? "" : ", ") + arrow_type_name(*field.children[i]);
  }
  return names;
}

/// The format is like "tsu:UTC": a unit and a time zone, which may be empty.
std::string timestamp_name(std::string_view format) {
  const std::string_view unit = format[2] == 's'   ? "s"
                                : format[2] == 'm' ? "ms"
                                : format[2] == 'u' ? "us"
                                                   : "ns";
  const std::string_view zone = format.substr(4);
  return zone.empty() ? fmt::format("timestamp[{}]", unit) : fmt::format("timestamp[{}, tz={}]", unit, zone);
}

}  // namespace

std::string arrow_type_name(const ArrowSchema& field) {
  const std::string_view format = field.format;
  if (const auto extension = arrow_extension(field)) return fmt::format("extension<{}>", *extension);
  if (field.dictionary != nullptr) return fmt::format("dictionary<{}>", arrow_type_name(*field.dictionary));
  for (const auto& [known, name] : plain_names) {
    if (format == known) return std::string(name);
  }
  for (const auto& [known, name] : nested_names) {
    if (format.starts_with(known)) return fmt::format("{}<{}>", name, children_names(field));
  }
  if (format.starts_with("ts") && format.size() >= 4 && format[3] == ':') return timestamp_name(format);
  if (format.starts_with("d:")) return fmt::format("decimal({})", format.substr(2));
  if (format.starts_with("w:")) return fmt::format("fixed_size_binary[{}]", format.substr(2));
  return std::string(format);
}

}  // namespace widehash::detail
