#pragma once

/// \file
/// Whether a model is judged by rows that it has learnt from, or learns rows twice, as far as the manifests of its
/// datasets can tell.

#include <string>
#include <vector>

namespace widehash {

/// The first of the datasets to judge by that is one to train on too, or else the first input of one that both were
/// made from and share rows of: folds of one deal that are apart share none. "" where there is none. Streams, and
/// rows from memory, are not known again. Throws as load_manifest().
std::string rows_in_both(const std::vector<std::string>& trained, const std::vector<std::string>& judged);

/// The first input that one of the datasets shares rows of with one before it, in the same sense; "" where there is
/// none. Throws as load_manifest().
std::string rows_in_two(const std::vector<std::string>& datasets);

}  // namespace widehash
