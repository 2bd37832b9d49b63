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
/// The same of a judgement as a whole.
pybind11::dict evaluate_dict(const EvaluateReport& report);

}  // namespace widehash::python
