#include "export_slices.hpp"
#include "progress_meter.hpp"
#include "slice_entries.hpp"

#include <widehash/export.hpp>
#include <widehash/internal/dataset_places.hpp>
#include <widehash/internal/file.hpp>
#include <widehash/threads.hpp>

#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace widehash {
namespace {

constexpr std::size_t most_slice_rows = 4096;
constexpr std::size_t slice_entries = std::size_t{1} << 16;  // about 0.5 MB of text
// Slices made in parallel: their lines wait in memory until the lines before them are written.
constexpr std::size_t group_slices = 16;

/// Lines in memory that is reused from slice to slice, with the entries they are made from.
class Lines {
 public:
  void clear() noexcept { used_ = 0; }
  std::string_view text() const noexcept { return {text_.data(), used_}; }
  CsrView entries(const CodeBatchView& rows) { return entries_.of(rows); }
  /// Where to write the next line, of at most `bytes` bytes.
  char* room(std::size_t bytes) {
    if (text_.size() - used_ < bytes) text_.resize(std::max(2 * text_.size(), used_ + bytes));
    return text_.data() + used_;
  }
  void wrote_to(const char* end) noexcept { used_ = static_cast<std::size_t>(end - text_.data()); }

 private:
  detail::SliceEntries entries_;
  std::string text_;
  std::size_t used_ = 0;
};

/// Appends the lines of `rows`.
using LineWriter = std::function<void(const CodeBatchView& rows, Lines& lines)>;

// Most bytes of an entry, with its blank and colon, and of what stands before the entries.
constexpr std::size_t most_entry_bytes = 48;
constexpr std::size_t most_label_bytes = 64;

/// The text of an entry of 1, for every column: " 17:1". Copied in one piece, whose rest is overwritten.
class EntryTexts {
 public:
  EntryTexts(std::uint64_t num_columns, std::uint64_t first_column) : first_column_(first_column) {
    if (num_columns > most_columns) return;
    texts_.resize(num_columns);
    for (std::uint64_t column = 0; column < num_columns; ++column) {
      Text& text = texts_[column];
      text.length = static_cast<std::uint8_t>(put(text.bytes.data(), column) - text.bytes.data());
    }
  }
  char* add(char* to, SparseIndex column) const {
    if (texts_.empty()) return put(to, static_cast<std::uint64_t>(column));
    const Text& text = texts_[static_cast<std::size_t>(column)];
    std::memcpy(to, &text, sizeof text);
    return to + text.length;
  }
  char* put_column(char* to, std::uint64_t column) const {
    const fmt::format_int digits(column + first_column_);
    *to = ' ';
    std::memcpy(to + 1, digits.data(), digits.size());
    return to + 1 + digits.size();
  }

