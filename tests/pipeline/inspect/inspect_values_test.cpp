// What inspect reports about the values of a field and proposes for them.
#include "inspect/field_census.hpp"
#include "pipeline/inspect_kit.hpp"

#include <widehash/inspect.hpp>

#include <fmt/format.h>

namespace widehash::test {
namespace {

using testing::AllOf;
using testing::AnyOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

TEST_F(InspectTest, FieldsWithAValueForEveryRowAreNoted) {
  std::string text = "id\tprice\tsite\n";
  for (int i = 0; i < 3000; ++i) text += fmt::format("u{}\t{}.5\t{}\n", i, 3 * i, i % 2000);
  const auto notes = run({text}).notes;
  EXPECT_THAT(notes,
              Contains(AllOf(HasSubstr("'id': nearly every row has its own value"), HasSubstr("ignore"))));
  EXPECT_THAT(
      notes, Contains(AllOf(HasSubstr("'price': nearly every row has its own number"), HasSubstr("ignore"))));
  EXPECT_THAT(run({text.substr(0, text.find("u900\t"))}).notes,
              Not(testing::Contains(HasSubstr("nearly every"))));
}

TEST_F(InspectTest, TextsThatADataFrameWouldNotHaveAreNoted) {
  const InspectReport report =
      run({"store\tpromo\tprice\tname\ty\n3.0\tTrue\t1.0\ta\t1.0\n\tFalse\t1.5\tTrue story\t0.0\n"}, "y");
  EXPECT_THAT(report.notes, testing::Contains(AllOf(HasSubstr("'store', 'promo': "), HasSubstr("3.0"),
                                                    HasSubstr("write 3 here"), Not(HasSubstr("price")))));
  expect_usable(report);
  for (const char* plain : {"s\n3\n4\n", "s\ntrue\nfalse\n", "s\n1.25\n1.0\n", "s\n.0\n"})
    EXPECT_THAT(run({plain}).notes, Not(testing::Contains(HasSubstr("data frame")))) << plain;
  // Where only the number counts, its text does not.
  std::string seconds = "s\n";
  for (int i = 0; i < 2000; ++i) seconds += fmt::format("{}.0\n", 1'700'000'000 + 3 * i);
  const InspectReport measured = run({seconds});
  EXPECT_EQ(measured.schema.features[0].encoding, Encoding::numeric);
  EXPECT_THAT(measured.notes, Not(testing::Contains(HasSubstr("data frame"))));
}

TEST_F(InspectTest, TextsForMissingAmongNumbersAreProposed) {
  const InspectReport report = run(
      {"age\tcountry\tkind\n31\tNA\tx\nNA\tDE\ty\n47\tFR\tz\n?\tDE\tx\n\tFR\tnull\n"}, "", HeaderChoice::yes);
  EXPECT_EQ(report.fields[0].type, "integer");
  EXPECT_EQ(report.fields[0].missing, 3u);
  EXPECT_EQ(report.fields[0].distinct, 2);
  EXPECT_EQ(report.fields[0].minimum, 31);
  EXPECT_EQ(report.fields[0].maximum, 47);
  EXPECT_THAT(report.fields[0].examples, ElementsAre("31", "47"));
  EXPECT_EQ(report.fields[1].missing, 0u);  // the country may be Namibia
  EXPECT_EQ(report.fields[2].type, "text");
  EXPECT_THAT(report.schema.missing_values, ElementsAre("NA", "?"));
  EXPECT_THAT(report.notes,
              ElementsAre(AllOf(HasSubstr("missing_values has \"NA\", \"?\""), HasSubstr("'age' (2 values)"),
                                HasSubstr("including 'country'"))));
  EXPECT_THAT(report.schema_toml, HasSubstr("missing_values = [\"NA\", \"?\"]"));
  expect_usable(report);
  std::string numeric = report.schema_toml;
  const std::string planned = "cardinality = 3\n";  // for age
  const auto at = numeric.find("encoding = \"four_split\"\n" + planned);
  ASSERT_NE(at, std::string::npos) << numeric;
  numeric.replace(at, std::string("encoding = \"four_split\"\n" + planned).size(),
                  "encoding = \"numeric\"\n");
  EXPECT_EQ(run_transform(numeric, {folder_.file("in0.tsv")}, folder_.file("out")).rows, 5u);
}

TEST_F(InspectTest, AFewTextsAmongNumbersAreReported) {
  std::string text = "x\tone\tmany\tfew\tcodes\ty\n";
  for (int i = 0; i < 400; ++i) {
    text += fmt::format("{}\t{}\t{}\t{}\t{}\t{}\n",
                        i == 7    ? std::string("unknown")
                        : i == 30 ? std::string("-")
                                  : fmt::format("{}.5", i),
                        i == 9        ? "1,5"
                        : i % 50 == 3 ? "NA"
                                      : std::to_string(i),
                        i < 9 ? fmt::format("t{}", i) : std::to_string(i),
                        i % 3 == 0 ? "text" : std::to_string(i), i % 15 == 0 ? "A" : std::to_string(i % 60),
                        i % 2);
  }
  const InspectReport report = run({text}, "y");
  EXPECT_THAT(report.fields[0].texts_among_numbers, ElementsAre("unknown", "-"));
  EXPECT_THAT(report.fields[1].texts_among_numbers, ElementsAre("1,5"));
  EXPECT_THAT(report.fields[2].texts_among_numbers, ElementsAre()) << "nine of them";
  EXPECT_THAT(report.fields[3].texts_among_numbers, ElementsAre("text")) << "many rows, and more than kinds";
  EXPECT_THAT(report.fields[4].texts_among_numbers, ElementsAre()) << "as kinds have: 1 to 59, and A";
  EXPECT_THAT(report.fields[5].texts_among_numbers, ElementsAre());
  for (std::size_t field = 0; field < 5; ++field) EXPECT_EQ(report.fields[field].type, "text");
  EXPECT_THAT(report.notes, Contains(AllOf(HasSubstr("'x' holds 398 numbers, but also \"unknown\", \"-\""),
                                           HasSubstr("missing_values = [\"unknown\", \"-\"]"))));
  EXPECT_THAT(report.notes,
              Contains(AllOf(HasSubstr("'one' holds 391 numbers"), HasSubstr("write points instead"))));
  EXPECT_THAT(report.notes, Not(Contains(AnyOf(HasSubstr("'many' holds"), HasSubstr("'codes' holds")))));
  expect_usable(report);
}

TEST_F(InspectTest, NumbersAndTimesInOtherWritingsAreReported) {
  std::string text = "price\twhen\tkind\ty\n";
  for (int i = 0; i < 300; ++i)
    text += fmt::format("{},{:02}\t{:02}.{:02}.2024\t{}\t{}\n", i * 7, i % 100, 1 + i % 28, 1 + i % 12,
                        i % 3 == 0   ? "Phone"
                        : i % 3 == 1 ? "phone "
                                     : "tablet",
                        i % 2);
  const InspectReport report = run({text}, "y");
  EXPECT_EQ(report.fields[0].other_writing, "numbers with a decimal comma, such as 0,00");
  EXPECT_THAT(report.fields[1].other_writing, HasSubstr("time_format = \"%d.%m.%Y\""));
  EXPECT_EQ(report.fields[2].other_writing, "");
  EXPECT_THAT(report.notes, Contains(AllOf(HasSubstr("'price' holds numbers with a decimal comma"),
                                           HasSubstr("plain numbers with a decimal point"))));
  EXPECT_THAT(report.notes, Contains(AllOf(HasSubstr("'when' holds times such as"), HasSubstr("time_part"))));
  EXPECT_THAT(report.notes, Contains(HasSubstr("'kind' (\"Phone\" and \"phone \")")));
  EXPECT_THAT(report.notes, Not(Contains(HasSubstr("its own value, which says nothing")))) << "it is a price";
  expect_usable(report);
}

TEST_F(InspectTest, AFewTextsAmongTimesAreReported) {
  std::string text = "when\tmany\ty\n";
  for (int i = 0; i < 400; ++i) {
    const std::string time = fmt::format("2026-{:02}-{:02} {:02}:00:00", 1 + i % 12, 1 + i % 28, i % 24);
    text += fmt::format("{}\t{}\t{}\n",
                        i == 300   ? "0000-00-00 00:00:00"
                        : i == 310 ? "soon"
                                   : time,
                        i % 15 == 0 ? "later" : time, i % 2);
  }
  const InspectReport report = run({text}, "y");
  EXPECT_EQ(report.fields[0].type, "text");
  EXPECT_THAT(
      report.notes,
      Contains(AllOf(HasSubstr("'when' holds 398 times, but also \"0000-00-00 00:00:00\", \"soon\""),
                     HasSubstr("missing_values = [\"0000-00-00 00:00:00\", \"soon\"] in a feature"))));
  EXPECT_THAT(report.notes, Not(Contains(HasSubstr("'many'"))));
  expect_usable(report);
}

TEST_F(InspectTest, TextsForMissingAreValuesWhereNoNumbersAre) {
  const InspectReport report = run({"a\ty\nNA\t1\nx\t2\ny\tNA\n"}, "y", HeaderChoice::yes);
  EXPECT_EQ(report.fields[0].missing, 0u);
  EXPECT_TRUE(report.schema.missing_values.empty());  // the label has its own rule
  EXPECT_EQ(report.fields[1].missing, 1u);
  EXPECT_THAT(report.notes.back(), HasSubstr("1 row has no value (\"NA\" taken as missing)"));
}

TEST_F(InspectTest, ManyValuesAreEstimated) {
  std::string text = "id\tlabel\n";
  for (int i = 0; i < 30000; ++i) text += fmt::format("user{}\t{}\n", i, i % 2);
  const InspectReport report = run({text}, "label");
  EXPECT_FALSE(report.fields[0].distinct_is_exact);
  EXPECT_NEAR(report.fields[0].distinct, 30000, 30000 * 6 * report.cardinality_standard_error);
  EXPECT_THAT(report.schema_toml, HasSubstr("about"));
  expect_usable(report);
}

TEST_F(InspectTest, DistinctValuesAreExactUpToTheBound) {
  for (const std::size_t count : {std::size_t{4095}, std::size_t{4096}, std::size_t{4097}}) {
    FieldCensus census("a");
    for (int repeat = 0; repeat < 2; ++repeat) {
      for (std::size_t i = 0; i < count; ++i) census.add(std::to_string(i));
    }
    EXPECT_EQ(census.report().distinct_is_exact, count <= 4096);
    EXPECT_EQ(census.values().size(), count <= 4096 ? count : 0u);
    EXPECT_NEAR(census.report().distinct, static_cast<double>(count), static_cast<double>(count) * 0.05);
    for (const auto& value : census.values()) ASSERT_EQ(value.count, 2u);
  }
}

TEST_F(InspectTest, TypesAreThoseOfAllValues) {
  const auto type = [](const std::vector<std::string>& values) {
    FieldCensus census("a");
    for (const auto& value : values) census.add(value);
    return census.report().type;
  };
  EXPECT_EQ(type({}), "empty");
  EXPECT_EQ(type({"", ""}), "empty");
  EXPECT_EQ(type({"", "1", "-5"}), "integer");
  EXPECT_EQ(type({"1", "2.5"}), "number");
  EXPECT_EQ(type({"1e5"}), "number");
  EXPECT_EQ(type({"1", "x"}), "text");
  EXPECT_EQ(type({"nan"}), "text");
  EXPECT_EQ(type({"nan", "1", "NA"}), "integer");
  EXPECT_EQ(type({"NA", "1.5"}), "number");
  EXPECT_EQ(type({"NA", "1.5", "x"}), "text");
  EXPECT_EQ(type({"inf"}), "text");
  FieldCensus census("a");
  for (const char* value : {"", "5", "-3", "4"}) census.add(value);
  EXPECT_EQ(census.report().minimum, -3);
  EXPECT_EQ(census.report().maximum, 5);
}

}  // namespace
}  // namespace widehash::test
