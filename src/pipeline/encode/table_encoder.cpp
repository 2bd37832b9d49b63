#include "table_encoder.hpp"

#include <widehash/encoder.hpp>
#include <widehash/error.hpp>
#include <widehash/threads.hpp>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace widehash {
namespace {

// The texts of a tile, its codes and the intermediate results stay in the L2 cache.
constexpr std::size_t tile_rows = 256;
// Fewer rows are not worth a thread.
constexpr std::size_t share_rows = 4096;

/// Calls move(to, from, stride) for each array of fixed slots of the two batches, where `stride` is the
/// number of its elements per row.
template <class To, class From, class Move>
void for_each_slots(To& to, const From& from, const Move& move) {
  const CodeLayout& layout = to.layout();
  move(to.codes.data(), from.codes.data(), layout.code_stride);
  move(to.columns.data(), from.columns.data(), layout.column_stride);
  move(to.numbers.data(), from.numbers.data(), layout.number_stride);
  if (layout.has_targets) move(to.targets.data(), from.targets.data(), std::size_t{1});
  if (layout.has_weights) move(to.weights.data(), from.weights.data(), std::size_t{1});
}

/// Appends the rows of `tile` to those of the share.
template <class Share>
void add_tile(const CodeBatch& tile, CodeBatch& batch, Share& share) {
  const std::size_t row = share.begin + share.num_rows;
  for_each_slots(batch, tile, [&](auto* to, const auto* from, std::size_t stride) {
    std::copy_n(from, tile.num_rows() * stride, to + row * stride);
  });
  share.num_rows += tile.num_rows();
  if (!tile.layout().has_ragged) return;
  const std::size_t before = share.ragged.size();
  share.ragged.insert(share.ragged.end(), tile.ragged.begin(), tile.ragged.end());
  for (std::size_t i = 1; i < tile.ragged_offsets.size(); ++i) {
    share.ragged_ends.push_back(before + tile.ragged_offsets[i]);
  }
}

/// The rows below `count` that are not in `issues`, which is in ascending order.
void rows_without(std::span<const EncodeIssue> issues, std::size_t count, std::vector<std::size_t>& rows) {
  rows.clear();
  for (std::size_t row = 0; row < count; ++row) {
    if (!issues.empty() && issues.front().row == row) {
      issues = issues.subspan(1);
    } else {
      rows.push_back(row);
    }
  }
}

/// Closes the gaps left by rows that could not be encoded, and appends the ragged runs.
template <class Share>
void join(const std::vector<Share>& shares, std::size_t first_row, CodeBatch& batch) {
  std::size_t row = first_row;
  for (const Share& share : shares) {
    if (row != share.begin) {
      for_each_slots(batch, batch, [&](auto* to, const auto* from, std::size_t stride) {
        std::copy_n(from + share.begin * stride, share.num_rows * stride, to + row * stride);
      });
    }
    const std::uint64_t base = batch.ragged.size();
    batch.ragged.insert(batch.ragged.end(), share.ragged.begin(), share.ragged.end());
    for (std::size_t i = 0; i < share.ragged_ends.size(); ++i) {
      batch.ragged_offsets[row + i + 1] = base + share.ragged_ends[i];
    }
    row += share.num_rows;
  }
  batch.truncate(row);
}

}  // namespace

struct TableEncoder::Share {
  std::size_t begin = 0;     // in the batch
  std::size_t num_rows = 0;  // rows that could be encoded
  std::vector<EncodeIssue> issues = {};
  std::vector<std::uint32_t> ragged = {};
  std::vector<std::uint64_t> ragged_ends = {};  // end of each row in `ragged`
};

TableEncoder::TableEncoder(const Encoder& encoder, const ColumnTable& table, const FieldBinding& binding)
    : encoder_(encoder), texts_(encoder.schema(), table, binding, [&](std::size_t feature) {
        return !take_dictionary(table, binding, feature);
      }) {}

/// Returns false where the field of the feature is not a dictionary for which this pays.
bool TableEncoder::take_dictionary(const ColumnTable& table, const FieldBinding& binding,
                                   std::size_t feature) {
  const auto& fields = binding.features[feature];
  if (fields.empty() || !DictionaryCodes::pays(encoder_, feature, table.column(fields.front()))) return false;
  if (!settings_) settings_ = DictionaryCodes::settings_of(encoder_);
  dictionaries_.emplace_back(encoder_, feature, table.column(fields.front()), *settings_);
  return true;
}

void TableEncoder::encode_share(std::size_t begin, std::size_t end, CodeBatch& batch, Share& share) const {
  EncodeScratch scratch;
  TextRoom room;
  CodeBatch tile(encoder_.layout());
  std::vector<std::string_view> texts;
  std::vector<std::size_t> encoded;
  std::vector<std::uint32_t> indices;
  for (std::size_t row = begin; row < end; row += tile_rows) {
    const std::size_t count = std::min(tile_rows, end - row);
    room.clear();
    tile.clear();
    const RowsView rows = texts_.read(row, count, texts, room);
    const std::size_t before = share.issues.size();
    encoder_.encode(rows, texts_.binding(), tile, share.issues, scratch);
    rows_without(std::span(share.issues).subspan(before), count, encoded);
    for (const DictionaryCodes& codes : dictionaries_) codes.fill(row, encoded, tile, indices);
    for (std::size_t i = before; i < share.issues.size(); ++i) share.issues[i].row += row;
    add_tile(tile, batch, share);
  }
}

void TableEncoder::encode(std::size_t begin, std::size_t count, CodeBatch& batch,
                          std::vector<EncodeIssue>& issues) const {
  const std::size_t first_row = batch.num_rows();
  std::vector<Share> shares((count + share_rows - 1) / share_rows);
  batch.resize(first_row + count);
  const std::size_t issues_before = issues.size();
  try {
    parallel_for(shares.size(), [&](std::size_t i) {
      const std::size_t first = i * share_rows;
      shares[i].begin = first_row + first;
      encode_share(begin + first, begin + std::min(first + share_rows, count), batch, shares[i]);
    });
    join(shares, first_row, batch);
    for (Share& share : shares) std::ranges::move(share.issues, std::back_inserter(issues));
  } catch (...) {
    batch.truncate(first_row);
    issues.erase(issues.begin() + static_cast<std::ptrdiff_t>(issues_before), issues.end());
    throw;
  }
}

CodeBatch Encoder::encode(const ColumnTable& table) const {
  CodeBatch batch(layout());
  std::vector<EncodeIssue> issues;
  encode(table, bind(table, true), batch, issues);
  if (!issues.empty()) throw DataError(memory_source, issues.front().row + 1, issues.front().reason);
  return batch;
}

void Encoder::encode(const ColumnTable& table, const FieldBinding& binding, CodeBatch& batch,
                     std::vector<EncodeIssue>& issues) const {
  batch.require_layout(*layout());
  TableEncoder(*this, table, binding).encode(0, table.num_rows(), batch, issues);
}

}  // namespace widehash
