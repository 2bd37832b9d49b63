#include "pipeline/click_table.hpp"
#include "pipeline/pipeline_kit.hpp"

#include <widehash/cross.hpp>
#include <widehash/lookup_table.hpp>
#include <widehash/table_set.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

namespace widehash::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

using Counts = std::map<std::string, std::uint64_t>;

Counts counts_of(const TableSet& set, std::size_t feature) {
  const LookupTable table(set.directory + "/" + set.items.at(feature).file);
  table.verify();
  Counts counts;
  for (std::uint64_t i = 0; i < table.num_values(); ++i) {
    counts[std::string(table.entry(i).value)] = table.entry(i).count;
  }
  return counts;
}

std::vector<std::string> cells(const std::string& row, char delimiter) {
  std::vector<std::string> fields(1);
  for (const char c : row) {
    if (c == delimiter) {
      fields.emplace_back();
    } else {
      fields.back() += c;
    }
  }
  return fields;
}

const std::string fit_schema = std::string(click_schema) + R"([[feature]]
cross = ["shop", "tags"]
separator = ","
cardinality = 1000
[[feature]]
field = "user"
name = "ignored"
encoding = "ignore"
[[feature]]
field = "price"
name = "scaled"
encoding = "numeric"
transform = "standardize"
)";

class FitTest : public testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& text) {
    write_text_file(folder_.file(name), text);
    return folder_.file(name);
  }

  TempFolder folder_;
};

TEST_F(FitTest, CountsAreThoseOfAPlainMap) {
  Counts users;
  Counts shops;
  Counts tags;
  Counts crosses;
  double price_sum = 0;
  for (const std::string& row : click_rows(3000, 1)) {
    const auto fields = cells(row, '\t');
    ++users[fields[2]];
    ++shops[fields[3]];
    price_sum += std::stod(fields[4]);
    for (const std::string& tag : cells(fields[5], ',')) {
      if (!tag.empty()) ++tags[tag];
      const std::vector<std::string_view> parts = {fields[3], tag};
      ++crosses[cross_value(parts)];
    }
  }
  const FitReport report =
      run_fit(fit_schema, {write("in.tsv", click_text(3000, 1))}, folder_.file("tables"));
  EXPECT_EQ(report.rows, 3000u);
  EXPECT_EQ(report.rejected_rows, 0u);
  EXPECT_EQ(report.tables.rows, 3000u);
  ASSERT_EQ(report.tables.items.size(), 7u);
  EXPECT_EQ(counts_of(report.tables, 0), users);
  EXPECT_EQ(counts_of(report.tables, 1), shops);
  EXPECT_EQ(counts_of(report.tables, 3), tags);
  EXPECT_EQ(counts_of(report.tables, 4), crosses);
  EXPECT_EQ(report.tables.items[2].file, "");
  EXPECT_EQ(report.tables.items[5].file, "");
  EXPECT_EQ(report.tables.items[6].moments.count, 3000u);
  EXPECT_NEAR(report.tables.items[6].moments.mean, price_sum / 3000, 1e-9);
  EXPECT_EQ(load_table_set(folder_.file("tables")).fingerprint, report.tables.fingerprint);
}

TEST_F(FitTest, SpillsDoNotChangeTheTables) {
  // More distinct bytes than the smallest budget holds at once.
  std::string text = "a\n";
  for (int i = 0; i < 150000; ++i) text += fmt::format("{:0>400}\n", i % 120000);
  const std::string input = write("in.tsv", text);
  const std::string toml = "[[feature]]\nfield = \"a\"\ncardinality = 100000\n";
  FitOptions little;
  little.memory_bytes = std::uint64_t{36} << 20;
  FitReport spilled;
  with_threads(1, [&] { spilled = run_fit(toml, {input}, folder_.file("little"), little); });
  const FitReport roomy = run_fit(toml, {input}, folder_.file("roomy"));
  EXPECT_GT(spilled.spilled_runs, 0u);
  EXPECT_EQ(roomy.spilled_runs, 0u);
  EXPECT_EQ(spilled.tables.items[0].num_values, 120000u);
  EXPECT_EQ(difference(folder_bytes(folder_.file("little")), folder_bytes(folder_.file("roomy"))), "");
}

