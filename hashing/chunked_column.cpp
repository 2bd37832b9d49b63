#include "chunked_column.hpp"

#include <widehash/error.hpp>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

namespace widehash::detail {
namespace {

std::size_t rows_of(const std::vector<ValueColumnPointer>& chunks) {
  return std::accumulate(chunks.begin(), chunks.end(), std::size_t{0},
                         [](std::size_t rows, const auto& chunk) { return rows + chunk->num_rows(); });
}

class ChunkedColumn final : public ValueColumn {
 public:
  /// Requires at least two chunks, none of them empty.
  explicit ChunkedColumn(std::vector<ValueColumnPointer> chunks)
      : ValueColumn(rows_of(chunks)), chunks_(std::move(chunks)) {
    std::size_t row = 0;
    for (const ValueColumnPointer& chunk : chunks_) {
      if (chunk->is_list() != is_list())
        throw ShapeError("chunks of lists are mixed with chunks of single values");
      first_rows_.push_back(row);
      row += chunk->num_rows();
    }
  }

  void read(std::size_t begin, std::size_t count, std::string_view* texts, std::size_t stride,
            TextRoom& room) const override {
    for_each_part(begin, count, [&](const ValueColumn& chunk, std::size_t row, std::size_t rows) {
      chunk.read(row, rows, texts, stride, room);
      texts += rows * stride;
    });
  }

  void require_readable() const override {
    for (const ValueColumnPointer& chunk : chunks_) chunk->require_readable();
  }

  bool is_list() const noexcept override { return chunks_.front()->is_list(); }

  void read_lists(std::size_t begin, std::size_t count, std::string_view* lists, std::size_t stride,
                  TextRoom& room) const override {
    for_each_part(begin, count, [&](const ValueColumn& chunk, std::size_t row, std::size_t rows) {
      chunk.read_lists(row, rows, lists, stride, room);
      lists += rows * stride;
    });
  }

 private:
  /// Calls use(chunk, first row within the chunk, number of rows) for each piece of the rows
  /// [begin, begin + count).
  template <class Use>
  void for_each_part(std::size_t begin, std::size_t count, const Use& use) const {
    const auto after = std::upper_bound(first_rows_.begin(), first_rows_.end(), begin);
    for (auto i = static_cast<std::size_t>(after - first_rows_.begin()) - 1; count > 0; ++i) {
      const std::size_t row = begin - first_rows_[i];
      const std::size_t rows = std::min(count, chunks_[i]->num_rows() - row);
      use(*chunks_[i], row, rows);
      begin += rows;
      count -= rows;
    }
  }

  std::vector<ValueColumnPointer> chunks_;
  std::vector<std::size_t> first_rows_;
};

}  // namespace

ValueColumnPointer chunked_column(std::vector<ValueColumnPointer> chunks) {
  std::erase_if(chunks, [](const ValueColumnPointer& chunk) { return chunk->num_rows() == 0; });
  if (chunks.empty()) return missing_column(0);
  if (chunks.size() == 1) return chunks.front();
  return std::make_shared<ChunkedColumn>(std::move(chunks));
}

}  // namespace widehash::detail
