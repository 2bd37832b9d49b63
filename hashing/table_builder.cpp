#include "table_columns.hpp"
#include "table_writer.hpp"
#include "value_counter.hpp"

#include <widehash/error.hpp>
#include <widehash/internal/file_names.hpp>
#include <widehash/internal/table_builder.hpp>
#include <widehash/threads.hpp>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

namespace widehash {
namespace {

using detail::ValueHash;
using detail::ValueMap;
using detail::ValueRecord;

/// Number of runs read at a time. Bounds the number of open files and buffers.
constexpr std::size_t merge_fan_in = 64;
constexpr std::size_t writer_buffer_bytes = std::size_t{64} << 10;

NumericMoments result_of(const RunningMoments& moments) noexcept {
  const double variance = moments.count == 0 ? 0.0 : moments.squares / static_cast<double>(moments.count);
  return {moments.count, moments.mean, std::sqrt(variance)};
}

std::uint64_t checked_budget(std::uint64_t memory_bytes) {
  if (memory_bytes < TableBuilder::min_memory_bytes) {
    throw ConfigError(fmt::format("{} bytes of memory are too few to count values; give {} (16 MiB) or more",
                                  memory_bytes, TableBuilder::min_memory_bytes));
  }
  return memory_bytes;
}

Schema checked(const Schema& schema) {
  check_schema(schema, "schema");
  return schema;
}

/// Divides the memory budget. The memory for merging and writing is reserved from the start, because runs are
/// merged while values arrive.
struct Budget {
  explicit Budget(std::uint64_t memory_bytes)
      : cursor_buffer_bytes(static_cast<std::size_t>(
            std::clamp<std::uint64_t>(checked_budget(memory_bytes) / 1024, 32 << 10, 1 << 20))),
        reserved_bytes((merge_fan_in + 2) * cursor_buffer_bytes + 10 * writer_buffer_bytes),
        map_bytes(memory_bytes - reserved_bytes) {}

  std::size_t cursor_buffer_bytes;
  std::uint64_t reserved_bytes;
  std::uint64_t map_bytes;
};

/// For messages: "feature 'site'", or "feature 7" if the schema has no such feature.
std::string feature_text(const Schema& schema, std::size_t feature) {
  return feature < schema.features.size() ? fmt::format("feature '{}'", schema.features[feature].name)
                                          : fmt::format("feature {}", feature);
}

}  // namespace

struct TableBuilder::Impl {
  Impl(const Schema& schema_in, std::string directory_in, std::uint64_t memory_bytes)
      : schema(checked(schema_in)),
        directory(std::move(directory_in)),
        wide(schema.hash == HashKind::xxh3_128),
        budget(memory_bytes),
        scratch(writer_buffer_bytes),
        counter({.directory = directory,
                 .num_features = schema.features.size(),
                 .wide = wide,
                 .fan_in = merge_fan_in,
                 .cursor_buffer_bytes = budget.cursor_buffer_bytes},
                budget.map_bytes, scratch),
        moments(schema.features.size()) {}

  ValueHash hash(std::string_view value) const noexcept {
    if (!wide) return {hash_xxh64(value, schema.seed), 0};
    const Hash128 both = hash_xxh3_128(value, schema.seed);
    return {both.high, both.low};
  }
  /// Throws ConfigError if the feature has no table or the value is too long for one.
  void check_value(std::size_t feature, std::string_view value) const;
  void check_value_feature(std::size_t feature) const;
  void end();
  void write_tables(TableSet& set, const std::function<bool(std::size_t)>& is_wanted);
  void describe(std::size_t feature, TableSet::Item& item) const;
  void write_table(const detail::TableSource& source, std::size_t feature, TableSet::Item& item);

