#pragma once

/// \file
/// Predicts new rows from files with a trained model.

#include <widehash/device.hpp>
#include <widehash/internal/read_places.hpp>
#include <widehash/progress.hpp>
#include <widehash/stop.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace widehash {

/// How the text inputs differ from the schema of the model; members that are not set are as in the schema.
/// Values do not depend on how they were delimited, so a model trained on TSV predicts CSV.
struct TextForm {
  std::optional<char> delimiter = std::nullopt;
  std::optional<char> quote = std::nullopt;  // '\0': quotes are ordinary bytes
  std::optional<bool> header = std::nullopt;

  bool is_of_schema() const noexcept { return !delimiter && !quote && !header; }
};

struct PredictOptions {
  std::string model;
  std::vector<std::string> inputs;    // folders of datasets of one encoding, or text inputs
  std::string tables_directory = {};  // for text inputs, where the schema needs tables
  Device device = {};                 // the device that predicts
  std::uint64_t max_bad_rows = 0;     // of text inputs; more of them throw
  /// Where to list the bad rows that were left out; empty for no list. An existing list is replaced, or
  /// removed if no row is bad. Throws ConfigError if the path is among what is read, or if something other
  /// than a list is there and rows may be bad.
  std::string rejected_path = {};
  /// Fields of text inputs to write before the predictions of each line, such as an identifier. The schema
  /// need not mention them.
  std::vector<std::string> keep = {};
  /// For text inputs: adds the effects of features to PredictedLines. Throws ConfigError for datasets, and
  /// whatever RowEffects throws.
  bool effects = false;
  /// For text inputs. Throws ConfigError for datasets, and where the schema does not allow it, for example no
  /// header and no `fields`.
  TextForm text_form = {};
  /// Predicts the probabilities for the rows as they are, for a model whose rows were weighted by their class
  /// in the training; other models predict as usual. Throws ConfigError if a class weighed 0, or if the
  /// outputs are not probabilities that add up to 1.
  bool undo_class_weights = false;
  bool allow_empty = false;        // an empty text input has no rows, as in TransformOptions
  const StopFlag* stop = nullptr;  // ends the work with Stopped, before all rows are predicted
};

/// What predict() reads. A caller that writes the predictions to a file must call require_apart() with it
/// first. Throws what expand_inputs() throws.
ReadPlaces places_read(const PredictOptions& options);

struct PredictReport {
  std::uint64_t rows = 0;     // predicted
  std::uint64_t outputs = 1;  // per row
  /// Rows without a prediction. Those of text inputs are NaN at their positions; those that the transform of
  /// a dataset left out have no position.
  std::uint64_t rejected_rows = 0;
  std::uint64_t lines = 0;  // lines given to the sink: the rows, and rejected rows of text
  /// The list of rejected rows; "" if no row was rejected or there is no list.
  std::string rejected_file = {};
};

/// The predictions of some rows.
struct PredictedLines {
  std::span<const float> predictions;  // [rows x outputs]
  std::size_t outputs = 1;
  /// The text before the predictions of each row, [rows]: the fields of PredictOptions::keep with a tab after
  /// each. Tabs, line ends, other control bytes and backslashes in the fields are escaped as in rejected.tsv.
  /// The fields of a row that could not be cut into fields are empty. Empty without `keep`.
  std::span<const std::string_view> kept = {};
  /// With PredictOptions::effects (see RowEffects): `features` holds the names of the features that have
  /// columns. `values` holds one text per row, with each feature's value followed by a tab, a cross as
  /// "a × b", escaped as above. `effects` holds the effects on the output, of several outputs on the
  /// likeliest, [rows x features]. A bad row has NaN.
  std::span<const std::string> features = {};
  std::span<const std::string_view> values = {};
  std::span<const float> effects = {};
};
using PredictionText = std::function<std::string(const PredictedLines&)>;

/// Calls `sink` with the text of the predictions of consecutive rows, in input order, one call at a time.
/// `text` is called concurrently. Otherwise like the overload below.
PredictReport predict(const PredictOptions& options, const PredictionText& text,
                      const std::function<void(std::string_view)>& sink,
                      const ProgressCallback& progress = {});

/// Calls `sink` with the predictions of consecutive rows, [rows x outputs], in input order. Every row of text
/// gets one prediction: a bad row gets NaN, and more than `max_bad_rows` of them throw DataError.
PredictReport predict(const PredictOptions& options, const std::function<void(std::span<const float>)>& sink,
                      const ProgressCallback& progress = {});

}  // namespace widehash
