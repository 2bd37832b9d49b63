#include "block_rows.hpp"

namespace widehash {
namespace {

constexpr std::size_t shown_bytes = 200;

}  // namespace

std::uint64_t for_each_tile(const Dialect& dialect, const InputBlock& block, const std::string& path,
                            std::uint64_t max_bad_rows, RowBatch& tile, std::vector<RejectedRow>& rejected,
                            const std::function<void(const RowsView&, std::vector<EncodeIssue>&)>& use) {
  RowParser parser(dialect, block.binding->num_fields);
  parser.start(block.block.bytes);
  std::vector<EncodeIssue> issues;
  std::uint64_t num_rows = 0;
  while (rejected.size() <= max_bad_rows && parser.next(tile, tile_rows)) {
    num_rows += tile.num_rows + tile.bad_rows.size();
    issues.clear();
    use({tile.fields, tile.num_fields}, issues);
    if (issues.empty() && tile.bad_rows.empty()) continue;
    const std::size_t first = rejected.size();
    for (BadRow& row : tile.bad_rows) {
      rejected.push_back(
          {path, block.block.first_line + row.line, std::move(row.reason), std::move(row.text)});
    }
    for (EncodeIssue& issue : issues) {
      rejected.push_back({path, block.block.first_line + tile.lines[issue.row], std::move(issue.reason),
                          std::string(tile.texts[issue.row].substr(0, shown_bytes))});
    }
    std::sort(rejected.begin() + static_cast<std::ptrdiff_t>(first), rejected.end(),
              [](const RejectedRow& a, const RejectedRow& b) { return a.line < b.line; });
  }
  return num_rows;
}

}  // namespace widehash
