#pragma once

/// \file
/// Which of the things that the pipeline writes lies at a path.

#include <string>

namespace widehash {

enum class WrittenKind { dataset, tables, model };

/// Looks at names and at no contents. A folder is taken for tables only where nothing of a dataset is in it:
/// a dataset that has lost its manifest is not sound tables. Where there is nothing: dataset, whose opening
/// says so.
WrittenKind written_kind(const std::string& path);

}  // namespace widehash
