#pragma once

/// \file
/// What a transform is: as long as all of it is equal, a run is the same run. The first line of the journal.

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

/// With a line end. Its version, and a key beside it, tell the size of codes.
std::string to_line(const TransformIdentity& identity);
/// Nothing where the line, given without its end, is not one that to_line() gives.
std::optional<TransformIdentity> parse_identity(std::string_view line);

/// Whether they differ at most in what lies in their inputs, which are the same by their paths.
bool differ_in_contents_only(const TransformIdentity& a, const TransformIdentity& b);

/// All that differs, for a message: "day1.tsv has changed: 120 bytes then, 140 now"; "" where nothing does.
/// `directory` is that of the run then, whose schema lies in it; `schema` is the one now, where the caller
/// has it.
std::string describe_difference(const TransformIdentity& then, const TransformIdentity& now,
                                const std::string& directory, const Schema* schema = nullptr);

}  // namespace widehash
