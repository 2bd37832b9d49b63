#pragma once

/// \file
/// Predictions for rows of text: blocks are encoded and predicted concurrently, and delivered in input order.

#include "placed_model.hpp"
#include "row_values.hpp"

#include <widehash/predict.hpp>
#include <widehash/progress.hpp>

#include <functional>
#include <span>
#include <string_view>

namespace widehash {

// The words of Stopped.
inline constexpr char prediction_stopped[] =
    "predict: stopped as asked; not all rows are predicted; start it again";
inline constexpr char evaluation_stopped[] = "evaluate: stopped as asked; start it again";

enum class TextRows {
  predicted,  // labels and weights are not read; a bad row has NaN in its place
  judged      // labels and weights are required, and bad rows are left out
};

/// The predictions of consecutive rows.
struct PredictedText {
  std::span<const float> predictions;  // [rows x outputs]
  std::span<const float> targets;      // [rows] for judged rows, otherwise empty
  std::span<const float> weights;      // likewise, where the schema has weights
  std::string_view text;               // what PredictionText returned for the predictions
  /// For judged rows, what they hold in each field of PredictOptions::keep.
  std::span<const RowValues::Field> values;
};
using TakePredictedText = std::function<void(const PredictedText&)>;

/// Calls `take` for all rows of the inputs of `options`, in order, one call at a time. `text`, which may be
/// empty, is called concurrently. Throws what predict() throws.
PredictReport predict_text(const PlacedModel& model, const PredictOptions& options, TextRows use,
                           const PredictionText& text, const TakePredictedText& take,
                           const ProgressCallback& progress);

}  // namespace widehash
