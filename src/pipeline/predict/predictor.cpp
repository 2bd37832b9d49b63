#include "encode/table_texts.hpp"
#include "model_encoder.hpp"
#include "output_choice.hpp"
#include "placed_model.hpp"
#include "prediction_gaps.hpp"

#include <widehash/error.hpp>
#include <widehash/predictor.hpp>
#include <widehash/rows_in_layout.hpp>
#include <widehash/threads.hpp>
#include <widehash/unpacked_runs.hpp>

#include <algorithm>
#include <mutex>
#include <optional>

namespace widehash {
namespace {

/// Calls use(begin, count) concurrently for `num_rows` rows, at most `rows_per_call` rows per call.
template <class Use>
void for_each_call(std::size_t num_rows, std::size_t rows_per_call, const Use& use) {
  parallel_for((num_rows + rows_per_call - 1) / rows_per_call, [&](std::size_t call) {
    const std::size_t begin = call * rows_per_call;
    use(begin, std::min(rows_per_call, num_rows - begin));
  });
}

}  // namespace

struct Predictor::Impl {
  PlacedModel model;
  Encoder encoder;
  std::string path;
  // Not a once_flag: under the thread sanitizer, waiting for one whose function has thrown never ends.
  mutable std::mutex making_effects;
  mutable std::optional<RowEffects> effects;

  Impl(const std::string& place, const std::string& tables_directory, const Device& device,
       bool undo_class_weights)
      : model(place, device, undo_class_weights),
        encoder(encoder_of(model.source(), place, tables_directory)),
        path(place) {}
};

Predictor::Predictor(const std::string& model, const std::string& tables_directory, const Device& device,
                     bool undo_class_weights)
    : impl_(std::make_unique<const Impl>(model, tables_directory, device, undo_class_weights)) {}
Predictor::~Predictor() = default;
Predictor::Predictor(Predictor&&) noexcept = default;
Predictor& Predictor::operator=(Predictor&&) noexcept = default;

const Encoder& Predictor::encoder() const noexcept { return impl_->encoder; }
const Architecture& Predictor::architecture() const noexcept { return impl_->model.architecture(); }
std::uint64_t Predictor::checksum() const noexcept { return impl_->model.checksum(); }
std::size_t Predictor::num_outputs() const noexcept { return architecture().outputs; }

std::vector<float> Predictor::predict(const ColumnTable& table) const {
  std::vector<EncodeIssue> issues;
  std::vector<float> predictions = predict(table, issues);
  if (!issues.empty()) throw DataError(memory_source, issues.front().row + 1, issues.front().reason);
  return predictions;
}

template <class Rows>
std::vector<float> Predictor::predict_rows(const Rows& rows, std::size_t num_rows,
                                           const FieldBinding& binding,
                                           std::vector<EncodeIssue>& issues) const {
  CodeBatch batch(encoder().layout());
  std::vector<EncodeIssue> found;
  encoder().encode(rows, without_target(binding), batch, found);
  std::vector<float> predictions = predict(batch.view());
  if (!found.empty()) predictions = with_gaps(predictions, found, num_rows, num_outputs());
  issues.insert(issues.end(), found.begin(), found.end());
  return predictions;
}

std::vector<float> Predictor::predict(const ColumnTable& table, std::vector<EncodeIssue>& issues) const {
  return predict_rows(table, table.num_rows(), encoder().bind(table, false), issues);
}

std::vector<float> Predictor::predict(const RowsView& rows, const FieldBinding& binding,
                                      std::vector<EncodeIssue>& issues) const {
  if (!binding.folds.take_all())
    throw ConfigError(
        "folds choose rows to learn from, but every row gets a prediction; bind the fields without folds");
  return predict_rows(rows, rows.num_rows(), binding, issues);
}

const RowEffects& Predictor::effects() const {
  const std::lock_guard lock(impl_->making_effects);
  if (!impl_->effects) impl_->effects.emplace(impl_->model.ensemble(), encoder().layout(), impl_->path);
  return *impl_->effects;
}

ExplainedRows Predictor::explain(const ColumnTable& table, std::vector<EncodeIssue>& issues,
                                 std::optional<std::uint32_t> output) const {
  if (output) require_output(impl_->path, architecture(), *output);
  const RowEffects& effects = this->effects();
  const std::size_t num_features = effects.features().size();
  CodeBatch batch(encoder().layout());
  std::vector<EncodeIssue> found;
  encoder().encode(table, without_target(encoder().bind(table, false)), batch, found);
  ExplainedRows result;
  result.predictions = predict(batch.view());
  result.outputs = output ? std::vector<std::uint32_t>(batch.num_rows(), *output)
                          : likeliest_outputs(result.predictions, num_outputs());
  result.effects.resize(batch.num_rows() * num_features);
  for_each_call(batch.num_rows(), rows_per_call(Device{}), [&](std::size_t begin, std::size_t count) {
    RowEffects::Work work;
    effects.find(batch.view().rows(begin, count), std::span(result.outputs).subspan(begin, count), work,
                 std::span(result.effects).subspan(begin * num_features, count * num_features));
  });
  if (!found.empty()) {
    result.predictions = with_gaps(result.predictions, found, table.num_rows(), num_outputs());
    result.effects = with_gaps(result.effects, found, table.num_rows(), num_features);
    result.outputs = with_gaps(result.outputs, found, table.num_rows(), 1, std::uint32_t{0});
  }
  issues.insert(issues.end(), found.begin(), found.end());
  return result;
}

std::vector<float> Predictor::predict(const CodeBatchView& rows) const {
  if (rows.layout == nullptr || rows.layout->fingerprint != encoder().fingerprint())
    throw ShapeError("the rows have another encoding than those that the model was trained on");
  if (!same_layout(*rows.layout, *encoder().layout()))
    return predict(rows_in_layout(rows, encoder().layout()).view());
  std::vector<float> predictions(rows.num_rows * num_outputs());
  for_each_call(rows.num_rows, impl_->model.rows_per_call(), [&](std::size_t begin, std::size_t count) {
    Workspace<float> work;
    UnpackedRuns runs;
    impl_->model.predict(unpacked(rows.rows(begin, count), runs), work,
                         std::span(predictions).subspan(begin * num_outputs(), count * num_outputs()));
  });
  return predictions;
}

}  // namespace widehash
