#include <widehash/input.hpp>
#include <widehash/internal/byte_source.hpp>
#include <widehash/internal/dialect_guess.hpp>

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
  SCOPED_TRACE(text.substr(0, 100));
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

TEST(DialectGuess, ANameThatComesTwiceIsReported) {
  EXPECT_EQ(guess_dialect("a\ta\n1\t2\n3\t4\n", true).repeated_name, "a");
  EXPECT_EQ(guess_dialect("a\ta\n", true, {.header = true}).repeated_name, "a");
  EXPECT_EQ(guess_dialect("a\ta\nb\tb\n", true).repeated_name, "");  // nothing shows that this is a header
  EXPECT_EQ(guess_dialect("a\ta\n1\t2\n", true, {.header = false}).repeated_name, "");
}

TEST(DialectGuess, TheFirstNameMayBeMissingAboveRowNumbers) {
  const DialectGuess guess = guess_dialect(",city,price\n0,rome,1.5\n1,paris,2\n", true);
  EXPECT_TRUE(guess.has_header);
  EXPECT_EQ(guess.fields, (Strings{"", "city", "price"}));
  EXPECT_FALSE(guess_dialect(",city,price\n0,rome,1.5\n0,paris,2\n", true).has_header);  // 0 occurs twice
  EXPECT_FALSE(guess_dialect(",city,price\n0,rome,1.5\n,paris,2\n", true).has_header);
  EXPECT_FALSE(guess_dialect("city,,price\nrome,0,1.5\nparis,1,2\n", true).has_header);
}

TEST(DialectGuess, NamesMayBeMissingAboveColumnsWithoutValues) {
  const DialectGuess guess = guess_dialect("id,name,,\n1,\"a,b\",,\n2,\"c\",,\n", true);
  EXPECT_TRUE(guess.has_header);
  EXPECT_EQ(guess.fields, (Strings{"id", "name", "", ""}));
  EXPECT_FALSE(guess_dialect("id,name,,\n1,a,,\n2,c,,7\n", true).has_header);
  EXPECT_FALSE(guess_dialect("id,name,,\n", true).has_header);
}

TEST(DialectGuess, CodesOfOneLengthUnderALongerNameAreAHeader) {
  std::string text = "cap-shape\tveil\n";
  for (int i = 0; i < 10; ++i) text += i % 2 ? "x\tw\n" : "b\tp\n";
  const DialectGuess guess = guess_dialect(text, true);
  EXPECT_TRUE(guess.has_header);
  EXPECT_EQ(guess.fields, (Strings{"cap-shape", "veil"}));
}

/// `rows` rows of `row`, in which every # is the number of the row, modulo `period`.
std::string numbered_rows(const std::string& row, int rows, int period) {
  std::string text;
  for (int i = 0; i < rows; ++i) {
    for (const char c : row) text += c == '#' ? std::to_string(i % period) : std::string(1, c);
    text += '\n';
  }
  return text;
}

TEST(DialectGuess, NumbersAndGapsMayBeNamesBesideATextOverNumbers) {
  for (const char* first : {"0,1,2,target", "id,2019,2020,2021", "a,b,,", "a,,c,d"})
    EXPECT_TRUE(guess_dialect(std::string(first) + "\n" + numbered_rows("#,#,#,#", 50, 20), true).has_header)
        << first;
  // Rows of data with a text for a missing number, with numbers in no order, or with a text that occurs again.
  for (const char* first : {"0,1,2,NA", "0,1,?,", "5,3,4,x", "1.5,2,3,x"})
    EXPECT_FALSE(guess_dialect(std::string(first) + "\n" + numbered_rows("#,#,#,#", 50, 20), true).has_header)
        << first;
  EXPECT_FALSE(guess_dialect("1,x\n2,x\n" + numbered_rows("#,#", 50, 20), true).has_header);
  EXPECT_FALSE(guess_dialect("0,1,2,target\n1,2,3,4\n", true).has_header) << "too few rows to tell";
}

TEST(DialectGuess, TextsThatOccurNowhereElseAreAHeaderWhereThatIsRare) {
  const std::string kinds = numbered_rows("kind#,odor##,of#", 200, 12);
  EXPECT_TRUE(guess_dialect("class,odor,habitat\n" + kinds, true).has_header);
  EXPECT_FALSE(guess_dialect("class,odor00,habitat\n" + kinds, true).has_header);
  EXPECT_FALSE(guess_dialect("class,,habitat\n" + kinds, true).has_header);
  // Every row has values of its own, so the first may be like them.
  const DialectGuess unsure = guess_dialect("user,word\n" + numbered_rows("u#,w#", 200, 1000), true);
  EXPECT_FALSE(unsure.has_header);
  EXPECT_TRUE(unsure.is_header_unsure);
  EXPECT_FALSE(guess_dialect(kinds, true).is_header_unsure);
  EXPECT_FALSE(guess_dialect("user,word\n" + kinds, true, {.header = false}).is_header_unsure);
  // One column tells less, and is believed from a thousand rows on.
  EXPECT_FALSE(guess_dialect("color\n" + numbered_rows("red#", 200, 12), true).has_header);
  EXPECT_TRUE(guess_dialect("color\n" + numbered_rows("red#", 2000, 15), true).has_header);
}

