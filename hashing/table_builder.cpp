#include "run_set.hpp"
#include "table_columns.hpp"
#include "table_writer.hpp"
#include "value_map.hpp"

#include <widehash/error.hpp>
#include <widehash/table_builder.hpp>
#include <widehash/threads.hpp>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <deque>
#include <limits>
#include <mutex>
#include <numeric>
#include <shared_mutex>
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

NumericMoments result_of(const RunningMoments& moments) noexcept {
  const double variance = moments.count == 0 ? 0.0 : moments.squares / static_cast<double>(moments.count);
  return {moments.count, moments.mean, std::sqrt(variance)};
}

std::uint64_t checked_budget(std::uint64_t memory_bytes) {
  if (memory_bytes < TableBuilder::min_memory_bytes) {
    throw ConfigError(
        fmt::format("{} bytes of memory are too few to count values in; give {} (16 MiB) or more",
                    memory_bytes, TableBuilder::min_memory_bytes));
  }
  return memory_bytes;
}

void check_length(std::size_t feature, std::string_view value) {
  if (value.size() < HashedValue::max_bytes) return;
  throw ConfigError(fmt::format("a value of feature {} has {} bytes; a table holds less than 4 GiB", feature,
                                value.size()));
}

}  // namespace

struct TableBuilder::Impl {
  // Of a feature; on cache lines of its own, for threads hold different features at the same time.
  struct alignas(64) Counted {
    Counted(detail::MemoryLedger& ledger, bool wide) : map(ledger, wide) {}
    std::mutex mutex;
    detail::ValueMap map;  // unused where the feature is not hashed
    RunningMoments moments;
  };

  struct OpenRun {
    explicit OpenRun(Run started) : run(std::move(started)) {}
    Run run;
    std::size_t feature = static_cast<std::size_t>(-1);  // whose values come now
  };

  Impl(const Schema& schema_in, std::string directory_in, std::uint64_t memory_bytes)
      : schema(schema_in),
        directory(std::move(directory_in)),
        wide(schema.hash == HashKind::xxh3_128),
        cursor_buffer_bytes(static_cast<std::size_t>(
            std::clamp<std::uint64_t>(checked_budget(memory_bytes) / 1024, 32 << 10, 1 << 20))),
        // What merging and writing need is set aside from the start, since runs are merged while values come.
        reserved_bytes((merge_fan_in + 2) * cursor_buffer_bytes + 10 * writer_buffer_bytes),
        ledger(memory_bytes - reserved_bytes),
        scratch(writer_buffer_bytes),
        runs(directory, schema.features.size(), wide, merge_fan_in, cursor_buffer_bytes, scratch) {
    check_schema(schema, "schema");
    for (std::size_t i = 0; i < schema.features.size(); ++i) features.emplace_back(ledger, wide);
  }

  ValueHash hash(std::string_view value) const noexcept {
    if (!wide) return {hash_xxh64(value, schema.seed), 0};
    const Hash128 both = hash_xxh3_128(value, schema.seed);
    return {both.high, both.low};
  }
  void check_value_feature(std::size_t feature) const;
  void add(std::size_t feature, ValueHash hash, std::string_view value, std::uint64_t count);
  void add_past_budget(std::size_t feature, ValueHash hash, std::string_view value, std::uint64_t count);
  void spill();
  void spill_alone(std::size_t feature, const ValueRecord& record);
  void end();
  void write_tables(TableSet& set, const std::function<bool(std::size_t)>& is_wanted);
  void describe(std::size_t feature, TableSet::Item& item) const;
  void write_table(const detail::TableSource& source, std::size_t feature, TableSet::Item& item);
  std::uint64_t memory_bytes() const noexcept;

  const Schema schema;
  const std::string directory;
  const bool wide;
  const std::size_t cursor_buffer_bytes;
  const std::uint64_t reserved_bytes;
  detail::MemoryLedger ledger;
  // Held shared while values are counted, and alone while the maps are emptied to disk.
  std::shared_mutex spilling;
  std::deque<Counted> features;
  std::vector<std::byte> scratch;
  RunSet runs;
  std::deque<OpenRun> open_runs;
  std::atomic<std::uint64_t> rows = 0;
  bool finished = false;
};

