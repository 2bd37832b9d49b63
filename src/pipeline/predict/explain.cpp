#include "dataset_match.hpp"
#include "encode/feature_encoder.hpp"
#include "extreme_effects.hpp"
#include "model_encoder.hpp"
#include "output_choice.hpp"

#include <widehash/error.hpp>
#include <widehash/explain.hpp>
#include <widehash/lookup_table.hpp>
#include <widehash/model.hpp>
#include <widehash/table_set.hpp>

#include <algorithm>
#include <cmath>
#include <deque>

#include <fmt/format.h>

namespace widehash {
namespace {

constexpr std::size_t slice_values = 4096;

std::string readable(const Feature& feature, const LookupTable& table, std::string_view value) {
  return feature.is_cross() ? cross_text(value, table.file().path()) : std::string(value);
}

/// Adds a count to a sum of them. A table that somebody altered may hold any.
void add_count(std::uint64_t& sum, std::uint64_t count, const LookupTable& table) {
  const std::uint64_t before = sum;
  sum += count;
  if (sum > before) return;
  throw DataError(table.file().path(), 0, "a value's count is 0, or the counts overflow; rebuild the tables");
}

/// Counts the rows that have no item of a multi-valued feature. Cost: O(values).
std::uint64_t count_of_missing(const LookupTable& table) {
  for (std::uint64_t i = 0; i < table.num_values(); ++i) {
    if (const TableEntry entry = table.entry(i); entry.value.empty()) return entry.count;
  }
  return 0;
}

// The raw output of a model for rows that hold one value of one feature and nothing else, minus the raw
// output for the empty row, in the units of the targets. With several towers, the mean over them.
class ValueEffects {
 public:
  ValueEffects(const Ensemble<float>& model, std::shared_ptr<const CodeLayout> layout, std::size_t output)
      : model_(model), layout_(std::move(layout)), output_(output) {
    CodeBatch empty(layout_);
    empty.resize(1);
    base_ = raw_outputs(empty).front();
  }

  /// `columns` holds the columns of each value, as the encoder appended them.
  std::vector<double> effects(std::span<const std::vector<std::uint32_t>> columns) {
    CodeBatch rows(layout_);
    rows.resize(columns.size());
    for (std::size_t i = 0; i < columns.size(); ++i) {
      rows.ragged.insert(rows.ragged.end(), columns[i].begin(), columns[i].end());
      rows.ragged_offsets[i + 1] = rows.ragged.size();
    }
    std::vector<double> effects = raw_outputs(rows);
    for (double& effect : effects) effect -= base_;
    return effects;
  }

 private:
  std::vector<double> raw_outputs(const CodeBatch& rows) {
    std::vector<double> raw(rows.num_rows());
    add_raw_outputs(model_.network, rows, raw);
    for (const auto& tower : model_.other_towers) add_raw_outputs(tower, rows, raw);
    for (double& value : raw) value /= static_cast<double>(1 + model_.other_towers.size());
    return raw;
  }

  void add_raw_outputs(const Network<float>& network, const CodeBatch& rows, std::vector<double>& raw) {
    network.first_forward(rows.view(), work_);
    network.tail_forward(work_);
    const std::size_t outputs = network.architecture().outputs;
    const double scale = network.architecture().target_units.scale;
    for (std::size_t row = 0; row < rows.num_rows(); ++row)
      raw[row] += scale * double{work_.outputs()[row * outputs + output_]};
  }

  const Ensemble<float>& model_;
  std::shared_ptr<const CodeLayout> layout_;
  std::size_t output_;
  Workspace<float> work_;
  double base_ = 0;
};

// A layout whose features are all ragged: such a row can hold any set of columns.
std::shared_ptr<const CodeLayout> ragged_layout(const CodeLayout& layout) {
  CodeLayout ragged;
  ragged.num_columns = layout.num_columns;
  ragged.has_ragged = true;
  FeatureBlock& all = ragged.blocks.emplace_back();
  all.slot_kind = SlotKind::ragged;
  all.num_columns = layout.num_columns;
  return std::make_shared<const CodeLayout>(std::move(ragged));
}

// Names the columns of a bucketized feature. Each interval includes its lower end. The last column stands for
// missing values, unless these are skipped.
std::vector<std::string> interval_names(const Feature& feature) {
  const std::vector<double>& boundaries = feature.boundaries;
  std::vector<std::string> names{fmt::format("below {}", boundaries.front())};
  for (std::size_t i = 0; i + 1 < boundaries.size(); ++i)
    names.push_back(fmt::format("{} to below {}", boundaries[i], boundaries[i + 1]));
  names.push_back(fmt::format("from {}", boundaries.back()));
  if (feature.missing != Missing::skip) names.emplace_back();
  return names;
}

class Explainer {
 public:
  Explainer(const ExplainOptions& options, std::uint64_t output, const ProgressCallback& progress)
      : options_(options),
        progress_(progress),
        model_(load_ensemble(open_model<float>(options.model))),
        schema_(parse_schema(model_.source.schema_toml, options.model)),
        tables_(load_table_set(options.tables_directory, &schema_)),
        layout_(make_layout(schema_, model_.source.head_columns)),
        effects_(model_, ragged_layout(layout_), checked_output(output)) {
    // Without exact features any tables of the schema do.
    if (!model_.source.tables_fingerprint.empty())
      require_tables_of(model_.source, options.model, options.tables_directory, tables_.fingerprint);
  }

