#pragma once

/// \file
/// How evaluate tells what a model of classes does per class.

#include "report.hpp"

#include <widehash/metrics.hpp>

#include <string>

namespace widehash::tools {

/// Keys of all classes, in their order, of the means over them (F1 apart, which set_figures() has) and of the confusion
/// matrix; empty lists and null where a model has no classes.
void set_classes(Json& object, const MetricsReport& metrics);

/// The most frequent classes as aligned lines, and what they are most often mistaken for.
std::string classes_text(const MetricsReport& metrics);

}  // namespace widehash::tools
