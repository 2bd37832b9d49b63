#include "io/compress.hpp"
#include "pipeline/inspect_kit.hpp"

#include <widehash/dialect.hpp>
#include <widehash/inspect.hpp>

#include <fmt/format.h>

namespace widehash::test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

TEST_F(InspectTest, TheHeaderOnceMoreIsNoRow) {
  const InspectReport joined = run({flights(50) + flights(40)}, "delayed");
  EXPECT_EQ(joined.rows, 90u);
  EXPECT_EQ(joined.rejected_rows, 1u);
  EXPECT_THAT(joined.notes, testing::Contains(AllOf(HasSubstr("in0.tsv:52: the header line again"))));
  const InspectReport once = run({flights(50) + flights(40, false)}, "delayed");
  EXPECT_EQ(joined.schema.fingerprint(), once.schema.fingerprint());
  EXPECT_THAT(joined.notes, testing::SizeIs(once.notes.size() + 1));
  EXPECT_EQ(run({"\xEF\xBB\xBF" + flights(50) + "\xEF\xBB\xBF" + flights(40)}, "delayed").rejected_rows, 1u);
}

TEST_F(InspectTest, FieldsAreDescribedAndProposed) {
  const InspectReport report = run({flights(1000)}, "delayed");
  EXPECT_EQ(report.rows, 1000u);
  EXPECT_EQ(report.rejected_rows, 0u);
  ASSERT_EQ(report.fields.size(), 4u);
  EXPECT_EQ(report.fields[0].name, "month");
  EXPECT_EQ(report.fields[0].type, "text");
  EXPECT_EQ(report.fields[0].distinct, 12);
  EXPECT_TRUE(report.fields[0].distinct_is_exact);
  EXPECT_THAT(report.fields[0].examples, ElementsAre("c-1", "c-2", "c-3", "c-4", "c-5"));
  EXPECT_EQ(report.fields[1].missing, 143u);
  EXPECT_EQ(report.fields[1].distinct, 4);
  EXPECT_EQ(report.fields[2].type, "number");
  EXPECT_EQ(report.fields[2].minimum, 100.5);
  EXPECT_EQ(report.fields[2].maximum, 399.5);
  EXPECT_EQ(report.fields[2].longest_bytes, 5u);
  EXPECT_EQ(report.schema.label.field, "delayed");
  EXPECT_EQ(report.schema.label.kind, LabelKind::binary);
  EXPECT_THAT(report.schema.label.positive, ElementsAre("Y"));  // the rarer one
  EXPECT_THAT(report.schema.label.negative, ElementsAre("N"));
  ASSERT_EQ(report.schema.features.size(), 3u);
  EXPECT_EQ(report.schema.features[0].cardinality, 81u);
  EXPECT_EQ(report.schema.features[1].cardinality, 25u);  // including the missing value
  EXPECT_EQ(report.schema.features[2].boundaries.size(), 15u);
  expect_usable(report);
  EXPECT_EQ(run_transform(report.schema_toml, {folder_.file("in0.tsv")}, folder_.file("out")).rows, 1000u);
}

TEST_F(InspectTest, AFileOfTheHeaderAloneIsUnderstoodByTheNext) {
  const std::string table = flights(50);
  const std::string header = table.substr(0, table.find('\n') + 1);
  for (const std::string& first : {header, header.substr(0, header.size() - 1)}) {
    const InspectReport report = run({first, header, table});
    EXPECT_TRUE(report.schema.header);
    EXPECT_EQ(report.rows, 50u);
  }
  EXPECT_FALSE(run({header, header}).schema.header) << "nothing tells";
}

TEST_F(InspectTest, ALineThatMayBeAHeaderIsNoted) {
  const std::string text = "user\tword\nu1\tw1\nu2\tw2\nu3\tw3\n";
  const auto doubts = testing::Contains(HasSubstr("use --header yes"));
  EXPECT_THAT(run({text}).notes, doubts);
  EXPECT_THAT(run({text}, "", HeaderChoice::no).notes, Not(doubts));
}

