#pragma once

/// \file
/// A trained model that predicts rows in memory, as a service does.
///
///     const widehash::Predictor clicks("clicks.model");                // immutable, shared by threads
///     const std::vector<float> probabilities = clicks.predict(table);  // of a ColumnTable; one per row
///
/// A service that receives requests as texts binds their fields once:
///
///     const auto binding = clicks.encoder().bind(names, "requests", false);
///     const auto probabilities = clicks.predict(widehash::RowsView{values, names.size()}, binding, issues);

#include <widehash/column_table.hpp>
#include <widehash/device.hpp>
#include <widehash/encoder.hpp>
#include <widehash/model.hpp>
#include <widehash/row_effects.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace widehash {

/// Predictions of rows and the effects behind them (RowEffects). Rows that cannot be encoded have NaN, and 0
/// in `outputs`.
struct ExplainedRows {
  std::vector<float> predictions;      // [rows x num_outputs()]
  std::vector<std::uint32_t> outputs;  // [rows]: the output that the effects of each row refer to
  std::vector<float> effects;          // [rows x features]
};

class Predictor {
 public:
  /// Loads `model`. `tables_directory` holds the tables that the model was trained with, if its encoding
  /// needs any. `undo_class_weights` is as in PredictOptions.
  /// Throws what load_model() throws; ConfigError where tables are missing or are not those of the training;
  /// DeviceError.
  explicit Predictor(const std::string& model, const std::string& tables_directory = {},
                     const Device& device = {}, bool undo_class_weights = false);
  ~Predictor();
  Predictor(Predictor&&) noexcept;
  Predictor& operator=(Predictor&&) noexcept;

  /// The encoder of the rows that the model was trained on.
  const Encoder& encoder() const noexcept;
  const Architecture& architecture() const noexcept;
  /// ModelFile::checksum() of the file that was loaded. The file may be replaced while the predictor lives.
  std::uint64_t checksum() const noexcept;
  /// Values per row: 1, or the number of classes.
  std::size_t num_outputs() const noexcept;

  /// Returns predictions [rows x num_outputs()], row by row. Columns are found by name; labels and weights
  /// are ignored. Rows are predicted in parallel. Throws ConfigError where a field is missing, and DataError
  /// naming the first row that cannot be encoded. Thread-safe; a GPU executes one call after another.
  std::vector<float> predict(const ColumnTable& table) const;
  /// The same, except that a row that cannot be encoded is NaN and is listed in `issues`.
  std::vector<float> predict(const ColumnTable& table, std::vector<EncodeIssue>& issues) const;
  /// The same for rows of texts whose fields are laid out as in `binding`, which encoder().bind(names, ...,
  /// false) returned. For one or a few requests, for which a service does not build columns. Throws
  /// ShapeError as Encoder::encode() does, and ConfigError for a binding with folds.
  std::vector<float> predict(const RowsView& rows, const FieldBinding& binding,
                             std::vector<EncodeIssue>& issues) const;
  /// Returns the predictions of a table's rows and the effect of each feature on `output`, or, if none is
  /// given, on the likeliest output of each row. Otherwise like predict(). Also throws what RowEffects
  /// throws, and ConfigError for an output that the model does not have.
  ExplainedRows explain(const ColumnTable& table, std::vector<EncodeIssue>& issues,
                        std::optional<std::uint32_t> output = std::nullopt) const;
  /// Which features have effects, and the base that effects are relative to. Computed at the first call;
  /// throws what RowEffects throws.
  const RowEffects& effects() const;

  /// Predicts rows that encoder() encoded, or an encoder with the same fingerprint(). Throws ShapeError for
  /// rows of another encoding, even if it has the same columns. Requires codes and columns in range, as
  /// encoders produce them and check_batch() checks.
  std::vector<float> predict(const CodeBatchView& rows) const;

 private:
  // Rows is ColumnTable or RowsView.
  template <class Rows>
  std::vector<float> predict_rows(const Rows& rows, std::size_t num_rows, const FieldBinding& binding,
                                  std::vector<EncodeIssue>& issues) const;
  struct Impl;
  std::unique_ptr<const Impl> impl_;
};

}  // namespace widehash
