#include <widehash/error.hpp>
#include <widehash/first_layer.hpp>
#include <widehash/row_effects.hpp>
#include <widehash/unpacked_runs.hpp>

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

namespace widehash {
namespace {

/// Returns how many rows to process at once, so that their sums, of `units` each, stay in the L2 cache while
/// one feature after another is subtracted from them.
std::size_t rows_at_once(std::size_t units) noexcept {
  constexpr std::size_t sums = std::size_t{1} << 17;
  return std::clamp<std::size_t>(sums / units, 8, 1024);
}

}  // namespace

RowEffects::RowEffects(const Ensemble<float>& model, std::shared_ptr<const CodeLayout> layout,
                       const std::string& path)
    : model_(model), layout_(std::move(layout)), base_(model.network.architecture().outputs) {
  if (model_.source.column_means.size() != layout_->num_columns) {
    throw ConfigError(
        fmt::format("{}: does not record how often its columns are set, which effects are measured against: "
                    "it is from an earlier version; train it again, or continue from it with `train --from`",
                    path));
  }
  for (std::size_t i = 0; i < layout_->blocks.size(); ++i) {
    if (layout_->blocks[i].num_columns > 0) features_.push_back(i);
  }
  for_each_tower([&](const Network<float>& tower, std::size_t) {
    means_.push_back(means_of(tower));
    add_base(tower, means_.back());
  });
  for (double& value : base_) value /= static_cast<double>(means_.size());
}

template <class Use>
void RowEffects::for_each_tower(const Use& use) const {
  use(model_.network, std::size_t{0});
  for (std::size_t i = 0; i < model_.other_towers.size(); ++i) use(model_.other_towers[i], i + 1);
}

RowEffects::Means RowEffects::means_of(const Network<float>& tower) const {
  const Parameters<float>& parameters = tower.parameters();
  Means means;
  for (const std::size_t feature : features_) {
    const FeatureBlock& block = layout_->blocks[feature];
    std::vector<double> sums(parameters.units);
    for (std::uint64_t c = block.column_offset; c < block.column_offset + block.num_columns; ++c) {
      const double mean = model_.source.column_means[c];
      for (std::uint32_t unit = 0; unit < parameters.units; ++unit)
        sums[unit] += mean * double{parameters.first_weights[c * parameters.units + unit]};
    }
    means.emplace_back(sums.begin(), sums.end());
  }
  return means;
}

double RowEffects::chosen(std::span<const float> raw, std::uint32_t output) const noexcept {
  const double value = raw[output];
  if (model_.network.architecture().loss != LossKind::softmax) return value;
  return value - std::accumulate(raw.begin(), raw.end(), 0.0) / static_cast<double>(raw.size());
}

void RowEffects::add_base(const Network<float>& tower, const Means& means) {
  Workspace<float> work;
  // Any row gives `work` its shape, but it must be a valid one: resize() may leave columns that are out of range.
  CodeBatch row(layout_);
  row.resize(1);
  std::ranges::fill(row.codes, std::uint16_t{0});
  std::ranges::fill(row.columns, 0U);
  std::ranges::fill(row.numbers, 0.0F);
  tower.first_forward(row.view(), work);
  std::ranges::fill(work.first_sums(), 0.0F);
  for (const std::vector<float>& mean : means)
    std::transform(mean.begin(), mean.end(), work.first_sums().begin(), work.first_sums().begin(),
                   std::plus<>());
  tower.tail_forward(work);
  const TargetUnits& units = tower.architecture().target_units;
  for (std::uint32_t output = 0; output < base_.size(); ++output)
    base_[output] += units.shift + units.scale * chosen(work.outputs(), output);
}

void RowEffects::find(const CodeBatchView& rows, std::span<const std::uint32_t> outputs, Work& work,
                      std::span<float> effects) const {
  if (outputs.size() != rows.num_rows || effects.size() != rows.num_rows * features_.size()) {
    throw ShapeError(fmt::format("effects: {} outputs and room for {} effects where {} rows have {} features",
                                 outputs.size(), effects.size(), rows.num_rows, features_.size()));
  }
  if (std::ranges::any_of(outputs, [&](std::uint32_t output) { return output >= base_.size(); }))
    throw ShapeError(fmt::format("effects: an output beyond the {} of the model", base_.size()));
  std::ranges::fill(effects, 0.0F);
  const std::size_t slice = rows_at_once(model_.network.parameters().units);
  for (std::size_t begin = 0; begin < rows.num_rows; begin += slice) {
    const std::size_t count = std::min(slice, rows.num_rows - begin);
    const std::span<float> some = effects.subspan(begin * features_.size(), count * features_.size());
    UnpackedRuns runs;
    const CodeBatchView columns = unpacked(rows.rows(begin, count), runs);
    for_each_tower([&](const Network<float>& tower, std::size_t i) {
      add_effects(tower, means_[i], columns, outputs.subspan(begin, count), work, some);
    });
  }
  const auto num_towers = static_cast<float>(means_.size());
  if (num_towers == 1) return;
  for (float& effect : effects) effect /= num_towers;
}

void RowEffects::add_effects(const Network<float>& tower, const Means& means, const CodeBatchView& rows,
                             std::span<const std::uint32_t> outputs, Work& work,
                             std::span<float> effects) const {
  const Parameters<float>& parameters = tower.parameters();
  const std::size_t units = parameters.units;
  const std::size_t num_outputs = base_.size();
  const double scale = tower.architecture().target_units.scale;
  const bool is_linear = tower.architecture().hidden.empty();
  const auto raw_of = [&](std::size_t row) {
    return work.network.outputs().subspan(row * num_outputs, num_outputs);
  };

  if (!is_linear) {
    tower.first_forward(rows, work.network);
    work.sums.assign(work.network.first_sums().begin(), work.network.first_sums().end());
    tower.tail_forward(work.network);
    work.whole.resize(rows.num_rows);
    for (std::size_t row = 0; row < rows.num_rows; ++row) work.whole[row] = chosen(raw_of(row), outputs[row]);
  }
  work.part.resize(rows.num_rows * units);
  for (std::size_t f = 0; f < features_.size(); ++f) {
    const FeatureBlock& block = layout_->blocks[features_[f]];
    const ColumnRange columns{block.column_offset, block.column_offset + block.num_columns};
    gather_sum<float>(rows,
                      std::span<const float>(parameters.first_weights)
                          .subspan(columns.begin * units, block.num_columns * units),
                      columns, parameters.units, work.part);
    for (std::size_t row = 0; row < rows.num_rows; ++row) {
      float* const part = work.part.data() + row * units;
      for (std::size_t unit = 0; unit < units; ++unit) part[unit] -= means[f][unit];
    }
    if (!is_linear) {
      const std::span<float> sums = work.network.first_sums();
      for (std::size_t i = 0; i < sums.size(); ++i) sums[i] = work.sums[i] - work.part[i];
      tower.tail_forward(work.network);
    }
    for (std::size_t row = 0; row < rows.num_rows; ++row) {
      const double change = is_linear ? chosen(std::span(work.part).subspan(row * units, units), outputs[row])
                                      : work.whole[row] - chosen(raw_of(row), outputs[row]);
      effects[row * features_.size() + f] += static_cast<float>(scale * change);
    }
  }
}

std::vector<std::uint32_t> likeliest_outputs(std::span<const float> predictions, std::size_t outputs) {
  if (outputs == 0 || predictions.size() % outputs != 0)
    throw ShapeError(fmt::format("{} predictions of rows of {}", predictions.size(), outputs));
  std::vector<std::uint32_t> likeliest(predictions.size() / outputs);
  for (std::size_t row = 0; row < likeliest.size(); ++row) {
    const std::span<const float> probabilities = predictions.subspan(row * outputs, outputs);
    likeliest[row] =
        static_cast<std::uint32_t>(std::ranges::max_element(probabilities) - probabilities.begin());
  }
  return likeliest;
}

}  // namespace widehash
