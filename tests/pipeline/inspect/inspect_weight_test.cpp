#include "pipeline/pipeline_kit.hpp"

#include <widehash/inspect.hpp>
#include <widehash/table_inspector.hpp>

namespace widehash::test {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

class InspectWeight : public testing::Test {
 protected:
  InspectReport run(const std::string& text, const std::string& weight, const std::string& label = "y") {
    write_text_file(folder_.file("rows.tsv"), text);
    return inspect({.inputs = {folder_.file("rows.tsv")}, .label = label, .weight = weight});
  }

  TempFolder folder_;
};

TEST_F(InspectWeight, IsNoFeature) {
  const InspectReport found = run("y\tw\tsite\n1\t1\ta\n0\t2.5\tb\n0\t10\ta\n", "w");
  EXPECT_EQ(found.schema.weight, "w");
  ASSERT_EQ(found.schema.features.size(), 1u);
  EXPECT_EQ(found.schema.features[0].name, "site");
  EXPECT_EQ(parse_schema(found.schema_toml, "proposed").fingerprint(), found.schema.fingerprint());
  EXPECT_THAT(found.notes, Contains("weight 'w': 1 to 10"));
  write_text_file(folder_.file("s.toml"), found.schema_toml);
  EXPECT_EQ(run_transform(found.schema_toml, {folder_.file("rows.tsv")}, folder_.file("out")).rows, 3u);
}

TEST_F(InspectWeight, SaysWhichRowsWillBeBad) {
  EXPECT_THAT(run("y\tw\ts\n1\t-1\ta\n0\t2\tb\n", "w").notes, Contains(HasSubstr("below 0 are bad rows")));
  EXPECT_THAT(run("y\tw\ts\n1\tNA\ta\n0\t2\tb\n", "w").notes, Contains(HasSubstr("below 0 are bad rows")));
  EXPECT_THAT(run("y\tw\ts\n1\tNA\ta\n0\t2\tb\n", "w").schema.missing_values, testing::IsEmpty())
      << "of features alone";
}

TEST_F(InspectWeight, ThatIsNoneIsRefused) {
  const std::string text = "y\tw\ts\n1\tmuch\ta\n0\tlittle\tb\n";
  EXPECT_THAT(complaint<ConfigError>([&] { run(text, "w"); }),
              HasSubstr("'w' cannot be the weight, since it holds text"));
  EXPECT_THAT(complaint<ConfigError>([&] { run(text, "wt"); }),
              HasSubstr("has no field 'wt' to use as the weight; its fields are: y, w, s"));
  EXPECT_THAT(complaint<ConfigError>([&] { run(text, "y"); }), HasSubstr("the label and the weight"));
}

TEST_F(InspectWeight, OfATableInMemory) {
  const std::vector<double> weights{1, 2.5};
  const std::vector<std::string_view> sites{"a", "b"};
  ColumnTable table;
  table.add("w", number_column<double>(weights));
  table.add("site", text_column(sites));
  TableInspector inspector("", 0, "w");
  inspector.append(table);
  const InspectReport found = inspector.report();
  EXPECT_EQ(found.schema.weight, "w");
  EXPECT_EQ(found.schema.features.size(), 1u);
  EXPECT_THAT(found.schema_toml, Not(HasSubstr("field = \"w\"")));
  EXPECT_THAT(complaint<ConfigError>([&] { TableInspector("", 0, "x").append(table); }),
              HasSubstr("no field 'x' to use as the weight"));
  EXPECT_THROW(TableInspector("site", 0, "site"), ConfigError);
}

}  // namespace
}  // namespace widehash::test
