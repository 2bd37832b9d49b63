#include "bare_rows.hpp"
#include "range_file.hpp"
#include "row_cutter.hpp"
#include "sources.hpp"

#include <widehash/block_reader.hpp>
#include <widehash/error.hpp>
#include <widehash/row_parser.hpp>

#include <algorithm>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace widehash {
namespace {

using detail::RowCut;
using detail::RowCutter;

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
/// What is read past a block's end to find where its last row ends.
constexpr std::uint64_t lookahead_bytes = std::uint64_t{16} << 10;
constexpr std::uint64_t max_reserved_bytes = std::uint64_t{64} << 20;

std::uint64_t require_bytes(std::uint64_t block_bytes) {
  if (block_bytes == 0)
    throw ConfigError("blocks of 0 bytes cannot hold rows; give a block size of at least 1");
  return block_bytes;
}

}  // namespace

struct BlockReader::Impl {
  Impl(std::unique_ptr<ByteSource> opened, const std::string& name, const Dialect& dialect, bool has_header,
       std::uint64_t block_size, bool blank_lines)
      : source(std::move(opened)),
        cut_settings({.name = name,
                      .dialect = dialect,
                      .has_header = has_header,
                      .blank_lines_are_rows = blank_lines,
                      .block_bytes = require_bytes(block_size)}),
        cutter(cut_settings),
        block_bytes(block_size),
        blank_lines_are_rows(blank_lines) {
    lines_are_rows = dialect.quote == '\0';
    read_start();
    if (has_header) take_header(name, dialect);
  }

  /// Reads the first bytes and drops a byte order mark.
  void read_start() {
    std::string start(lookahead_bytes, '\0');
    start.resize(source->read(start));
    at_end = start.size() < lookahead_bytes;
    if (start.starts_with(byte_order_mark)) start.erase(0, byte_order_mark.size());
    kept = std::move(start);
    cutter.add(kept);
    if (at_end) cutter.finish();
  }

  /// Appends up to `count` bytes of the source to `bytes`.
  void fill(std::string& bytes, std::uint64_t count) {
    const std::size_t before = bytes.size();
    const auto asked = static_cast<std::size_t>(
        std::clamp<std::uint64_t>(count, lookahead_bytes, RowCutter::max_chunk_bytes));
    bytes.resize(before + asked);
    const std::size_t received = source->read(std::span(bytes).subspan(before));
    bytes.resize(before + received);
    cutter.add(std::string_view(bytes).substr(before));
    if (received < asked) {
      at_end = true;
      cutter.finish();
    }
  }

  void take_header(const std::string& name, const Dialect& dialect) {
    while (!cutter.header_found() && !at_end) fill(kept, lookahead_bytes);
    if (!cutter.header_found()) {
      throw DataError(name, 0,
                      "is empty: a header was expected; leave the file out, or say that it has no header");
    }
    const RowCut header = cutter.header_begin();
    kept_from = cutter.header_end();
    header_fields = parse_fields(
        dialect, std::string_view(kept).substr(header.position, kept_from.position - header.position));
    kept.erase(0, kept_from.position);
    if (kept.empty() && !at_end) fill(kept, lookahead_bytes);
    no_blocks = kept.empty();
    header_cut = kept_from;
  }

  /// Where block number `index` begins to own rows.
  std::uint64_t block_begin(std::uint64_t index) const noexcept {
    constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
    return index > most / block_bytes ? most : index * block_bytes;
  }

  bool next(Block& block) {
    if (file == nullptr) return next_in_order(block);
    if (lines_are_rows) return next_range(block);
    if (is_past_end()) return false;
    if (kept_from.position >= std::min(block_begin(next_index + 1), file->size_bytes())) {
      give_range(block, kept_from.position, kept_from.position);  // inside a long row
    } else if (!next_bare(block)) {
      next_cut(block);
    }
    return true;
  }

  bool next_in_order(Block& block) {
    if (kept.empty() && !at_end) fill(kept, lookahead_bytes);
    if (no_blocks || (kept.empty() && kept_from.position <= block_begin(next_index))) return false;

    const std::uint64_t target = block_begin(next_index + 1);
    block.bytes.clear();
    block.bytes.reserve(std::min(block_bytes, max_reserved_bytes) + lookahead_bytes);
    block.bytes.append(kept);
    RowCut cut = kept_from;
    if (cut.position < target) {
      const RowCut* found = cutter.first_cut_from(target);
      while (found == nullptr && !at_end) {
        const std::uint64_t have = kept_from.position + block.bytes.size();
        fill(block.bytes, target > have ? target - have : 0);
        found = cutter.first_cut_from(target);
      }
      cut = found != nullptr ? *found : cutter.end();
    }

    const std::size_t num_bytes = cut.position - kept_from.position;
    kept.assign(block.bytes, num_bytes);
    block.bytes.resize(num_bytes);
    block.index = next_index++;
    block.num_lines = cut.lines - kept_from.lines;
    block.num_rows = cut.rows - kept_from.rows;
    block.num_bytes = num_bytes;
    block.lines_are_rows = lines_are_rows;
    block.range = {};
    kept_from = cut;
    return true;
  }

  bool leave_on_disk(const Input& input) {
    if (input.is_stream || source->compression() != Compression::none) return false;
    auto opened = std::make_shared<const detail::RangeFile>(input.path, input.size_bytes);
    // What has no size and is read in order is not taken for empty, as files of /proc.
    if (!lines_are_rows && opened->size_bytes() == 0) return false;
    file = std::move(opened);
    kept = {};
    return lines_are_rows;
  }

