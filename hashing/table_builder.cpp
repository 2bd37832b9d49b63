#include "run_set.hpp"
#include "table_writer.hpp"
#include "value_map.hpp"

#include <widehash/error.hpp>
#include <widehash/table_builder.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include <fmt/format.h>

namespace widehash {
namespace {

using detail::Run;
using detail::RunSet;
using detail::ValueHash;
using detail::ValueRecord;

/// Runs read at a time: bounds open files and buffers.
constexpr std::size_t merge_fan_in = 64;
constexpr std::size_t writer_buffer_bytes = std::size_t{64} << 10;

/// Running mean and squared deviations (Welford 1962): stable where a sum of squares is not.
struct RunningMoments {
  std::uint64_t count = 0;
  double mean = 0;
  double squares = 0;  // sum of (x - mean)^2

  void add(double x) noexcept {
    ++count;
    const double step = x - mean;
    mean += step / static_cast<double>(count);
    squares += step * (x - mean);
  }
  NumericMoments result() const noexcept {
    return {count, mean, count == 0 ? 0.0 : std::sqrt(squares / static_cast<double>(count))};
  }
};

bool is_hashed(const Feature& feature) {
  return feature.encoding != Encoding::numeric && feature.encoding != Encoding::ignore;
}

std::uint64_t checked_budget(std::uint64_t memory_bytes) {
  if (memory_bytes < TableBuilder::min_memory_bytes) {
    throw ConfigError(
        fmt::format("{} bytes of memory are too few to count values in; give {} (16 MiB) or more",
                    memory_bytes, TableBuilder::min_memory_bytes));
  }
  return memory_bytes;
}

}  // namespace

struct TableBuilder::Impl {
  Impl(const Schema& schema_in, std::string directory_in, std::uint64_t memory_bytes)
      : schema(schema_in),
        directory(std::move(directory_in)),
        wide(schema.hash == HashKind::xxh3_128),
        cursor_buffer_bytes(static_cast<std::size_t>(
            std::clamp<std::uint64_t>(checked_budget(memory_bytes) / 1024, 32 << 10, 1 << 20))),
        // What merging and writing need is set aside from the start, since runs are merged while values come.
        reserved_bytes((merge_fan_in + 2) * cursor_buffer_bytes + 10 * writer_buffer_bytes),
        ledger(memory_bytes - reserved_bytes),
        arena(ledger),
        scratch(writer_buffer_bytes),
        runs(directory, schema.features.size(), wide, merge_fan_in, cursor_buffer_bytes, scratch) {
    check_schema(schema, "schema");
    maps.reserve(schema.features.size());
    for (std::size_t i = 0; i < schema.features.size(); ++i) maps.emplace_back(ledger, arena, wide);
    moments.resize(schema.features.size());
  }

  ValueHash hash(std::string_view value) const noexcept {
    if (!wide) return {hash_xxh64(value, schema.seed), 0};
    const Hash128 both = hash_xxh3_128(value, schema.seed);
    return {both.high, both.low};
  }

  void add(std::size_t feature, std::string_view value, std::uint64_t count);
  void spill();
  void spill_alone(std::size_t feature, const ValueRecord& record);
  TableSet::Item write_table(std::size_t feature);
  std::uint64_t memory_bytes() const noexcept;

