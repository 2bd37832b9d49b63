#include "dataset_match.hpp"

#include <widehash/error.hpp>
#include <widehash/internal/file.hpp>

#include <algorithm>

#include <fmt/format.h>

namespace widehash {

ModelSource source_of(const Dataset& dataset, const std::string& schema_toml) {
  return {schema_toml, dataset.fingerprint().schema, dataset.fingerprint().tables,
          dataset.manifest().head_columns, dataset.layout()->num_classes};
}

void require_same_encoding(const ModelSource& source, const std::string& model_name, const Dataset& dataset) {
  if (source.schema_fingerprint != dataset.fingerprint().schema) {
    const Schema schema = parse_schema(source.schema_toml, model_name);
    throw ConfigError(fmt::format("{} and {} have different schemas ({}); encode both with the same one",
                                  model_name, dataset.directory(),
                                  describe_difference(schema, dataset.schema())));
  }
  if (source.tables_fingerprint != dataset.fingerprint().tables) {
    throw ConfigError(fmt::format(
        "{} and {} were encoded with different lookup tables ({} and {}); encode both with the "
        "same --tables",
        model_name, dataset.directory(), source.tables_fingerprint, dataset.fingerprint().tables));
  }
}

void require_weight(const Dataset& dataset, const char* purpose) {
  if (!dataset.layout()->has_weights) return;
  for (std::size_t i = 0; i < dataset.num_shards(); ++i) {
    const Shard shard = dataset.open_shard(i, false);
    if (std::ranges::any_of(shard.view().weights, [](float weight) { return weight > 0; })) return;
  }
  throw DataError(
      dataset.name(), 0,
      fmt::format("the weights of its rows add up to 0{}, so there is nothing to {}",
                  dataset.class_weights().empty() ? "" : " with their class weights (--class-weights)",
                  purpose));
}

bool are_datasets(const std::vector<std::string>& inputs) {
  const auto folder = std::ranges::find_if(inputs, is_folder);
  if (folder == inputs.end()) return false;
  const auto file = std::ranges::find_if_not(inputs, is_folder);
  if (file == inputs.end()) return true;
  throw ConfigError(
      fmt::format("{} is a folder but {} is not; give only datasets or only inputs of text", *folder, *file));
}

void require_no_text_options(const TextForm& form, std::uint64_t max_bad_rows, bool allow_empty,
                             const std::string& dataset) {
  if (!form.is_of_schema())
    throw ConfigError(fmt::format(
        "{}: is a dataset, but --delimiter, --quote and --header are for text; leave them out", dataset));
  if (max_bad_rows > 0)
    throw ConfigError(
        dataset +
        ": is a dataset, and its bad rows were left out when it was made; leave --max-bad-rows out");
  if (allow_empty)
    throw ConfigError(dataset + ": is a dataset, but --allow-empty is for inputs of text; leave it out");
}

}  // namespace widehash
