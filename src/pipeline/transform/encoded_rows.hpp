#pragma once

/// \file
/// What both writers of datasets need to know about the rows that an encoder makes.

#include <widehash/encoder.hpp>
#include <widehash/manifest.hpp>

#include <cstdint>
#include <string>

namespace widehash {

/// Returns about how many bytes an encoded row takes without its ragged run, or with a short one; above 0.
std::uint64_t usual_row_bytes(const CodeLayout& layout) noexcept;

/// Returns the manifest for rows of `encoder` before there are any: it says how they are encoded.
/// `schema_toml` is the text that is stored beside it as schema.toml.
Manifest manifest_without_rows(const Encoder& encoder, const std::string& schema_toml);

}  // namespace widehash
