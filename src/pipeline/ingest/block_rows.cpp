#include "block_rows.hpp"

namespace widehash {
namespace {

constexpr std::size_t shown_bytes = 200;
// The values of a tile, with their text and codes, fit the L1 and L2 caches.
constexpr std::size_t tile_values = 2048;
constexpr std::size_t max_tile_rows = 1024;
constexpr std::size_t min_tile_rows = 16;
// Rows whose values are hashed together (`fit` of 39 fields: 0.77 s of processor time instead of 0.83).
constexpr std::size_t rows_side_by_side = 32;

std::size_t rows_per_tile(std::size_t num_fields) noexcept {
  const std::size_t rows = tile_values / num_fields;
  if (rows < rows_side_by_side) return std::max(rows, min_tile_rows);
  return std::min((rows + rows_side_by_side - 1) / rows_side_by_side * rows_side_by_side, max_tile_rows);
}

class TileLoop {
 public:
  TileLoop(const Dialect& dialect, std::size_t num_fields, const std::string& path,
           std::uint64_t max_bad_rows, TileBuffers& buffers, std::vector<RejectedRow>& rejected,
           const TileUse& use)
      : parser_(dialect, num_fields),
        tile_rows_(std::min(rows_per_tile(num_fields), use.max_rows)),
        path_(path),
        max_bad_rows_(max_bad_rows),
        tile_(buffers.tile),
        placed_(buffers.placed),
        rejected_(rejected),
        use_(use) {}

  bool is_lost() const noexcept { return rejected_.size() > max_bad_rows_; }
  std::uint64_t num_rows() const noexcept { return num_rows_; }

  /// Processes the rows of the text that follows.
  void run(std::string_view text) {
    parser_.start(text, parser_.line());
    while (!is_lost() && (take_places() || take_views())) {
    }
  }

 private:
  bool take_places() {
    if (!use_.places || !parser_.next_placed(placed_, tile_rows_)) return false;
    issues_.clear();
    use_.places(placed_.rows, issues_);
    for (EncodeIssue& issue : issues_) {
      rejected_.push_back({path_, placed_.first_line + issue.row, reasons_.next(std::move(issue.reason)),
                           std::string(placed_.rows.row_text(issue.row).substr(0, shown_bytes)),
                           num_rows_ + issue.row, true});
    }
    num_rows_ += placed_.rows.num_rows;
    return true;
  }

  bool take_views() {
    if (!parser_.next(tile_, tile_rows_)) return false;
    issues_.clear();
    use_.views({tile_.fields, tile_.num_fields, {}, true}, issues_);
    if (!issues_.empty() || !tile_.bad_rows.empty()) reject();
    num_rows_ += tile_.num_rows + tile_.bad_rows.size();
    return true;
  }

  void reject() {
    const auto first = static_cast<std::ptrdiff_t>(rejected_.size());
    for (BadRow& row : tile_.bad_rows) {
      const auto good_before = std::lower_bound(tile_.lines.begin(), tile_.lines.end(), row.line);
      const auto bad_before = static_cast<std::ptrdiff_t>(rejected_.size()) - first;
      const auto place = static_cast<std::uint64_t>(good_before - tile_.lines.begin() + bad_before);
      rejected_.push_back(
          {path_, row.line, reasons_.next(std::move(row.reason)), std::move(row.text), num_rows_ + place});
    }
    const auto bad = rejected_.size();
    for (EncodeIssue& issue : issues_) {
      const std::uint64_t line = tile_.lines[issue.row];
      const auto bad_before =
          std::count_if(rejected_.begin() + first, rejected_.begin() + static_cast<std::ptrdiff_t>(bad),
                        [&](const RejectedRow& row) { return row.line < line; });
      rejected_.push_back({path_, line, reasons_.next(std::move(issue.reason)),
                           std::string(tile_.texts[issue.row].substr(0, shown_bytes)),
                           num_rows_ + issue.row + static_cast<std::uint64_t>(bad_before), true});
    }
    std::sort(rejected_.begin() + first, rejected_.end(),
              [](const RejectedRow& a, const RejectedRow& b) { return a.line < b.line; });
  }

  RowParser parser_;
  std::size_t tile_rows_;
  const CommonText path_;
  RunOfText reasons_;
  std::uint64_t max_bad_rows_;
  RowBatch& tile_;
  PlacedBatch& placed_;
  std::vector<RejectedRow>& rejected_;
  const TileUse& use_;
  std::vector<EncodeIssue> issues_;
  std::uint64_t num_rows_ = 0;
};

}  // namespace

std::uint64_t for_each_tile(const Dialect& dialect, InputBlock& block, const std::string& path,
                            std::uint64_t max_bad_rows, TileBuffers& buffers,
                            std::vector<RejectedRow>& rejected, const TileUse& use) {
  TileLoop loop(dialect, block.binding->num_fields, path, max_bad_rows, buffers, rejected, use);
  BlockText text(block.block, buffers.text, use.piece_bytes);
  for (std::string_view rows = text.next(); !rows.empty() && !loop.is_lost(); rows = text.next()) {
    if (use.text_sum != nullptr) use.text_sum->add(std::as_bytes(std::span(rows)));
    loop.run(rows);
    if (use.text_ends) use.text_ends();
  }
  if (!loop.is_lost()) text.require_rows(loop.num_rows());
  return loop.num_rows();
}

}  // namespace widehash
