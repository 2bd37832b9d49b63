#include "export_slices.hpp"
#include "progress_meter.hpp"

#include <widehash/csr_ops.hpp>
#include <widehash/export.hpp>
#include <widehash/internal/dataset_places.hpp>
#include <widehash/internal/file.hpp>
#include <widehash/threads.hpp>

#include <algorithm>
#include <array>
#include <iterator>

#include <fmt/format.h>

namespace widehash {
namespace {

constexpr std::size_t most_slice_rows = 4096;
constexpr std::size_t slice_entries = std::size_t{1} << 19;  // about 4 MB of text
// Slices made in parallel: their lines wait in memory until the lines before them are written.
constexpr std::size_t group_slices = 16;

/// Appends the lines of `rows` to `text`.
using LineWriter = std::function<void(const CodeBatchView& rows, std::string& text)>;

void append_entries(const CsrView& x, SparseIndex row, SparseIndex first_column, std::string& text) {
  for (SparseIndex i = x.row_offsets[row]; i < x.row_offsets[row + 1]; ++i) {
    text += ' ';
    text += fmt::format_int(x.columns[i] + first_column).c_str();
    if (x.values[i] == 1.0F) {
      text += ":1";
    } else {
      fmt::format_to(std::back_inserter(text), ":{}", x.values[i]);
    }
  }
  text += '\n';
}

void write_libsvm(const CodeBatchView& rows, std::string& text) {
  const Csr x = to_csr(rows);
  for (std::size_t row = 0; row < rows.num_rows; ++row) {
    fmt::format_to(std::back_inserter(text), "{}", rows.targets.empty() ? 0.0F : rows.targets[row]);
    append_entries(x.view(), static_cast<SparseIndex>(row), 1, text);
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

void write_vw(const CodeBatchView& rows, LabelKind kind, std::string& text) {
  const Csr x = to_csr(rows);
  for (std::size_t row = 0; row < rows.num_rows; ++row) {
    // A weight without a label would be read as a label.
    if (!rows.targets.empty()) {
      fmt::format_to(std::back_inserter(text), "{} ", vw_label(rows.targets[row], kind));
      if (!rows.weights.empty()) fmt::format_to(std::back_inserter(text), "{} ", rows.weights[row]);
    }
    text += "|f";
    append_entries(x.view(), static_cast<SparseIndex>(row), 0, text);
  }
}

void export_lines(const Dataset& dataset, const LineWriter& write, const TextSink& sink,
                  const ProgressCallback& progress) {
  detail::ProgressMeter meter(progress, dataset.manifest().num_bytes());
  std::array<std::string, group_slices> texts;
  for (std::size_t s = 0; s < dataset.num_shards(); ++s) {
    const Shard shard = dataset.open_shard(s, true);
    const CodeBatchView& rows = shard.view();
    const std::size_t slice_rows = detail::rows_per_slice(rows, most_slice_rows, slice_entries);
    for (std::size_t begin = 0; begin < rows.num_rows; begin += group_slices * slice_rows) {
      const std::size_t count = std::min(group_slices * slice_rows, rows.num_rows - begin);
      const std::size_t num_slices = (count + slice_rows - 1) / slice_rows;
      parallel_for(num_slices, [&](std::size_t i) {
        texts[i].clear();
        write(rows.rows(begin + i * slice_rows, std::min(slice_rows, count - i * slice_rows)), texts[i]);
      });
      for (std::size_t i = 0; i < num_slices; ++i) sink(texts[i]);
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
  export_lines(dataset, write_libsvm, sink, progress);
}

void export_libsvm(const Dataset& dataset, const std::string& path, const ProgressCallback& progress) {
  to_file(dataset, path, [&](const TextSink& sink) { export_libsvm(dataset, sink, progress); });
}

void export_vw(const Dataset& dataset, const TextSink& sink, const ProgressCallback& progress) {
  const LabelKind kind = vw_label_kind(dataset);
  export_lines(
      dataset, [kind](const CodeBatchView& rows, std::string& text) { write_vw(rows, kind, text); }, sink,
      progress);
}

void export_vw(const Dataset& dataset, const std::string& path, const ProgressCallback& progress) {
  to_file(dataset, path, [&](const TextSink& sink) { export_vw(dataset, sink, progress); });
}

}  // namespace widehash
