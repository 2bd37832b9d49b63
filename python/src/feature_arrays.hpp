#pragma once

/// \file
/// One feature of encoded rows as an array.

#include "bindings.hpp"

#include <widehash/code_batch.hpp>

#include <string>

#include <pybind11/numpy.h>

namespace widehash::python {

/// int64[rows, codes of a value]: buckets, -1 where a value is skipped. Throws ConfigError where rows do not
/// have one value each.
py::array feature_codes(const CodeBatchView& rows, const std::string& feature);

/// float32[rows]. Throws ConfigError where the feature is no number.
py::array feature_numbers(const CodeBatchView& rows, const std::string& feature);

}  // namespace widehash::python
