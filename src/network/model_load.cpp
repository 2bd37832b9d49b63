#include "model_metadata.hpp"

#include <widehash/error.hpp>
#include <widehash/internal/file.hpp>
#include <widehash/internal/json_count.hpp>
#include <widehash/internal/json_parse.hpp>
#include <widehash/internal/section_file.hpp>
#include <widehash/model.hpp>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <system_error>
#include <utility>

#include <fmt/format.h>

namespace widehash {
namespace {

using Json = nlohmann::json;

[[noreturn]] void throw_contradiction(const std::string& path, const std::string& what) {
  throw DataError(path, 0, "is not a valid model file: " + what + "; use an older copy or train again");
}

/// For a model file that may be sound.
[[noreturn]] void throw_other_version(const std::string& path, std::uint64_t version) {
  throw DataError(
      path, 0,
      fmt::format(
          "is a model of version {}, but this program reads {} to {}; use a program that reads that version",
          version, detail::model_version, detail::units_model_version));
}

Architecture read_architecture(const Json& json) {
  Architecture architecture;
  architecture.num_columns = detail::json_count(json, "num_columns");
  architecture.hidden = detail::json_counts<std::uint32_t>(json, "hidden");
  architecture.outputs = detail::json_count<std::uint32_t>(json, "outputs");
  architecture.activation = parse_activation(json.at("activation").get<std::string>());
  architecture.loss = parse_loss(json.at("loss").get<std::string>());
  architecture.seed = detail::json_count(json, "seed");
  architecture.active_columns =
      detail::json_count<decltype(architecture.active_columns)>(json, "active_columns");
  architecture.target_units.shift = json.value("target_shift", architecture.target_units.shift);
  architecture.target_units.scale = json.value("target_scale", architecture.target_units.scale);
  check_architecture(architecture);
  return architecture;
}

TrainingPosition read_position(const Json& json) {
  TrainingPosition position;
  position.epoch = detail::json_count(json, "epoch");
  position.batch = detail::json_count(json, "batch");
  position.rows_seen = detail::json_count(json, "rows_seen");
  position.seed = detail::json_count(json, "seed");
  if (!json.at("best_valid_loss").is_null()) json.at("best_valid_loss").get_to(position.best_valid_loss);
  position.start_valid_loss = json.value("start_valid_loss", position.start_valid_loss);
  position.best_epoch = detail::json_count(json, "best_epoch");
  position.bad_epochs = detail::json_count<std::uint32_t>(json, "bad_epochs");
  return position;
}

template <class Real>
void require_sizes(const SectionFile& file, std::size_t tower, int state, const Architecture& architecture) {
  const auto sizes = tensor_sizes(architecture);
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const std::string name = detail::tensor_section(tower, state, i);
    const std::uint64_t bytes = file.bytes(name).size();
    if (bytes != sizes[i] * sizeof(Real)) {
      throw_contradiction(file.path(), fmt::format("section '{}' has {} bytes, but the architecture needs {}",
                                                   name, bytes, sizes[i] * sizeof(Real)));
    }
  }
}

template <class Real>
void require_all_finite(const SectionFile& file, const std::string& section, std::span<const Real> values) {
  if (!all_finite<Real>(values))
    throw_contradiction(file.path(), fmt::format("section '{}' has values that are not finite", section));
}

template <class Real>
Parameters<Real> read_tensors(const SectionFile& file, std::size_t tower, int state,
                              const Architecture& architecture, ColumnRange columns) {
  auto parameters = make_zero_parameters<Real>(architecture, columns);
  const auto tensors = parameters.tensors();
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const std::string name = detail::tensor_section(tower, state, i);
    auto saved = file.as<Real>(name);
    if (i == 0) saved = saved.subspan(columns.begin * parameters.units, tensors[i].values.size());
    require_all_finite<Real>(file, name, saved);
    std::copy(saved.begin(), saved.end(), tensors[i].values.begin());
  }
  return parameters;
}

std::string read_text(const SectionFile& file, const char* section) {
  const auto text = file.as<char>(section);
  return {text.begin(), text.end()};
}

std::vector<float> read_column_means(const SectionFile& file, const Architecture& architecture) {
  if (!file.has(detail::column_means_section)) return {};
  const auto means = file.as<float>(detail::column_means_section);
  if (means.size() != architecture.num_columns) {
    throw_contradiction(
        file.path(), fmt::format("it has {} means for {} columns", means.size(), architecture.num_columns));
  }
  require_all_finite<float>(file, detail::column_means_section, means);
  return {means.begin(), means.end()};
}

