// A lookup table with valid checksums is refused, or can be read entry by entry; one that verifies adds up.
#include "claims.hpp"
#include "memory_file.hpp"
#include "sealed_file.hpp"

#include <widehash/error.hpp>
#include <widehash/lookup_table.hpp>

#include <string>

using namespace widehash;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static fuzz::MemoryFile memory;
  fuzz::FuzzBytes input(data, size);
  std::string_view metadata;
  memory.set(fuzz::seal_input(input, "table", metadata).bytes);
  try {
    const LookupTable table(memory.path());
    std::uint64_t counts = 0;
    std::uint64_t bytes = 0;
    for (std::uint64_t i = 0; i < table.num_values(); ++i) {
      const TableEntry entry = table.entry(i);
      counts += entry.count;
      const std::string touched(entry.value);  // reads every byte
      bytes += touched.size();
    }
    table.verify();
    fuzz::require(counts == table.total_count(), "counts add up");
    fuzz::require(bytes == table.file().bytes("values").size(), "every byte belongs to one value");
  } catch (const DataError&) {
  }
  return 0;
}
