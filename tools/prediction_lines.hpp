#pragma once

/// \file
/// Predictions as lines of text, one line per row.

#include <widehash/predict.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace widehash::tools {

struct LineForm {
  /// Number of likeliest classes to write instead of all outputs, for a model with classes; 0 for all
  /// outputs. At most classes.size(), which is the number of outputs.
  std::size_t top = 0;
  std::vector<std::string> classes = {};
  std::size_t effects = 0;  // number of features to write, those with the largest effects
};

/// Writes the kept fields of each row; then all outputs, each number as the shortest text that reads back to
/// the same float32, or the `top` likeliest classes, likeliest first and ties in class order, each with its
/// probability: "class<TAB>probability"; then the features with the largest effects in absolute value,
/// largest first and ties in schema order, each with its value: "feature<TAB>value<TAB>effect", the effect
/// with four digits. All of these are separated by tabs, and names are escaped like the kept fields. A row
/// without predictions has nan instead of numbers, and no names.
std::string prediction_lines(const PredictedLines& rows, const LineForm& form);

}  // namespace widehash::tools
