#include "pipeline/click_table.hpp"
#include "pipeline/pipeline_kit.hpp"

#include <widehash/table_set.hpp>
#include <widehash/table_set_writer.hpp>

#include <fstream>
#include <random>
#include <thread>

#include <sys/stat.h>

namespace widehash::test {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

// Every kind of table, but no moments: their last bits may differ.
const std::string no_numbers =
    std::string(click_schema).substr(0, std::string(click_schema).find("[[feature]]")) +
    R"([[feature]]
field = "user"
cardinality = 1000
encoding = "exact"
[[feature]]
field = "shop"
encoding = "one_hot"
buckets = 50
[[feature]]
field = "tags"
separator = ","
cardinality = 50
[[feature]]
cross = ["shop", "tags"]
separator = ","
cardinality = 1000
)";

/// What `fit` wrote about the values: everything but the record of its inputs.
std::map<std::string, std::string> tables_in(const std::string& folder) {
  auto bytes = folder_bytes(folder);
  bytes.erase("fit.json");
  return bytes;
}

class FitAdd : public testing::Test {
 protected:
  std::string day(int number, int rows = 700) {
    const std::string path = folder_.file(fmt::format("day{}.tsv", number));
    if (!file_exists(path)) write_text_file(path, click_text(rows, static_cast<unsigned>(number)));
    return path;
  }
  std::string at(const std::string& name) const { return folder_.file(name); }
  FitReport add(const std::vector<std::string>& sets, const std::vector<std::string>& inputs,
                const std::string& output, FitOptions options = {}) {
    for (const std::string& set : sets) options.add.push_back(at(set));
    return run_fit(toml_, inputs, at(output), options);
  }
  void expect_refused(const std::vector<std::string>& sets, const std::vector<std::string>& inputs,
                      const std::string& output, const std::string& reason, FitOptions options = {}) {
    const auto before = folder_bytes(folder_.path());
    EXPECT_THAT(complaint<ConfigError>([&] { add(sets, inputs, output, options); }), HasSubstr(reason));
    EXPECT_EQ(difference(folder_bytes(folder_.path()), before), "");
  }

  TempFolder folder_;
  std::string toml_ = no_numbers;
};

TEST_F(FitAdd, HoweverInputsAreDividedTheTablesAreThoseOfOneFit) {
  std::vector<std::string> days;
  for (int i = 0; i < 6; ++i) days.push_back(day(i));
  run_fit(toml_, days, at("one"));
  std::mt19937 random(4);
  for (int trial = 0; trial < 6; ++trial) {
    // Days are dealt to sets. Each set but the first adds some of the sets before it, so that trees occur too.
    std::vector<std::string> open;
    std::vector<std::string> left = days;
    std::shuffle(left.begin(), left.end(), random);
    int made = 0;
    while (!left.empty() || open.size() > 1) {
      std::vector<std::string> inputs;
      std::vector<std::string> sets;
      for (auto take = random() % 3; take > 0 && !left.empty(); --take) {
        inputs.push_back(left.back());
        left.pop_back();
      }
      for (auto take = random() % 3; take > 0 && !open.empty(); --take) {
        sets.push_back(open.front());
        open.erase(open.begin());
      }
      if (inputs.empty() && sets.empty()) continue;
      const std::string name = fmt::format("t{}-{}", trial, made++);
      const FitReport report = add(sets, inputs, name);
      EXPECT_EQ(report.rows - report.added_rows, 700u * inputs.size());
      open.push_back(name);
    }
    EXPECT_EQ(difference(tables_in(at(open.front())), tables_in(at("one"))), "");
    EXPECT_EQ(verify_tables(load_table_set(at(open.front()))).rows, 4200u);
  }
}

