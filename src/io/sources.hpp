#pragma once

/// \file
/// The kinds of byte source. Each takes over a raw file from which nothing has been read.

#include "raw_file.hpp"

#include <widehash/internal/byte_source.hpp>

#include <cstdint>
#include <memory>

namespace widehash::detail {

std::unique_ptr<ByteSource> make_plain_source(RawFile file);
/// Reads gzip (RFC 1952): one or more members, each with its CRC and length checked. Zeros may follow the
/// last member (tapes and block devices pad); anything else may not.
std::unique_ptr<ByteSource> make_gzip_source(RawFile file);
/// Reads zstd (RFC 8878): one or more frames, skippable ones included. Checksums are checked if the writer
/// stored them.
std::unique_ptr<ByteSource> make_zstd_source(RawFile file);

}  // namespace widehash::detail
