#include "transform_output.hpp"

#include "dataset_folder.hpp"
#include "dataset_replacement.hpp"
#include "ingest/rejected_rows.hpp"
#include "whole_shards.hpp"

#include <widehash/checksum.hpp>
#include <widehash/error.hpp>
#include <widehash/internal/file.hpp>
#include <widehash/internal/file_names.hpp>
#include <widehash/internal/move_file.hpp>

#include <filesystem>
#include <span>
#include <system_error>

#include <fmt/format.h>

namespace widehash {

TransformOutput::TransformOutput(const SchemaSource& schema, const TransformOptions& options,
                                 const std::vector<Input>& inputs, const TransformIdentity& identity)
    : schema_(schema),
      options_(options),
      inputs_(inputs),
      identity_(identity),
      directory_(options.output_directory),
      folder_(directory_) {}

std::optional<Manifest> TransformOutput::find_finished() const {
  // With a journal beside the manifest, the run was killed between writing the one and removing the other.
  // The holder of the lock deals with that.
  const bool is_settled =
      has_finished_dataset(directory_) && !file_exists(TransformJournal::path_in(directory_));
  if (options_.overwrite || !is_settled) return std::nullopt;
  return find_dataset();
}

std::optional<Manifest> TransformOutput::open() {
  refuse_tables(directory_);
  // A run that was killed when only the moving was left is answered as if it had finished.
  const bool is_done_now = finish_replacement(directory_, options_.overwrite) &&
                           difference_from(load_manifest(directory_)).empty();
  if (!is_done_now && belongs_aside()) folder_ = replacement_folder(directory_);
  if (!is_aside() && has_finished_dataset(directory_)) {
    std::optional<Manifest> found = find_dataset();
    std::error_code ignored;
    std::filesystem::remove(TransformJournal::path_in(directory_), ignored);
    return found;
  }
  if (!is_aside() && !options_.overwrite) refuse_foreign_files(directory_, schema_.toml);
  make_directories(folder_);
  if (options_.overwrite && !goes_on()) clear_dataset(folder_);
  if (!is_aside()) drop_replacement(directory_);
  // A manifest here is from a run killed before it moved anything: its shards may not be those of this run.
  remove_file(in_folder(folder_, manifest_name));
  journal_.emplace(
      folder_, identity_,
      stream_among(inputs_).empty() ? ChangedInputs::are_done_again : ChangedInputs::are_refused);
  remove_leftovers(folder_, journal_->entries());
  write_text_file(in_folder(folder_, schema_name), schema_.toml);
  return std::nullopt;
}

void TransformOutput::finish(const Manifest& manifest) {
  // The run may have taken days, in which somebody may have cleared the folder.
  require_whole_shards(folder_, manifest,
                       "it was changed during the run; start again to write what is missing");
  const std::string schema = in_folder(folder_, schema_name);
  if (!file_exists(schema)) write_text_file(schema, schema_.toml);
  write_manifest(manifest, folder_);
  if (is_aside()) {
    replace_dataset(directory_);
  } else {
    journal_->remove();
  }
}

/// A finished dataset stays until the one that replaces it is whole. What was begun aside continues there, even
/// where somebody has removed the old dataset since. Another run is told about it, unless it is to overwrite it.
bool TransformOutput::belongs_aside() const {
  if (has_finished_dataset(directory_)) return options_.overwrite;
  const std::string aside = replacement_folder(directory_);
  return options_.overwrite ? TransformJournal::can_carry_on(identity_, aside)
                            : file_exists(TransformJournal::path_in(aside));
}

/// --overwrite must not replace what the same run began itself. An input that cannot be read twice may have changed.
bool TransformOutput::goes_on() const {
  return TransformJournal::can_carry_on(identity_, folder_) && stream_among(inputs_).empty();
}

/// Handles a dataset that is already whole: the same one is a success, another one is not touched.
std::optional<Manifest> TransformOutput::find_dataset() const {
  Manifest manifest = load_manifest(directory_);
  const std::string difference = difference_from(manifest);
  if (!difference.empty()) {
    throw ConfigError(
        fmt::format("{}: already holds a dataset, but {}; choose another folder, or give --overwrite to "
                    "replace it",
                    directory_, difference));
  }
  require_allowed_rejects(directory_, "dataset", manifest.rejected_rows, options_.max_bad_rows);
  require_whole_shards(directory_, manifest,
                       "restore it from a copy, or give --overwrite to write the dataset again");
  restore_schema(manifest);
  return manifest;
}

/// A dataset without its own schema.toml is whole but cannot be read. The text can be restored where it is
/// the schema of this run.
void TransformOutput::restore_schema(const Manifest& manifest) const {
  const std::string path = in_folder(directory_, schema_name);
  const auto is_own = [&](const std::string& text) {
    return manifest.schema_checksum == 0 ||
           checksum(std::as_bytes(std::span(text))) == manifest.schema_checksum;
  };
  if (file_exists(path) && is_own(read_text_file(path))) return;
  if (!is_own(schema_.toml)) {
    throw DataError(path, 0,
                    "is not the schema text that the dataset was written with, and neither is the schema "
                    "given now; restore it from a copy, or give --overwrite to write the dataset again");
  }
  write_text_file(path, schema_.toml);
}

std::string TransformOutput::difference_from(const Manifest& manifest) const {
  TransformIdentity then{{manifest.schema_fingerprint, manifest.tables_fingerprint},
                         manifest.block_bytes,
                         {},
                         {},
                         manifest.folds};
  for (const ManifestInput& input : manifest.inputs)
    then.inputs.push_back({input.path, input.size_bytes, input.sample});
  std::string difference = describe_difference(then, identity_, directory_, &schema_.schema);
  const std::string stream = stream_among(inputs_);
  if (!difference.empty() || stream.empty()) return difference;
  return stream + " cannot be read twice, so there is no way to tell whether it is the same";
}

}  // namespace widehash
