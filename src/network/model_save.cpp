#include "model_metadata.hpp"

#include <widehash/error.hpp>
#include <widehash/model.hpp>
#include <widehash/section_file.hpp>

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
  json["best_epoch"] = position.best_epoch;
  json["bad_epochs"] = position.bad_epochs;
  return json;
}

template <class Real>
void add_tensors(SectionWriter& file, const std::string& prefix, const Parameters<Real>& parameters) {
  const auto tensors = parameters.tensors();
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    file.add_section(fmt::format("{}/{}", prefix, i), std::as_bytes(tensors[i].values));
  }
}

template <class Real>
void require_whole(const Model<Real>& model) {
  const auto& parameters = model.network.parameters();
  const ColumnRange all{0, model.network.architecture().num_columns};
  if (parameters.columns != all) {
    throw ConfigError(
        fmt::format("a model is saved whole, and this network holds columns [{}, {}) of {}; gather its parts",
                    parameters.columns.begin, parameters.columns.end, all.end));
  }
  const auto weights = parameters.tensors();
  for (const auto& state : model.optimizer.states()) {
    const auto tensors = state.tensors();
    bool fits = tensors.size() == weights.size();
    for (std::size_t i = 0; fits && i < weights.size(); ++i)
      fits = tensors[i].values.size() == weights[i].values.size();
    if (!fits) throw ShapeError("model: the optimizer's state is of other parameters than the network's");
  }
}

}  // namespace

template <class Real>
void save_model(const std::string& path, const Model<Real>& model) {
  require_whole(model);
  if (!Json::parse(model.training, nullptr, false).is_object())
    throw ConfigError("model: the training notes are not a JSON object: " + model.training);

  Json metadata;
  metadata["version"] = detail::model_version;
  metadata["precision"] = detail::precision_name<Real>;
  metadata["architecture"] = architecture_json(model.network.architecture());
  metadata["optimizer"] = Json::parse(to_json(model.optimizer.settings()));
  metadata["step"] = model.optimizer.step();
  metadata["schema_fingerprint"] = model.source.schema_fingerprint;
  metadata["tables_fingerprint"] = model.source.tables_fingerprint;
  metadata["num_classes"] = model.source.num_classes;
  metadata["position"] = position_json(model.position);

  SectionWriter file(path, detail::model_kind);
  const std::span<const char> schema = model.source.schema_toml;
  file.add_section("schema", std::as_bytes(schema));
  const std::span<const char> training = model.training;
  file.add_section("training", std::as_bytes(training));
  const std::span<const std::uint32_t> head_columns = model.source.head_columns;
  file.add_section("head_columns", std::as_bytes(head_columns));
  add_tensors(file, "parameters", model.network.parameters());
  for (std::size_t s = 0; s < model.optimizer.states().size(); ++s) {
    add_tensors(file, fmt::format("state/{}", s), model.optimizer.states()[s]);
  }
  file.finish(metadata.dump());
}

template void save_model(const std::string&, const Model<float>&);
template void save_model(const std::string&, const Model<double>&);

}  // namespace widehash
