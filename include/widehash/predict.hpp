#pragma once

/// \file
/// What a model says of new rows, from files.

#include <widehash/device.hpp>
#include <widehash/internal/read_places.hpp>
#include <widehash/progress.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace widehash {

/// In what text inputs are another way than the schema of the model says; what is not set is as there. Values
/// are the same however they were divided, so a model of TSV predicts CSV.
struct TextForm {
  std::optional<char> delimiter = std::nullopt;
  std::optional<char> quote = std::nullopt;  // '\0': quotes are ordinary bytes
  std::optional<bool> header = std::nullopt;

  bool is_of_schema() const noexcept { return !delimiter && !quote && !header; }
};

struct PredictOptions {
  std::string model;
  std::vector<std::string> inputs;  // folders of datasets of one encoding, or text inputs
  std::string tables_directory;     // text inputs of a schema that needs tables
  Device device = {};               // that predicts
  std::uint64_t max_bad_rows = 0;   // of text inputs, before giving up
  /// List of the bad rows that were left out; empty for none. A list that is there is replaced, or removed where no
  /// row is bad. ConfigError where it is among what is read, or is anything else and rows may be bad.
  std::string rejected_path = {};
  /// Fields of text inputs that go before the predictions of each line, as an identifier; the schema need not
  /// speak of them.
  std::vector<std::string> keep = {};
  /// Of text inputs: PredictedLines has the effects of features, too. ConfigError for datasets, and as RowEffects.
  bool effects = false;
  /// Of text inputs. ConfigError for datasets, and where the schema cannot be so, as without a header and `fields`.
  TextForm text_form = {};
  /// Chances of rows as they are, of a model whose rows were weighted by their class in the training; of others
  /// nothing changes. ConfigError where a class weighed 0, or the outputs are no chances that add up to 1.
  bool undo_class_weights = false;
  bool allow_empty = false;  // a text input without a byte has no rows, as in TransformOptions
};

/// What predict() reads; whoever writes its answer to a file asks require_apart() first. Throws as
/// expand_inputs().
ReadPlaces places_read(const PredictOptions& options);

struct PredictReport {
  std::uint64_t rows = 0;     // predicted
  std::uint64_t outputs = 1;  // per row
  /// Rows without a prediction. Those of text inputs are NaN in their places; those that the transform of a
  /// dataset left out have none.
  std::uint64_t rejected_rows = 0;
  std::uint64_t lines = 0;  // given to the sink: the rows, and the rejected ones of text
  std::string rejected_file =
      {};  // that lists them; "" where nothing was rejected, or where there is no list
};

/// The predictions of some rows.
struct PredictedLines {
  std::span<const float> predictions;  // [rows x outputs]
  std::size_t outputs = 1;
  /// A text a row that goes before its predictions, with a tab behind each of PredictOptions::keep. Tabs, line
  /// ends, other control bytes and backslashes in them are escaped as in rejected.tsv. A row that was not cut
  /// into fields has empty ones. Without `keep` there are none.
  std::span<const std::string_view> kept = {};
  /// With PredictOptions::effects, as RowEffects tells them: the names of the features that have columns; a text a row
  /// of what stands in their fields, with a tab behind each feature's, of a cross as "a × b", escaped as above; and
  /// the effects on the output, of several on the likeliest, [rows x features]. A bad row has NaN.
  std::span<const std::string> features = {};
  std::span<const std::string_view> values = {};
  std::span<const float> effects = {};
};
using PredictionText = std::function<std::string(const PredictedLines&)>;

/// Calls `sink` with the text of the predictions of consecutive rows, in input order, one call at a time;
/// `text` is called side by side. Otherwise as below.
PredictReport predict(const PredictOptions& options, const PredictionText& text,
                      const std::function<void(std::string_view)>& sink,
                      const ProgressCallback& progress = {});

/// Calls `sink` with the predictions of consecutive rows, rows x outputs, in input order. One prediction per
/// row of text is the promise: a bad row is NaN, and past `max_bad_rows` a DataError.
PredictReport predict(const PredictOptions& options, const std::function<void(std::span<const float>)>& sink,
                      const ProgressCallback& progress = {});

}  // namespace widehash
