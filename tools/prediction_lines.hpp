#pragma once

/// \file
/// Predictions as lines of text, one a row.

#include <widehash/predict.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace widehash::tools {

struct LineForm {
  /// Of a model of classes the likeliest in place of all outputs; 0: all. At most classes.size(), which is the number
  /// of outputs.
  std::size_t top = 0;
  std::vector<std::string> classes = {};
  std::size_t effects = 0;  // of the features with the largest ones
};

/// What is kept; then all outputs, each number the shortest text that reads back to the same float32, or the `top`
/// likeliest classes, likeliest first and equal ones in their order, each with its chance: "class<TAB>chance"; then the
/// features with the largest effects, largest first and equal ones in the order of the schema, each with its value:
/// "feature<TAB>value<TAB>effect", the effect with four digits. All apart by tabs, and names escaped as what is kept. A
/// row without predictions has nan in place of numbers, and no names.
std::string prediction_lines(const PredictedLines& rows, const LineForm& form);

}  // namespace widehash::tools
