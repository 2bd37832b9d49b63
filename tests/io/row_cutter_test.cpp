// Compares rows found many bytes at a time with rows found byte by byte.
#include "row_cutter.hpp"

#include "vector_targets.hpp"

#include <widehash/error.hpp>

#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace widehash::detail {
namespace {

WIDEHASH_FOR_VECTOR_TARGETS(RowCutterTargets);

struct Found {
  std::vector<std::uint64_t> numbers;
  std::string problem;
  bool operator==(const Found&) const = default;

  void add(const RowCut& cut) { numbers.insert(numbers.end(), {cut.position, cut.lines, cut.rows}); }
};

/// Everything that the cutter reports about `text` when it receives `chunk_bytes` at a time.
Found found(std::string_view text, const RowCutter::Settings& settings, std::size_t chunk_bytes) {
  Found found;
  try {
    const auto cutter = make_row_cutter(settings);
    for (std::size_t at = 0; at < text.size(); at += chunk_bytes) {
      const std::string chunk(text.substr(at, chunk_bytes));  // copied: the cutter must not read around it
      cutter->add(chunk);
      while (const auto cut = cutter->take_cut()) found.add(*cut);
    }
    cutter->finish();
    if (cutter->header_found()) found.add(cutter->header_end());
    found.add(cutter->end());
  } catch (const DataError& error) {
    found.problem = error.what();
  }
  return found;
}

/// Values of all kinds, preceded by something odd one time in `one_odd_in`.
std::string random_text(std::mt19937_64& random, std::size_t bytes, std::size_t one_odd_in) {
  static constexpr std::string_view odd[] = {
      "\n", "\r\n",     "\n\n\n", "\n\r\n\r\n", "\"a\"\"\n\"\"b\"", "\"\n\n\r\n\"", "a\"b", "\"a\"b\"",
      "\"", "\"\"\"\"", "\"\"",   "\r"};
  std::string text;
  while (text.size() < bytes) {
    if (random() % one_odd_in == 0) text += odd[random() % std::size(odd)];
    const bool quoted = random() % 2 == 0;
    if (quoted) text += '"';
    text.append(random() % 12, static_cast<char>('a' + random() % 26));
    if (quoted) text += random() % 20 == 0 ? ",\n\"" : "\"";
    text += random() % 5 == 0 ? (random() % 2 == 0 ? "\n" : "\r\n") : ",";
  }
  return text;
}

RowCutter::Settings random_settings(std::mt19937_64& random) {
  RowCutter::Settings settings{.name = "it",
                               .dialect = {.delimiter = ',', .quote = '"'},
                               .has_header = random() % 2 == 0,
                               .blank_lines_are_rows = random() % 2 == 0,
                               .block_bytes = 1 + random() % 9000};
  if (random() % 2 == 0) settings.piece_bytes = 1 + random() % 3000;
  return settings;
}

TEST_P(RowCutterTargets, FindTheSameRowsInChunksOfAnySize) {
  std::mt19937_64 random(11);
  std::size_t num_cuts = 0, num_problems = 0;
  for (int round = 0; round < 400; ++round) {
    std::string text = random_text(random, random() % 20000, 1 + random() % 500);
    if (random() % 4 == 0) {  // a quote that is never closed, unless an earlier one is still open
      text += "\n\"";
      for (std::size_t lines = random() % 100; lines > 0; --lines)
        text += random() % 9 == 0 ? "a \"\"word\"\",\n" : "what is, behind it\n";
    }
    const RowCutter::Settings settings = random_settings(random);
    const Found expected = found(text, settings, 1);
    ASSERT_EQ(found(text, settings, text.size() + 1), expected) << text;
    ASSERT_EQ(found(text, settings, 1 + random() % 1000), expected) << text;
    num_cuts += expected.numbers.size() / 3;
    num_problems += expected.problem.empty() ? 0 : 1;
  }
  EXPECT_GT(num_cuts, 2000u);
  EXPECT_GT(num_problems, 20u) << "an open quote, with its line";
  EXPECT_LT(num_problems, 380u);
}

TEST_P(RowCutterTargets, FindTheSameRowsInBareTextWhetherQuotesAreLookedForOrNot) {
  std::mt19937_64 random(12);
  std::size_t num_cuts = 0;
  for (int round = 0; round < 400; ++round) {
    std::string text = random_text(random, random() % 20000, 1 + random() % 500);
    std::erase(text, '"');
    RowCutter::Settings settings = random_settings(random);
    const Found expected = found(text, settings, 1);
    settings.dialect.quote = '\0';
    ASSERT_EQ(found(text, settings, 1), expected) << text;
    ASSERT_EQ(found(text, settings, text.size() + 1), expected) << text;
    ASSERT_EQ(found(text, settings, 1 + random() % 1000), expected) << text;
    num_cuts += expected.numbers.size() / 3;
  }
  EXPECT_GT(num_cuts, 2000u);
}

}  // namespace
}  // namespace widehash::detail