 private:
  // Larger tables would not stay in the second cache.
  static constexpr std::uint64_t most_columns = std::uint64_t{1} << 17;
  struct Text {
    std::array<char, 15> bytes{};
    std::uint8_t length = 0;
  };
  char* put(char* to, std::uint64_t column) const {
    to = put_column(to, column);
    *to++ = ':';
    *to++ = '1';
    return to;
  }
  std::uint64_t first_column_;
  std::vector<Text> texts_;
};

char* put_entries(const CsrView& x, SparseIndex row, const EntryTexts& texts, char* to) {
  for (SparseIndex i = x.row_offsets[row]; i < x.row_offsets[row + 1]; ++i) {
    if (x.values[i] == 1.0F) {
      to = texts.add(to, x.columns[i]);
    } else {
      to = texts.put_column(to, static_cast<std::uint64_t>(x.columns[i]));
      to = fmt::format_to(to, ":{}", x.values[i]);
    }
  }
  *to++ = '\n';
  return to;
}

std::size_t most_line_bytes(const CsrView& x, std::size_t row) {
  return most_label_bytes +
         static_cast<std::size_t>(x.row_offsets[row + 1] - x.row_offsets[row]) * most_entry_bytes;
}

void write_libsvm(const CodeBatchView& rows, const EntryTexts& texts, Lines& lines) {
  const CsrView x = lines.entries(rows);
  for (std::size_t row = 0; row < rows.num_rows; ++row) {
    char* to = lines.room(most_line_bytes(x, row));
    to = fmt::format_to(to, "{}", rows.targets.empty() ? 0.0F : rows.targets[row]);
    lines.wrote_to(put_entries(x, static_cast<SparseIndex>(row), texts, to));
  }
}

// Whether the target of every row is 0 or 1. Reads the targets only, and not their checksum: the pass that
// writes the lines checks it and stops at a damaged shard.
bool all_targets_are_0_or_1(const Dataset& dataset) {
  for (std::size_t s = 0; s < dataset.num_shards(); ++s) {
    const Shard shard = dataset.open_shard(s, false);
    for (const float target : shard.view().targets) {
      if (target != 0.0F && target != 1.0F) return false;
    }
    shard.mapping().release_pages();
  }
  return true;
}

// A number that is 0 or 1 in every row is written as a binary label: VW's logistic loss expects -1 and 1, and
// would take a 0 for a row without a label.
LabelKind vw_label_kind(const Dataset& dataset) {
  const LabelKind kind = dataset.schema().label.kind;
  if (kind != LabelKind::number || !dataset.layout()->has_targets) return kind;
  return all_targets_are_0_or_1(dataset) ? LabelKind::binary : kind;
}

float vw_label(float target, LabelKind kind) {
  switch (kind) {
    case LabelKind::binary:
      return target > 0 ? 1.0F : -1.0F;
    case LabelKind::classes:
      return target + 1;
    case LabelKind::number:
      return target;
  }
  return target;
}

void write_vw(const CodeBatchView& rows, LabelKind kind, const EntryTexts& texts, Lines& lines) {
  const CsrView x = lines.entries(rows);
  for (std::size_t row = 0; row < rows.num_rows; ++row) {
    char* to = lines.room(most_line_bytes(x, row));
    // A weight without a label would be read as a label.
    if (!rows.targets.empty()) {
      to = fmt::format_to(to, "{} ", vw_label(rows.targets[row], kind));
      if (!rows.weights.empty()) to = fmt::format_to(to, "{} ", rows.weights[row]);
    }
    *to++ = '|';
    *to++ = 'f';
    lines.wrote_to(put_entries(x, static_cast<SparseIndex>(row), texts, to));
  }
}

void export_lines(const Dataset& dataset, const LineWriter& write, const TextSink& sink,
                  const ProgressCallback& progress) {
  detail::ProgressMeter meter(progress, dataset.manifest().num_bytes());
  std::array<Lines, group_slices> texts;
  for (std::size_t s = 0; s < dataset.num_shards(); ++s) {
    const Shard shard = dataset.open_shard(s, true);
    const CodeBatchView& rows = shard.view();
    const std::size_t slice_rows = detail::rows_per_export_slice(rows, most_slice_rows, slice_entries);
    for (std::size_t begin = 0; begin < rows.num_rows; begin += group_slices * slice_rows) {
      const std::size_t count = std::min(group_slices * slice_rows, rows.num_rows - begin);
      const std::size_t num_slices = (count + slice_rows - 1) / slice_rows;
      parallel_for(num_slices, [&](std::size_t i) {
        texts[i].clear();
        write(rows.rows(begin + i * slice_rows, std::min(slice_rows, count - i * slice_rows)), texts[i]);
      });
      for (std::size_t i = 0; i < num_slices; ++i) sink(texts[i].text());
    }
    shard.mapping().release_pages();
    meter.add(rows.num_rows, dataset.manifest().shards[s].bytes);
  }
}

template <class Export>
void to_file(const Dataset& dataset, const std::string& path, Export&& write) {
  require_apart(path, places_of(dataset));
  AtomicFile file(path);
  write([&](std::string_view text) { file.write(text); });
  file.commit();
}

}  // namespace

void export_libsvm(const Dataset& dataset, const TextSink& sink, const ProgressCallback& progress) {
  const EntryTexts texts(dataset.layout()->num_columns, 1);
  export_lines(
      dataset, [&](const CodeBatchView& rows, Lines& lines) { write_libsvm(rows, texts, lines); }, sink,
      progress);
}

void export_libsvm(const Dataset& dataset, const std::string& path, const ProgressCallback& progress) {
  to_file(dataset, path, [&](const TextSink& sink) { export_libsvm(dataset, sink, progress); });
}

void export_vw(const Dataset& dataset, const TextSink& sink, const ProgressCallback& progress) {
  const LabelKind kind = vw_label_kind(dataset);
  const EntryTexts texts(dataset.layout()->num_columns, 0);
  export_lines(
      dataset, [&](const CodeBatchView& rows, Lines& lines) { write_vw(rows, kind, texts, lines); }, sink,
      progress);
}

void export_vw(const Dataset& dataset, const std::string& path, const ProgressCallback& progress) {
  to_file(dataset, path, [&](const TextSink& sink) { export_vw(dataset, sink, progress); });
}

}  // namespace widehash
