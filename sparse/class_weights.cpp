#include <widehash/class_weights.hpp>
#include <widehash/error.hpp>
#include <widehash/internal/parse_all.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace widehash {
namespace {

[[noreturn]] void refuse(std::string_view text) {
  throw ConfigError(
      fmt::format("'{}' is not a list of class weights; write balanced, a number for each class, such as "
                  "1,10, or class names with their weights, such as yes=10,no=1; if a name contains a comma, "
                  "write a number for each class",
                  text));
}

void check_weights(std::span<const double> weights) {
  for (const double weight : weights) {
    if (weight >= 0 && weight <= max_class_weight) continue;
    throw ConfigError(
        fmt::format("a class weight is {}; give numbers from 0 to {:g}", weight, max_class_weight));
  }
}

}  // namespace

std::string to_text(std::span<const double> of_class) { return fmt::format("{}", fmt::join(of_class, ",")); }

ClassWeights parse_class_weights(std::string_view text) {
  ClassWeights weights;
  weights.are_balanced = text == "balanced";
  if (weights.are_balanced) return weights;
  const bool have_names = text.find('=') != std::string_view::npos;
  std::vector<double> numbers;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string_view item = text.substr(begin, end - begin);
    begin = end + 1;
    // A name may contain a "=".
    const std::size_t name_end = have_names ? item.rfind('=') : std::string_view::npos;
    if (have_names && name_end == std::string_view::npos) refuse(text);
    const auto weight = detail::parse_all<double>(item.substr(have_names ? name_end + 1 : 0));
    if (!weight) refuse(text);
    numbers.push_back(*weight);
    if (have_names) weights.by_name.emplace_back(item.substr(0, name_end), *weight);
  }
  check_weights(numbers);
  if (!have_names) {
    weights.of_class = std::move(numbers);
    check_class_weights(weights.of_class);
  }
  return weights;
}

void check_class_weights(std::span<const double> of_class) {
  check_weights(of_class);
  if (!of_class.empty() && std::ranges::all_of(of_class, [](double weight) { return weight == 0; }))
    throw ConfigError("all class weights are 0, so no row would count; give one a weight");
}

double class_weight(std::span<const double> of_class, double target) noexcept {
  if (!(target >= 0 && target <= static_cast<double>(of_class.size()) - 1)) return 1;
  const double below = std::floor(target);
  const double share = target - below;
  const auto k = static_cast<std::size_t>(below);
  return share == 0 ? of_class[k] : (1 - share) * of_class[k] + share * of_class[k + 1];
}

}  // namespace widehash
