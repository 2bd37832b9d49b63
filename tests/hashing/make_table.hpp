#pragma once

#include <widehash/internal/table_builder.hpp>
#include <widehash/lookup_table.hpp>
#include <widehash/table_set.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace widehash::testing {

inline Feature hashed_feature(const std::string& name, std::uint64_t cardinality,
                              Encoding encoding = Encoding::four_split) {
  Feature feature;
  feature.name = name;
  feature.fields = {name};
  feature.encoding = encoding;
  feature.cardinality = cardinality;
  return feature;
}

inline Schema schema_of(std::vector<Feature> features, HashKind hash = HashKind::xxh64) {
  Schema schema;
  schema.hash = hash;
  schema.features = std::move(features);
  return schema;
}

using Counts = std::vector<std::pair<std::string, std::uint64_t>>;

/// "value 0", "value 1", ...
inline Counts numbered_values(std::size_t n) {
  Counts values;
  for (std::size_t i = 0; i < n; ++i) values.emplace_back("value " + std::to_string(i), 1 + i % 7);
  return values;
}

/// Builds the table of one feature with these values in `directory`.
inline LookupTable make_table(const std::string& directory, const Schema& schema, const Counts& values) {
  TableBuilder builder(schema, directory, TableBuilder::min_memory_bytes);
  for (const auto& [value, count] : values) builder.add(0, value, count);
  const TableSet set = builder.finish();
  return LookupTable(directory + "/" + set.items.front().file);
}

}  // namespace widehash::testing