  /// Of what is left on disk.
  bool is_past_end() const noexcept {
    const std::uint64_t size = file->size_bytes();
    return next_index > 0 ? block_begin(next_index) >= size : header_cut.position >= size;
  }

  bool next_range(Block& block) {
    if (is_past_end()) return false;
    give_range(block, block_begin(next_index), header_cut.position);
    return true;
  }

  /// The next block of a quoted dialect, where no quote stands in it.
  bool next_bare(Block& block) {
    const std::uint64_t begin = kept_from.position;
    const std::uint64_t target = std::min(block_begin(next_index + 1), file->size_bytes());
    const auto end = detail::find_end_of_bare_rows(*file, cut_settings.dialect.quote, begin, target, piece);
    if (!end) return false;
    give_range(block, begin, begin);
    kept_from = {.position = *end};
    cutter_is_here = false;
    return true;
  }

  void give_range(Block& block, std::uint64_t begin, std::uint64_t first_row) {
    block.index = next_index++;
    block.num_lines = block.num_rows = block.num_bytes = 0;
    block.bytes.clear();
    block.lines_are_rows = true;
    block.range = {.file = file,
                   .begin = begin,
                   .end = std::min(block_begin(next_index), file->size_bytes()),
                   .first_row = first_row,
                   .blank_lines_are_rows = blank_lines_are_rows,
                   .cuts = {}};
  }

  /// The next block of a quoted dialect: it is read in order, to find out where its rows are.
  void next_cut(Block& block) {
    if (!cutter_is_here) cut_from_here();
    const std::uint64_t target = block_begin(next_index + 1);
    RowCut end = kept_from;
    std::vector<std::uint64_t> cuts(1, end.position);
    while (end.position < target) {
      const std::optional<RowCut> cut = cutter.take_cut();
      if (!cut && !at_end) {
        read_piece();
        continue;
      }
      const RowCut next = cut ? *cut : cutter.end();
      if (next.position > end.position) cuts.push_back(next.position);
      end = next;
      if (!cut) break;
    }
    block.index = next_index++;
    block.num_lines = end.lines - kept_from.lines;
    block.num_rows = end.rows - kept_from.rows;
    block.num_bytes = end.position - kept_from.position;
    block.bytes.clear();
    block.lines_are_rows = false;
    block.range = {.file = file, .cuts = std::move(cuts)};
    kept_from = end;
  }

  /// Reads on for the cutter alone.
  void read_piece() {
    static_assert(detail::piece_bytes <= RowCutter::max_chunk_bytes);
    const std::uint64_t begin = cutter.end().position;
    const auto bytes =
        static_cast<std::size_t>(std::min<std::uint64_t>(detail::piece_bytes, file->size_bytes() - begin));
    piece.resize(std::max(piece.size(), bytes));
    file->read(begin, std::span(piece).first(bytes));
    cutter.add({piece.data(), bytes});
    at_end = begin + bytes == file->size_bytes();
    if (at_end) cutter.finish();
  }

  /// What follows kept_from is read for its cuts, for a quote stands in it.
  void cut_from_here() {
    detail::RowCutter::Settings settings = cut_settings;
    settings.has_header = false;
    settings.piece_bytes = detail::piece_bytes;
    settings.begin = kept_from.position;
    settings.lines_before = [from = file, begin = kept_from.position] { return from->lines_before(begin); };
    cutter = RowCutter(std::move(settings));
    kept_from = {.position = kept_from.position};
    at_end = false;
    cutter_is_here = true;
  }

  std::unique_ptr<ByteSource> source;
  RowCutter::Settings cut_settings;
  RowCutter cutter;
  bool cutter_is_here = false;  // of what is left on disk: at kept_from or behind it, having seen all between
  std::uint64_t block_bytes;
  bool blank_lines_are_rows;
  std::shared_ptr<const detail::RangeFile> file;  // where rows are left on disk
  std::uint64_t next_index = 0;
  std::string kept;  // read, and part of no block yet
  RowCut kept_from;  // where `kept` begins; always between two rows
  bool at_end = false;
  bool no_blocks = false;
  bool lines_are_rows = false;
  std::vector<char> piece;
  RowCut header_cut;
  std::vector<std::string> header_fields;
};

BlockReader::BlockReader(const Input& input, const Dialect& dialect, bool has_header,
                         std::uint64_t block_bytes, bool blank_lines_are_rows)
    : BlockReader(open_text(input), input.name(), dialect, has_header, block_bytes, blank_lines_are_rows) {}

BlockReader::BlockReader(std::unique_ptr<ByteSource> source, const std::string& name, const Dialect& dialect,
                         bool has_header, std::uint64_t block_bytes, bool blank_lines_are_rows)
    : impl_(std::make_unique<Impl>(std::move(source), name, dialect, has_header, block_bytes,
                                   blank_lines_are_rows)) {}

BlockReader::~BlockReader() = default;
BlockReader::BlockReader(BlockReader&&) noexcept = default;
BlockReader& BlockReader::operator=(BlockReader&&) noexcept = default;

const std::vector<std::string>& BlockReader::header_fields() const noexcept { return impl_->header_fields; }

bool BlockReader::leave_on_disk(const Input& input) { return impl_->leave_on_disk(input); }

bool BlockReader::is_on_disk() const noexcept { return impl_->file != nullptr; }

bool BlockReader::next(Block& block) { return impl_->next(block); }

std::uint64_t BlockReader::header_lines() const noexcept { return impl_->header_cut.lines; }

std::uint64_t BlockReader::position() const noexcept {
  if (impl_->file == nullptr) return impl_->source->position();
  return std::min(impl_->block_begin(impl_->next_index), impl_->file->size_bytes());
}

}  // namespace widehash
