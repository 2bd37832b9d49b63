#include "model_metadata.hpp"

#include <widehash/error.hpp>
#include <widehash/model.hpp>
#include <widehash/section_file.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>

#include <fmt/format.h>

namespace widehash {
namespace {

using Json = nlohmann::json;

[[noreturn]] void throw_contradiction(const std::string& path, const std::string& what) {
  throw DataError(path, 0, "is not a sound model file: " + what + "; take an older copy or train anew");
}

Architecture read_architecture(const Json& json) {
  Architecture architecture;
  json.at("num_columns").get_to(architecture.num_columns);
  json.at("hidden").get_to(architecture.hidden);
  json.at("outputs").get_to(architecture.outputs);
  architecture.activation = parse_activation(json.at("activation").get<std::string>());
  architecture.loss = parse_loss(json.at("loss").get<std::string>());
  json.at("seed").get_to(architecture.seed);
  json.at("active_columns").get_to(architecture.active_columns);
  check_architecture(architecture);
  return architecture;
}

TrainingPosition read_position(const Json& json) {
  TrainingPosition position;
  json.at("epoch").get_to(position.epoch);
  json.at("batch").get_to(position.batch);
  json.at("rows_seen").get_to(position.rows_seen);
  json.at("seed").get_to(position.seed);
  if (!json.at("best_valid_loss").is_null()) json.at("best_valid_loss").get_to(position.best_valid_loss);
  json.at("best_epoch").get_to(position.best_epoch);
  json.at("bad_epochs").get_to(position.bad_epochs);
  return position;
}

/// Sizes of Parameters::tensors() in values, without making them. Checked sizes keep the products below 2^52.
std::vector<std::uint64_t> tensor_sizes(const Architecture& architecture) {
  const std::uint64_t first_units = architecture.first_units();
  std::vector<std::uint64_t> sizes{architecture.num_columns * first_units, first_units};
  for (std::size_t layer = 0; layer < architecture.hidden.size(); ++layer) {
    const std::uint64_t inputs = architecture.hidden[layer];
    const bool is_last = layer + 1 == architecture.hidden.size();
    const std::uint64_t outputs = is_last ? architecture.outputs : architecture.hidden[layer + 1];
    sizes.push_back(inputs * outputs);
    sizes.push_back(outputs);
  }
  return sizes;
}

template <class Real>
void require_sizes(const SectionFile& file, const std::string& prefix, const Architecture& architecture) {
  const auto sizes = tensor_sizes(architecture);
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const std::string name = fmt::format("{}/{}", prefix, i);
    const std::uint64_t bytes = file.bytes(name).size();
    if (bytes != sizes[i] * sizeof(Real)) {
      throw_contradiction(
          file.path(), fmt::format("section '{}' has {} bytes where the architecture needs {}", name, bytes,
                                   sizes[i] * sizeof(Real)));
    }
  }
}

template <class Real>
Parameters<Real> read_tensors(const SectionFile& file, const std::string& prefix,
                              const Architecture& architecture) {
  auto parameters = make_zero_parameters<Real>(architecture, {0, architecture.num_columns});
  const auto tensors = parameters.tensors();
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const auto saved = file.as<Real>(fmt::format("{}/{}", prefix, i));
    std::copy(saved.begin(), saved.end(), tensors[i].values.begin());
    if (!all_finite<Real>(saved)) {
      throw_contradiction(file.path(),
                          fmt::format("section '{}/{}' has values that are not finite", prefix, i));
    }
  }
  return parameters;
}

std::string read_text(const SectionFile& file, const char* section) {
  const auto text = file.as<char>(section);
  return {text.begin(), text.end()};
}

template <class Real>
Model<Real> read_model(const SectionFile& file, const Json& metadata) {
  const Architecture architecture = read_architecture(metadata.at("architecture"));
  const OptimizerSettings settings = parse_optimizer_settings(metadata.at("optimizer").dump());
  const auto num_state_arrays = static_cast<std::size_t>(num_states(settings.kind));

  const std::size_t num_tensors = tensor_sizes(architecture).size();
  const std::size_t num_sections = detail::num_text_sections + num_tensors * (1 + num_state_arrays);
  if (file.sections().size() != num_sections) {
    throw_contradiction(file.path(),
                        fmt::format("it has {} sections where architecture and optimizer need {}",
                                    file.sections().size(), num_sections));
  }
  require_sizes<Real>(file, "parameters", architecture);
  for (std::size_t s = 0; s < num_state_arrays; ++s) {
    require_sizes<Real>(file, fmt::format("state/{}", s), architecture);
  }

  Network<Real> network(architecture, read_tensors<Real>(file, "parameters", architecture));
  std::vector<Parameters<Real>> states;
  for (std::size_t s = 0; s < num_state_arrays; ++s) {
    states.push_back(read_tensors<Real>(file, fmt::format("state/{}", s), architecture));
  }
  Optimizer<Real> optimizer(settings, std::move(states), metadata.at("step").get<std::uint64_t>());

  ModelSource source;
  source.schema_toml = read_text(file, "schema");
  const auto head_columns = file.as<std::uint32_t>("head_columns");
  source.head_columns.assign(head_columns.begin(), head_columns.end());
  metadata.at("schema_fingerprint").get_to(source.schema_fingerprint);
  metadata.at("tables_fingerprint").get_to(source.tables_fingerprint);
  metadata.at("num_classes").get_to(source.num_classes);
  std::string training = read_text(file, "training");
  if (!Json::accept(training) || !Json::parse(training).is_object()) {
    throw_contradiction(file.path(), "its training notes are not a JSON object");
  }
  return {std::move(network), std::move(optimizer), std::move(source), read_position(metadata.at("position")),
          std::move(training)};
}

}  // namespace

template <class Real>
Model<Real> load_model(const std::string& path) {
  const SectionFile file(path, detail::model_kind);
  file.verify();
  const Json metadata = Json::parse(file.metadata_json(), nullptr, false);
  try {
    const auto version = metadata.at("version").get<std::uint32_t>();
    if (version != detail::model_version) {
      throw_contradiction(
          path, fmt::format("its version is {}, this program reads {}", version, detail::model_version));
    }
    const auto precision = metadata.at("precision").get<std::string>();
    if (precision != detail::precision_name<Real>) {
      throw ConfigError(fmt::format("{}: the model is {}, not {}; load it as what it is", path, precision,
                                    detail::precision_name<Real>));
    }
    try {
      return read_model<Real>(file, metadata);
    } catch (const ConfigError& error) {
      // Settings that are wrong inside a file are the file's fault.
      throw_contradiction(path, error.what());
    }
  } catch (const Json::exception& error) {
    throw_contradiction(path, fmt::format("its metadata cannot be read ({})", error.what()));
  }
}

template Model<float> load_model(const std::string&);
template Model<double> load_model(const std::string&);

}  // namespace widehash
