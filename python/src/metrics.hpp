#pragma once

/// \file
/// Metrics in the form in which evaluate() and the epochs of train() report them.

#include <widehash/evaluate.hpp>
#include <widehash/metrics.hpp>

#include <vector>

#include <pybind11/pybind11.h>

namespace widehash::python {

/// Returns a dict with the keys of `evaluate --json`.
pybind11::dict metrics_dict(const MetricsReport& metrics);
/// The same for a whole evaluation, with its rejected rows, the values of its fields and the model compared
/// with.
pybind11::dict evaluate_dict(const EvaluateReport& report);

}  // namespace widehash::python
