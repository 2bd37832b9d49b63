#include "named_kind.hpp"

#include <widehash/architecture.hpp>
#include <widehash/error.hpp>
#include <widehash/internal/parse_all.hpp>

#include <algorithm>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

namespace widehash {
namespace {

__extension__ using Wide = unsigned __int128;

Wide power(std::uint64_t base, int exponent) noexcept {
  Wide result = 1;
  for (int i = 0; i < exponent; ++i) result *= base;
  return result;
}

/// floor(n^0.3), which is the largest k with k^10 <= n^3. Computed in integers, because std::pow may fall
/// just short of a whole number. n < 2^31 keeps both sides below 2^94.
std::uint32_t auto_units(std::uint64_t num_columns) noexcept {
  const Wide cube = power(num_columns, 3);
  std::uint32_t units = 1;
  while (power(units + 1, 10) <= cube) ++units;
  return units;
}

[[noreturn]] void throw_bad_hidden(const std::string& text, const std::string& why) {
  throw ConfigError(
      fmt::format("hidden layers '{}': {}; write none, auto, or unit counts such as 32,16", text, why));
}

void check_units(const Architecture& architecture) {
  const TargetUnits& units = architecture.target_units;
  if (units.are_plain()) return;
  if (architecture.loss != LossKind::mse || architecture.outputs != 1)
    throw ConfigError("network: only an mse network with a single output has target units");
  if (!std::isfinite(units.shift) || !std::isfinite(units.scale) || units.scale <= 0) {
    throw ConfigError(fmt::format(
        "network: target units of shift {} and scale {}; both must be finite and the scale above 0",
        units.shift, units.scale));
  }
}

}  // namespace

void check_architecture(const Architecture& architecture) {
  if (to_string(architecture.loss) == detail::no_name)
    throw ConfigError(fmt::format("network: its loss is {}, which is not a value of its enumeration",
                                  static_cast<int>(architecture.loss)));
  if (to_string(architecture.activation) == detail::no_name)
    throw ConfigError(fmt::format("network: its activation is {}, which is not a value of its enumeration",
                                  static_cast<int>(architecture.activation)));
  if (architecture.num_columns == 0 || architecture.num_columns > max_columns) {
    throw ConfigError(
        fmt::format("network: {} columns; it needs 1 to {}", architecture.num_columns, max_columns));
  }
  if (architecture.outputs == 0 || architecture.outputs > max_layer_units) {
    throw ConfigError(
        fmt::format("network: {} outputs; it needs 1 to {}", architecture.outputs, max_layer_units));
  }
  for (const std::uint32_t units : architecture.hidden) {
    if (units == 0 || units > max_layer_units) {
      throw ConfigError(
          fmt::format("network: a hidden layer of {} units; it needs 1 to {}", units, max_layer_units));
    }
  }
  if (architecture.loss == LossKind::softmax && architecture.outputs < 2) {
    throw ConfigError("network: softmax needs an output per class, at least 2; use logistic for one output");
  }
  if (architecture.active_columns == 0) throw ConfigError("network: active_columns must be at least 1");
  check_units(architecture);
  const std::vector<double>& biases = architecture.first_output_bias;
  if (!biases.empty() && biases.size() != architecture.outputs) {
    throw ConfigError(
        fmt::format("network: {} starting biases for {} outputs", biases.size(), architecture.outputs));
  }
  if (!std::ranges::all_of(biases, [](double bias) { return std::isfinite(bias); }))
    throw ConfigError("network: the starting bias of an output is not finite");
}

std::uint64_t dense_weights(std::span<const std::uint32_t> hidden, std::uint32_t outputs) noexcept {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < hidden.size(); ++i)
    sum += std::uint64_t{hidden[i]} * (i + 1 < hidden.size() ? hidden[i + 1] : outputs);
  return sum;
}

std::vector<std::uint32_t> parse_hidden(const std::string& text, std::uint64_t num_columns) {
  if (text == "none") return {};
  if (text == "auto") return {auto_units(std::min(num_columns, max_columns))};

  std::vector<std::uint32_t> hidden;
  for (std::string_view rest = text;;) {
    const std::string_view part = rest.substr(0, rest.find(','));
    const auto units = detail::parse_all<std::uint32_t>(part);
    if (!units) throw_bad_hidden(text, fmt::format("'{}' is not a number of units", part));
    if (*units == 0 || *units > max_layer_units)
      throw_bad_hidden(text, fmt::format("a layer has 1 to {} units", max_layer_units));
    hidden.push_back(*units);
    if (part.size() == rest.size()) return hidden;
    rest.remove_prefix(part.size() + 1);
  }
}

std::uint32_t active_columns(const CodeLayout& layout) noexcept {
  std::uint32_t count = layout.num_codes() + layout.column_stride + layout.number_stride;
  for (const FeatureBlock& block : layout.blocks) {
    if (block.slot_kind != SlotKind::ragged) continue;
    const bool is_split = block.encoding == Encoding::four_split;
    count += is_split ? static_cast<std::uint32_t>(num_splits) : 1;
  }
  return std::max(count, std::uint32_t{1});
}

double columns_per_value(const CodeLayout& layout) noexcept {
  const auto features =
      std::ranges::count_if(layout.blocks, [](const FeatureBlock& block) { return block.num_columns > 0; });
  return features == 0 ? 1 : static_cast<double>(active_columns(layout)) / static_cast<double>(features);
}

}  // namespace widehash
