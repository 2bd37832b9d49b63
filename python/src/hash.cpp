#include "arrays.hpp"
#include "no_gil.hpp"

#include <widehash/code.hpp>
#include <widehash/code_layout.hpp>
#include <widehash/column_table.hpp>
#include <widehash/error.hpp>
#include <widehash/folds.hpp>

#include <array>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace widehash::python {
namespace {

constexpr std::size_t texts_at_once = 1024;

/// Calls take(row, text) for every row of the only column of `table`.
template <class Take>
void for_each_text(const ColumnTable& table, const Take& take) {
  const ValueColumn& column = table.column(0);
  std::array<std::string_view, texts_at_once> texts;
  TextRoom room;
  for (std::size_t row = 0; row < column.num_rows(); row += texts_at_once) {
    const std::size_t count = std::min(texts_at_once, column.num_rows() - row);
    room.clear();
    column.read(row, count, texts.data(), 1, room);
    for (std::size_t i = 0; i < count; ++i) take(row + i, texts[i]);
  }
}

std::uint32_t width_of(std::uint64_t cardinality, bool is_wide) {
  const std::uint64_t largest = is_wide ? max_cardinality_xxh3_128 : max_cardinality_xxh64;
  if (cardinality == 0 || cardinality > largest) {
    throw ConfigError(fmt::format("cardinality {} is outside 1..{}{}", cardinality, largest,
                                  is_wide || cardinality == 0 ? "" : "; more needs hash = \"xxh3_128\""));
  }
  return split_width(cardinality);
}

/// Returns the XXH64 hashes, or the XXH3-128 hashes if `is_wide`, and calls take_buckets(row, hash) with
/// each.
template <class TakeBuckets>
py::object hashes_of(const ColumnTable& table, std::uint64_t seed, bool is_wide,
                     const TakeBuckets& take_buckets) {
  const std::size_t num_rows = table.num_rows();
  std::vector<std::uint64_t> hashes(num_rows * (is_wide ? 2 : 1));
  {
    const NoGil no_gil;
    for_each_text(table, [&](std::size_t row, std::string_view text) {
      if (is_wide) {
        const Hash128 hash = hash_xxh3_128(text, seed);
        hashes[2 * row] = hash.high;
        hashes[2 * row + 1] = hash.low;
        take_buckets(row, hash);
      } else {
        hashes[row] = hash_xxh64(text, seed);
        take_buckets(row, hashes[row]);
      }
    });
  }
  if (is_wide) return array_of(std::move(hashes), {static_cast<py::ssize_t>(num_rows), 2});
  return array_of(std::move(hashes));
}

py::tuple hash_four_split(const ColumnTable& table, std::uint64_t cardinality, std::uint64_t seed,
                          bool is_wide) {
  const std::uint32_t width = width_of(cardinality, is_wide);
  const std::size_t num_rows = table.num_rows();
  std::vector<std::uint32_t> buckets(num_rows * num_splits);
  const py::object hashes = hashes_of(table, seed, is_wide, [&](std::size_t row, const auto& hash) {
    const Buckets code = four_split(hash, width);
    std::copy(code.begin(), code.end(), buckets.begin() + static_cast<std::ptrdiff_t>(row * num_splits));
  });
  return py::make_tuple(hashes,
                        array_of(std::move(buckets), {static_cast<py::ssize_t>(num_rows), num_splits}));
}

std::uint64_t low_half(std::uint64_t hash) noexcept { return hash; }
std::uint64_t low_half(const Hash128& hash) noexcept { return hash.low; }

py::tuple hash_one_hot(const ColumnTable& table, std::uint64_t num_buckets, std::uint64_t seed,
                       bool is_wide) {
  if (num_buckets == 0 || num_buckets > max_columns) {
    throw ConfigError(fmt::format("{} buckets are outside 1..{}", num_buckets, max_columns));
  }
  std::vector<std::uint32_t> buckets(table.num_rows());
  const py::object hashes = hashes_of(table, seed, is_wide, [&](std::size_t row, const auto& hash) {
    buckets[row] = one_hot(low_half(hash), static_cast<std::uint32_t>(num_buckets));
  });
  return py::make_tuple(hashes, array_of(std::move(buckets)));
}

py::object folds_of(const ColumnTable& table, std::uint32_t num_folds) {
  std::vector<std::uint32_t> folds(table.num_rows());
  {
    const NoGil no_gil;
    for_each_text(table,
                  [&](std::size_t row, std::string_view text) { folds[row] = fold_of(text, num_folds); });
  }
  return array_of(std::move(folds));
}

}  // namespace

void bind_hash(py::module_& module) {
  module.def("hash_four_split", &hash_four_split);
  module.def("hash_one_hot", &hash_one_hot);
  module.def("split_width", &width_of);
  module.def("folds_of", &folds_of);
}

}  // namespace widehash::python
