#include "encode/good_rows.hpp"
#include "encode/row_rules.hpp"
#include "encode/table_texts.hpp"
#include "encode/value_columns.hpp"
#include "encode/value_reader.hpp"
#include "fit_record.hpp"
#include "ingest/block_report.hpp"
#include "ingest/made_folder.hpp"
#include "ingest/rejected_rows.hpp"
#include "table_folder.hpp"

#include <widehash/checksum.hpp>
#include <widehash/code_layout.hpp>
#include <widehash/error.hpp>
#include <widehash/internal/buffer_pool.hpp>
#include <widehash/internal/file.hpp>
#include <widehash/internal/file_names.hpp>
#include <widehash/internal/own_process.hpp>
#include <widehash/internal/running_moments.hpp>
#include <widehash/internal/table_builder.hpp>
#include <widehash/internal/table_place.hpp>
#include <widehash/table_set_writer.hpp>
#include <widehash/threads.hpp>

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace widehash {
namespace {

// Fewer rows are not worth a thread.
constexpr std::size_t share_rows = 8192;

/// What a thread needs to count a tile; reused.
struct Counter {
  ValueColumns columns;
  std::vector<std::string_view> texts = {};
  TextRoom room = {};
  GoodRows good = {};
};

/// The result of a run of rows.
struct Share {
  std::vector<EncodeIssue> issues = {};
  std::vector<RunningMoments> moments = {};
};

}  // namespace

class TableSetWriter::Impl : public OwnProcess {
 public:
  Impl(const Schema& schema, const TableSetWriterOptions& options)
      : schema_(schema),
        directory_(fixed_path(options.output_directory)),
        new_folder_(TablePlace::folder_in(directory_)),
        rules_(schema_),
        tile_rows_(rows_to_count(schema_)),
        moments_(rules_.num_numbers()),
        folder_(directory_),
        lock_(directory_),
        rejected_(options.max_bad_rows, in_folder(new_folder_, rejected_name), list_of_failed(directory_)) {
    make_layout(schema_);  // as fit() does: what cannot be encoded is not worth counting
    for (const Feature& feature : schema_.features) readers_.emplace_back(schema_, feature);
    TablePlace::finish(directory_);
    if (!options.overwrite) refuse_tables();
    refuse_dataset(directory_);
    if (!options.overwrite) refuse_foreign_table_files(directory_, to_toml(schema_));
    place_.emplace(directory_);
    builder_.emplace(schema_, new_folder_, options.memory_bytes);
  }

  const std::vector<std::string>& field_names() const noexcept { return rules_.field_names(); }

  TableTexts texts_of(const ColumnTable& table) const {
    return {schema_, table, rules_.bind(table, true), [](std::size_t) { return true; }};
  }

  void append(const TableTexts& texts, std::size_t num_rows) {
    std::vector<Share> shares((num_rows + share_rows - 1) / share_rows);
    parallel_for(shares.size(), [&](std::size_t i) {
      const std::size_t begin = i * share_rows;
      count(texts, begin, std::min(begin + share_rows, num_rows), shares[i]);
    });
    for (const Share& share : shares) {
      for (const EncodeIssue& issue : share.issues) {
        rejected_.add({memory_source, rows_read_ + issue.row + 1, issue.reason, {}});
      }
      for (std::size_t i = 0; i < moments_.size(); ++i) moments_[i].add(share.moments[i]);
    }
    rows_read_ += num_rows;
  }

  TableSet finish() {
    for (std::size_t i = 0; i < moments_.size(); ++i) {
      builder_->add_moments(rules_.numeric_features()[i], moments_[i]);
    }
    builder_->add_rows(rows_read_ - rejected_.count());
    rejected_.finish();
    write_text_file(in_folder(new_folder_, schema_name), to_toml(schema_));
    TableSet set = builder_->finish();
    builder_.reset();
    // A table in memory has no bytes to sample, so it is recognised by the fingerprint of its tables.
    const InputSign sign{memory_source, 0, from_hex(std::string_view(set.fingerprint).substr(0, 16))};
    write_fit_record({schema_.fingerprint(), set.fingerprint, rejected_.count(), {{sign}}}, new_folder_);
    place_->commit(files_of_tables(directory_));
    set.directory = directory_;
    return set;
  }

 private:
  void refuse_tables() const {
    if (!has_tables(directory_)) return;
    throw ConfigError(fmt::format(
        "{}: already holds tables; choose another folder, or give --overwrite to replace them", directory_));
  }

  /// Counts rows [begin, end).
  void count(const TableTexts& table, std::size_t begin, std::size_t end, Share& share) {
    auto counter = counters_.take(
        [&] { return std::unique_ptr<Counter>(new Counter{ValueColumns(schema_, readers_)}); });
    share.moments.resize(moments_.size());
    for (std::size_t row = begin; row < end; row += tile_rows_) {
      counter->room.clear();
      const RowsView rows = table.read(row, std::min(tile_rows_, end - row), counter->texts, counter->room);
      counter->good.take(rules_, rows, rows.num_rows(), table.binding(), row, share.moments, share.issues);
      counter->columns.add(rows, counter->good.places(), table.binding(), *builder_);
      counter->columns.flush(*builder_, row / tile_rows_);
    }
    counters_.give(std::move(counter));
  }

  Schema schema_;
  std::string directory_;
  std::string new_folder_;  // of the tables while they are being made
  RowRules rules_;
  std::size_t tile_rows_;
  std::vector<ValueReader> readers_;
  std::vector<RunningMoments> moments_;  // of the numeric features
  MadeFolder folder_;                    // removed after everything in it
  DirectoryLock lock_;
  std::optional<TablePlace> place_;  // destroyed before the lock is released
  RejectedRows rejected_;
  std::optional<TableBuilder> builder_;
  BufferPool<Counter> counters_;
  std::uint64_t rows_read_ = 0;  // counted and rejected
};

TableSetWriter::TableSetWriter(const Schema& schema, const TableSetWriterOptions& options)
    : impl_(std::make_unique<Impl>(schema, options)) {}

TableSetWriter::~TableSetWriter() { discard(); }

TableSetWriter::Impl& TableSetWriter::open() const {
  if (impl_ != nullptr && !impl_->is_here())
    throw ConfigError(
        "this writer belongs to the process that made it and cannot be used in a fork; make another writer "
        "there");
  if (impl_ == nullptr) throw ConfigError("the tables were finished or discarded; make another writer");
  return *impl_;
}

template <class Work>
auto TableSetWriter::or_discard(const Work& work) {
  try {
    return work(open());
  } catch (...) {
    discard();
    throw;
  }
}

const std::vector<std::string>& TableSetWriter::field_names() const { return open().field_names(); }

void TableSetWriter::append(const ColumnTable& table) {
  const TableTexts texts = open().texts_of(table);
  or_discard([&](Impl& impl) { impl.append(texts, table.num_rows()); });
}

TableSet TableSetWriter::finish() {
  TableSet set = or_discard([](Impl& impl) { return impl.finish(); });
  impl_.reset();
  return set;
}

void TableSetWriter::discard() noexcept {
  // A copy in a forked process is released, not destroyed: its files and threads belong to the process that
  // made it.
  if (impl_ != nullptr && !impl_->is_here()) (void)impl_.release();
  impl_.reset();
}

}  // namespace widehash
