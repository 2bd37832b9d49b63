#pragma once

/// \file
/// Finds out whether a model is judged by rows that it was trained on, or is trained on rows twice, as far as
/// the manifests of its datasets reveal it.

#include <string>
#include <vector>

namespace widehash {

/// Returns the first dataset in `judged` that is also in `trained`. Otherwise returns the first input that
/// datasets of both were made from and share rows of; disjoint folds of one deal share none. Returns "" where
/// there is neither. Streams and rows from memory are not recognised. Throws what load_manifest() throws.
std::string rows_in_both(const std::vector<std::string>& trained, const std::vector<std::string>& judged);

/// Returns the first input of which one of the datasets shares rows with an earlier one, in the same sense;
/// "" where there is none. Throws what load_manifest() throws.
std::string rows_in_two(const std::vector<std::string>& datasets);

}  // namespace widehash