TEST(DialectGuess, HintsAreObeyed) {
  const std::string text = "a,b\n1,x\n2,y\n";
  expect_guess(guess_dialect(text, true, {.header = false}), {',', '"', false, false, 2});
  EXPECT_EQ(guess_dialect(text, true, {.header = false}).fields, (Strings{"f0", "f1"}));
  expect_guess(guess_dialect(text, true, {.delimiter = '\t'}), {'\t', '\0', false, false, 1});
  expect_guess(guess_dialect("a!b\n1!x\n2!y\n", true, {.delimiter = '!'}), {'!', '"', false, true, 2});
  expect_guess(guess_dialect("1\"2\n3\"4\n", true, {.delimiter = '"'}), {'"', '\0', false, false, 2});
  expect_guess(guess_dialect("1,'a,b'\n2,'c'\n", true, {.quote = '\''}), {',', '\'', false, false, 2});
  expect_guess(guess_dialect(text, true, {.quote = '\0', .trim = true}), {',', '\0', true, true, 2});
  EXPECT_EQ(guess_dialect("1,1\n2,2\n", true, {.header = true}).fields, (Strings{"1", "1"}));
}

TEST(DialectGuess, ACutLastRowIsLeftOut) {
  const DialectGuess guess = guess_dialect("1,2,3\n4,5,6\n7,8", false);
  EXPECT_EQ(guess.fields.size(), 3u);
  EXPECT_EQ(guess.consistency, 1.0);
  EXPECT_LT(guess_dialect("1,2,3\n4,5,6\n7,8", true).consistency, 1.0);
  // The same holds if the cut is inside a quoted value that spans lines.
  EXPECT_EQ(guess_dialect("1,\"x\"\n2,\"y\"\n3,\"a\nb", false).consistency, 1.0);
}

/// `rows` copies of `row` under `header`, which may be empty.
std::string table(const std::string& header, const std::string& row, int rows = 200) {
  std::string text = header.empty() ? "" : header + "\n";
  for (int i = 0; i < rows; ++i) text += row + "\n";
  return text;
}

char delimiter_of(const std::string& text) { return guess_dialect(text, true).dialect.delimiter; }

TEST(DialectGuess, HeaderAndRowsAgreeOnTheDelimiter) {
  const DialectGuess guess = guess_dialect(table("movie,genres,rating,clicked", "1,A|B|C,4.5,1"), true);
  expect_guess(guess, {',', '"', false, true, 4});
  EXPECT_EQ(guess.consistency, 1.0);
  expect_guess(table("movie;genres;rating", "1;A,B,C;4.5"), {';', '"', false, true, 3});
  expect_guess(table("movie|genres|rating", "1|A;B;C|4.5"), {'|', '"', false, true, 3});
  expect_guess(table("movie\tgenres\trating", "1\tA|B|C\t4.5"), {'\t', '\0', false, true, 3});
  expect_guess(table("id,agent,clicks", "1,Mozilla/5.0 (X11; Linux x86_64; rv:109.0) Gecko,3"),
               {',', '"', false, true, 3});
  // It remains the better delimiter if a few rows do not fit.
  expect_guess(table("movie,genres,rating", "1,A|B|C,4.5", 90) + table("", "2,A|B|C,D|E,4", 4),
               {',', '"', false, true, 3});
}

TEST(DialectGuess, ListsAndTextsInsideFieldsAreNoDelimitersWithoutAHeader) {
  EXPECT_EQ(delimiter_of(table("", "1,A|B|C,4.5,1")), ',');
  EXPECT_EQ(delimiter_of(table("", "1,A|B|C|D|E")), ',');
  EXPECT_EQ(delimiter_of(table("", "u1,10|20|30|40|50,y")), ',');
  EXPECT_EQ(delimiter_of(table("", "a;1,2,3;b")), ';');
  EXPECT_EQ(delimiter_of(table("", "1|Smith, John|New York, NY|5")), '|');
  EXPECT_EQ(delimiter_of(table("", "1,1.2.3.4,Mozilla/5.0 (X11; Linux x86_64; rv:1) Gecko,200")), ',');
  EXPECT_EQ(delimiter_of(table("", "\"a\",\"Mozilla (X11; Linux; rv) Gecko\"")), ',');
  EXPECT_EQ(delimiter_of(table("", "1,\"Mozilla (X11; Linux; rv:1) Gecko\",x")), ',');
}

