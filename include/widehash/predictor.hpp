#pragma once

/// \file
/// A trained model that predicts rows in memory: what a service holds.
///
///     const widehash::Predictor clicks("clicks.model");          // immutable, shared by threads
///     const std::vector<float> chances = clicks.predict(table);  // a ColumnTable; a chance a row
///
/// A service that takes requests as texts binds their fields once:
///
///     const auto binding = clicks.encoder().bind(names, "requests", false);
///     const auto chances = clicks.predict(widehash::RowsView{values, names.size()}, binding, issues);

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

/// What a model says of rows, and why (RowEffects). Rows that cannot be encoded are NaN, and 0 in `outputs`.
struct ExplainedRows {
  std::vector<float> predictions;      // [rows x num_outputs()]
  std::vector<std::uint32_t> outputs;  // [rows] that the effects are on
  std::vector<float> effects;          // [rows x features]
};

class Predictor {
 public:
  /// Loads `model`. `tables_directory`: the tables that it was trained with, where its encoding needs any.
  /// `undo_class_weights`: as PredictOptions.
  /// Throws what load_model() throws; ConfigError where tables are missing or others; DeviceError.
  explicit Predictor(const std::string& model, const std::string& tables_directory = {},
                     const Device& device = {}, bool undo_class_weights = false);
  ~Predictor();
  Predictor(Predictor&&) noexcept;
  Predictor& operator=(Predictor&&) noexcept;

  /// Of the rows that the model was trained on.
  const Encoder& encoder() const noexcept;
  const Architecture& architecture() const noexcept;
  /// ModelFile::checksum() of the file that was loaded: the file may be replaced while the predictor lives.
  std::uint64_t checksum() const noexcept;
  /// Values for each row: 1, or as many as there are classes.
  std::size_t num_outputs() const noexcept;

  /// Predictions [rows x num_outputs()], row by row. Columns are found by their names; a label or a weight is
  /// not looked at. The rows are worked on side by side. Throws ConfigError where a field is missing,
  /// DataError naming the first row that cannot be encoded. Thread-safe; a GPU takes one call after another.
  std::vector<float> predict(const ColumnTable& table) const;
  /// The same, where a row that cannot be encoded is NaN and named in `issues`.
  std::vector<float> predict(const ColumnTable& table, std::vector<EncodeIssue>& issues) const;
  /// The same for rows of texts, whose fields stand as `binding` says, that of encoder().bind(names, ..., false):
  /// a request or a few, for which a service makes no columns. Throws ShapeError as Encoder::encode() does.
  std::vector<float> predict(const RowsView& rows, const FieldBinding& binding,
                             std::vector<EncodeIssue>& issues) const;
  /// What the model says of the rows of a table and the effect of each feature on output `output`, or where none is
  /// given on the likeliest of each row. As predict(); throws as RowEffects, too, and ConfigError for an output that it
  /// has not.
  ExplainedRows explain(const ColumnTable& table, std::vector<EncodeIssue>& issues,
                        std::optional<std::uint32_t> output = std::nullopt) const;
  /// Which features the effects are of, and what they are told against. Made at the first call; throws as RowEffects.
  const RowEffects& effects() const;

  /// Of rows that encoder() made, or one with the same fingerprint(). Throws ShapeError for those of another
  /// encoding, also where it has the same columns. Requires codes and columns in range, as encoders make them
  /// and check_batch() tells.
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
