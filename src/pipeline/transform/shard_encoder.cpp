#include "shard_encoder.hpp"

#include "encode/schema_dialect.hpp"
#include "encode/tile_limit.hpp"
#include "encoded_rows.hpp"

#include <widehash/checksum.hpp>
#include <widehash/error.hpp>
#include <widehash/internal/block_text.hpp>
#include <widehash/internal/file_names.hpp>
#include <widehash/internal/section_file.hpp>
#include <widehash/shard.hpp>
#include <widehash/shard_writer.hpp>

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include <fmt/format.h>

namespace widehash {
namespace {

// Codes are checked and written while they are in the L2 cache.
constexpr std::size_t write_bytes = std::size_t{128} << 10;
// From this size on, flushing many shards together saves little compared with the time to encode the text.
constexpr std::uint64_t small_input_bytes = std::uint64_t{1} << 20;

/// Returns a checksum of what a header decides: where the encoded fields stand in a row. The same rows below
/// another header are another block.
std::uint64_t fields_checksum(const FieldBinding& binding) {
  std::vector<std::uint64_t> places{binding.num_fields, binding.label, binding.weight, binding.fold_field};
  for (const std::vector<std::size_t>& feature : binding.features) {
    places.push_back(feature.size());
    places.insert(places.end(), feature.begin(), feature.end());
  }
  ChecksumStream sum;
  sum.add(std::as_bytes(std::span(places)));
  return sum.value();
}

}  // namespace

ShardEncoder::ShardEncoder(const Schema& schema, const Encoder& encoder, const std::vector<Input>& inputs,
                           const std::string& directory, std::uint64_t max_bad_rows, bool small_ones_wait)
    : schema_(schema),
      encoder_(encoder),
      inputs_(inputs),
      directory_(directory),
      max_bad_rows_(max_bad_rows),
      small_ones_wait_(small_ones_wait) {}

bool ShardEncoder::waits_for_disk(const BlockReport& report) const noexcept {
  // Blocks of a larger input may be far apart: what a pipe has delivered must be in the journal before it pauses.
  const Input& input = inputs_[report.counts.input];
  return small_ones_wait_ && !report.resumed && !input.is_stream && input.size_bytes < small_input_bytes;
}

std::unique_ptr<ShardEncoder::Buffers> ShardEncoder::take_buffers() {
  return buffers_.take([&] {
    return std::make_unique<Buffers>(Buffers{CodeBatch(encoder_.layout()), {}, {}});
  });
}

BlockReport ShardEncoder::write(InputBlock& block) { return encode(block, small_ones_wait_); }

BlockReport ShardEncoder::encode(InputBlock& block, bool may_wait) {
  auto buffers = take_buffers();
  BlockReport report;
  report.block = block.block.index;
  ChecksumStream text_sum;
  std::optional<ShardWriter> shard;
  CodeBatch& batch = buffers->batch;
  const auto write_rows = [&] {
    if (batch.num_rows() == 0) return;
    if (!shard) {
      shard.emplace(encoder_.layout(), directory_, shard_name(block.input, block.block.index));
    }
    shard->append(batch.view());
    batch.clear();
  };
  batch.clear();
  const std::uint64_t passed_over_before = buffers->scratch.other_fold_rows();
  const std::size_t rows_per_write = write_bytes / usual_row_bytes(*encoder_.layout()) + 1;
  const auto take = [&](const auto& rows, std::vector<EncodeIssue>& issues) {
    encoder_.encode(rows, *block.binding, batch, issues, buffers->scratch);
    const bool is_much = batch.ragged.size() * sizeof(std::uint32_t) >= write_bytes;
    if (is_much || batch.num_rows() >= rows_per_write) write_rows();
  };
  TileUse use{.views = take, .text_sum = &text_sum, .max_rows = most_tile_rows(schema_)};
  if (encoder_.takes_places()) use.places = take;
  const std::uint64_t rows_read = for_each_tile(dialect_of(schema_), block, inputs_[block.input].path,
                                                max_bad_rows_, buffers->tiles, report.rejected, use);
  write_rows();
  report.text_checksum = text_sum.value();
  report.fields_checksum = fields_checksum(*block.binding);
  report.counts = block.counts(rows_read);
  if (shard && report.rejected.size() <= max_bad_rows_)
    report.shard = shard->finish(may_wait && waits_for_disk(report) ? Flush::later : Flush::now);
  report.other_fold_rows = buffers->scratch.other_fold_rows() - passed_over_before;
  report.text_bytes = block.block.num_bytes;
  report.disk_bytes = block.disk_bytes;
  buffers_.give(std::move(buffers));
  return report;
}

// Opening the journal has checked the head and size only; a bit may have flipped since the shard was written.
bool ShardEncoder::is_sound(const ManifestShard& shard) const {
  try {
    const SectionFile file(in_folder(directory_, shard.file), shard_kind);
    file.verify();
    file.mapping().release_pages();
    return true;
  } catch (const DataError&) {
    return false;
  }
}

BlockReport ShardEncoder::compare(InputBlock& block, const BlockReport& known) {
  auto buffers = take_buffers();
  ChecksumStream text_sum;
  BlockText text(block.block, buffers->tiles.text);
  for (auto rows = text.next(); !rows.empty(); rows = text.next())
    text_sum.add(std::as_bytes(std::span(rows)));
  buffers_.give(std::move(buffers));
  const bool has_other_fields =
      known.fields_checksum != 0 && known.fields_checksum != fields_checksum(*block.binding);
  if (has_other_fields || known.text_checksum != text_sum.value()) {
    throw ConfigError(
        fmt::format("{}: has changed since the run being resumed in {}; give --overwrite to start over",
                    inputs_[block.input].name(), directory_));
  }
  if (known.shard && !is_sound(*known.shard)) {
    // The bytes of the shard follow from the rows, so its line, which is already in the journal, stays true.
    InputBlock again = block;
    encode(again, false);
  }
  BlockReport report = known;
  report.resumed = true;
  report.counts = block.counts(known.counts.rows_read);
  report.text_bytes = block.block.num_bytes;
  report.disk_bytes = block.disk_bytes;
  return report;
}

}  // namespace widehash
