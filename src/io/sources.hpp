#pragma once

/// \file
/// The kinds of byte source. Most take over a raw file of which nothing has been read.

#include "raw_file.hpp"

#include <widehash/internal/byte_source.hpp>

#include <cstdint>
#include <memory>

namespace widehash::detail {

std::unique_ptr<ByteSource> make_plain_source(RawFile file);
/// RFC 1952: one or many members, each with its CRC and length checked; zeros may follow the last (tapes and
/// block devices pad), anything else may not.
std::unique_ptr<ByteSource> make_gzip_source(RawFile file);
/// RFC 8878: one or many frames, skippable ones among them; checksums are checked where the writer put them.
std::unique_ptr<ByteSource> make_zstd_source(RawFile file);

}  // namespace widehash::detail