TEST_F(FitTest, BytesDoNotDependOnThreads) {
  std::string text;
  for (int part = 0; part < 12; ++part)
    text += click_text(20000, 2).substr(part == 0 ? 0 : click_header.size());
  const std::string input = write("in.tsv", text);  // several blocks of 4 MiB
  ASSERT_GT(text.size(), std::size_t{5} << 20);
  for (const std::size_t threads : {1, 2, 7}) {
    with_threads(threads, [&] { run_fit(fit_schema, {input}, folder_.file(fmt::format("t{}", threads))); });
  }
  const auto one = folder_bytes(folder_.file("t1"));
  EXPECT_EQ(difference(one, folder_bytes(folder_.file("t2"))), "");
  EXPECT_EQ(difference(one, folder_bytes(folder_.file("t7"))), "");
}

TEST_F(FitTest, BytesDoNotDependOnThreadsWhereMemoryIsFull) {
  // Short, long and constructed values, missing ones skipped and kept, and several values in a field.
  std::string text = "a\tb\tc\tn\n";
  for (int i = 0; i < 60000; ++i) {
    text += fmt::format("{:0>200}\t{}\t{}|{}|\t{}\n", i % 50000,
                        i % 5 == 0 ? "" : fmt::format("b{}", i % 9000), i % 700, i % 31, i * 0.37);
  }
  const std::string input = write("in.tsv", text);
  const std::string toml =
      "missing_values = [\"b77\"]\n"
      "[[feature]]\nfield = \"a\"\ncardinality = 100000\n"
      "[[feature]]\nfield = \"b\"\ncardinality = 9000\nmissing = \"skip\"\n"
      "[[feature]]\nfield = \"b\"\nname = \"b2\"\ncardinality = 9000\n"
      "[[feature]]\nfield = \"c\"\ncardinality = 700\nseparator = \"|\"\n"
      "[[feature]]\ncross = [\"a\", \"b\"]\ncardinality = 100000\n"
      "[[feature]]\nfield = \"n\"\nencoding = \"numeric\"\n";
  FitOptions little;
  little.memory_bytes = std::uint64_t{36} << 20;
  FitReport roomy;
  with_threads(1, [&] { roomy = run_fit(toml, {input}, folder_.file("roomy")); });
  EXPECT_EQ(roomy.spilled_runs, 0u);
  for (const std::size_t threads : {1, 2, 7}) {
    const std::string folder = folder_.file(fmt::format("t{}", threads));
    FitReport spilled;
    with_threads(threads, [&] { spilled = run_fit(toml, {input}, folder, little); });
    EXPECT_GT(spilled.spilled_runs, 0u);
    EXPECT_EQ(difference(folder_bytes(folder), folder_bytes(folder_.file("roomy"))), "");
  }
  const Counts skipping = counts_of(roomy.tables, 1);
  const Counts keeping = counts_of(roomy.tables, 2);
  EXPECT_FALSE(skipping.contains(""));
  EXPECT_FALSE(keeping.contains("b77"));
  std::uint64_t missing = 0;
  for (int i = 0; i < 60000; ++i) missing += i % 5 == 0 || i % 9000 == 77 ? 1 : 0;
  EXPECT_EQ(keeping.at(""), missing);
}