void TableBuilder::Impl::check_value_feature(std::size_t feature) const {
  if (feature < features.size() && schema.features[feature].has_table()) return;
  throw ConfigError(
      fmt::format("feature {} of the schema has no lookup table: it is not a hashed one", feature));
}

void TableBuilder::Impl::add(std::size_t feature, ValueHash hash, std::string_view value,
                             std::uint64_t count) {
  {
    const std::shared_lock no_spill(spilling);
    const std::lock_guard lock(features[feature].mutex);
    if (features[feature].map.add(hash, value, count)) return;
  }
  add_past_budget(feature, hash, value, count);
}

void TableBuilder::Impl::add_past_budget(std::size_t feature, ValueHash hash, std::string_view value,
                                         std::uint64_t count) {
  const std::lock_guard alone(spilling);
  // Another thread may have made room in between.
  if (features[feature].map.add(hash, value, count)) return;
  spill();
  if (features[feature].map.add(hash, value, count)) return;
  // Longer than all of memory: it goes to disk from where the caller has it.
  const auto length = static_cast<std::uint32_t>(value.size());
  spill_alone(feature, {.hash = hash, .count = count, .length = length, .bytes = value.data()});
}

void TableBuilder::Impl::spill() {
  if (ledger.held_bytes() == 0) return;
  Run run = runs.new_run();
  for (std::size_t feature = 0; feature < features.size(); ++feature) {
    run.begin_feature(feature);
    auto& map = features[feature].map;
    map.sort();
    for (std::size_t i = 0; i < map.num_values(); ++i) run.append(map.record(i), scratch);
    map.clear();
  }
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

// No more is counted; what is on disk lies in few enough runs to be read in one pass.
void TableBuilder::Impl::end() {
  if (finished) throw ConfigError("these tables are finished; count with a new builder");
  finished = true;
  for (OpenRun& open : open_runs) {
    open.run.end();
    runs.add(std::move(open.run));
  }
  open_runs.clear();
  if (runs.empty()) return;
  spill();
  runs.reduce();
}

void TableBuilder::Impl::write_tables(TableSet& set, const std::function<bool(std::size_t)>& is_wanted) {
  set.items.resize(features.size());
  const detail::TableSource source{schema, set.schema_fingerprint};
  // Merging takes all of what is reserved, so tables come one by one then. Straight from memory each wants a
  // buffer or two, and the longest are begun first so that threads end together.
  std::vector<std::size_t> order(features.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [this](std::size_t a, std::size_t b) {
    return features[a].map.num_values() > features[b].map.num_values();
  });
  const std::size_t at_once =
      runs.empty() ? reserved_bytes / detail::sorted_map_memory(writer_buffer_bytes) : 1;
  std::atomic<std::size_t> next = 0;
  parallel_for(std::min({at_once, order.size(), current_threads()}), [&](std::size_t) {
    for (std::size_t i = next++; i < order.size(); i = next++) {
      describe(order[i], set.items[order[i]]);
      if (!set.items[order[i]].file.empty() && is_wanted(order[i]))
        write_table(source, order[i], set.items[order[i]]);
    }
  });
}

void TableBuilder::Impl::describe(std::size_t feature, TableSet::Item& item) const {
  item.feature = schema.features[feature].name;
  item.moments = result_of(features[feature].moments);
  if (schema.features[feature].has_table()) item.file = detail::table_file_name(feature, item.feature);
}

void TableBuilder::Impl::write_table(const detail::TableSource& source, std::size_t feature,
                                     TableSet::Item& item) {
  const std::string path = directory + "/" + item.file;
  detail::WrittenTable written;
  if (runs.empty()) {
    auto& map = features[feature].map;
    map.sort();
    written = detail::write_sorted_map(path, source, schema.features[feature], map, writer_buffer_bytes);
    map.clear();
  } else {
    detail::TableWriter writer(path, directory, source, schema.features[feature], writer_buffer_bytes);
    runs.for_each(feature, [&](const ValueRecord& record) { writer.add(record); });
    written = writer.finish();
  }
  item.num_values = written.num_values;
  item.file_checksum = written.checksum;
}

std::uint64_t TableBuilder::Impl::memory_bytes() const noexcept {
  return ledger.held_bytes() + scratch.size() + runs.memory_bytes();
}

TableBuilder::TableBuilder(const Schema& schema, std::string directory, std::uint64_t memory_bytes)
    : impl_(std::make_unique<Impl>(schema, std::move(directory), memory_bytes)) {}

TableBuilder::~TableBuilder() = default;

void TableBuilder::add(std::size_t feature, std::string_view value, std::uint64_t count) {
  impl_->check_value_feature(feature);
  check_length(feature, value);
  if (count == 0) return;
  impl_->add(feature, impl_->hash(value), value, count);
}

void TableBuilder::add_many(std::size_t feature, std::span<const HashedValue> values) {
  impl_->check_value_feature(feature);
  if (impl_->wide) throw ConfigError("values of a schema with xxh3_128 are counted one by one: call add()");
  for (std::size_t begin = 0; begin < values.size(); ++begin) {
    {
      const std::shared_lock no_spill(impl_->spilling);
      const std::lock_guard lock(impl_->features[feature].mutex);
      begin += impl_->features[feature].map.add(values.subspan(begin));
    }
    if (begin == values.size()) return;
    const HashedValue& value = values[begin];
    impl_->add_past_budget(feature, {value.hash, 0}, value.text(), 1);
  }
}

void TableBuilder::add_moments(std::size_t feature, const RunningMoments& moments) {
  if (feature >= impl_->features.size() || impl_->schema.features[feature].encoding != Encoding::numeric) {
    throw ConfigError(fmt::format("feature {} of the schema is not a numeric one", feature));
  }
  impl_->features[feature].moments.add(moments);
}

void TableBuilder::add_rows(std::uint64_t rows) noexcept { impl_->rows += rows; }

TableSet TableBuilder::finish() {
  TableSet set = finish_part([](std::size_t) { return true; });
  write_table_set(set);
  return set;
}

TableSet TableBuilder::finish_part(const std::function<bool(std::size_t)>& is_wanted) {
  impl_->end();
  TableSet set;
  set.directory = impl_->directory;
  set.schema_fingerprint = impl_->schema.fingerprint();
  set.rows = impl_->rows;
  impl_->write_tables(set, is_wanted);
  impl_->runs.clear();
  return set;
}

void TableBuilder::drain(const UseCount& use) {
  impl_->end();
  std::string whole;
  for (std::size_t feature = 0; feature < impl_->features.size(); ++feature) {
    const auto give = [&](const ValueRecord& record) {
      if (record.bytes != nullptr) return use(feature, {record.bytes, record.length}, record.count);
      whole.clear();
      record.for_each_piece(impl_->scratch, [&](std::string_view piece) { whole += piece; });
      use(feature, whole, record.count);
    };
    if (!impl_->runs.empty()) {
      impl_->runs.for_each(feature, give);
      continue;
    }
    auto& map = impl_->features[feature].map;
    map.sort();
    for (std::size_t i = 0; i < map.num_values(); ++i) give(map.record(i));
    map.clear();
  }
  impl_->runs.clear();
}

std::size_t TableBuilder::begin_run() {
  impl_->open_runs.emplace_back(impl_->runs.new_run());
  return impl_->open_runs.size() - 1;
}

void TableBuilder::add_to_run(std::size_t run, std::size_t feature, std::string_view value,
                              std::uint64_t count) {
  impl_->check_value_feature(feature);
  check_length(feature, value);
  auto& open = impl_->open_runs.at(run);
  if (open.feature != feature) open.run.begin_feature(feature);
  open.feature = feature;
  const auto length = static_cast<std::uint32_t>(value.size());
  open.run.append({.hash = impl_->hash(value), .count = count, .length = length, .bytes = value.data()},
                  impl_->scratch);
}

std::uint64_t TableBuilder::memory_bytes() const {
  const std::shared_lock no_spill(impl_->spilling);
  return impl_->memory_bytes();
}

std::size_t TableBuilder::num_runs() const {
  const std::shared_lock no_spill(impl_->spilling);
  return impl_->runs.num_added();
}

}  // namespace widehash