  std::vector<FeatureEffects> run() {
    std::vector<FeatureEffects> all;
    done_.bytes_total = schema_.features.size();
    for (std::size_t i = 0; i < schema_.features.size(); ++i) {
      const Feature& feature = schema_.features[i];
      if (!tables_.items.at(i).file.empty()) {
        all.push_back(table_effects(i));
      } else if (feature.encoding == Encoding::numeric) {
        all.push_back(feature.transform == NumericTransform::bucketize ? interval_effects(i)
                                                                       : number_effect(i));
      }
      done_.bytes_done = i + 1;
      tell(0);
    }
    // Features whose spread is unknown come last.
    std::stable_sort(all.begin(), all.end(),
                     [](const FeatureEffects& a, const FeatureEffects& b) { return a.spread > b.spread; });
    return all;
  }

 private:
  std::size_t checked_output(std::uint64_t output) const {
    require_output(options_.model, model_.network.architecture(), output);
    return output;
  }

  void tell(std::uint64_t values) {
    done_.rows += values;
    if (progress_) progress_(done_);
  }

  std::vector<double> column_effects(const FeatureBlock& block) {
    std::vector<std::vector<std::uint32_t>> columns(block.num_columns);
    for (std::size_t i = 0; i < columns.size(); ++i)
      columns[i] = {static_cast<std::uint32_t>(block.column_offset + i)};
    return effects_.effects(columns);
  }

  FeatureEffects number_effect(std::size_t index) {
    FeatureEffects result;
    result.feature = schema_.features[index].name;
    result.kind = FeatureEffects::Kind::number;
    result.transform = schema_.features[index].transform;
    result.moments = tables_.items[index].moments;
    result.per_unit = column_effects(layout_.blocks[index]).front();
    // A missing number is encoded as 0, which is the mean of a standardized feature.
    const double share =
        tables_.rows > 0
            ? std::min(1.0, static_cast<double>(result.moments.count) / static_cast<double>(tables_.rows))
            : 0;
    const double mean = result.moments.mean;
    const double deviation = result.moments.standard_deviation;
    if (result.transform == NumericTransform::none) {
      result.spread = std::abs(result.per_unit) *
                      std::sqrt(share * deviation * deviation + share * (1 - share) * mean * mean);
    } else if (result.transform == NumericTransform::standardize) {
      result.spread = deviation > 0 ? std::abs(result.per_unit) * std::sqrt(share) : 0;
    }
    return result;
  }

  FeatureEffects interval_effects(std::size_t index) {
    FeatureEffects result;
    result.feature = schema_.features[index].name;
    result.kind = FeatureEffects::Kind::intervals;
    result.transform = NumericTransform::bucketize;
    const std::vector<std::string> names = interval_names(schema_.features[index]);
    std::vector<double> effects = column_effects(layout_.blocks[index]);
    result.num_values = names.size();
    std::vector<bool> is_empty(names.size());  // no row was in the interval, so its weight was never trained
    if (const auto& means = model_.source.column_means; !means.empty()) {
      // The mean of an indicator column is the share of rows in its interval.
      const auto shares = std::span(means).subspan(layout_.blocks[index].column_offset, effects.size());
      double mean = 0;
      double squares = 0;
      for (std::size_t i = 0; i < effects.size(); ++i) {
        is_empty[i] = shares[i] == 0;
        mean += shares[i] * effects[i];
        squares += shares[i] * effects[i] * effects[i];
      }
      for (double& effect : effects) effect -= mean;
      result.spread = std::sqrt(std::max(0.0, squares - mean * mean));
    }
    ExtremeEffects extremes(options_.top);
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (is_empty[i]) continue;
      extremes.offer(effects[i], [&] { return ValueEffect{names[i], 0, effects[i]}; });
    }
    extremes.give(result);
    return result;
  }

  /// Calls use(entry, effect) for every value of the table.
  template <class Use>
  void for_each_value(const Feature& feature, const LookupTable& table, const FeatureBlock& block,
                      const Use& use) {
    FeatureEncoder encoder(schema_, feature, &table, nullptr);
    encoder.place(block);
    std::vector<std::vector<std::uint32_t>> columns;
    for (std::uint64_t first = 0; first < table.num_values(); first += slice_values) {
      const std::uint64_t count = std::min<std::uint64_t>(slice_values, table.num_values() - first);
      columns.resize(count);
      for (std::uint64_t i = 0; i < count; ++i) {
        columns[i].clear();
        encoder.append_value_columns(table.entry(first + i).value, columns[i]);
      }
      const std::vector<double> effects = effects_.effects(columns);
      for (std::uint64_t i = 0; i < count; ++i) use(table.entry(first + i), effects[i]);
      tell(count);
    }
  }

