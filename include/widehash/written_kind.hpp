#pragma once

/// \file
/// Which of the things that the pipeline writes is at a path.

#include <string>

namespace widehash {

enum class WrittenKind { dataset, tables, model };

/// Looks at names only, not at contents. A folder counts as tables only if it holds nothing of a dataset: a
/// dataset that has lost its manifest is not a sound set of tables. If nothing is at `path`, returns dataset;
/// opening that reports the problem.
WrittenKind written_kind(const std::string& path);

}  // namespace widehash
