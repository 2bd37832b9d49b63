#include <widehash/encoder.hpp>
#include <widehash/error.hpp>
#include <widehash/threads.hpp>

#include <algorithm>
#include <iterator>
#include <utility>

namespace widehash {
namespace {

// Texts of a tile, their codes and what is in between stay in the second cache.
constexpr std::size_t tile_rows = 256;
// Fewer rows are not worth a thread.
constexpr std::size_t share_rows = 4096;

constexpr const char* source = "table in memory";

/// The columns that a binding reads, each once, and the same binding to them alone.
class UsedColumns {
 public:
  explicit UsedColumns(const FieldBinding& binding) : binding_(binding) {
    place(binding_.label);
    place(binding_.weight);
    for (auto& parts : binding_.features) {
      for (std::size_t& part : parts) place(part);
    }
    binding_.num_fields = positions_.size();
  }

  const FieldBinding& binding() const noexcept { return binding_; }
  const std::vector<std::size_t>& positions() const noexcept { return positions_; }

 private:
  void place(std::size_t& position) {
    if (position == FieldBinding::absent) return;
    const auto found = std::find(positions_.begin(), positions_.end(), position);
    const auto place = static_cast<std::size_t>(found - positions_.begin());
    if (found == positions_.end()) positions_.push_back(position);
    position = place;
  }

  FieldBinding binding_;
  std::vector<std::size_t> positions_;
};

struct Share {
  CodeBatch batch;
  std::vector<EncodeIssue> issues;
};

void encode_rows(const Encoder& encoder, const ColumnTable& table, const UsedColumns& used, std::size_t begin,
                 std::size_t end, Share& share) {
  const std::size_t num_fields = used.positions().size();
  EncodeScratch scratch;
  TextRoom room;
  std::vector<std::string_view> texts(tile_rows * num_fields);
  for (std::size_t row = begin; row < end; row += tile_rows) {
    const std::size_t count = std::min(tile_rows, end - row);
    room.clear();
    for (std::size_t field = 0; field < num_fields; ++field) {
      table.column(used.positions()[field]).read(row, count, texts.data() + field, num_fields, room);
    }
    const RowsView rows{std::span(texts).first(count * num_fields), num_fields};
    const std::size_t before = share.issues.size();
    encoder.encode(rows, used.binding(), share.batch, share.issues, scratch);
    for (std::size_t i = before; i < share.issues.size(); ++i) share.issues[i].row += row;
  }
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
  const UsedColumns used(binding);
  const std::size_t num_rows = table.num_rows();
  std::vector<Share> shares((num_rows + share_rows - 1) / share_rows);
  parallel_for(shares.size(), [&](std::size_t i) {
    shares[i].batch = CodeBatch(layout());
    const std::size_t begin = i * share_rows;
    encode_rows(*this, table, used, begin, std::min(begin + share_rows, num_rows), shares[i]);
  });
  for (Share& share : shares) {
    batch.append(share.batch.view());
    std::move(share.issues.begin(), share.issues.end(), std::back_inserter(issues));
    share = {};
  }
}

}  // namespace widehash
