#include "encoded_rows.hpp"

#include <widehash/checksum.hpp>
#include <widehash/code_layout.hpp>

#include <span>

namespace widehash {

std::uint64_t usual_row_bytes(const CodeLayout& layout) noexcept {
  constexpr std::uint64_t ragged_bytes = 16;
  return layout.fixed_row_bytes() + ragged_bytes;
}

Manifest manifest_without_rows(const Encoder& encoder, const std::string& schema_toml) {
  Manifest manifest;
  manifest.schema_fingerprint = encoder.fingerprint().schema;
  manifest.tables_fingerprint = encoder.fingerprint().tables;
  manifest.schema_checksum = checksum(std::as_bytes(std::span(schema_toml)));
  manifest.head_columns = encoder.head_columns();
  manifest.num_columns = encoder.layout()->num_columns;
  manifest.code_bytes = encoder.code_bytes();
  return manifest;
}

}  // namespace widehash
