#pragma once

/// \file
/// Predictions as lines of text, one a row.

#include <widehash/predict.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace widehash::tools {

/// What is kept, then all outputs, apart by tabs, each number the shortest text that reads back to the same
/// float32.
std::string prediction_lines(const PredictedLines& rows);

/// What is kept, then the `top` likeliest of `classes`, likeliest first and equal ones in their order, each with
/// its chance: "class<TAB>chance", escaped as what is kept. A row without predictions has empty classes and nan.
/// Requires top <= classes.size(), which is the number of outputs.
std::string likeliest_lines(const PredictedLines& rows, const std::vector<std::string>& classes,
                            std::size_t top);

}  // namespace widehash::tools
