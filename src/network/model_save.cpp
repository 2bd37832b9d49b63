#include "model_metadata.hpp"

#include <widehash/error.hpp>
#include <widehash/internal/json_parse.hpp>
#include <widehash/internal/section_file.hpp>
#include <widehash/model.hpp>

#include <cmath>

#include <fmt/format.h>

namespace widehash {
namespace {

using Json = nlohmann::ordered_json;

Json architecture_json(const Architecture& architecture) {
  Json json;
  json["num_columns"] = architecture.num_columns;
  json["hidden"] = architecture.hidden;
  json["outputs"] = architecture.outputs;
  json["activation"] = to_string(architecture.activation);
  json["loss"] = to_string(architecture.loss);
  json["seed"] = architecture.seed;
  json["active_columns"] = architecture.active_columns;
  if (const TargetUnits& units = architecture.target_units; !units.are_plain()) {
    json["target_shift"] = units.shift;
    json["target_scale"] = units.scale;
  }
  return json;
}

Json position_json(const TrainingPosition& position) {
  Json json;
  json["epoch"] = position.epoch;
  json["batch"] = position.batch;
  json["rows_seen"] = position.rows_seen;
  json["seed"] = position.seed;
  // JSON has no infinity; null reads back as "none yet".
  json["best_valid_loss"] =
      std::isfinite(position.best_valid_loss) ? Json(position.best_valid_loss) : Json(nullptr);
  if (std::isfinite(position.start_valid_loss)) json["start_valid_loss"] = position.start_valid_loss;
  json["best_epoch"] = position.best_epoch;
  json["bad_epochs"] = position.bad_epochs;
  return json;
}

template <class Real>
void require_whole(const Model<Real>& model) {
  const auto& parameters = model.network.parameters();
  const ColumnRange all{0, model.network.architecture().num_columns};
  if (parameters.columns != all) {
    throw ConfigError(
        fmt::format("a model is saved whole, but this network holds columns [{}, {}) of {}; gather its parts",
                    parameters.columns.begin, parameters.columns.end, all.end));
  }
  if (!model.other_towers.empty())
    throw ConfigError("a model of several towers is saved with the optimizers of all; use ModelWriter");
  const auto weights = parameters.tensors();
  for (const auto& state : model.optimizer.states()) {
    const auto tensors = state.tensors();
    bool fits = tensors.size() == weights.size();
    for (std::size_t i = 0; fits && i < weights.size(); ++i)
      fits = tensors[i].values.size() == weights[i].values.size();
    if (!fits)
      throw ShapeError("model: the optimizer's state belongs to other parameters than the network's");
  }
}

std::uint32_t version_of(const ModelHeader& header) noexcept {
  if (!header.architecture.target_units.are_plain()) return detail::units_model_version;
  return header.num_towers() > 1 ? detail::towers_model_version : detail::model_version;
}

Json metadata_json(const ModelHeader& header, const char* precision) {
  const bool has_towers = header.num_towers() > 1;
  Json metadata;
  metadata["version"] = version_of(header);
  metadata["precision"] = precision;
  metadata["architecture"] = architecture_json(header.architecture);
  metadata["optimizer"] = Json::parse(to_json(header.optimizer));
  metadata["step"] = header.steps.front();
  if (has_towers) metadata["tower_steps"] = header.steps;
  metadata["schema_fingerprint"] = header.source.schema_fingerprint;
  metadata["tables_fingerprint"] = header.source.tables_fingerprint;
  metadata["num_classes"] = header.source.num_classes;
  metadata["position"] = position_json(header.position);
  return metadata;
}

}  // namespace

template <class Real>
struct ModelWriter<Real>::Impl {
  Impl(const std::string& place, const ModelHeader& header)
      : path(place),
        file(place, detail::model_kind),
        metadata(metadata_json(header, detail::precision_name<Real>).dump()),
        sizes(tensor_sizes(header.architecture)),
        num_sets(static_cast<std::size_t>(1 + num_states(header.optimizer.kind))),
        num_towers(header.num_towers()) {}

