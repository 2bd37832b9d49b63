#include "arrays.hpp"
#include "no_gil.hpp"

#include <widehash/code.hpp>
#include <widehash/code_layout.hpp>
#include <widehash/column_table.hpp>
#include <widehash/error.hpp>

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

std::uint32_t width_of(std::uint64_t cardinality) {
  if (cardinality == 0 || cardinality > max_cardinality_xxh64) {
    throw ConfigError(fmt::format("cardinality {} is outside 1..{}", cardinality, max_cardinality_xxh64));
  }
  return split_width(cardinality);
}

py::tuple hash_four_split(const ColumnTable& table, std::uint64_t cardinality, std::uint64_t seed) {
  const std::uint32_t width = width_of(cardinality);
  const std::size_t num_rows = table.num_rows();
  std::vector<std::uint64_t> hashes(num_rows);
  std::vector<std::uint32_t> buckets(num_rows * num_splits);
  {
    const NoGil no_gil;
    for_each_text(table, [&](std::size_t row, std::string_view text) {
      hashes[row] = hash_xxh64(text, seed);
      const Buckets code = four_split(hashes[row], width);
      std::copy(code.begin(), code.end(), buckets.begin() + static_cast<std::ptrdiff_t>(row * num_splits));
    });
  }
  return py::make_tuple(array_of(std::move(hashes)),
                        array_of(std::move(buckets), {static_cast<py::ssize_t>(num_rows), num_splits}));
}

py::tuple hash_one_hot(const ColumnTable& table, std::uint64_t num_buckets, std::uint64_t seed) {
  if (num_buckets == 0 || num_buckets > max_columns) {
    throw ConfigError(fmt::format("{} buckets are outside 1..{}", num_buckets, max_columns));
  }
  const std::size_t num_rows = table.num_rows();
  std::vector<std::uint64_t> hashes(num_rows);
  std::vector<std::uint32_t> buckets(num_rows);
  {
    const NoGil no_gil;
    for_each_text(table, [&](std::size_t row, std::string_view text) {
      hashes[row] = hash_xxh64(text, seed);
      buckets[row] = one_hot(hashes[row], static_cast<std::uint32_t>(num_buckets));
    });
  }
  return py::make_tuple(array_of(std::move(hashes)), array_of(std::move(buckets)));
}

}  // namespace

void bind_hash(py::module_& module) {
  module.def("hash_four_split", &hash_four_split);
  module.def("hash_one_hot", &hash_one_hot);
  module.def("split_width", &width_of);
}

}  // namespace widehash::python
