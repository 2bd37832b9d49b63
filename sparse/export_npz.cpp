#include "export_slices.hpp"
#include "npz_writer.hpp"
#include "progress_meter.hpp"
#include "slice_entries.hpp"

#include <widehash/csr_ops.hpp>
#include <widehash/export.hpp>
#include <widehash/internal/dataset_places.hpp>

#include <algorithm>
#include <array>
#include <functional>
#include <span>
#include <vector>

namespace widehash {
namespace {

// Most rows and entries of one slice; an entry takes 12 bytes.
constexpr std::size_t most_slice_rows = std::size_t{1} << 16;
constexpr std::size_t slice_entries = std::size_t{4} << 20;
constexpr int num_passes = 3;

template <class T>
std::span<const std::byte> bytes_of(const T& items) {
  return std::as_bytes(std::span(items));
}

class NpzExport {
 public:
  NpzExport(const Dataset& dataset, const std::string& path, const ProgressCallback& progress)
      : dataset_(dataset), writer_(path), meter_(progress, num_passes * dataset.manifest().num_bytes()) {}

  void run() {
    writer_.begin_array("format", "|S3", {});
    writer_.append(std::as_bytes(std::span("csr", 3)));
    writer_.begin_array("shape", "<i8", {2});
    writer_.append(bytes_of(std::array{dataset_.num_rows(), dataset_.layout()->num_columns}));

    // An array's length precedes its items, so the non-zeros are counted first.
    writer_.begin_array("indptr", "<i8", {dataset_.num_rows() + 1});
    SparseIndex num_nonzeros = 0;
    writer_.append(bytes_of(std::array{num_nonzeros}));
    std::vector<SparseIndex> row_offsets;
    for_each_slice(true, [&](const CodeBatchView& rows) {
      row_offsets.resize(rows.num_rows + 1);
      csr_row_offsets<SparseIndex>(rows, row_offsets);
      for (SparseIndex& offset : row_offsets) offset += num_nonzeros;
      num_nonzeros = row_offsets.back();
      writer_.append(bytes_of(row_offsets).subspan(sizeof(SparseIndex)));
    });
    const auto length = static_cast<std::uint64_t>(num_nonzeros);
    writer_.begin_array("indices", "<i8", {length});
    for_each_slice(false,
                   [&](const CodeBatchView& rows) { writer_.append(bytes_of(entries_.of(rows).columns)); });
    writer_.begin_array("data", "<f4", {length});
    for_each_slice(false,
                   [&](const CodeBatchView& rows) { writer_.append(bytes_of(entries_.of(rows).values)); });

    if (dataset_.layout()->has_targets) write_per_row("targets", &CodeBatchView::targets);
    if (dataset_.layout()->has_weights) write_per_row("weights", &CodeBatchView::weights);
    writer_.finish();
  }

 private:
  void for_each_slice(bool verify, const std::function<void(const CodeBatchView& rows)>& body) {
    for (std::size_t s = 0; s < dataset_.num_shards(); ++s) {
      const Shard shard = dataset_.open_shard(s, verify);
      const CodeBatchView& rows = shard.view();
      const std::size_t slice_rows = detail::rows_per_export_slice(rows, most_slice_rows, slice_entries);
      for (std::size_t begin = 0; begin < rows.num_rows; begin += slice_rows) {
        body(rows.rows(begin, std::min(slice_rows, rows.num_rows - begin)));
      }
      shard.mapping().release_pages();
      // Rows are counted in the pass that verifies, so that their total is the rows of the dataset.
      meter_.add(verify ? rows.num_rows : 0, dataset_.manifest().shards[s].bytes);
    }
  }

  void write_per_row(const char* name, std::span<const float> CodeBatchView::*array) {
    writer_.begin_array(name, "<f4", {dataset_.num_rows()});
    for (std::size_t s = 0; s < dataset_.num_shards(); ++s) {
      const Shard shard = dataset_.open_shard(s, false);
      writer_.append(std::as_bytes(shard.view().*array));
    }
  }

  const Dataset& dataset_;
  detail::NpzWriter writer_;
  detail::ProgressMeter meter_;
  detail::SliceEntries entries_;
};

}  // namespace

void export_npz(const Dataset& dataset, const std::string& path, const ProgressCallback& progress) {
  require_apart(path, places_of(dataset));
  NpzExport(dataset, path, progress).run();
}

}  // namespace widehash
