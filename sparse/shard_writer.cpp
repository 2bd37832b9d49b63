#include "append_rows.hpp"

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

ShardWriter::ShardWriter(std::shared_ptr<const CodeLayout> layout, const std::string& directory,
                         std::string file)
    : layout_(layout != nullptr ? std::move(layout) : throw ShapeError("a shard of rows without a layout")),
      file_(std::move(file)),
      writer_(in_folder(directory, file_), shard_kind),
      waiting_(layout_),
      ragged_(directory, ragged_memory) {
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
  is_incomplete_ = true;  // until every part of the rows is written
  if (layout_->code_stride > 0) writer_.append(std::as_bytes(rows.codes));
  detail::append_slots_and_offsets(rows, waiting_);
  ragged_.append(std::as_bytes(detail::ragged_columns(rows)));
  num_rows_ += rows.num_rows;
  is_incomplete_ = false;
}

void ShardWriter::add_ragged() {
  constexpr std::uint64_t piece_bytes = std::uint64_t{256} << 10;
  writer_.begin_section("ragged");
  std::vector<std::byte> piece;
  for (std::uint64_t at = 0; at < ragged_.size_bytes(); at += piece.size()) {
    piece.resize(static_cast<std::size_t>(std::min(piece_bytes, ragged_.size_bytes() - at)));
    ragged_.read(at, piece);
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
  if (layout_->has_ragged) {
    add("ragged_offsets", waiting_.ragged_offsets);
    add_ragged();
  }
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
