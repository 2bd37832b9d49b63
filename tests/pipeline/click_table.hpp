#pragma once

/// \file
/// A small table of clicks, with a schema that has every kind of slot.

#include <cstddef>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace widehash::test {

inline constexpr const char* click_schema = R"(label = { field = "click", positive = ["1"], negative = ["0"] }
weight = "worth"
[[feature]]
field = "user"
cardinality = 1000
[[feature]]
field = "shop"
encoding = "one_hot"
buckets = 19
[[feature]]
field = "price"
encoding = "numeric"
transform = "log1p"
[[feature]]
field = "tags"
separator = ","
cardinality = 50
missing = "skip"
)";

inline const std::string click_header = "click\tworth\tuser\tshop\tprice\ttags\n";

/// One row, without a line end.
inline std::string click_row(std::mt19937& random) {
  std::string tags;
  for (std::size_t count = random() % 4; count > 0; --count) {
    tags += fmt::format("{}t{}", tags.empty() ? "" : ",", random() % 30);
  }
  return fmt::format("{}\t{}\tuser{}\t{}\t{}\t{}", random() % 2, 1 + random() % 3, random() % 700,
                     random() % 5 == 0 ? std::string() : fmt::format("s{}", random() % 25), random() % 1000,
                     tags);
}

inline std::vector<std::string> click_rows(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<std::string> rows;
  for (std::size_t i = 0; i < count; ++i) rows.push_back(click_row(random));
  return rows;
}

inline std::string click_text(std::size_t count, unsigned seed) {
  std::string text = click_header;
  for (const std::string& row : click_rows(count, seed)) text += row + "\n";
  return text;
}

}  // namespace widehash::test