  FeatureEffects table_effects(std::size_t index) {
    const Feature& feature = schema_.features[index];
    const LookupTable table = open_table(tables_, index);
    FeatureEffects result;
    result.feature = feature.name;
    result.num_values = table.num_values();
    if (feature.separator.empty()) {
      add_values(result, feature, table, layout_.blocks[index]);
    } else {
      result.kind = FeatureEffects::Kind::items;
      add_items(result, feature, table, layout_.blocks[index]);
    }
    return result;
  }

  void add_values(FeatureEffects& result, const Feature& feature, const LookupTable& table,
                  const FeatureBlock& block) {
    // Effects are relative to the feature's mean, which is known only after the last value. One pass computes
    // mean and spread; the extremes found on the way are shifted at the end.
    std::uint64_t counted = 0;
    double mean = 0;
    double squares = 0;
    ExtremeEffects extremes(options_.top);
    const auto add = [&](std::uint64_t count, double effect, const auto& text) {
      const auto weight = static_cast<double>(count);
      const double shift = effect - mean;
      mean += shift * weight / static_cast<double>(counted);
      squares += weight * shift * (effect - mean);
      if (count >= options_.min_count)
        extremes.offer(effect, [&] { return ValueEffect{text(), count, effect}; });
    };
    for_each_value(feature, table, block, [&](const TableEntry& entry, double effect) {
      add_count(counted, entry.count, table);
      add(entry.count, effect, [&] { return readable(feature, table, entry.value); });
    });
    // The other rows set no column of the feature: rows without a value, where missing values are skipped.
    if (tables_.rows > counted) {
      const std::uint64_t others = tables_.rows - counted;
      counted += others;
      add(others, 0, [] { return std::string(); });
    }
    result.spread = counted > 0 ? std::sqrt(squares / static_cast<double>(counted)) : 0;
    extremes.give(result);
    for (ValueEffect& value : result.lowest) value.effect -= mean;
    for (ValueEffect& value : result.highest) value.effect -= mean;
  }

  void add_items(FeatureEffects& result, const Feature& feature, const LookupTable& table,
                 const FeatureBlock& block) {
    // A row without items has the missing value, unless that is skipped, and no item besides it.
    const auto rows = static_cast<double>(tables_.rows);
    const auto missing_rows = static_cast<double>(count_of_missing(table));
    const double rows_with_items = std::max(rows - missing_rows, 1.0);
    double items_mean = 0;  // over rows that have items
    double variance = 0;
    std::optional<ValueEffect> missing;
    // The mean is known only after the last item, so the extremes found on the way are shifted at the end.
    ExtremeEffects extremes(options_.top);
    for_each_value(feature, table, block, [&](const TableEntry& entry, double effect) {
      const auto value = [&](double of_value) {
        return ValueEffect{readable(feature, table, entry.value), entry.count, of_value};
      };
      if (entry.value.empty()) {
        missing = value(effect);
        return;
      }
      const double share = std::min(1.0, static_cast<double>(entry.count) / rows_with_items);
      items_mean += share * effect;
      variance += share * (1 - share) * effect * effect;
      const double of_rows = effect * (1 - share);
      if (entry.count >= options_.min_count) extremes.offer(of_rows, [&] { return value(of_rows); });
    });
    const double missing_share = rows > 0 ? std::min(1.0, missing_rows / rows) : 0;
    const double missing_effect = missing ? missing->effect : 0;
    const double mean = missing_share * missing_effect + (1 - missing_share) * items_mean;
    if (missing) {
      missing->effect -= items_mean;
      if (missing->count >= options_.min_count) extremes.offer(missing->effect, [&] { return *missing; });
    }
    extremes.give(result);
    for (ValueEffect& value : result.lowest) value.effect += items_mean - mean;
    for (ValueEffect& value : result.highest) value.effect += items_mean - mean;
    const double of_items = variance + (items_mean - mean) * (items_mean - mean);
    const double of_missing = (missing_effect - mean) * (missing_effect - mean);
    result.spread = std::sqrt(missing_share * of_missing + (1 - missing_share) * of_items);
  }

  const ExplainOptions& options_;
  const ProgressCallback& progress_;
  Progress done_;
  Ensemble<float> model_;
  Schema schema_;
  TableSet tables_;
  CodeLayout layout_;
  ValueEffects effects_;
};

}  // namespace

const char* to_string(FeatureEffects::Kind kind) noexcept {
  switch (kind) {
    case FeatureEffects::Kind::values:
      return "values";
    case FeatureEffects::Kind::items:
      return "items";
    case FeatureEffects::Kind::intervals:
      return "intervals";
    case FeatureEffects::Kind::number:
      break;
  }
  return "number";
}

std::vector<FeatureEffects> explain(const ExplainOptions& options, std::uint64_t output,
                                    const ProgressCallback& progress) {
  return Explainer(options, output, progress).run();
}

std::string class_of_output(const std::string& model, std::uint64_t output) {
  const Schema schema = parse_schema(read_model_header<float>(model).source.schema_toml, model);
  return output < schema.label.classes.size() ? schema.label.classes[output] : "";
}

}  // namespace widehash
