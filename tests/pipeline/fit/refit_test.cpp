#include "pipeline/click_table.hpp"
#include "pipeline/pipeline_kit.hpp"

#include <widehash/table_set.hpp>

namespace widehash::test {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

/// Tables that exist when `fit` is started again.
class Refit : public testing::Test {
 protected:
  Refit() {
    options_.max_bad_rows = 2;
    options_.inputs = {folder_.file("a.tsv")};
    options_.output_directory = folder_.file("tables");
    write_text_file(folder_.file("a.tsv"), click_text(30, 1) + "bad row\n");
    first_ = run();
    before_ = tables();
  }
  FitReport run(const std::string& toml = click_schema) { return fit(source(toml), options_); }
  std::map<std::string, std::string> tables() { return folder_bytes(options_.output_directory); }
  std::string place(const std::string& name) { return options_.output_directory + "/" + name; }
  void expect_refused(const std::string& toml, const std::string& reason) {
    EXPECT_THAT(complaint<ConfigError>([&] { run(toml); }),
                AllOf(HasSubstr(options_.output_directory), HasSubstr(reason), HasSubstr("--overwrite")));
    EXPECT_EQ(difference(tables(), before_), "");
  }
  void change_input() { write_text_file(folder_.file("a.tsv"), click_text(40, 2)); }

