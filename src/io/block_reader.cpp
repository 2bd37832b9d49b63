#include "file_blocks.hpp"
#include "quoted_file_blocks.hpp"
#include "stream_blocks.hpp"

#include <widehash/error.hpp>
#include <widehash/internal/block_reader.hpp>

#include <utility>

namespace widehash {
namespace {

std::uint64_t require_bytes(std::uint64_t block_bytes) {
  if (block_bytes == 0)
    throw ConfigError("blocks of 0 bytes cannot hold rows; give a block size of at least 1");
  return block_bytes;
}

}  // namespace

struct BlockReader::Impl {
  Impl(std::unique_ptr<ByteSource> source, detail::RowCutter::Settings settings_in)
      : settings(std::move(settings_in)) {
    auto stream = std::make_unique<detail::StreamBlocks>(std::move(source), settings);
    is_compressed = stream->compression() != Compression::none;
    header_fields = stream->header_fields();
    header_end = stream->header_end();
    blocks = std::move(stream);
  }

  bool leave_on_disk(const Input& input) {
    if (input.is_stream || is_compressed) return false;
    auto file = std::make_shared<const detail::RangeFile>(input.path, input.size_bytes);
    const bool lines_are_rows = settings.dialect.quote == '\0';
    // Files that report no size, such as those of /proc, are read in order, so that they are not taken for
    // empty.
    if (!lines_are_rows && file->size_bytes() == 0) return false;
    if (lines_are_rows) {
      blocks = std::make_unique<detail::RangeBlocks>(std::move(file), detail::BlockGrid{settings.block_bytes},
                                                     header_end.position, settings.blank_lines_are_rows);
    } else {
      blocks = std::make_unique<detail::QuotedFileBlocks>(std::move(file), header_end.position, settings);
    }
    is_on_disk = true;
    return lines_are_rows;
  }

  detail::RowCutter::Settings settings;
  std::vector<std::string> header_fields;
  detail::RowCut header_end;
  bool is_compressed = false;
  bool is_on_disk = false;
  std::unique_ptr<detail::BlockSequence> blocks;
};

BlockReader::BlockReader(const Input& input, const Dialect& dialect, bool has_header,
                         std::uint64_t block_bytes, bool blank_lines_are_rows)
    : BlockReader(open_text(input), input.name(), dialect, has_header, block_bytes, blank_lines_are_rows) {}

BlockReader::BlockReader(std::unique_ptr<ByteSource> source, const std::string& name, const Dialect& dialect,
                         bool has_header, std::uint64_t block_bytes, bool blank_lines_are_rows)
    : impl_(std::make_unique<Impl>(std::move(source),
                                   detail::RowCutter::Settings{.name = name,
                                                               .dialect = dialect,
                                                               .has_header = has_header,
                                                               .blank_lines_are_rows = blank_lines_are_rows,
                                                               .block_bytes = require_bytes(block_bytes)})) {}

BlockReader::~BlockReader() = default;
BlockReader::BlockReader(BlockReader&&) noexcept = default;
BlockReader& BlockReader::operator=(BlockReader&&) noexcept = default;

const std::vector<std::string>& BlockReader::header_fields() const noexcept { return impl_->header_fields; }

bool BlockReader::leave_on_disk(const Input& input) { return impl_->leave_on_disk(input); }

bool BlockReader::is_on_disk() const noexcept { return impl_->is_on_disk; }

bool BlockReader::next(Block& block) { return impl_->blocks->next(block); }

std::uint64_t BlockReader::header_lines() const noexcept { return impl_->header_end.lines; }

std::uint64_t BlockReader::position() const noexcept { return impl_->blocks->position(); }

}  // namespace widehash