TEST_F(InspectTest, HeadersAreFoundOrGiven) {
  EXPECT_TRUE(run({flights(20)}).schema.header);
  const InspectReport without = run({flights(20, false)}, "", HeaderChoice::no);
  EXPECT_FALSE(without.schema.header);
  EXPECT_EQ(without.rows, 20u);
  EXPECT_THAT(without.schema.fields, ElementsAre("f0", "f1", "f2", "f3"));
  expect_usable(without);
  EXPECT_EQ(run({"1\t2\n3\t4\n"}).rows, 2u);
  EXPECT_EQ(run({"1\t2\n3\t4\n"}, "", HeaderChoice::yes).rows, 1u);
}

TEST_F(InspectTest, LabelsFollowTheirValues) {
  EXPECT_EQ(run({"y\ta\n0\tx\n1\ty\n0\tz\n"}, "y").schema.label.kind, LabelKind::number);
  const InspectReport classes = run({"y\ta\nred\t1\nblue\t2\nred\t3\ngreen\t4\n"}, "y");
  EXPECT_EQ(classes.schema.label.kind, LabelKind::classes);
  EXPECT_THAT(classes.schema.label.classes, ElementsAre("red", "blue", "green"));
  expect_usable(classes);
  EXPECT_THAT(complaint<ConfigError>([&] { run({flights(5)}, "delay"); }),
              AllOf(HasSubstr("'delay'"), HasSubstr("delayed")));
  EXPECT_THAT(complaint<ConfigError>([&] { run({"y\ta\nsame\t1\nsame\t2\n"}, "y", HeaderChoice::yes); }),
              HasSubstr("label 'y'"));
}

TEST_F(InspectTest, AFieldWithoutANameIsLeftOut) {
  const InspectReport report = run({",city,price,y\n0,rome,1.5,1\n1,paris,2,0\n2,oslo,4,1\n"}, "y");
  EXPECT_TRUE(report.schema.header);
  EXPECT_EQ(report.schema.label.field, "y");
  ASSERT_EQ(report.schema.features.size(), 2u);
  EXPECT_EQ(report.schema.features[0].name, "city");
  ASSERT_FALSE(report.notes.empty());
  EXPECT_THAT(report.notes[0], HasSubstr("field 1 has no name"));
  EXPECT_THAT(report.schema_toml, HasSubstr("# field 1 has no name"));
  expect_usable(report);
  EXPECT_EQ(run_transform(report.schema_toml, {folder_.file("in0.tsv")}, folder_.file("out")).rows, 3u);
}

TEST_F(InspectTest, AHeaderThatNamesAFieldTwiceIsAnError) {
  const std::string text = "city,city,y\nrome,oslo,1\nparis,rome,0\n";
  for (const HeaderChoice header : {HeaderChoice::automatic, HeaderChoice::yes}) {
    EXPECT_THAT(complaint<DataError>([&] { run({text}, "y", header); }),
                AllOf(HasSubstr("in0.tsv:1: "), HasSubstr("'city' twice"), HasSubstr("--header no")));
  }
  EXPECT_EQ(run({text}, "", HeaderChoice::no).rows, 3u);
}

TEST_F(InspectTest, TheLabelFindsTheHeader) {
  const std::string text = "city,clicked\nrome,yes\nparis,no\noslo,no\n";
  EXPECT_FALSE(run({text}).schema.header);
  const InspectReport report = run({text}, "clicked");
  EXPECT_TRUE(report.schema.header);
  EXPECT_EQ(report.rows, 3u);
  EXPECT_THAT(report.schema.label.positive, ElementsAre("yes"));
}

TEST_F(InspectTest, ALabelThatIsNotFoundSaysWhichOptionMayBeWrong) {
  const std::string plain = "city,clicked\nrome,yes\nparis,no\n";
  const std::string headed = "city,n\nrome,1\nparis,2\n";
  const auto words = [&](const std::string& text, const std::string& label,
                         HeaderChoice header = HeaderChoice::automatic) {
    return complaint<ConfigError>([&] { run({text}, label, header); });
  };
  EXPECT_THAT(words(plain, "bought"), AllOf(HasSubstr("'bought'"), HasSubstr("--header yes")));
  EXPECT_THAT(words(plain, "clicked", HeaderChoice::no), HasSubstr("leave out --header no"));
  EXPECT_THAT(words(headed, "f1"), HasSubstr("--header no"));
  EXPECT_THAT(words(headed, "bought"), Not(HasSubstr("--header")));
  EXPECT_THAT(words(headed, "f1", HeaderChoice::yes), Not(HasSubstr("--header")));
  EXPECT_THAT(words("city!n\nrome!1\nparis!2\n", "n"), AllOf(HasSubstr("--delimiter"), HasSubstr("tab")));
}

