#include "append_rows.hpp"
#include "packed_runs.hpp"

#include <widehash/error.hpp>
#include <widehash/internal/file_names.hpp>
#include <widehash/shard_writer.hpp>

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace widehash {
namespace {

constexpr std::uint64_t first_run_begin = 0;

}  // namespace

ShardWriter::ShardWriter(std::shared_ptr<const CodeLayout> layout, const std::string& directory,
                         std::string file)
    : layout_(layout != nullptr ? std::move(layout) : throw ShapeError("a shard of rows without a layout")),
      file_(std::move(file)),
      writer_(in_folder(directory, file_), shard_kind),
      waiting_(layout_),
      runs_(directory, ragged_memory) {
  if (layout_->code_stride > 0) writer_.begin_section("codes");
}

void ShardWriter::require_unfinished() const {
  if (is_finished_)
    throw ConfigError(fmt::format("shard {} is finished; write more rows to a new one", file_));
  if (is_incomplete_)
    throw ConfigError(
        fmt::format("shard {} lacks a part of rows whose writing failed; write it anew", file_));
}

void ShardWriter::append(const CodeBatchView& rows) {
  require_unfinished();
  detail::require_appendable(rows, *layout_, "rows for shard " + file_);
  if (layout_->has_ragged) pack_runs(rows);
  is_incomplete_ = true;  // until every part of the rows is written
  if (layout_->code_stride > 0) writer_.append(std::as_bytes(rows.codes));
  detail::append_slots(rows, waiting_);
  run_ends_.insert(run_ends_.end(), new_run_ends_.begin(), new_run_ends_.end());
  runs_.append(new_runs_);
  num_rows_ += rows.num_rows;
  is_incomplete_ = false;
}

void ShardWriter::pack_runs(const CodeBatchView& rows) {
  const bool packs = layout_->code_bytes == CodeBytes::least_in_runs;
  const std::uint64_t item_bytes = packs ? 1 : sizeof(std::uint32_t);
  const std::uint64_t before = run_ends_.empty() ? 0 : run_ends_.back();
  new_runs_.clear();
  new_run_ends_.clear();
  for (std::size_t row = 0; row < rows.num_rows; ++row) {
    const std::span<const std::uint32_t> columns = detail::run_columns(rows, row, columns_);
    if (packs) {
      detail::pack_run(*layout_, columns, new_runs_);
    } else {
      const auto bytes = std::as_bytes(columns);
      new_runs_.insert(new_runs_.end(), bytes.begin(), bytes.end());
    }
    new_run_ends_.push_back(before + new_runs_.size() / item_bytes);
  }
}

void ShardWriter::add_runs() {
  constexpr std::uint64_t piece_bytes = std::uint64_t{256} << 10;
  writer_.begin_section("ragged_offsets");
  writer_.append(std::as_bytes(std::span(&first_run_begin, 1)));
  writer_.append(std::as_bytes(std::span(run_ends_)));
  writer_.begin_section(layout_->code_bytes == CodeBytes::least_in_runs ? "runs" : "ragged");
  std::vector<std::byte> piece;
  for (std::uint64_t at = 0; at < runs_.size_bytes(); at += piece.size()) {
    piece.resize(static_cast<std::size_t>(std::min(piece_bytes, runs_.size_bytes() - at)));
    runs_.read(at, piece);
    writer_.append(piece);
  }
}

ManifestShard ShardWriter::finish(Flush flush) {
  require_unfinished();
  is_finished_ = true;
  const auto add = [this](const char* name, const auto& values) {
    writer_.add_section(name, std::as_bytes(std::span(values)));
  };
  if (layout_->column_stride > 0) add("columns", waiting_.columns);
  if (layout_->number_stride > 0) add("numbers", waiting_.numbers);
  if (layout_->has_ragged) add_runs();
  if (layout_->has_targets) add("targets", waiting_.targets);
  if (layout_->has_weights) add("weights", waiting_.weights);

  nlohmann::ordered_json metadata;
  metadata["rows"] = num_rows_;
  metadata["schema_fingerprint"] = layout_->fingerprint.schema;
  metadata["tables_fingerprint"] = layout_->fingerprint.tables;
  const std::uint64_t footer_checksum = writer_.finish(metadata.dump(), flush);
  return {file_, num_rows_, writer_.file_bytes(), footer_checksum};
}

ManifestShard write_shard(const CodeBatchView& rows, const std::string& directory, const std::string& file) {
  if (rows.layout == nullptr) throw ShapeError("rows without a layout cannot be written to shard " + file);
  ShardWriter writer(std::make_shared<const CodeLayout>(*rows.layout), directory, file);
  writer.append(rows);
  return writer.finish();
}

}  // namespace widehash
