#pragma once

/// \file
/// What both writers of datasets say of the rows that an encoder makes.

#include <widehash/encoder.hpp>
#include <widehash/manifest.hpp>

#include <cstdint>
#include <string>

namespace widehash {

/// About what an encoded row takes without its ragged run, or with a short one; above 0.
std::uint64_t usual_row_bytes(const CodeLayout& layout) noexcept;

/// The manifest of rows of `encoder` before there are any: what they are encoded by. `schema_toml` is the
/// text that lies beside it as schema.toml.
Manifest manifest_without_rows(const Encoder& encoder, const std::string& schema_toml);

}  // namespace widehash