TEST_F(InspectTest, DelimiterAndQuoteAreThoseThatWereGiven) {
  const std::string path = folder_.file("in.txt");
  write_text_file(path, "a,b!c\n1,'2!3'!4\n5,6!7\n");
  const InspectReport report = inspect({.inputs = {path}, .delimiter = '!', .quote = '\''});
  EXPECT_EQ(report.schema.delimiter, '!');
  EXPECT_EQ(report.schema.quote, '\'');
  EXPECT_THAT(report.schema.fields, ElementsAre("a,b", "c"));
  EXPECT_EQ(report.rejected_rows, 1u);  // no value may have text after its closing quote
  expect_usable(report);
  for (const auto& [delimiter, quote] :
       {std::pair('\n', '"'), {'\xE9', '"'}, {'"', '"'}, {'\0', '"'}, {',', '\r'}}) {
    EXPECT_THROW(inspect({.inputs = {path}, .delimiter = delimiter, .quote = quote}), ConfigError);
  }
}

TEST_F(InspectTest, AGuessThatMostRowsRefuteIsAnError) {
  std::string text = "a,b\n";
  for (int i = 0; i < 9; ++i) text += "1,2\n";
  const std::string other = "1,2,3\n";
  std::string many = text;
  for (int i = 0; i < 9; ++i) many += other;
  EXPECT_EQ(run({many}).rejected_rows, 9u);
  InspectOptions options;
  options.inputs = {folder_.file("many.csv")};
  write_text_file(options.inputs[0], many + other);
  options.delimiter = ',';
  options.header = HeaderChoice::yes;
  EXPECT_THAT(complaint<DataError>([&] { inspect(options); }),
              AllOf(HasSubstr("many.csv"), HasSubstr("10 of 19 rows cannot be read as the 2 fields"),
                    HasSubstr("; the first is "), HasSubstr("many.csv:11: "), HasSubstr("delimiter ','"),
                    HasSubstr("a header"), HasSubstr("--delimiter"), HasSubstr("--quote"),
                    HasSubstr("--header yes|no")));
}

