#pragma once

/// \file
/// Metrics as evaluate() and the epochs of train() tell them.

#include <widehash/evaluate.hpp>
#include <widehash/metrics.hpp>

#include <vector>

#include <pybind11/pybind11.h>

namespace widehash::python {

/// Keys as those of `evaluate --json`.
pybind11::dict metrics_dict(const MetricsReport& metrics);

/// Of `by` there.
pybind11::list by_value_list(const std::vector<FieldMetrics>& by);

}  // namespace widehash::python