TEST_F(FitAdd, MemoryAndThreadsDoNotChangeTheTables) {
  // More distinct bytes than the smallest budget holds at once, both in what is added and in what is counted.
  toml_ = "[[feature]]\nfield = \"a\"\ncardinality = 100000\n";
  for (int part = 0; part < 2; ++part) {
    std::string text = "a\n";
    for (int i = 0; i < 100000; ++i) text += fmt::format("{:0>400}\n", (part * 50000 + i) % 120000);
    write_text_file(at(fmt::format("{}.tsv", part)), text);
  }
  run_fit(toml_, {at("0.tsv")}, at("first"));
  run_fit(toml_, {at("0.tsv"), at("1.tsv")}, at("one"));
  FitOptions little;
  little.memory_bytes = std::uint64_t{36} << 20;
  with_threads(1, [&] { EXPECT_GT(add({"first"}, {at("1.tsv")}, "little", little).spilled_runs, 0u); });
  with_threads(5, [&] { EXPECT_EQ(add({"first"}, {at("1.tsv")}, "roomy").spilled_runs, 0u); });
  EXPECT_EQ(difference(tables_in(at("little")), tables_in(at("one"))), "");
  EXPECT_EQ(difference(tables_in(at("roomy")), tables_in(at("one"))), "");
}

TEST_F(FitAdd, MomentsAreThoseOfAllRows) {
  toml_ = "[[feature]]\nfield = \"price\"\nencoding = \"numeric\"\ntransform = \"standardize\"\n";
  run_fit(toml_, {day(1), day(2), day(3)}, at("one"));
  run_fit(toml_, {day(1)}, at("first"));
  run_fit(toml_, {day(2)}, at("second"));
  const NumericMoments all = load_table_set(at("one")).items.at(0).moments;
  const NumericMoments sum = add({"first", "second"}, {day(3)}, "sum").tables.items.at(0).moments;
  EXPECT_EQ(sum.count, all.count);
  EXPECT_NEAR(sum.mean, all.mean, 1e-12 * std::abs(all.mean));
  EXPECT_NEAR(sum.standard_deviation, all.standard_deviation, 1e-12 * all.standard_deviation);
}

TEST_F(FitAdd, AFolderMayBeAddedTo) {
  run_fit(toml_, {day(1)}, at("tables"));
  add({"tables"}, {day(2)}, "tables");
  const FitReport third = add({"tables"}, {day(3)}, "tables");
  EXPECT_EQ(third.rows, 2100u);
  EXPECT_EQ(third.added_rows, 1400u);
  EXPECT_FALSE(third.already_complete);
  run_fit(toml_, {day(1), day(2), day(3)}, at("one"));
  EXPECT_EQ(difference(tables_in(at("tables")), tables_in(at("one"))), "");
}

TEST_F(FitAdd, WhatIsCountedAlreadyIsPassedOver) {
  run_fit(toml_, {day(1)}, at("tables"));
  run_fit(toml_, {day(4)}, at("fourth"));
  add({"tables"}, {day(2), day(3)}, "tables");
  const auto before = folder_bytes(at("tables"));
  for (const auto& days : {std::vector{day(2), day(3)}, {day(3)}, {day(1), day(2)}}) {
    const FitReport again = add({"tables"}, days, "tables");
    EXPECT_TRUE(again.already_complete);
    EXPECT_EQ(again.rows, 2100u);
    EXPECT_EQ(again.added_rows, 2100u);
    EXPECT_EQ(again.skipped_inputs, days.size());
    EXPECT_EQ(again.input_bytes, 0u);
  }
  FitOptions overwrite;
  overwrite.overwrite = true;
  EXPECT_TRUE(add({"tables"}, {day(3)}, "tables", overwrite).already_complete);
  EXPECT_EQ(difference(folder_bytes(at("tables")), before), "");
  // With some of the inputs counted already, only the rest is counted. In another folder with no new input,
  // nothing is counted and the tables are copies of those that were added.
  const FitReport rest = add({"tables"}, {day(3), day(5), day(1)}, "more");
  EXPECT_EQ(rest.rows, 2800u);
  EXPECT_EQ(rest.skipped_inputs, 2u);
  run_fit(toml_, {day(1), day(2), day(3), day(5)}, at("one"));
  EXPECT_EQ(difference(tables_in(at("more")), tables_in(at("one"))), "");
  EXPECT_EQ(add({"tables"}, {day(3)}, "copy").rows, 2100u);
  EXPECT_EQ(difference(tables_in(at("copy")), tables_in(at("tables"))), "");
  add({"fourth", "tables"}, {}, "tables");
  EXPECT_TRUE(add({"fourth", "tables"}, {}, "tables").already_complete);
  expect_refused({"fourth", "tables"}, {}, "other", "day4.tsv: is counted in the tables of both");
  expect_refused({"tables", "more"}, {}, "tables", "the tables of both");
}

