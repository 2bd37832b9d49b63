#include <widehash/byte_source.hpp>
#include <widehash/dialect_guess.hpp>

#include <filesystem>

#include <gtest/gtest.h>

namespace widehash::test {
namespace {

using Strings = std::vector<std::string>;

struct Expected {
  char delimiter;
  char quote;
  bool trim;
  bool has_header;
  std::size_t num_fields;
};

void expect_guess(const DialectGuess& guess, const Expected& expected) {
  EXPECT_EQ(guess.dialect.delimiter, expected.delimiter);
  EXPECT_EQ(guess.dialect.quote, expected.quote);
  EXPECT_EQ(guess.dialect.trim, expected.trim);
  EXPECT_EQ(guess.has_header, expected.has_header);
  EXPECT_EQ(guess.fields.size(), expected.num_fields);
}

void expect_guess(const std::string& text, const Expected& expected) {
  SCOPED_TRACE(text);
  expect_guess(guess_dialect(text, true), expected);
}

TEST(DialectGuess, UsualTablesAreKnown) {
  expect_guess("a\tb\n1\tx\n2\ty\n", {'\t', '\0', false, true, 2});
  expect_guess("1\tx\n2\ty\n", {'\t', '\0', false, false, 2});
  expect_guess("a,b\n1,x\n2,\"y,z\"\n", {',', '"', false, true, 2});
  expect_guess("a;b\n1,5;x\n2,5;y\n", {';', '"', false, false, 2});
  expect_guess("a|b\n1|x\n2|y\n", {'|', '"', false, true, 2});
  expect_guess("a b\n1 x\n2 y\n", {' ', '\0', false, true, 2});
  expect_guess("a, b\n1, x\n2, \"y, z\"\n", {',', '"', true, true, 2});
}

TEST(DialectGuess, QuotesInTabbedTextNeedEvidence) {
  expect_guess("1\tx 5\" wide\n2\ty\n", {'\t', '\0', false, false, 2});
  expect_guess("1\t\"x\"\n2\t\"a\tb\"\n", {'\t', '"', false, false, 2});
}

TEST(DialectGuess, QuotesThatMakeRowsWorseAreBytes) {
  expect_guess("1,\"x\n2,y\n3,\"z\" a\n4,b\n", {',', '\0', false, false, 2});
}

TEST(DialectGuess, ASingleColumnHasOneField) {
  expect_guess("carrier\nUA\nDL\n", {'\t', '\0', false, false, 1});
  expect_guess("distance\n120\n340\n", {'\t', '\0', false, true, 1});
}

TEST(DialectGuess, AnEmptySampleHasNoFields) {
  expect_guess("", {'\t', '\0', false, false, 0});
  expect_guess("\n\r\n", {'\t', '\0', false, false, 0});
}

TEST(DialectGuess, NamesMustBeDistinctNonEmptyAndNoNumbers) {
  for (const char* first : {"a\ta", "a\t", "a\t7"}) {
    EXPECT_FALSE(guess_dialect(std::string(first) + "\n1\t2\n3\t4\n", true).has_header) << first;
  }
}

TEST(DialectGuess, ANameThatComesTwiceIsTold) {
  EXPECT_EQ(guess_dialect("a\ta\n1\t2\n3\t4\n", true).repeated_name, "a");
  EXPECT_EQ(guess_dialect("a\ta\n", true, {.header = true}).repeated_name, "a");
  EXPECT_EQ(guess_dialect("a\ta\nb\tb\n", true).repeated_name, "");  // data, for all that can be seen
  EXPECT_EQ(guess_dialect("a\ta\n1\t2\n", true, {.header = false}).repeated_name, "");
}

TEST(DialectGuess, TheFirstNameMayBeMissingAboveRowNumbers) {
  const DialectGuess guess = guess_dialect(",city,price\n0,rome,1.5\n1,paris,2\n", true);
  EXPECT_TRUE(guess.has_header);
  EXPECT_EQ(guess.fields, (Strings{"", "city", "price"}));
  EXPECT_FALSE(guess_dialect(",city,price\n0,rome,1.5\n0,paris,2\n", true).has_header);  // twice the same
  EXPECT_FALSE(guess_dialect(",city,price\n0,rome,1.5\n,paris,2\n", true).has_header);
  EXPECT_FALSE(guess_dialect("city,,price\nrome,0,1.5\nparis,1,2\n", true).has_header);
}

TEST(DialectGuess, CodesOfOneLengthUnderALongerNameAreAHeader) {
  std::string text = "cap-shape\tveil\n";
  for (int i = 0; i < 10; ++i) text += i % 2 ? "x\tw\n" : "b\tp\n";
  const DialectGuess guess = guess_dialect(text, true);
  EXPECT_TRUE(guess.has_header);
  EXPECT_EQ(guess.fields, (Strings{"cap-shape", "veil"}));
}

TEST(DialectGuess, HintsAreObeyed) {
  const std::string text = "a,b\n1,x\n2,y\n";
  expect_guess(guess_dialect(text, true, {.header = false}), {',', '"', false, false, 2});
  EXPECT_EQ(guess_dialect(text, true, {.header = false}).fields, (Strings{"f0", "f1"}));
  expect_guess(guess_dialect(text, true, {.delimiter = '\t'}), {'\t', '\0', false, false, 1});
  expect_guess(guess_dialect(text, true, {.quote = '\0', .trim = true}), {',', '\0', true, true, 2});
  EXPECT_EQ(guess_dialect("1,1\n2,2\n", true, {.header = true}).fields, (Strings{"1", "1"}));
}

TEST(DialectGuess, ACutLastRowIsLeftOut) {
  const DialectGuess guess = guess_dialect("1,2,3\n4,5,6\n7,8", false);
  EXPECT_EQ(guess.fields.size(), 3u);
  EXPECT_EQ(guess.consistency, 1.0);
  EXPECT_LT(guess_dialect("1,2,3\n4,5,6\n7,8", true).consistency, 1.0);
  // Inside a quoted value that spans lines, too.
  EXPECT_EQ(guess_dialect("1,\"x\"\n2,\"y\"\n3,\"a\nb", false).consistency, 1.0);
}

TEST(DialectGuess, TheTablesAtHandAreKnown) {
  const std::filesystem::path data = WIDEHASH_SHARED_DIR "/data";
  if (!std::filesystem::exists(data)) GTEST_SKIP() << "there is no " << data;
  const std::pair<const char*, Expected> tables[] = {
      {"flights/train.tsv.gz", {'\t', '\0', false, true, 11}},
      {"flights/test.tsv.gz", {'\t', '\0', false, true, 11}},
      {"adult/adult.data.gz", {',', '"', true, false, 15}},
      {"adult/adult.test.gz", {',', '"', true, false, 15}},
      {"criteo_sample/sample.train.tsv.gz", {'\t', '\0', false, false, 40}},
      {"insteval/InstEval.csv.gz", {',', '"', false, true, 7}},
  };
  for (const auto& [file, expected] : tables) {
    SCOPED_TRACE(file);
    const auto source = open_source({.path = data / file});
    const std::string sample = read_sample(*source);
    const DialectGuess guess = guess_dialect(sample, sample.size() < sample_bytes);
    expect_guess(guess, expected);
    EXPECT_EQ(guess.consistency, 1.0);
  }
}

}  // namespace
}  // namespace widehash::test
