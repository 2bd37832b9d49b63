#pragma once

/// \file
/// A stream of decompressed bytes.

#include <widehash/input.hpp>
#include <widehash/stop.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace widehash {

/// The mark that some programs write before text in UTF-8; it is skipped.
inline constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

class ByteSource {
 public:
  virtual ~ByteSource() = default;

  /// Fills `buffer` from the front and returns how many bytes were written: fewer than requested only at the
  /// end, 0 after it. Throws FileError, or DataError with the position in the file if compressed bytes are
  /// truncated or damaged.
  virtual std::size_t read(std::span<char> buffer) = 0;
  /// Bytes read so far of the file as it lies on disk.
  virtual std::uint64_t position() const noexcept = 0;
  virtual Compression compression() const noexcept = 0;
};

/// Opens `input`; gzip (one or many members) and zstd (one or many frames) are recognized by their first
/// bytes. Throws FileError, and DataError if the first bytes are those of a format that is not a text table:
/// xz, bzip2, zip, 7z, lz4, tar, Parquet, Avro, ORC, Arrow, UTF-16 and UTF-32 with a byte order mark. The
/// message says how to convert it to text. `stop`, which may be null and must outlive the source, ends the
/// wait for an input that can be read only once: opening and reading then throw Stopped.
std::unique_ptr<ByteSource> open_source(const Input& input, const StopFlag* stop = nullptr);
/// The same for callers that need a text table: the first read() of a compressed file throws DataError if it
/// holds one of these formats or is compressed twice.
std::unique_ptr<ByteSource> open_text(const Input& input, const StopFlag* stop = nullptr);

/// Returns a source that yields `bytes` first and then the rest of `source`. Puts back a sample, so that a
/// stream can be inspected before it is read.
std::unique_ptr<ByteSource> put_back(std::string bytes, std::unique_ptr<ByteSource> source);

}  // namespace widehash
