#pragma once

/// \file
/// Packed runs: how a shard holds the ragged run of a row. For each ragged feature, in schema order, the number
/// of its values and then the values, each as four buckets, as a column within the block, or as a rank in the
/// head. All take as few bytes as the feature's largest needs. docs/formats.md has every byte.

#include <widehash/code_layout.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace widehash::detail {

/// Returns why `columns` are not a run of the layout's features, as text for a message; empty if they are. They
/// are if the columns of each feature are those of whole values and come in schema order.
std::string run_problem(const CodeLayout& layout, std::span<const std::uint32_t> columns);

/// Appends the packed form of `columns`. Throws ShapeError if run_problem() has something to say.
void pack_run(const CodeLayout& layout, std::span<const std::uint32_t> columns,
              std::vector<std::byte>& packed);

/// Appends the columns of a packed run, whatever its bytes are. Returns false, with `columns` as before, if they
/// are not a run of the layout's features.
bool unpack_run(const CodeLayout& layout, std::span<const std::byte> packed,
                std::vector<std::uint32_t>& columns);

}  // namespace widehash::detail