TEST_F(FitAdd, AnInputIsKnownByItsPlaceAndItsBytes) {
  run_fit(toml_, {day(1)}, at("tables"));
  fs::create_symlink(day(1), at("link.tsv"));
  for (const std::string& path :
       {at("link.tsv"), folder_.path() + "/./day1.tsv", folder_.path() + "//day1.tsv"})
    EXPECT_TRUE(add({"tables"}, {path}, "tables").already_complete) << path;
  // The same bytes in another place are another input. So are other bytes in the same place, which is reported.
  fs::copy_file(day(1), at("copy.tsv"));
  const FitReport copy = add({"tables"}, {at("copy.tsv")}, "tables");
  EXPECT_EQ(copy.rows, 1400u);
  EXPECT_TRUE(copy.changed_inputs.empty());
  EXPECT_THAT(copy.copied_inputs, testing::ElementsAre(at("copy.tsv")));
  write_text_file(day(1), click_text(10, 99));
  const FitReport changed = add({"tables"}, {day(1), day(2)}, "tables");
  EXPECT_EQ(changed.rows, 2110u);
  EXPECT_THAT(changed.changed_inputs, testing::ElementsAre(day(1)));
  EXPECT_TRUE(changed.copied_inputs.empty());
}

TEST_F(FitAdd, TablesThatCountTheSameBytesOrPlaceAreReported) {
  run_fit(toml_, {day(1)}, at("tables"));
  fs::copy_file(day(1), at("copy.tsv"));
  run_fit(toml_, {at("copy.tsv"), day(2)}, at("copies"));
  const FitReport copied = add({"tables", "copies"}, {}, "both");
  EXPECT_THAT(copied.copied_inputs, testing::ElementsAre(at("copy.tsv")));
  EXPECT_TRUE(copied.changed_inputs.empty());
  write_text_file(day(1), click_text(10, 99));
  run_fit(toml_, {day(1)}, at("mended"));
  const FitReport changed = add({"tables", "mended"}, {day(3)}, "two days");
  EXPECT_THAT(changed.changed_inputs, testing::ElementsAre(day(1)));
  EXPECT_TRUE(changed.copied_inputs.empty());
  run_fit(toml_, {day(4)}, at("fourth"));
  const FitReport apart = add({"mended", "fourth"}, {}, "apart");
  EXPECT_TRUE(apart.changed_inputs.empty() && apart.copied_inputs.empty());
}

// The record, which is JSON, cannot hold such a path as it is.
TEST_F(FitAdd, InputsInAFolderWhoseNameIsNotUtf8AreCountedOnce) {
  const std::string place =
      at("donn\xE9"
         "es");
  fs::create_directory(place);
  fs::copy_file(day(1), place + "/1.tsv");
  fs::copy_file(day(2), place + "/2.tsv");
  run_fit(toml_, {place + "/1.tsv"}, at("tables"));
  const FitReport both = add({"tables"}, {place + "/1.tsv", place + "/2.tsv"}, "both");
  EXPECT_EQ(both.rows, 1400u);
  EXPECT_EQ(both.skipped_inputs, 1u);
  EXPECT_TRUE(both.copied_inputs.empty());
  EXPECT_TRUE(add({"both"}, {place + "/2.tsv"}, "both").already_complete);
}

