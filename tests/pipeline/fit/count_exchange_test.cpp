#include "fit/count_exchange.hpp"

#include "pipeline/pipeline_kit.hpp"

#include <widehash/device_team.hpp>

#include <random>

#include <fmt/format.h>

namespace widehash::test {
namespace {

constexpr const char* three_features = R"([[feature]]
field = "a"
cardinality = 100000
[[feature]]
field = "b"
cardinality = 10
[[feature]]
field = "n"
encoding = "numeric"
[[feature]]
field = "c"
cardinality = 1000
)";

/// Value `i` of a stream that all ranks share: short, long and 1 MiB values, many of them repeated.
std::string value_of(std::uint64_t i) {
  if (i % 5000 == 3) return std::string(1 << 20, static_cast<char>('a' + i % 2));
  const std::uint64_t number = i * i % 30011;
  return std::string(number % 40, 'v') + std::to_string(number);
}

void count_share(TableBuilder& builder, std::uint64_t rank, std::uint64_t size) {
  for (std::uint64_t i = rank; i < 60000; i += size) {
    builder.add(i % 7 == 0 ? 1 : 0, value_of(i), 1 + i % 3);
    if (rank != 1) builder.add(3, "only some ranks have it");
  }
}

TEST(CountExchange, RanksTogetherWriteTheTablesOfOne) {
  for (const char* hash : {"xxh64", "xxh3_128"}) {
    const Schema schema = parse_schema(fmt::format("hash = \"{}\"\n", hash) + three_features, "schema.toml");
    for (const std::size_t ranks : {2, 3, 6}) {
      const TempFolder folder;
      make_directories(folder.file("alone"));
      make_directories(folder.file("together"));
      TableBuilder alone(schema, folder.file("alone"), TableBuilder::min_memory_bytes);
      for (std::uint64_t rank = 0; rank < ranks; ++rank) count_share(alone, rank, ranks);
      const TableSet expected = alone.finish();
      DeviceTeam team(std::vector<Device>(ranks), {.threads = 1});
      team.run([&](Communicator& communicator) {
        const auto rank = static_cast<std::uint64_t>(communicator.rank());
        TableBuilder counted(schema, folder.file("together"), TableBuilder::min_memory_bytes);
        count_share(counted, rank, ranks);
        TableBuilder merged(schema, folder.file("together"), TableBuilder::min_memory_bytes);
        exchange_counts(communicator, counted, merged);
        const TableSet part = merged.finish_part([&](std::size_t feature) {
          return table_writer(feature, communicator.size()) == communicator.rank();
        });
        for (std::size_t f = 0; f < part.items.size(); ++f) {
          if (table_writer(f, communicator.size()) != communicator.rank()) continue;
          EXPECT_EQ(part.items[f].num_values, expected.items[f].num_values) << f;
          EXPECT_EQ(part.items[f].file_checksum, expected.items[f].file_checksum) << f;
        }
      });
      auto files = folder_bytes(folder.file("alone"));
      EXPECT_EQ(files.erase("tables.json"), 1u);
      EXPECT_EQ(files.size(), 3u);
      EXPECT_EQ(difference(folder_bytes(folder.file("together")), files), "");
    }
  }
}

}  // namespace
}  // namespace widehash::test
