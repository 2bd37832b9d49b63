#include "shared_tables.hpp"

#include "count_exchange.hpp"

#include <cstddef>
#include <vector>

namespace widehash {
namespace {

/// What the rank that wrote a table reports about it.
struct TableNumbers {
  std::uint64_t num_values = 0;
  std::uint64_t file_checksum = 0;
};

}  // namespace

TableSet write_tables_together(Communicator& communicator, const Schema& schema, const std::string& folder,
                               TableBuilder& counted, std::uint64_t memory_bytes,
                               const std::function<void(TableBuilder&)>& add_rows) {
  // The other ranks write only after rank 0 has found the rows to be complete.
  communicator.barrier();
  const bool is_main = communicator.rank() == 0;
  TableBuilder merged(schema, folder, memory_bytes);
  exchange_counts(communicator, counted, merged);
  if (is_main) add_rows(merged);
  TableSet set = merged.finish_part(
      [&](std::size_t feature) { return table_writer(feature, communicator.size()) == communicator.rank(); });
  std::vector<TableNumbers> own;
  for (const TableSet::Item& item : set.items) own.push_back({item.num_values, item.file_checksum});
  const auto ranks = static_cast<std::size_t>(communicator.size());
  std::vector<TableNumbers> all(is_main ? ranks * own.size() : 0);
  communicator.gather<TableNumbers>(own, even_offsets(ranks * own.size(), ranks), 0, all);
  if (!is_main) return {};
  for (std::size_t feature = 0; feature < set.items.size(); ++feature) {
    const auto writer = static_cast<std::size_t>(table_writer(feature, communicator.size()));
    const TableNumbers& numbers = all[writer * own.size() + feature];
    set.items[feature].num_values = numbers.num_values;
    set.items[feature].file_checksum = numbers.file_checksum;
  }
  write_table_set(set);
  return set;
}

}  // namespace widehash