TEST_F(InspectTest, AFirstRowLongerThanTheSampleIsReadToItsEnd) {
  // Byte 2^20 ends the name of a field, so that a truncated header would not be noticed.
  std::string header;
  std::string row;
  for (int i = 0; i < 40'000; ++i) {
    header += fmt::format("{}column_{:024}", i == 0 ? "" : ",", i);
    row += i == 0 ? "1" : ",2";
  }
  InspectOptions options;
  options.inputs = {folder_.file("wide.csv")};
  options.label = "column_000000000000000000039999";
  write_text_file(options.inputs[0], header + "\n" + row + "\n" + row + "\n");
  const InspectReport report = inspect(options);
  EXPECT_EQ(report.rows, 2u);
  EXPECT_EQ(report.fields.size(), 40'000u);
  EXPECT_EQ(report.schema.label.field, options.label);

  write_text_file(options.inputs[0], std::string(max_row_bytes + 1, 'x'));
  EXPECT_THAT(complaint<DataError>([&] { inspect(options); }),
              AllOf(HasSubstr("wide.csv:1: the first row does not end within 64 MiB")));
}

TEST_F(InspectTest, ADelimiterThatTheFirstLineLacksIsReported) {
  const InspectReport report = run({"name\nSmith, John\nDoe, Jane\n"});
  EXPECT_EQ(report.fields.size(), 1u);
  EXPECT_THAT(report.notes, ElementsAre(AllOf(HasSubstr("one field a row"), HasSubstr("--delimiter ','"))));
  expect_usable(report);
}

TEST_F(InspectTest, CommentsHoldNothingThatEndsThem) {
  const std::string hostile[] = {std::string("a\0b", 3),
                                 "tab\x0b",
                                 "del\x7f",
                                 "latin \xe9",
                                 "cut \xe2\x82",
                                 "€uro",
                                 "cr\rcr",
                                 std::string(300, 'x'),
                                 std::string(39, 'y') + "€",
                                 "\xed\xa0\x80",
                                 "\xf4\x90\x80\x80",
                                 "\xc0\x80"};
  for (const std::string& value : hostile) {
    const InspectReport report =
        run({"name\tnumber\n" + value + "\t1\nplain\t2\nother\t3\n"}, "", HeaderChoice::yes);
    ASSERT_EQ(report.rows, 3u) << value;
    expect_usable(report);
  }
  EXPECT_THAT(run({"name\tnumber\n€uro\t1\n"}, "", HeaderChoice::yes).schema_toml, HasSubstr("€uro"));
}

TEST_F(InspectTest, NamesThatLookLikeTomlAreHarmless) {
  const InspectReport report =
      run({"[[feature]]\t#\t\"q\"\tx\\y\nab\t1\t2\t3\ncd\t4\t5\t6\n"}, "", HeaderChoice::yes);
  ASSERT_EQ(report.schema.features.size(), 4u);
  expect_usable(report);
}

TEST_F(InspectTest, MaxRowsIsExact) {
  for (const std::uint64_t rows : {1, 5, 1023, 1024, 1025, 2999, 3000}) {
    EXPECT_EQ(run({flights(2000), flights(1000)}, "", HeaderChoice::automatic, rows).rows, rows);
  }
  EXPECT_EQ(run({flights(2000), flights(1000)}, "", HeaderChoice::automatic, 5000).rows, 3000u);
}

TEST_F(InspectTest, SeveralInputsAreOneTable) {
  const InspectReport report = run({flights(30), gzip(flights(20)), zstd(flights(10))});
  EXPECT_EQ(report.rows, 60u);
  EXPECT_EQ(report.fields[0].distinct, 12);
  EXPECT_THAT(complaint<DataError>([&] {
                run({flights(3), "a\tb\tc\td\nx\ty\t1\tz\n"});
              }),
              AllOf(HasSubstr("in1.tsv:1: has no field"), HasSubstr("its fields are: a, b, c, d")));
}

TEST_F(InspectTest, FieldsOfFurtherInputsAreFoundByTheirNames) {
  const InspectReport report = run({"a\tb\n1\tx\n2\ty\n", "b\tmore\ta\nz\t0.5\t3\n"});
  ASSERT_EQ(report.fields.size(), 2u);
  EXPECT_EQ(report.rows, 3u);
  EXPECT_EQ(report.fields[0].type, "integer");
  EXPECT_EQ(report.fields[0].distinct, 3);
  EXPECT_EQ(report.fields[1].distinct, 3);
  EXPECT_THAT(report.notes, testing::Contains(HasSubstr("in1.tsv has 3 fields")));
}

TEST_F(InspectTest, RowsOfAnotherLengthAreCounted) {
  const InspectReport report = run({flights(20) + "short\n" + flights(5, false)});
  EXPECT_EQ(report.rows, 25u);
  EXPECT_EQ(report.rejected_rows, 1u);
}

TEST_F(InspectTest, TheFirstRowThatWasLeftOutIsNamed) {
  const InspectReport report = run({"a\tb\n1\t2\n3\t4\n", "a\tb\n1\t2\n\n5\t6\n7\n8\n9\t10\n"});
  EXPECT_EQ(report.rejected_rows, 2u);
  EXPECT_THAT(report.notes, testing::Contains(testing::AllOf(HasSubstr("in1.tsv:5: 1 field"),
                                                             HasSubstr("the first row that was left out"))));
}

TEST_F(InspectTest, NamesAndLabelsThatAreNotUtf8AreReportedWithTheFile) {
  EXPECT_THAT(complaint<DataError>([&] { run({"a\tcaf\xe9\n1\t2\n"}, "", HeaderChoice::yes); }),
              testing::AllOf(HasSubstr("in0.tsv:1: the name of field 2"), HasSubstr("iconv -f LATIN1")));
  EXPECT_THAT(complaint<ConfigError>([&] { run({"y\tb\ncaf\xe9\t2\nx\t3\ncaf\xe9\t2\n"}, "y"); }),
              testing::AllOf(HasSubstr("label 'y': its value"), HasSubstr("iconv -f LATIN1")));
}

TEST_F(InspectTest, AnEmptyInputIsAnError) {
  EXPECT_THAT(complaint<DataError>([&] { run({""}); }), HasSubstr("in0.tsv"));
  const InspectReport header_only = run({"name\tnumber\n"}, "", HeaderChoice::yes);
  EXPECT_EQ(header_only.rows, 0u);
  EXPECT_EQ(header_only.fields[0].type, "empty");
  expect_usable(header_only);
}

}  // namespace
}  // namespace widehash::test
