#include "sample_doubts.hpp"

#include <algorithm>
#include <cstddef>

#include <fmt/format.h>

namespace widehash {
namespace {

// In a hundred bytes; random bytes have eleven.
constexpr std::size_t usual_controls = 2;

bool begins_as_json(std::string_view sample) {
  constexpr std::string_view spaces = " \t\r\n";
  const std::size_t first = sample.find_first_not_of(spaces);
  if (first == std::string_view::npos) return false;
  const std::size_t second = sample.find_first_not_of(spaces, first + 1);
  if (second == std::string_view::npos) return false;
  return (sample[first] == '{' && sample[second] == '"') || (sample[first] == '[' && sample[second] == '{');
}

bool is_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x20 && c != '\t' && c != '\n' && c != '\r';
}

}  // namespace

std::vector<std::string> doubts_about(std::string_view sample, char delimiter) {
  std::vector<std::string> doubts;
  if (begins_as_json(sample)) {
    doubts.emplace_back(
        "the rows look like JSON, whose keys widehash does not read: convert them to CSV, for example jq -r "
        "'[.name, .other] | @csv' FILE | widehash ... -");
  }
  const auto controls = static_cast<std::size_t>(
      std::count_if(sample.begin(), sample.end(), [&](char c) { return c != delimiter && is_control(c); }));
  if (controls * 100 > sample.size() * usual_controls) {
    doubts.push_back(
        fmt::format("{} of the first {} bytes are control characters, which are rare in text: this may not "
                    "be a text table",
                    controls, sample.size()));
  }
  return doubts;
}

bool has_bare_returns(std::string_view sample) {
  if (sample.empty()) return false;
  const std::size_t first = sample.find('\r');
  return first < sample.size() - 1 && sample.find('\n') == std::string_view::npos;
}

}  // namespace widehash
