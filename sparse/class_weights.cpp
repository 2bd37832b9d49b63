#include <widehash/class_weights.hpp>
#include <widehash/error.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <system_error>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace widehash {
namespace {

[[noreturn]] void refuse(std::string_view text) {
  throw ConfigError(fmt::format(
      "'{}' is no list of class weights; say balanced, or a number for each class, such as 1,10", text));
}

}  // namespace

std::string to_text(std::span<const double> of_class) { return fmt::format("{}", fmt::join(of_class, ",")); }

ClassWeights parse_class_weights(std::string_view text) {
  ClassWeights weights;
  weights.are_balanced = text == "balanced";
  if (weights.are_balanced) return weights;
  if (text.empty()) refuse(text);
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view number = rest.substr(0, rest.find(','));
    double weight = 0;
    const auto [end, problem] = std::from_chars(number.data(), number.data() + number.size(), weight);
    const bool ends_in_comma = number.size() + 1 == rest.size();
    if (problem != std::errc() || end != number.data() + number.size() || ends_in_comma) refuse(text);
    weights.of_class.push_back(weight);
    rest.remove_prefix(std::min(rest.size(), number.size() + 1));
  }
  check_class_weights(weights.of_class);
  return weights;
}

void check_class_weights(std::span<const double> of_class) {
  for (const double weight : of_class) {
    if (weight >= 0 && weight <= max_class_weight) continue;
    throw ConfigError(
        fmt::format("a class weight is {}; give numbers from 0 to {:g}", weight, max_class_weight));
  }
  if (!of_class.empty() && std::ranges::all_of(of_class, [](double weight) { return weight == 0; }))
    throw ConfigError("all class weights are 0, so that no row would count; give one a weight");
}

double class_weight(std::span<const double> of_class, double target) noexcept {
  if (!(target >= 0 && target <= static_cast<double>(of_class.size()) - 1)) return 1;
  const double below = std::floor(target);
  const double share = target - below;
  const auto k = static_cast<std::size_t>(below);
  return share == 0 ? of_class[k] : (1 - share) * of_class[k] + share * of_class[k + 1];
}

}  // namespace widehash