  const Schema schema;
  const std::string directory;
  const bool wide;
  const std::size_t cursor_buffer_bytes;
  const std::uint64_t reserved_bytes;
  detail::MemoryLedger ledger;
  detail::Arena arena;
  std::vector<detail::ValueMap> maps;  // one per feature; unused where it is not hashed
  std::vector<RunningMoments> moments;
  std::vector<std::byte> scratch;
  RunSet runs;
  std::uint64_t rows = 0;
  bool finished = false;
};

void TableBuilder::Impl::add(std::size_t feature, std::string_view value, std::uint64_t count) {
  const ValueHash key = hash(value);
  if (maps[feature].add(key, value, count)) return;
  spill();
  if (maps[feature].add(key, value, count)) return;
  // Longer than all of memory: it goes to disk from where the caller has it.
  const auto length = static_cast<std::uint32_t>(value.size());
  spill_alone(feature, {.hash = key, .count = count, .length = length, .bytes = value.data()});
}

void TableBuilder::Impl::spill() {
  if (ledger.held_bytes() == 0) return;
  Run run = runs.new_run();
  for (std::size_t feature = 0; feature < maps.size(); ++feature) {
    run.begin_feature(feature);
    auto& map = maps[feature];
    map.sort();
    for (std::size_t i = 0; i < map.num_values(); ++i) run.append(map.record(i), scratch);
    map.clear();
  }
  arena.clear();
  run.end();
  runs.add(std::move(run));
}

void TableBuilder::Impl::spill_alone(std::size_t feature, const ValueRecord& record) {
  Run run = runs.new_run();
  run.begin_feature(feature);
  run.append(record, scratch);
  run.end();
  runs.add(std::move(run));
}

TableSet::Item TableBuilder::Impl::write_table(std::size_t feature) {
  TableSet::Item item;
  item.feature = schema.features[feature].name;
  item.moments = moments[feature].result();
  if (!is_hashed(schema.features[feature])) return item;

  item.file = detail::table_file_name(feature, item.feature);
  detail::TableWriter writer(directory + "/" + item.file, directory, schema, schema.features[feature],
                             writer_buffer_bytes);
  if (runs.empty()) {
    auto& map = maps[feature];
    map.sort();
    for (std::size_t i = 0; i < map.num_values(); ++i) writer.add(map.record(i));
    map.clear();
  } else {
    runs.for_each(feature, [&](const ValueRecord& record) { writer.add(record); });
  }
  const auto written = writer.finish();
  item.num_values = written.num_values;
  item.file_checksum = written.checksum;
  return item;
}

std::uint64_t TableBuilder::Impl::memory_bytes() const noexcept {
  return ledger.held_bytes() + scratch.size() + runs.memory_bytes();
}

TableBuilder::TableBuilder(const Schema& schema, std::string directory, std::uint64_t memory_bytes)
    : impl_(std::make_unique<Impl>(schema, std::move(directory), memory_bytes)) {}

TableBuilder::~TableBuilder() = default;

void TableBuilder::add(std::size_t feature, std::string_view value, std::uint64_t count) {
  if (feature >= impl_->maps.size() || !is_hashed(impl_->schema.features[feature])) {
    throw ConfigError(
        fmt::format("feature {} of the schema has no lookup table: it is not a hashed one", feature));
  }
  if (value.size() > std::numeric_limits<std::uint32_t>::max()) {
    throw ConfigError(
        fmt::format("a value of feature {} has {} bytes; a table holds up to 4 GiB", feature, value.size()));
  }
  if (count != 0) impl_->add(feature, value, count);
}

void TableBuilder::add_number(std::size_t feature, double value) {
  if (feature >= impl_->moments.size() || impl_->schema.features[feature].encoding != Encoding::numeric) {
    throw ConfigError(fmt::format("feature {} of the schema is not a numeric one", feature));
  }
  if (std::isfinite(value)) impl_->moments[feature].add(value);
}

void TableBuilder::add_rows(std::uint64_t rows) noexcept { impl_->rows += rows; }

TableSet TableBuilder::finish() {
  if (impl_->finished) throw ConfigError("these tables are finished; count with a new builder");
  impl_->finished = true;
  auto& runs = impl_->runs;
  if (!runs.empty()) {
    impl_->spill();
    runs.reduce();
  }
  TableSet set;
  set.directory = impl_->directory;
  set.schema_fingerprint = impl_->schema.fingerprint();
  set.rows = impl_->rows;
  for (std::size_t feature = 0; feature < impl_->maps.size(); ++feature) {
    set.items.push_back(impl_->write_table(feature));
  }
  impl_->arena.clear();
  runs.clear();
  write_table_set(set);
  return set;
}

std::uint64_t TableBuilder::memory_bytes() const noexcept { return impl_->memory_bytes(); }
std::size_t TableBuilder::num_runs() const noexcept { return impl_->runs.num_added(); }

}  // namespace widehash