TEST_F(FitAdd, InputsWithoutAByteAddNothing) {
  run_fit(toml_, {day(1)}, at("tables"));
  write_text_file(at("empty.tsv"), "");
  FitOptions allow;
  allow.allow_empty = true;
  EXPECT_TRUE(add({"tables"}, {at("empty.tsv")}, "tables", allow).already_complete);
  EXPECT_EQ(add({"tables"}, {day(2), at("empty.tsv")}, "tables", allow).rows, 1400u);
  const auto before = folder_bytes(at("tables"));
  const FitReport again = add({"tables"}, {day(2), at("empty.tsv")}, "tables", allow);
  EXPECT_TRUE(again.already_complete);
  EXPECT_EQ(again.skipped_inputs, 2u);
  EXPECT_EQ(difference(folder_bytes(at("tables")), before), "");
}

TEST_F(FitAdd, RejectedRowsOfTheSameFitAreStillThoseOfIt) {
  run_fit(toml_, {day(1)}, at("tables"));
  write_text_file(at("bad.tsv"), click_text(20, 5) + "bad row\n");
  FitOptions allow;
  allow.max_bad_rows = 1;
  EXPECT_EQ(add({"tables"}, {at("bad.tsv")}, "tables", allow).rejected_rows, 1u);
  const FitReport again = add({"tables"}, {at("bad.tsv")}, "tables", allow);
  EXPECT_TRUE(again.already_complete);
  EXPECT_EQ(again.rejected_rows, 1u);
  EXPECT_EQ(again.rejected_file, at("tables/rejected.tsv"));
  expect_refused({"tables"}, {at("bad.tsv")}, "tables", "left out 1 bad row");
  // What another fit left out is no reason to refuse a merge that is already done.
  run_fit(toml_, {day(1)}, at("part"));
  EXPECT_TRUE(add({"tables", "part"}, {}, "tables").already_complete);
}

TEST_F(FitAdd, TablesOfStreamsAreKnownByWhatTheyAre) {
  ASSERT_EQ(::mkfifo(at("pipe").c_str(), 0600), 0);
  std::jthread writer([&] { std::ofstream(at("pipe")) << click_text(50, 3); });
  run_fit(toml_, {at("pipe")}, at("stream"));
  writer.join();
  fs::remove(at("pipe"));
  fs::copy(at("stream"), at("copy"));
  expect_refused({"stream", "copy"}, {}, "x", "are already included in those of");
  add({"stream"}, {day(1)}, "second");
  add({"second"}, {day(2)}, "third");
  expect_refused({"third", "stream"}, {}, "x", "are already included in those of");
  EXPECT_TRUE(add({"third", "stream"}, {}, "third").already_complete);
}

TEST_F(FitAdd, TheSameSumIsFoundDone) {
  run_fit(toml_, {day(1)}, at("first"));
  run_fit(toml_, {day(2)}, at("second"));
  add({"first", "second"}, {day(3)}, "sum");
  const FitReport again = add({"first", "second"}, {day(3)}, "sum");
  EXPECT_TRUE(again.already_complete);
  EXPECT_EQ(again.rows, 2100u);
  EXPECT_EQ(again.added_rows, 1400u);
  expect_refused({"first"}, {day(3)}, "sum", "already holds tables, but input 2 was");
  expect_refused({}, {day(1), day(2), day(3)}, "sum",
                 "they were made by adding to other tables; choose another");
  expect_refused({}, {day(1)}, "second", "use --add " + at("second") + " to add to them");
  run_fit(toml_, {day(1), day(2), day(3)}, at("one"));
  expect_refused({"first", "second"}, {day(3)}, "one", "they were made without --add");
}