std::vector<std::uint64_t> read_steps(const SectionFile& file, const Json& metadata) {
  const auto version = detail::json_count(metadata, "version");
  const bool has_towers = metadata.contains("tower_steps");
  if (version != detail::units_model_version && has_towers != (version == detail::towers_model_version))
    throw_contradiction(file.path(), "its version and its number of towers disagree");
  if (!has_towers) return {detail::json_count(metadata, "step")};
  auto steps = detail::json_counts(metadata, "tower_steps");
  if (steps.size() < 2 || steps.size() > file.sections().size())
    throw_contradiction(file.path(), fmt::format("it claims to have {} towers", steps.size()));
  return steps;
}

ModelHeader read_header(const SectionFile& file, const Json& metadata) {
  ModelHeader header;
  header.architecture = read_architecture(metadata.at("architecture"));
  const bool has_units = detail::json_count(metadata, "version") == detail::units_model_version;
  if (has_units == header.architecture.target_units.are_plain())
    throw_contradiction(file.path(), "its version and its target units disagree");
  header.optimizer = parse_optimizer_settings(metadata.at("optimizer").dump());
  header.steps = read_steps(file, metadata);
  header.source.schema_toml = read_text(file, "schema");
  const auto head_columns = file.as<std::uint32_t>("head_columns");
  header.source.head_columns.assign(head_columns.begin(), head_columns.end());
  metadata.at("schema_fingerprint").get_to(header.source.schema_fingerprint);
  metadata.at("tables_fingerprint").get_to(header.source.tables_fingerprint);
  header.source.num_classes = detail::json_count<std::uint32_t>(metadata, "num_classes");
  header.source.column_means = read_column_means(file, header.architecture);
  header.position = read_position(metadata.at("position"));
  header.training = read_text(file, "training");
  if (!detail::is_shallow_json(header.training) || !Json::parse(header.training, nullptr, false).is_object())
    throw_contradiction(file.path(), "its training notes are not a JSON object");
  return header;
}

template <class Real>
void require_sections(const SectionFile& file, const ModelHeader& header) {
  const int states = num_states(header.optimizer.kind);
  const std::size_t num_tensors =
      tensor_sizes(header.architecture).size() * static_cast<std::size_t>(1 + states) * header.num_towers();
  // Other sections may be of a later minor version.
  const auto found = static_cast<std::size_t>(std::ranges::count_if(
      file.sections(), [](const Section& section) { return detail::is_tensor_section(section.name); }));
  if (found != num_tensors) {
    throw_contradiction(file.path(), fmt::format("it has {} tensors, but architecture and optimizer need {}",
                                                 found, num_tensors));
  }
  for (std::size_t tower = 0; tower < header.num_towers(); ++tower) {
    for (int state = -1; state < states; ++state)
      require_sizes<Real>(file, tower, state, header.architecture);
  }
}

template <class Real>
ModelHeader checked_header(const SectionFile& file) {
  const std::string& path = file.path();
  const Json metadata = Json::parse(file.metadata_json(), nullptr, false);
  try {
    const auto version = detail::json_count(metadata, "version");
    if (version < detail::model_version || version > detail::units_model_version)
      throw_other_version(path, version);
    const auto precision = metadata.at("precision").get<std::string>();
    if (precision != detail::precision_name<Real>) {
      throw ConfigError(fmt::format("{0}: the model is {1}, not {2}; load it as {1}", path, precision,
                                    detail::precision_name<Real>));
    }
    try {
      ModelHeader header = read_header(file, metadata);
      require_sections<Real>(file, header);
      return header;
    } catch (const ConfigError& error) {
      // If settings inside a file are wrong, the file is not sound.
      throw_contradiction(path, error.what());
    }
  } catch (const Json::exception& error) {
    throw_contradiction(path, fmt::format("its metadata cannot be read ({})", error.what()));
  } catch (const std::invalid_argument& error) {
    throw_contradiction(path, fmt::format("its metadata cannot be read ({})", error.what()));
  }
}

SectionFile open(const std::string& path) {
  if (is_folder(path)) throw ConfigError(path + ": is a folder; give the file that `widehash train` wrote");
  return {path, detail::model_kind};
}

SectionFile verified(SectionFile file) {
  file.verify();
  return file;
}

}  // namespace

bool is_model_file(const std::string& path) { return begins_as_section_file(path, detail::model_kind); }

// Checked sizes keep the products below 2^52.
std::vector<std::uint64_t> tensor_sizes(const Architecture& architecture) {
  const std::uint64_t first_units = architecture.first_units();
  std::vector<std::uint64_t> sizes{architecture.num_columns * first_units, first_units};
  for (std::size_t layer = 0; layer < architecture.hidden.size(); ++layer) {
    const std::uint64_t inputs = architecture.hidden[layer];
    const std::uint64_t outputs = architecture.units_after(layer);
    sizes.push_back(inputs * outputs);
    sizes.push_back(outputs);
  }
  return sizes;
}

