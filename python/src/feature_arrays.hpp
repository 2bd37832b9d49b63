#pragma once

/// \file
/// One feature of encoded rows as an array.

#include "bindings.hpp"

#include <widehash/code_batch.hpp>

#include <string>

#include <pybind11/numpy.h>

namespace widehash::python {

/// Returns buckets as int64[rows, codes of a value]; -1 where a value is skipped. Throws ConfigError if rows
/// do not have one value each.
py::array feature_codes(const CodeBatchView& rows, const std::string& feature);

/// Returns float32[rows]. Throws ConfigError if the feature is not a number.
py::array feature_numbers(const CodeBatchView& rows, const std::string& feature);

}  // namespace widehash::python