TEST_F(FitAdd, TablesOfBatchesAreKnownAgain) {
  const auto write = [&](const std::string& name, const std::vector<std::string>& values) {
    TableSetWriter writer(parse_schema(toml_, "schema"), {.output_directory = at(name)});
    ColumnTable table;
    std::vector<std::string_view> texts(values.begin(), values.end());
    for (const char* field : {"clicked", "user", "shop", "tags"}) {
      table.add(field, text_column(texts));
    }
    writer.append(table);
    writer.finish();
  };
  toml_ = toml_.substr(toml_.find("[[feature]]"));
  write("a", {"1", "0", "1"});
  write("b", {"0", "0", "1"});
  EXPECT_EQ(add({"a", "b"}, {}, "a").rows, 6u);
  EXPECT_TRUE(add({"a", "b"}, {}, "a").already_complete);
  expect_refused({"a", "b"}, {}, "c", "the tables of both");
}

TEST_F(FitAdd, WhatDoesNotAddUpIsRefused) {
  run_fit(toml_, {day(1)}, at("first"));
  FitOptions half;
  half.folds = parse_folds("1/2");
  run_fit(toml_, {day(2)}, at("half"), half);
  expect_refused({}, {}, "x", "no inputs are given");
  expect_refused({"first"}, {}, "first", "there is nothing to add");
  expect_refused({"first", "half"}, {}, "x", "counts folds 1/2");
  expect_refused({"half"}, {day(3)}, "x", "this fit counts all rows");
  expect_refused({"first"}, {day(3)}, "x", "this fit counts folds 1/2", half);
  expect_refused({"half"}, {day(2)}, "half", "this fit counts all rows");
  expect_refused({day(1)}, {}, "x", "holds no tables");
  EXPECT_EQ(add({"half"}, {day(3)}, "halves", half).added_rows, load_table_set(at("half")).rows);
  EXPECT_EQ(add({"half"}, {}, "copy").rows, load_table_set(at("half")).rows);
  expect_refused({"first", "first"}, {}, "x", "added twice");
  fs::create_directory_symlink(at("first"), at("link"));
  expect_refused({"first", "link"}, {}, "x", "added twice");
  fs::remove(at("link"));
  expect_refused({"first"}, {day(3)}, "first/x", "which this run reads");
  toml_ = std::string(click_schema);
  expect_refused({"first"}, {day(3)}, "x", "another schema");
  toml_ = no_numbers;
  write_text_file(at("first/fit.json"), read_text_file(at("first/fit.json")) + " ");
  expect_refused({"first"}, {day(3)}, "x", "is damaged");
  fs::remove(at("first/fit.json"));
  expect_refused({"first"}, {day(3)}, "x", "is missing");
}

TEST_F(FitAdd, ADamagedTableIsNotAddedTo) {
  run_fit(toml_, {day(1)}, at("tables"));
  const std::string path = at("tables/000-user.table");
  std::string bytes = read_text_file(path);
  bytes[200] = static_cast<char>(bytes[200] ^ 1);
  write_text_file(path, bytes);
  const auto before = folder_bytes(at("tables"));
  EXPECT_THAT(complaint<DataError>([&] { add({"tables"}, {day(2)}, "tables"); }),
              AllOf(HasSubstr("000-user.table"), HasSubstr("checksum")));
  // The damaged set does not count as complete either.
  EXPECT_THROW(add({"tables"}, {day(1)}, "tables"), DataError);
  EXPECT_EQ(difference(folder_bytes(at("tables")), before), "");
}

TEST_F(FitAdd, ItStopsAsAsked) {
  run_fit(toml_, {day(1)}, at("tables"));
  const auto before = folder_bytes(at("tables"));
  const StopFlag stop = true;
  FitOptions options;
  options.stop = &stop;
  EXPECT_THROW(add({"tables"}, {day(2)}, "tables", options), Stopped);
  EXPECT_EQ(difference(folder_bytes(at("tables")), before), "");
}

}  // namespace
}  // namespace widehash::test