  bool is_done() const noexcept { return tower == num_towers; }
  /// Begins the section of the next tensor.
  void begin() { file.begin_section(detail::tensor_section(tower, static_cast<int>(set) - 1, tensor)); }
  void next() {
    written = 0;
    if (++tensor < sizes.size()) return;
    tensor = 0;
    if (++set < num_sets) return;
    set = 0;
    ++tower;
  }

  std::string path;
  SectionWriter file;
  std::string metadata;
  std::vector<std::uint64_t> sizes;
  std::size_t num_sets;  // the parameters, then each state
  std::size_t num_towers;
  std::size_t tower = 0;
  std::size_t set = 0;
  std::size_t tensor = 0;
  std::uint64_t written = 0;  // of the current tensor
};

template <class Real>
ModelWriter<Real>::ModelWriter(const std::string& path, const ModelHeader& header) {
  if (!detail::is_shallow_json(header.training) || !Json::parse(header.training, nullptr, false).is_object())
    throw ConfigError("model: the training notes are not a JSON object: " + header.training);
  // What no reader would accept may not replace a good model.
  check_architecture(header.architecture);
  check_settings(header.optimizer);
  if (header.steps.empty()) throw ConfigError("model: no tower has a number of steps");
  if (!all_finite<float>(header.source.column_means))
    throw DataError(path, 0, "was not written: the means of its columns are not finite");
  impl_ = std::make_unique<Impl>(path, header);
  const std::span<const char> schema = header.source.schema_toml;
  impl_->file.add_section("schema", std::as_bytes(schema));
  const std::span<const char> training = header.training;
  impl_->file.add_section("training", std::as_bytes(training));
  const std::span<const std::uint32_t> head_columns = header.source.head_columns;
  impl_->file.add_section("head_columns", std::as_bytes(head_columns));
  const std::span<const float> column_means = header.source.column_means;
  if (column_means.empty()) return;  // as in files from before there were any
  if (column_means.size() != header.architecture.num_columns) {
    throw ShapeError(
        fmt::format("model: {} means for {} columns", column_means.size(), header.architecture.num_columns));
  }
  impl_->file.add_section(detail::column_means_section, std::as_bytes(column_means));
}

template <class Real>
ModelWriter<Real>::~ModelWriter() = default;

template <class Real>
void ModelWriter<Real>::append(std::span<const Real> values) {
  if (impl_->is_done() || values.size() > impl_->sizes[impl_->tensor] - impl_->written)
    throw ShapeError("model: more values than the architecture has");
  if (!all_finite(values)) {
    throw DataError(impl_->path, 0,
                    "was not written: its parameters or its optimizer's states are not finite; a smaller "
                    "learning rate or scaled numeric features may help");
  }
  if (values.empty()) return;
  if (impl_->written == 0) impl_->begin();
  impl_->file.append(std::as_bytes(values));
  impl_->written += values.size();
  if (impl_->written == impl_->sizes[impl_->tensor]) impl_->next();
}

template <class Real>
void ModelWriter<Real>::finish() {
  if (!impl_->is_done()) throw ShapeError("model: fewer values than the architecture has");
  impl_->file.finish(impl_->metadata);
}

template <class Real>
void save_model(const std::string& path, const Model<Real>& model) {
  require_whole(model);
  ModelWriter<Real> file(path, {model.network.architecture(),
                                model.optimizer.settings(),
                                {model.optimizer.step()},
                                model.source,
                                model.position,
                                model.training});
  const auto append = [&](const Parameters<Real>& set) {
    for (const auto& tensor : set.tensors()) file.append(tensor.values);
  };
  append(model.network.parameters());
  for (const auto& state : model.optimizer.states()) append(state);
  file.finish();
}

template class ModelWriter<float>;
template class ModelWriter<double>;
template void save_model(const std::string&, const Model<float>&);
template void save_model(const std::string&, const Model<double>&);

}  // namespace widehash