TEST(DialectGuess, DecimalCommasAreNoDelimiters) {
  expect_guess(table("price;kind;weight", "1,5;x;2,5"), {';', '"', false, true, 3});
  EXPECT_EQ(delimiter_of(table("", "1,5;x;2,5")), ';');
  EXPECT_EQ(delimiter_of(table("", "1,5;2,5;3,5")), ';');
  EXPECT_EQ(delimiter_of(table("", "1,5;x;y;2,5")), ';');
  EXPECT_EQ(delimiter_of(table("", "1,5\t2,5\t3,5")), '\t');
}

TEST(DialectGuess, ATabIsNeverPartOfAValueWhereItCanDivide) {
  expect_guess(table("id\ttitle", "1\tHello, big, wide world"), {'\t', '\0', false, true, 2});
  EXPECT_EQ(delimiter_of(table("", "x\tHello, big, wide world")), '\t');
  EXPECT_EQ(delimiter_of(table("", "1.2.3.4\tMozilla (X11; Linux; rv)\t200")), '\t');
}

TEST(DialectGuess, OneColumnStaysOneAndSaysWhatItsRowsHold) {
  for (const auto& [text, held] : {std::pair(table("name", "Smith, John"), ','),
                                   {table("price", "1,50"), ','},
                                   {table("name", "Smith, John", 2), ','},
                                   {table("genres", "A|B|C"), '|'},
                                   {table("agent", "Mozilla (X11; Linux; rv)"), ';'}}) {
    SCOPED_TRACE(text.substr(0, 40));
    const DialectGuess guess = guess_dialect(text, true);
    EXPECT_EQ(guess.dialect.delimiter, '\t');
    EXPECT_EQ(guess.fields.size(), 1u);
    EXPECT_EQ(guess.doubted_delimiter, held);
  }
  const DialectGuess ragged = guess_dialect("a,b,c\n1,2\n1,2,3,4\n1\n1,2,3,4,5\n", true);
  EXPECT_EQ(ragged.fields.size(), 1u);
  EXPECT_EQ(ragged.doubted_delimiter, ',');
  const DialectGuess prose = guess_dialect(table("title", "Hello, world") + table("", "Bye"), true);
  EXPECT_EQ(prose.fields.size(), 1u);
  EXPECT_EQ(prose.doubted_delimiter, '\0');
  EXPECT_EQ(guess_dialect("a,b\n1,2\n", true).doubted_delimiter, '\0');
}

TEST(DialectGuess, AFieldThatIsKnownMakesTheFirstLineAHeader) {
  const std::string text = "city,clicked\nrome,yes\nparis,no\n";  // the first line looks like the others
  EXPECT_FALSE(guess_dialect(text, true).has_header);
  const DialectGuess guess = guess_dialect(text, true, {.known_field = "clicked"});
  EXPECT_EQ(guess.fields, (Strings{"city", "clicked"}));
  EXPECT_FALSE(guess_dialect(text, true, {.known_field = "click"}).has_header);
  EXPECT_FALSE(guess_dialect(text, true, {.header = false, .known_field = "clicked"}).has_header);
  EXPECT_EQ(guess_dialect("1,1,2\n3,4,5\n", true, {.known_field = "1"}).repeated_name, "1");
  // The known field decides between delimiters that are otherwise equally good.
  const std::string both = "a;b,c;d\nx;y,z;w\n";
  EXPECT_EQ(guess_dialect(both, true, {.known_field = "b,c"}).dialect.delimiter, ';');
  EXPECT_EQ(guess_dialect(both, true, {.known_field = "c;d"}).dialect.delimiter, ',');
}

TEST(DialectGuess, NamesAreTrimmedAsRowsAre) {
  EXPECT_EQ(guess_dialect("a , b\n1, x\n2, y\n", true, {.quote = '\0'}).fields, (Strings{"a", "b"}));
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
    const auto source = open_source(expand_inputs({data / file}).front());
    const TextSample sample = read_sample(*source);
    const DialectGuess guess = guess_dialect(sample.text, sample.is_whole);
    expect_guess(guess, expected);
    EXPECT_EQ(guess.consistency, 1.0);
  }
}

}  // namespace
}  // namespace widehash::test