TEST_F(FitTest, RejectsTheRowsThatTransformRejects) {
  std::string text = click_header;
  for (const std::string& row : click_rows(50, 3)) text += row + "\n";
  for (const char* bad :
       {"1\t1\tu\ts\t5\n", "7\t1\tu\ts\t5\tt\n", "1\tx\tu\ts\t5\tt\n", "1\t1\tu\ts\tfive\tt\n"})
    text += bad;
  for (const std::string& row : click_rows(50, 4)) text += row + "\n";
  const std::string input = write("in.tsv", text);
  FitOptions options;
  options.max_bad_rows = 4;
  const FitReport fitted = run_fit(click_schema, {input}, folder_.file("tables"), options);
  TransformOptions transform_options;
  transform_options.max_bad_rows = 4;
  const TransformReport written =
      run_transform(click_schema, {input}, folder_.file("out"), transform_options);
  EXPECT_EQ(fitted.rows, written.rows);
  EXPECT_EQ(fitted.rejected_rows, 4u);
  EXPECT_EQ(read_text_file(fitted.rejected_file), read_text_file(written.rejected_file));
  std::uint64_t users = 0;
  for (const auto& [value, count] : counts_of(fitted.tables, 0)) users += count;
  EXPECT_EQ(users, 100u);

  options.max_bad_rows = 3;
  EXPECT_THROW(run_fit(click_schema, {input}, folder_.file("less"), options), DataError);
  EXPECT_FALSE(file_exists(folder_.file("less/tables.json")));
  options.max_bad_rows = 0;
  EXPECT_THAT(complaint<DataError>([&] { run_fit(click_schema, {input}, folder_.file("none"), options); }),
              AllOf(HasSubstr("in.tsv"), HasSubstr("52")));
}

TEST_F(FitTest, QuotedValuesOfManyTilesAreCountedAsTheyAre) {
  std::string text = "a,b\n";
  for (int i = 0; i < 5000; ++i) text += fmt::format("\"say \"\"{}\"\"\",\"x\"\n", i % 3000);
  const FitReport report = run_fit(
      "format = \"csv\"\n[[feature]]\nfield = \"a\"\ncardinality = 10\n[[feature]]\ncross = [\"a\", "
      "\"b\"]\ncardinality = 10\n",
      {write("in.csv", text)}, folder_.file("tables"));
  const Counts counts = counts_of(report.tables, 0);
  EXPECT_EQ(counts.size(), 3000u);
  EXPECT_EQ(counts.at("say \"7\""), 2u);
  EXPECT_EQ(counts.at("say \"2999\""), 1u);
  EXPECT_EQ(counts_of(report.tables, 1).size(), 3000u);
}

TEST_F(FitTest, BareRowsAreCountedAsThoseWithQuotes) {
  // Bare rows are counted by the places of their values, rows with quotes by views.
  const std::string features = R"(
format = "csv"
label = "y"
[[feature]]
field = "a"
cardinality = 10
[[feature]]
field = "b"
cardinality = 10
missing = "skip"
[[feature]]
field = "c"
cardinality = 10
separator = "|"
[[feature]]
cross = ["c", "a"]
cardinality = 10
separator = "|"
[[feature]]
name = "one"
field = "b"
encoding = "one_hot"
cardinality = 10
)";
  static constexpr std::string_view values[] = {
      "NA", "", "x", "NAN", "12345678", "not known", "a long value of a field|x|", "?"};
  std::mt19937_64 random(3);
  std::string bare = "y,a,b,c\n";
  std::string quoted = bare;
  for (int row = 0; row < 5000; ++row) {
    std::string rest;
    for (int field = 0; field < 3; ++field) rest += "," + std::string(values[random() % std::size(values)]);
    const bool ends_in_cr = random() % 500 == 0;  // and the rows around it in LF
    bare += "1" + rest + (ends_in_cr ? "\r\n" : "\n");
    quoted += "\"1\"" + rest + "\n";
  }
  write_text_file(folder_.file("bare.csv"), bare);
  write_text_file(folder_.file("quoted.csv"), quoted);
  for (const std::string missing : {"", "missing_values = [\"NA\", \"12345678\", \"not known\"]\n"}) {
    FitOptions options;
    options.overwrite = true;
    const auto fit_tables = [&](const std::string& top, const std::string& file, const std::string& tables) {
      return run_fit(top + missing + features, {folder_.file(file)}, folder_.file(tables), options).tables;
    };
    const TableSet by_views = fit_tables("trim = true\n", "bare.csv", "views");
    const TableSet by_places = fit_tables("", "bare.csv", "places");
    const TableSet quoted_by_places = fit_tables("", "quoted.csv", "quoted");
    for (std::size_t i = 0; i < by_places.items.size(); ++i) {
      EXPECT_FALSE(counts_of(by_places, i).empty());
      EXPECT_EQ(counts_of(by_places, i), counts_of(by_views, i)) << missing << i;
      EXPECT_EQ(counts_of(quoted_by_places, i), counts_of(by_views, i)) << missing << i;
    }
    EXPECT_EQ(counts_of(by_places, 0).contains("NA"), missing.empty());
    EXPECT_FALSE(counts_of(by_places, 1).contains(""));
  }
}

