#pragma once

/// \file
/// Per-class figures of a classification model, as `evaluate` reports them.

#include "report.hpp"

#include <widehash/metrics.hpp>

#include <string>

namespace widehash::tools {

/// Sets the keys of the classes, in class order, of the means over them (except F1, which set_figures() sets)
/// and of the confusion matrix. Sets empty lists and null if the model has no classes.
void set_classes(Json& object, const MetricsReport& metrics);

/// Returns the most frequent classes as aligned lines, followed by the largest confusions between classes.
std::string classes_text(const MetricsReport& metrics);

}  // namespace widehash::tools
