#pragma once

/// \file
/// A stream of decompressed bytes.

#include <widehash/input.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace widehash {

/// What some programs put before text in UTF-8; it is passed over.
inline constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

class ByteSource {
 public:
  virtual ~ByteSource() = default;

  /// Fills `buffer` from the front and returns how many bytes were written; fewer than asked only at the end,
  /// 0 after it. Throws FileError, or DataError where compressed bytes are cut or damaged, with the position
  /// in the file.
  virtual std::size_t read(std::span<char> buffer) = 0;
  /// Bytes of the file as it lies on disk that have been taken in so far.
  virtual std::uint64_t position() const noexcept = 0;
  virtual Compression compression() const noexcept = 0;
};

/// Opens `input`; gzip (one or many members) and zstd (one or many frames) are known by their first bytes.
/// Throws FileError, and DataError where the first bytes are those of something that is no text table: xz,
/// bzip2, zip, 7z, lz4, tar, Parquet, Avro, ORC, Arrow, UTF-16 and UTF-32 with a byte order mark. The message
/// says how to make text of it.
std::unique_ptr<ByteSource> open_source(const Input& input);
/// The same for who wants a text table: the first read() of a packed file throws DataError where one of those
/// is what it holds, or something packed once more.
std::unique_ptr<ByteSource> open_text(const Input& input);

/// Gives `bytes` first and then the rest of `source`: puts back a sample, so that a stream can be looked at
/// before it is read.
std::unique_ptr<ByteSource> put_back(std::string bytes, std::unique_ptr<ByteSource> source);

}  // namespace widehash
