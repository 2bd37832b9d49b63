#pragma once

/// \file
/// Writes the tables of a `fit` whose rows several ranks have counted: each feature's table is written by one
/// rank.

#include <widehash/communicator.hpp>
#include <widehash/internal/table_builder.hpp>
#include <widehash/schema.hpp>
#include <widehash/table_set.hpp>

#include <cstdint>
#include <functional>
#include <string>

namespace widehash {

/// Drains `counted` on every rank and writes the tables to `folder`, which all ranks must see. Rank 0 calls
/// `add_rows` to set what tables.json says besides the tables (TableBuilder::add_moments, add_rows), writes
/// tables.json and returns the whole set; other ranks return an empty one. Nothing is written before all
/// ranks have made this call. `memory_bytes` is for merging the counts.
TableSet write_tables_together(Communicator& communicator, const Schema& schema, const std::string& folder,
                               TableBuilder& counted, std::uint64_t memory_bytes,
                               const std::function<void(TableBuilder&)>& add_rows);

}  // namespace widehash
