#include "shown_classes.hpp"

#include <widehash/class_weights.hpp>
#include <widehash/error.hpp>
#include <widehash/internal/parse_all.hpp>
#include <widehash/internal/suggest.hpp>
#include <widehash/internal/utf8.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace widehash {
namespace {

constexpr std::size_t shown_bytes = 60;

/// Of a label that is a number.
std::optional<std::size_t> class_of_number(std::string_view name) {
  if (name == "true") return 1;
  if (name == "false") return 0;
  const auto number = detail::parse_all<double>(name);
  return number && (*number == 0 || *number == 1) ? std::optional(static_cast<std::size_t>(*number))
                                                  : std::nullopt;
}

std::optional<std::size_t> class_of(std::string_view name, std::span<const std::string> texts) {
  const auto found = std::ranges::find(texts, name);
  return found == texts.end() ? std::nullopt : std::optional(static_cast<std::size_t>(found - texts.begin()));
}

/// The class that the label calls so.
std::size_t class_of(const std::string& name, const Label& label) {
  std::optional<std::size_t> k;
  std::string known = "0, 1";
  std::vector<std::string_view> candidates;
  if (label.kind == LabelKind::number) {
    k = class_of_number(name);
  } else if (label.kind == LabelKind::binary) {
    k = class_of(name, label.negative)   ? std::optional<std::size_t>(0)
        : class_of(name, label.positive) ? std::optional<std::size_t>(1)
                                         : std::nullopt;
    known = fmt::format("{}; {}", shown_classes(label.negative), shown_classes(label.positive));
    candidates.assign(label.negative.begin(), label.negative.end());
    candidates.insert(candidates.end(), label.positive.begin(), label.positive.end());
  } else {
    k = class_of(name, label.classes);
    known = shown_classes(label.classes);
    candidates.assign(label.classes.begin(), label.classes.end());
  }
  if (k) return *k;
  throw ConfigError(fmt::format("class weights: the label '{}' has no class '{}'; it has: {}{}", label.field,
                                printable(name, shown_bytes), known, did_you_mean(name, candidates)));
}

}  // namespace

std::vector<double> class_weights_by_name(std::span<const std::pair<std::string, double>> by_name,
                                          const Label& label) {
  std::vector<double> of_class(std::max<std::size_t>(label.classes.size(), 2), 1.0);
  std::vector<bool> is_named(of_class.size());
  for (const auto& [name, weight] : by_name) {
    const std::size_t k = class_of(name, label);
    if (is_named[k]) {
      throw ConfigError(
          fmt::format("class weights: '{}' is a class that has a weight already; name each once",
                      printable(name, shown_bytes)));
    }
    is_named[k] = true;
    of_class[k] = weight;
  }
  check_class_weights(of_class);
  return of_class;
}

}  // namespace widehash
