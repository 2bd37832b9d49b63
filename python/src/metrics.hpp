#pragma once

/// \file
/// Metrics as evaluate() and the epochs of train() tell them.

#include <widehash/metrics.hpp>

#include <pybind11/pybind11.h>

namespace widehash::python {

/// Keys as those of `evaluate --json`.
pybind11::dict metrics_dict(const MetricsReport& metrics);

}  // namespace widehash::python
