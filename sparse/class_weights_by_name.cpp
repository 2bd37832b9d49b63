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
#include <unordered_map>
#include <vector>

#include <fmt/format.h>

namespace widehash {
namespace {

constexpr std::size_t shown_bytes = 60;

/// For a label that is a number: returns the class that `name` stands for, or nothing if it stands for none.
std::optional<std::size_t> class_of_number(std::string_view name) {
  if (name == "true") return 1;
  if (name == "false") return 0;
  const auto number = detail::parse_all<double>(name);
  return number && (*number == 0 || *number == 1) ? std::optional(static_cast<std::size_t>(*number))
                                                  : std::nullopt;
}

/// Finds the classes of a label by the texts that the label has for them.
class KnownClasses {
 public:
  explicit KnownClasses(const Label& label) : label_(label) {
    if (label.kind == LabelKind::number) return;
    if (label.kind == LabelKind::binary) {
      for (const std::string& text : label.negative) of_text_.emplace(text, 0);
      for (const std::string& text : label.positive) of_text_.emplace(text, 1);
    } else {
      for (std::size_t k = 0; k < label.classes.size(); ++k) of_text_.emplace(label.classes[k], k);
    }
  }

  std::size_t find(const std::string& name) const {
    if (label_.kind == LabelKind::number) {
      if (const auto k = class_of_number(name)) return *k;
    } else if (const auto found = of_text_.find(name); found != of_text_.end()) {
      return found->second;
    }
    throw_unknown(name);
  }

 private:
  [[noreturn]] void throw_unknown(const std::string& name) const {
    std::string known = "0, 1";
    std::vector<std::string_view> candidates;
    if (label_.kind == LabelKind::binary) {
      known = fmt::format("{}; {}", shown_classes(label_.negative), shown_classes(label_.positive));
      candidates.assign(label_.negative.begin(), label_.negative.end());
      candidates.insert(candidates.end(), label_.positive.begin(), label_.positive.end());
    } else if (label_.kind == LabelKind::classes) {
      known = shown_classes(label_.classes);
      candidates.assign(label_.classes.begin(), label_.classes.end());
    }
    throw ConfigError(fmt::format("class weights: the label '{}' has no class '{}'; it has: {}{}",
                                  label_.field, printable(name, shown_bytes), known,
                                  did_you_mean(name, candidates)));
  }

  const Label& label_;
  std::unordered_map<std::string_view, std::size_t> of_text_;
};

}  // namespace

std::vector<double> class_weights_by_name(std::span<const std::pair<std::string, double>> by_name,
                                          const Label& label) {
  std::vector<double> of_class(std::max<std::size_t>(label.classes.size(), 2), 1.0);
  std::vector<bool> is_named(of_class.size());
  const KnownClasses classes(label);
  for (const auto& [name, weight] : by_name) {
    const std::size_t k = classes.find(name);
    if (is_named[k]) {
      throw ConfigError(fmt::format("class weights: class '{}' already has a weight; name each once",
                                    printable(name, shown_bytes)));
    }
    is_named[k] = true;
    of_class[k] = weight;
  }
  check_class_weights(of_class);
  return of_class;
}

}  // namespace widehash
