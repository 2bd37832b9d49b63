#include "dictionary_codes.hpp"

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

#include <fmt/format.h>

namespace widehash {
namespace {

// Texts of a tile, their codes and what is in between stay in the second cache.
constexpr std::size_t tile_rows = 256;
// Fewer rows are not worth a thread.
constexpr std::size_t share_rows = 4096;

constexpr const char* source = "table in memory";

/// What of a table a binding reads, each column once: the texts of fields, and the codes of dictionaries.
class UsedColumns {
 public:
  UsedColumns(const Encoder& encoder, const ColumnTable& table, const FieldBinding& binding)
      : binding_(binding) {
    const Schema& schema = encoder.schema();
    require_single(table, binding_.label, "the label", "");
    require_single(table, binding_.weight, "the weight", "");
    place(binding_.label, true);
    place(binding_.weight, true);
    for (std::size_t i = 0; i < binding_.features.size(); ++i) {
      auto& parts = binding_.features[i];
      const Feature& feature = schema.features[i];
      if (feature.separator.empty()) {
        for (const std::size_t part : parts) {
          require_single(table, part, "feature '" + feature.name + "'",
                         "; give it a separator in the schema, which makes it multi-valued");
        }
      }
      const bool is_dictionary =
          !parts.empty() && DictionaryCodes::pays(encoder, i, table.column(parts.front()));
      if (is_dictionary) dictionaries_.emplace_back(encoder, i, table.column(parts.front()));
      for (std::size_t& part : parts) place(part, !is_dictionary);
    }
    binding_.num_fields = fields_.size();
    for (const Field& field : fields_) lists_.push_back(table.column(field.position).is_list() ? 1 : 0);
  }

  /// A field of the rows that are encoded.
  struct Field {
    std::size_t position;  // in the table
    bool needs_text;       // otherwise only dictionaries are made of it, and it is left empty
  };

  const FieldBinding& binding() const noexcept { return binding_; }
  const std::vector<Field>& fields() const noexcept { return fields_; }
  /// As RowsView::lists.
  const std::vector<std::uint8_t>& lists() const noexcept { return lists_; }
  const std::vector<DictionaryCodes>& dictionaries() const noexcept { return dictionaries_; }

 private:
  static void require_single(const ColumnTable& table, std::size_t position, const std::string& user,
                             const char* remedy) {
    if (position == FieldBinding::absent || !table.column(position).is_list()) return;
    throw ConfigError(fmt::format("{} takes one value a row, and column '{}' holds lists{}", user,
                                  table.names()[position], remedy));
  }

  void place(std::size_t& position, bool needs_text) {
    if (position == FieldBinding::absent) return;
    auto found = std::ranges::find(fields_, position, &Field::position);
    if (found == fields_.end()) found = fields_.insert(found, {position, false});
    found->needs_text = found->needs_text || needs_text;
    position = static_cast<std::size_t>(found - fields_.begin());
  }

  FieldBinding binding_;
  std::vector<Field> fields_;
  std::vector<std::uint8_t> lists_;
  std::vector<DictionaryCodes> dictionaries_;
};

/// What became of a run of rows. Their fixed slots stand in the batch from `begin` on, without gaps.
struct Share {
  std::size_t begin = 0;     // in the batch
  std::size_t num_rows = 0;  // that could be encoded
  std::vector<EncodeIssue> issues = {};
  std::vector<std::uint32_t> ragged = {};
  std::vector<std::uint64_t> ragged_ends = {};  // in `ragged`, of each row
};

/// Calls move(to, from) with each array of fixed slots of both, and how many of its elements a row has.
template <class To, class From, class Move>
void for_each_slots(To& to, const From& from, const Move& move) {
  const CodeLayout& layout = to.layout();
  move(to.codes.data(), from.codes.data(), layout.code_stride);
  move(to.columns.data(), from.columns.data(), layout.column_stride);
  move(to.numbers.data(), from.numbers.data(), layout.number_stride);
  if (layout.has_targets) move(to.targets.data(), from.targets.data(), std::size_t{1});
  if (layout.has_weights) move(to.weights.data(), from.weights.data(), std::size_t{1});
}

/// The rows of `tile` become the next of the share.
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

/// The rows below `count` that `issues` does not name, which is in ascending order.
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

/// Encodes rows [begin, end) of the table into the share's place.
void encode_rows(const Encoder& encoder, const ColumnTable& table, const UsedColumns& used, std::size_t begin,
                 std::size_t end, CodeBatch& batch, Share& share) {
  const std::size_t num_fields = used.fields().size();
  EncodeScratch scratch;
  TextRoom room;
  CodeBatch tile(encoder.layout());
  std::vector<std::string_view> texts(tile_rows * num_fields);
  std::vector<std::size_t> encoded;
  std::vector<std::uint32_t> indices;
  for (std::size_t row = begin; row < end; row += tile_rows) {
    const std::size_t count = std::min(tile_rows, end - row);
    room.clear();
    tile.clear();
    for (std::size_t i = 0; i < num_fields; ++i) {
      const auto& field = used.fields()[i];
      const ValueColumn& column = table.column(field.position);
      if (column.is_list()) {
        column.read_lists(row, count, &texts[i], num_fields, room);
      } else if (field.needs_text) {
        column.read(row, count, &texts[i], num_fields, room);
      }
    }
    const RowsView rows{std::span(texts).first(count * num_fields), num_fields, used.lists()};
    const std::size_t before = share.issues.size();
    encoder.encode(rows, used.binding(), tile, share.issues, scratch);
    rows_without(std::span(share.issues).subspan(before), count, encoded);
    for (const DictionaryCodes& codes : used.dictionaries()) codes.fill(row, encoded, tile, indices);
    for (std::size_t i = before; i < share.issues.size(); ++i) share.issues[i].row += row;
    add_tile(tile, batch, share);
  }
}

/// Closes the gaps that rows left which could not be encoded, and appends the ragged runs.
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

CodeBatch Encoder::encode(const ColumnTable& table) const {
  CodeBatch batch(layout());
  std::vector<EncodeIssue> issues;
  encode(table, bind(table.names(), source, true), batch, issues);
  if (!issues.empty()) throw DataError(source, issues.front().row + 1, issues.front().reason);
  return batch;
}

void Encoder::encode(const ColumnTable& table, const FieldBinding& binding, CodeBatch& batch,
                     std::vector<EncodeIssue>& issues) const {
  if (binding.num_fields != table.names().size()) {
    throw ShapeError("a table of other columns than those that were bound");
  }
  const UsedColumns used(*this, table, binding);
  const std::size_t num_rows = table.num_rows();
  const std::size_t first_row = batch.num_rows();
  std::vector<Share> shares((num_rows + share_rows - 1) / share_rows);
  batch.resize(first_row + num_rows);
  try {
    parallel_for(shares.size(), [&](std::size_t i) {
      const std::size_t begin = i * share_rows;
      shares[i].begin = first_row + begin;
      encode_rows(*this, table, used, begin, std::min(begin + share_rows, num_rows), batch, shares[i]);
    });
  } catch (...) {
    batch.truncate(first_row);
    throw;
  }
  join(shares, first_row, batch);
  for (Share& share : shares) std::ranges::move(share.issues, std::back_inserter(issues));
}

}  // namespace widehash