TEST_F(FitTest, TooLittleMemorySaysHowMuchIsNeeded) {
  FitOptions options;
  options.memory_bytes = 1 << 20;
  const std::string input = write("in.tsv", click_text(5, 5));
  EXPECT_THAT(
      complaint<ConfigError>([&] { run_fit(click_schema, {input}, folder_.file("tables"), options); }),
      AllOf(HasSubstr("--memory"), HasSubstr(std::to_string(std::uint64_t{32} << 20))));
}

TEST_F(FitTest, TheDefaultMemoryIsEnoughForManyThreads) {
  const std::string input = write("in.tsv", click_text(5, 5));
  with_threads(64, [&] { EXPECT_EQ(run_fit(click_schema, {input}, folder_.file("tables")).rows, 5u); });
}

TEST_F(FitTest, MoreColumnsThanAMatrixHasAreReportedBeforeAnythingIsCounted) {
  const std::string toml = R"([[feature]]
field = "shop"
encoding = "one_hot"
buckets = 2147483647
[[feature]]
field = "user"
cardinality = 4
)";
  const std::string path = write("in.tsv", click_header + std::string("bad\n"));
  EXPECT_THAT(complaint<ConfigError>([&] { run_fit(toml, {path}, folder_.file("tables")); }),
              AllOf(HasSubstr("2147483679 columns"), HasSubstr("'shop'")));
  EXPECT_FALSE(file_exists(folder_.file("tables")));
}

TEST_F(FitTest, WhereItFailsNoEmptyFolderIsLeft) {
  const std::string path = write("in.tsv", click_header + std::string("bad\n"));
  EXPECT_THROW(run_fit(click_schema, {path}, folder_.file("new/tables")), DataError);
  EXPECT_FALSE(file_exists(folder_.file("new")));
}

TEST_F(FitTest, FilesOfOthersAreNotReplaced) {
  const std::string path = write("in.tsv", click_header);
  for (const char* name : {"fit.json", "rejected.failed.tsv", "000-user.table"}) {
    const std::string folder = folder_.file(std::string("of-") + name);
    make_directories(folder);
    write_text_file(folder + "/" + name, "somebody's");
    EXPECT_THAT(complaint<ConfigError>([&] { run_fit(click_schema, {path}, folder); }),
                AllOf(HasSubstr(name), HasSubstr("--overwrite")));
    EXPECT_EQ(read_text_file(folder + "/" + name), "somebody's");
    EXPECT_FALSE(file_exists(folder + "/tables.json"));
  }
}

TEST_F(FitTest, NoRowsGiveEmptyTables) {
  const FitReport report = run_fit(click_schema, {write("in.tsv", click_header)}, folder_.file("tables"));
  EXPECT_EQ(report.rows, 0u);
  EXPECT_TRUE(counts_of(report.tables, 0).empty());
}

TEST_F(FitTest, ASchemaBuiltInCodeNeedsNoTextAndTakesNoOther) {
  FitOptions options;
  options.inputs = {write("in.tsv", click_text(50, 1))};
  options.output_directory = folder_.file("tables");
  const Schema schema = parse_schema(fit_schema, "schema.toml");
  EXPECT_THROW(fit({schema, click_schema}, options), ConfigError);
  fit({schema, {}}, options);
  EXPECT_EQ(load_schema(folder_.file("tables/schema.toml")).fingerprint(), schema.fingerprint());
}

}  // namespace
}  // namespace widehash::test