std::uint64_t num_parameters(const Architecture& architecture) {
  const std::vector<std::uint64_t> sizes = tensor_sizes(architecture);
  return std::accumulate(sizes.begin(), sizes.end(), std::uint64_t{0});
}

template <class Real>
struct ModelFile<Real>::Impl {
  explicit Impl(const std::string& path) : file(verified(open(path))), header(checked_header<Real>(file)) {}
  SectionFile file;
  ModelHeader header;
};

template <class Real>
ModelFile<Real>::ModelFile(const std::string& path) : impl_(std::make_unique<Impl>(path)) {}
template <class Real>
ModelFile<Real>::ModelFile(ModelFile&&) noexcept = default;
template <class Real>
ModelFile<Real>::~ModelFile() = default;

template <class Real>
ModelHeader read_model_header(const std::string& path) {
  const SectionFile file = open(path);
  for (const Section& section : file.sections()) {
    if (!detail::is_tensor_section(section.name)) file.verify(section);
  }
  return checked_header<Real>(file);
}

template <class Real>
const std::string& ModelFile<Real>::path() const noexcept {
  return impl_->file.path();
}

template <class Real>
const ModelHeader& ModelFile<Real>::header() const noexcept {
  return impl_->header;
}

template <class Real>
std::uint64_t ModelFile<Real>::checksum() const noexcept {
  return impl_->file.footer_checksum();
}

template <class Real>
Parameters<Real> ModelFile<Real>::parameters(std::size_t tower, ColumnRange columns) const {
  return read_tensors<Real>(impl_->file, tower, -1, impl_->header.architecture, columns);
}

template <class Real>
std::vector<Parameters<Real>> ModelFile<Real>::states(std::size_t tower, ColumnRange columns) const {
  const int count = num_states(impl_->header.optimizer.kind);
  std::vector<Parameters<Real>> states;
  states.reserve(static_cast<std::size_t>(count));
  for (int s = 0; s < count; ++s)
    states.push_back(read_tensors<Real>(impl_->file, tower, s, impl_->header.architecture, columns));
  return states;
}

template <class Real>
void ModelFile<Real>::require_finite(std::size_t tower) const {
  const SectionFile& file = impl_->file;
  const int states = num_states(impl_->header.optimizer.kind);
  const std::size_t num_tensors = tensor_sizes(impl_->header.architecture).size();
  for (int state = -1; state < states; ++state) {
    for (std::size_t i = 0; i < num_tensors; ++i) {
      const std::string name = detail::tensor_section(tower, state, i);
      require_all_finite<Real>(file, name, file.as<Real>(name));
    }
  }
}

template <class Real>
Ensemble<Real> load_ensemble(const ModelFile<Real>& file) {
  const ModelHeader& header = file.header();
  const auto network = [&](std::size_t tower) {
    return Network<Real>(header.architecture, file.parameters(tower, {0, header.architecture.num_columns}));
  };
  Ensemble<Real> ensemble{network(0), {}, header.source};
  for (std::size_t tower = 1; tower < header.num_towers(); ++tower)
    ensemble.other_towers.push_back(network(tower));
  return ensemble;
}

template <class Real>
Model<Real> load_model(const std::string& path) {
  return load_model(ModelFile<Real>(path));
}

template <class Real>
Model<Real> load_model(const ModelFile<Real>& file) {
  const ModelHeader& header = file.header();
  return {load_ensemble(file),
          Optimizer<Real>(header.optimizer, file.states(0, {0, header.architecture.num_columns}),
                          header.steps.front()),
          header.position, header.training};
}

template <class Real>
void Ensemble<Real>::predict(const CodeBatchView& batch, Workspace<Real>& work,
                             std::span<Real> predictions) const {
  network.predict(batch, work, predictions);
  if (other_towers.empty()) return;
  std::vector<Real> further(predictions.size());
  for (const auto& tower : other_towers) {
    tower.predict(batch, work, further);
    for (std::size_t i = 0; i < further.size(); ++i) predictions[i] += further[i];
  }
  const Real count = static_cast<Real>(1 + other_towers.size());
  for (Real& value : predictions) value /= count;
}

template class ModelFile<float>;
template class ModelFile<double>;
template struct Ensemble<float>;
template struct Ensemble<double>;
template ModelHeader read_model_header<float>(const std::string&);
template ModelHeader read_model_header<double>(const std::string&);
template Ensemble<float> load_ensemble(const ModelFile<float>&);
template Ensemble<double> load_ensemble(const ModelFile<double>&);
template Model<float> load_model(const std::string&);
template Model<double> load_model(const std::string&);
template Model<float> load_model(const ModelFile<float>&);
template Model<double> load_model(const ModelFile<double>&);

}  // namespace widehash