  TempFolder folder_;
  FitOptions options_;
  FitReport first_;
  std::map<std::string, std::string> before_;
};

TEST_F(Refit, TheSameTablesAreFoundDone) {
  {
    const DirectoryLock of_another(options_.output_directory);
    EXPECT_TRUE(run().already_complete)
        << "without a lock, which a folder that cannot be written to has none of";
  }
  const FitReport again = run();
  EXPECT_TRUE(again.already_complete);
  EXPECT_FALSE(first_.already_complete);
  EXPECT_EQ(again.rows, first_.rows);
  EXPECT_EQ(again.rejected_rows, 1u);
  EXPECT_EQ(again.rejected_file, first_.rejected_file);
  EXPECT_EQ(again.input_bytes, first_.input_bytes);
  EXPECT_EQ(again.tables.fingerprint, first_.tables.fingerprint);
  EXPECT_EQ(again.tables.directory, first_.tables.directory);
  EXPECT_EQ(difference(tables(), before_), "");
}

TEST_F(Refit, OtherTablesAreNotReplacedUnasked) {
  expect_refused(click_schema + std::string("[[feature]]\nfield = \"shop\"\nname = \"b\"\ncardinality = 5\n"),
                 "another schema (feature 'b' is only here)");
  write_text_file(folder_.file("b.tsv"), click_text(3, 3));
  options_.inputs.push_back(folder_.file("b.tsv"));
  expect_refused(click_schema, "number of inputs was 1 and is now 2");
  options_.inputs.pop_back();
  change_input();
  expect_refused(click_schema, "a.tsv has changed");
  fs::remove(place("fit.json"));
  before_ = tables();
  expect_refused(click_schema, "not recorded");
}

TEST_F(Refit, OverwriteReplacesTheWholeSet) {
  change_input();
  options_.overwrite = true;
  const std::string fewer =
      std::string(click_schema).substr(0, std::string(click_schema).rfind("[[feature]]"));
  const FitReport report = run(fewer);
  EXPECT_EQ(report.rows, 40u);
  EXPECT_EQ(verify_tables(load_table_set(options_.output_directory)).rows, 40u);
  options_.output_directory = folder_.file("new");
  run(fewer);
  // Nothing is left of the old set, neither the table of a removed feature nor its rejected rows.
  EXPECT_EQ(difference(folder_bytes(folder_.file("tables")), tables()), "");
}

TEST_F(Refit, TablesOfMoreBadRowsThanAllowedAreNotTheSame) {
  options_.max_bad_rows = 1;
  EXPECT_TRUE(run().already_complete);
  options_.max_bad_rows = 0;
  expect_refused(click_schema, "left out 1 bad row, but --max-bad-rows allows 0");
}

TEST_F(Refit, AListOfRejectedRowsThatIsGoneIsNotNamed) {
  fs::remove(place("rejected.tsv"));
  const FitReport again = run();
  EXPECT_TRUE(again.already_complete);
  EXPECT_EQ(again.rejected_rows, 1u);
  EXPECT_EQ(again.rejected_file, "");
}

TEST_F(Refit, AFailureLeavesTheOldSet) {
  change_input();
  write_text_file(folder_.file("a.tsv"), click_text(40, 2) + "1\n2\n3\n");
  options_.overwrite = true;
  EXPECT_THAT(complaint<DataError>([&] { run(); }), HasSubstr(place("rejected.failed.tsv")));
  EXPECT_THAT(read_text_file(place("rejected.failed.tsv")), HasSubstr("43"));
  options_.max_bad_rows = 0;
  EXPECT_THROW(run(), DataError);
  StopFlag stop = true;
  options_.stop = &stop;
  EXPECT_THROW(run(), Stopped);
  before_["rejected.failed.tsv"] = read_text_file(place("rejected.failed.tsv"));
  EXPECT_EQ(difference(tables(), before_), "");
  EXPECT_EQ(verify_tables(load_table_set(options_.output_directory)).rows, first_.rows);

  options_.stop = nullptr;
  options_.max_bad_rows = 3;
  run();
  EXPECT_FALSE(file_exists(place("rejected.failed.tsv"))) << "of a set that is there no more";
}

TEST_F(Refit, WhatIsSomebodysIsNotReplacedUnasked) {
  options_.output_directory = folder_.file("home");
  fs::create_directory(options_.output_directory);
  for (const auto& [name, text] :
       {std::pair("schema.toml", "# edited by hand\n"), std::pair("rejected.tsv", "applications\n")}) {
    write_text_file(place(name), text);
    before_ = tables();
    expect_refused(click_schema, name);
    options_.overwrite = true;
    run();
    EXPECT_NE(tables().at(name), text);
    options_.overwrite = false;
    fs::remove_all(options_.output_directory);
    fs::create_directory(options_.output_directory);
  }
  // Its own files are no obstacle: the schema that was given, and the list of rejected rows of a failed run.
  write_text_file(place("schema.toml"), source(click_schema).toml);
  options_.max_bad_rows = 0;
  write_text_file(place("rejected.tsv"), "file\tline\treason\ttext\n");
  write_text_file(folder_.file("a.tsv"), click_text(30, 1));
  EXPECT_NO_THROW(run());
}

TEST_F(Refit, ADamagedSetIsMadeAgain) {
  for (const auto& [name, bytes] : before_) {
    if (!name.ends_with(".table") && name != "tables.json") continue;
    write_text_file(place(name), bytes.substr(0, bytes.size() / 2));
    EXPECT_FALSE(run().already_complete) << name;
    EXPECT_EQ(difference(tables(), before_), "") << name;
    fs::remove(place(name));
    EXPECT_FALSE(run().already_complete) << name;
    EXPECT_EQ(difference(tables(), before_), "") << name;
  }
}

TEST_F(Refit, TablesOfAnotherMakingBesideTheRecordAreNotTheSame) {
  FitOptions other = options_;
  other.output_directory = folder_.file("other");
  write_text_file(folder_.file("b.tsv"), click_text(20, 3));
  other.inputs = {folder_.file("b.tsv")};
  fit(source(click_schema), other);
  for (const auto& [name, bytes] : folder_bytes(folder_.file("other"))) {
    if (name != "fit.json") write_text_file(place(name), bytes);
  }
  before_ = tables();
  expect_refused(click_schema, "not the ones");
}

TEST_F(Refit, VerifyFindsARecordThatIsDamagedOrOfOtherTables) {
  const TableSet set = load_table_set(options_.output_directory);
  verify_fit_record(set);
  const std::string record = read_text_file(place("fit.json"));
  write_text_file(place("fit.json"), "garbage");
  EXPECT_THAT(complaint<DataError>([&] { verify_fit_record(set); }),
              AllOf(HasSubstr("fit.json"), HasSubstr("is damaged")));
  write_text_file(place("fit.json"), record);
  change_input();
  options_.overwrite = true;
  run();
  write_text_file(place("fit.json"), record);
  EXPECT_THAT(complaint<DataError>([&] { verify_fit_record(load_table_set(options_.output_directory)); }),
              HasSubstr("belongs to other tables"));
  fs::remove(place("fit.json"));
  verify_fit_record(set);
}

TEST_F(Refit, AFolderWithADatasetIsRefused) {
  TransformOptions options;
  options.max_bad_rows = 2;
  run_transform(click_schema, {folder_.file("a.tsv")}, folder_.file("day"), options);
  const auto day = folder_bytes(folder_.file("day"));
  options_.output_directory = folder_.file("day");
  EXPECT_THAT(complaint<ConfigError>([&] { run(); }), HasSubstr("/tables"));
  EXPECT_EQ(difference(folder_bytes(folder_.file("day")), day), "");
  options_.output_directory += "/tables";
  EXPECT_EQ(run().rows, 30u);
}

}  // namespace
}  // namespace widehash::test