  const Schema schema;
  const std::string directory;
  const bool wide;
  const Budget budget;
  std::vector<std::byte> scratch;
  detail::ValueCounter counter;  // features that are not hashed have no values in it
  std::vector<RunningMoments> moments;
  std::atomic<std::uint64_t> rows = 0;
  bool finished = false;
};

void TableBuilder::Impl::check_value_feature(std::size_t feature) const {
  if (feature < schema.features.size() && schema.features[feature].has_table()) return;
  throw ConfigError(
      fmt::format("{} of the schema has no lookup table: it is not hashed", feature_text(schema, feature)));
}

void TableBuilder::Impl::check_value(std::size_t feature, std::string_view value) const {
  check_value_feature(feature);
  if (value.size() < HashedValue::max_bytes) return;
  throw ConfigError(fmt::format("a value of {} has {} bytes; a table holds values of less than 4 GiB",
                                feature_text(schema, feature), value.size()));
}

void TableBuilder::Impl::end() {
  if (finished) throw ConfigError("these tables are finished; count with a new builder");
  finished = true;
  counter.end();
}

void TableBuilder::Impl::write_tables(TableSet& set, const std::function<bool(std::size_t)>& is_wanted) {
  set.items.resize(schema.features.size());
  const detail::TableSource source{schema, set.schema_fingerprint};
  // If there are runs, merging them needs all of the reserved memory, so tables are written one by one. A
  // table written straight from memory needs only a buffer or two. The longest are started first, so that
  // threads end together.
  std::vector<std::size_t> order(schema.features.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [this](std::size_t a, std::size_t b) {
    return counter.num_in_memory(a) > counter.num_in_memory(b);
  });
  const std::size_t at_once =
      counter.has_runs() ? 1 : budget.reserved_bytes / detail::sorted_map_memory(writer_buffer_bytes);
  parallel_in_turn(order.size(), at_once, [&](std::size_t i) {
    TableSet::Item& item = set.items[order[i]];
    describe(order[i], item);
    if (!item.file.empty() && is_wanted(order[i])) write_table(source, order[i], item);
  });
  std::vector<std::string> files;
  for (std::size_t feature = 0; feature < set.items.size(); ++feature) {
    if (!set.items[feature].file.empty() && is_wanted(feature)) files.push_back(set.items[feature].file);
  }
  flush_files(directory, files);
}

void TableBuilder::Impl::describe(std::size_t feature, TableSet::Item& item) const {
  item.feature = schema.features[feature].name;
  item.moments = result_of(moments[feature]);
  if (schema.features[feature].has_table()) item.file = detail::table_file_name(feature, item.feature);
}

void TableBuilder::Impl::write_table(const detail::TableSource& source, std::size_t feature,
                                     TableSet::Item& item) {
  const std::string path = in_folder(directory, item.file);
  detail::WrittenTable written;
  if (counter.has_runs()) {
    detail::TableWriter writer(path, directory, source, schema.features[feature], writer_buffer_bytes);
    counter.take_each(feature, [&](const ValueRecord& record) { writer.add(record); });
    written = writer.finish();
  } else {
    counter.take_map(feature, [&](const ValueMap& map) {
      written = detail::write_sorted_map(path, source, schema.features[feature], map, writer_buffer_bytes);
    });
  }
  item.num_values = written.num_values;
  item.file_checksum = written.checksum;
}

TableBuilder::TableBuilder(const Schema& schema, std::string directory, std::uint64_t memory_bytes)
    : impl_(std::make_unique<Impl>(schema, std::move(directory), memory_bytes)) {}

TableBuilder::~TableBuilder() = default;

void TableBuilder::add(std::size_t feature, std::string_view value, std::uint64_t count) {
  impl_->check_value(feature, value);
  if (count == 0) return;
  impl_->counter.add(feature, impl_->hash(value), value, count);
}

void TableBuilder::add_many(std::size_t feature, std::span<const HashedValue> values) {
  impl_->check_value_feature(feature);
  if (impl_->wide) throw ConfigError("values of a schema with xxh3_128 are counted one by one: call add()");
  impl_->counter.add(feature, values);
}

void TableBuilder::add_moments(std::size_t feature, const RunningMoments& moments) {
  if (feature >= impl_->schema.features.size() ||
      impl_->schema.features[feature].encoding != Encoding::numeric) {
    throw ConfigError(fmt::format("{} of the schema is not numeric", feature_text(impl_->schema, feature)));
  }
  impl_->moments[feature].add(moments);
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
  impl_->counter.clear_runs();
  return set;
}

void TableBuilder::drain(const UseCount& use) {
  impl_->end();
  std::string whole;
  for (std::size_t feature = 0; feature < impl_->schema.features.size(); ++feature) {
    impl_->counter.take_each(feature, [&](const ValueRecord& record) {
      if (record.bytes != nullptr) return use(feature, {record.bytes, record.length}, record.count);
      whole.clear();
      record.for_each_piece(impl_->scratch, [&](std::string_view piece) { whole += piece; });
      use(feature, whole, record.count);
    });
  }
  impl_->counter.clear_runs();
}

std::size_t TableBuilder::begin_run() { return impl_->counter.begin_run(); }

void TableBuilder::add_to_run(std::size_t run, std::size_t feature, std::string_view value,
                              std::uint64_t count) {
  impl_->check_value(feature, value);
  const auto length = static_cast<std::uint32_t>(value.size());
  impl_->counter.add_to_run(
      run, feature, {.hash = impl_->hash(value), .count = count, .length = length, .bytes = value.data()});
}

void TableBuilder::end_run(std::size_t run) { impl_->counter.end_run(run); }

std::uint64_t TableBuilder::memory_bytes() const {
  return impl_->counter.memory_bytes() + impl_->scratch.size();
}

std::size_t TableBuilder::num_runs() const { return impl_->counter.num_runs(); }

}  // namespace widehash
