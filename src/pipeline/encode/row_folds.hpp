#pragma once

/// \file
/// Which rows of a tile a run takes, where it takes some folds only.

#include <widehash/encoder.hpp>

#include <cstddef>
#include <string>

namespace widehash {

/// Whether the row is in one of the folds that `binding` says are taken. `text` is memory that is used row
/// after row. Rows is RowsView or PlacedRows.
template <class Rows>
bool is_taken(const Rows& rows, std::size_t row, const FieldBinding& binding, std::string& text);

}  // namespace widehash
