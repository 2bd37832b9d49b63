#pragma once

/// \file
/// The tables of a `fit` whose rows several ranks have counted: each feature's table is written by one of
/// them.

#include <widehash/communicator.hpp>
#include <widehash/internal/table_builder.hpp>
#include <widehash/schema.hpp>
#include <widehash/table_set.hpp>

#include <cstdint>
#include <functional>
#include <string>

namespace widehash {

/// Drains `counted` on every rank and writes the tables to `folder`, which all ranks see; rank 0 calls
/// `add_rows` for what tables.json says beside the tables (TableBuilder::add_moments, add_rows), writes it
/// and has the whole set, others an empty one. Nothing is written before all ranks have come here.
/// `memory_bytes` are for the counts that come together.
TableSet write_tables_together(Communicator& communicator, const Schema& schema, const std::string& folder,
                               TableBuilder& counted, std::uint64_t memory_bytes,
                               const std::function<void(TableBuilder&)>& add_rows);

}  // namespace widehash
