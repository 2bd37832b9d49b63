#pragma once

/// \file
/// What identifies a transform: runs with the same identity are the same run. It is the first line of the journal.

#include "ingest/input_sign.hpp"

#include <widehash/code_layout.hpp>
#include <widehash/folds.hpp>
#include <widehash/schema.hpp>
#include <widehash/shard.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace widehash {

struct TransformIdentity {
  EncodingFingerprint fingerprint;
  std::uint64_t block_bytes = 0;
  std::vector<InputSign> inputs;
  CodeBytes code_bytes = CodeBytes::least;
  Folds folds = {};
};

/// Returns the line with its line end. The version, and a key beside it, give the size of codes.
std::string to_line(const TransformIdentity& identity);
/// Returns nothing where the line, given without its line end, is not one that to_line() returns.
std::optional<TransformIdentity> parse_identity(std::string_view line);

/// Returns whether the two differ at most in the contents of their inputs, whose paths are the same.
bool differ_in_contents_only(const TransformIdentity& a, const TransformIdentity& b);

/// Returns all differences, for a message: "day1.tsv has changed: it had 120 bytes and now has 140"; "" where
/// there are none. `directory` is the folder of the earlier run, which holds its schema; `schema` is the
/// current one, where the caller has it.
std::string describe_difference(const TransformIdentity& then, const TransformIdentity& now,
                                const std::string& directory, const Schema* schema = nullptr);

}  // namespace widehash
