#pragma once

/// \file
/// Criteo-shaped rows as fields and as codes, for the benchmarks that begin after parsing.

#include "axes.hpp"

#include <widehash/encoder.hpp>
#include <widehash/internal/row_parser.hpp>
#include <widehash/schema.hpp>

namespace widehash::bench {

/// Text, and the fields that point into it.
class ParsedCriteo {
 public:
  explicit ParsedCriteo(std::uint64_t rows) : text_(criteo_text(rows)) {
    RowParser parser(Dialect{}, num_criteo_fields);
    parser.start(text_);
    parser.next(batch_, rows);
  }
  RowsView rows() const noexcept { return {batch_.fields, num_criteo_fields}; }
  std::uint64_t text_bytes() const noexcept { return text_.size(); }

 private:
  std::string text_;
  RowBatch batch_;
};

inline CodeBatch criteo_batch(std::uint64_t rows) {
  return Encoder(load_schema(criteo_schema_path)).encode(ParsedCriteo(rows).rows());
}

}  // namespace widehash::bench
