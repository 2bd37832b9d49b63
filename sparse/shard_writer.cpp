#include "batch_check.hpp"

#include <widehash/error.hpp>
#include <widehash/shard_writer.hpp>

#include <span>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace widehash {
namespace {

template <class To, class From>
void extend(To& to, const From& more) {
  to.insert(to.end(), more.begin(), more.end());
}

}  // namespace

ShardWriter::ShardWriter(std::shared_ptr<const CodeLayout> layout, EncodingFingerprint fingerprint,
                         const std::string& directory, std::string file)
    : layout_(std::move(layout)),
      fingerprint_(std::move(fingerprint)),
      file_(std::move(file)),
      writer_(directory + "/" + file_, shard_kind) {
  if (layout_->code_stride > 0) writer_.begin_section("codes");
}

void ShardWriter::append(const CodeBatchView& rows) {
  if (rows.layout == nullptr || (rows.layout != layout_.get() && !same_layout(*rows.layout, *layout_))) {
    throw ShapeError(fmt::format("rows of one layout are written to shard {} of another", file_));
  }
  if (const std::string problem = detail::size_problem(rows); !problem.empty()) {
    throw ShapeError(fmt::format("rows for shard {}: {}", file_, problem));
  }
  if (layout_->code_stride > 0) writer_.append(std::as_bytes(rows.codes));
  extend(columns_, rows.columns);
  extend(numbers_, rows.numbers);
  extend(targets_, rows.targets);
  extend(weights_, rows.weights);
  if (layout_->has_ragged) {
    // A view's offsets begin wherever its rows begin; on disk they begin at 0.
    const std::uint64_t first = rows.ragged_offsets.front();
    const std::uint64_t base = ragged_.size();
    for (const std::uint64_t offset : rows.ragged_offsets.subspan(1))
      ragged_offsets_.push_back(base + offset - first);
    extend(ragged_, rows.ragged.subspan(first, rows.ragged_offsets.back() - first));
  }
  num_rows_ += rows.num_rows;
}

ManifestShard ShardWriter::finish() {
  const auto add = [this](const char* name, const auto& values) {
    writer_.add_section(name, std::as_bytes(std::span(values)));
  };
  if (layout_->column_stride > 0) add("columns", columns_);
  if (layout_->number_stride > 0) add("numbers", numbers_);
  if (layout_->has_ragged) {
    add("ragged_offsets", ragged_offsets_);
    add("ragged", ragged_);
  }
  if (layout_->has_targets) add("targets", targets_);
  if (layout_->has_weights) add("weights", weights_);

  nlohmann::ordered_json metadata;
  metadata["rows"] = num_rows_;
  metadata["schema_fingerprint"] = fingerprint_.schema;
  metadata["tables_fingerprint"] = fingerprint_.tables;
  const std::uint64_t footer_checksum = writer_.finish(metadata.dump());
  return {file_, num_rows_, writer_.file_bytes(), footer_checksum};
}

ManifestShard write_shard(const CodeBatchView& rows, const EncodingFingerprint& fingerprint,
                          const std::string& directory, const std::string& file) {
  if (rows.layout == nullptr) throw ShapeError("rows without a layout cannot be written to shard " + file);
  ShardWriter writer(std::make_shared<const CodeLayout>(*rows.layout), fingerprint, directory, file);
  writer.append(rows);
  return writer.finish();
}

}  // namespace widehash
