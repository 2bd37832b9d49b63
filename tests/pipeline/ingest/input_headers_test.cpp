#include "ingest/input_headers.hpp"

#include "io/compress.hpp"
#include "pipeline/click_table.hpp"
#include "pipeline/pipeline_kit.hpp"
#include "pipeline/training_kit.hpp"

#include <widehash/predict.hpp>

#include <sys/stat.h>

namespace widehash::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class InputHeaders : public testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& text) {
    write_text_file(folder_.file(name), text);
    return folder_.file(name);
  }
  /// Writes a table whose header lacks the field `user`.
  std::string write_misspelt(const std::string& name) {
    std::string text = click_text(3, 1);
    return write(name, text.replace(text.find("user"), 4, "usre"));
  }
  void look(const std::vector<std::string>& paths, bool needs_label = true) const {
    const std::vector<Input> inputs = expand_inputs(paths);
    require_headers({.schema = schema_,
                     .rules = rules_,
                     .inputs = inputs,
                     .block_bytes = 1000,
                     .needs_label = needs_label,
                     .allow_empty = allow_empty_});
  }

  TempFolder folder_;
  Schema schema_ = parse_schema(click_schema, "schema.toml");
  RowRules rules_{schema_};
  bool allow_empty_ = false;
};

TEST_F(InputHeaders, SoundOnesPass) {
  look({write("a.tsv", click_text(5, 1)), write("b.tsv.zst", zstd(click_text(9, 2))),
        write("c.tsv", click_header), write("d.tsv.gz", gzip(click_header))});
}

TEST_F(InputHeaders, TheFirstInTheOrderOfTheInputsIsReportedWhateverTheTiming) {
  std::vector<std::string> paths;
  for (int i = 0; i < 200; ++i) paths.push_back(write(fmt::format("{:03}.tsv", i), click_text(1, 1)));
  paths[150] = write("empty.tsv", "");
  paths[70] = write_misspelt("misspelt.tsv");
  paths[71] = write("empty too.tsv", "");
  for (const std::size_t threads : {1, 4}) {
    with_threads(threads, [&] {
      EXPECT_THAT(complaint<ConfigError>([&] { look(paths); }),
                  AllOf(HasSubstr("misspelt.tsv"), HasSubstr("'user'")));
    });
  }
}

TEST_F(InputHeaders, ThoseThatLackAFieldAreReportedTogether) {
  std::vector<std::string> paths;
  for (int i = 0; i < 9; ++i) paths.push_back(write(fmt::format("{}.tsv", i), click_text(1, 1)));
  const auto said = [&] { return complaint<ConfigError>([&] { look(paths); }); };
  paths[2] = write_misspelt("2.tsv");
  EXPECT_THAT(said(), Not(HasSubstr("either")));
  paths[4] = write_misspelt("4.tsv");
  paths[5] = write("5.tsv", "");
  EXPECT_THAT(said(), AllOf(HasSubstr("2.tsv: has no field 'user'"),
                            HasSubstr("; 1 more does not fit either ("), HasSubstr("4.tsv)")));
  for (const int i : {3, 6, 8}) paths[i] = write_misspelt(fmt::format("{}.tsv", i));
  EXPECT_THAT(said(), AllOf(HasSubstr("; 4 more do not fit either ("), HasSubstr("6.tsv, ...)")));
}

TEST_F(InputHeaders, EmptyOnesAreReportedTogether) {
  std::vector<std::string> paths;
  for (int i = 0; i < 9; ++i) paths.push_back(write(fmt::format("{}.tsv", i), click_text(1, 1)));
  paths[2] = write("2.tsv", "");
  const auto said = [&] { return complaint<DataError>([&] { look(paths); }); };
  EXPECT_THAT(said(), HasSubstr("2.tsv: is empty and has no header line; make it again"));
  paths[4] = write("4.tsv.gz", gzip(""));
  EXPECT_THAT(said(), AllOf(HasSubstr("2.tsv: is empty"), HasSubstr("as is 1 more ("),
                            HasSubstr("4.tsv.gz); make them")));
  for (const int i : {5, 6, 8}) paths[i] = write(fmt::format("{}.tsv", i), "");
  EXPECT_THAT(said(),
              AllOf(HasSubstr("as are 4 more ("), HasSubstr("6.tsv, ...)"), HasSubstr("--allow-empty")));
  allow_empty_ = true;
  look(paths);
  paths[3] = write_misspelt("3.tsv");
  EXPECT_THAT(complaint<ConfigError>([&] { look(paths); }), HasSubstr("3.tsv"));
  // Blank lines are not a header, but the file is not empty either.
  paths[3] = write("3.tsv", "\n\n");
  EXPECT_THAT(said(), HasSubstr("3.tsv: has only blank lines and has no header line"));
}

TEST_F(InputHeaders, ALabelIsMissedOnlyWhereItIsNeeded) {
  std::string text = click_text(3, 1);
  const std::string path = write("in.tsv", text.replace(0, 5, "clack"));
  look({path}, false);
  EXPECT_THAT(complaint<ConfigError>([&] { look({path}); }), HasSubstr("'click'"));
}

// Opening a pipe that has no writer would block forever.
TEST_F(InputHeaders, StreamsAreLeftForTheirTurn) {
  ASSERT_EQ(::mkfifo(folder_.file("pipe").c_str(), 0600), 0);
  look({write("a.tsv", click_text(1, 1)), folder_.file("pipe")});
}

TEST_F(InputHeaders, OfACompressedInputOnlyTheBeginningIsRead) {
  const std::string text = gzip(click_text(20000, 1));
  ASSERT_GT(text.size(), 100000u);
  look({write("cut.tsv.gz", text.substr(0, text.size() / 2))});
}

TEST_F(InputHeaders, ALaterOneEndsTransformAndFitBeforeAnyWork) {
  const std::vector<std::string> inputs = {write("big.tsv", click_text(50, 1)), write_misspelt("zz.tsv")};
  int told = 0;
  const auto count = [&](const Progress&) { ++told; };
  TransformOptions to_data;
  to_data.inputs = inputs;
  to_data.output_directory = folder_.file("data");
  EXPECT_THAT(complaint<ConfigError>([&] { transform(source(click_schema), to_data, count); }),
              HasSubstr("zz.tsv"));
  FitOptions to_tables;
  to_tables.inputs = inputs;
  to_tables.output_directory = folder_.file("tables");
  EXPECT_THAT(complaint<ConfigError>([&] { fit(source(click_schema), to_tables, count); }),
              HasSubstr("zz.tsv"));
  EXPECT_EQ(told, 0);
  EXPECT_FALSE(file_exists(folder_.file("data")));
  EXPECT_FALSE(file_exists(folder_.file("tables")));
}

TEST_F(InputHeaders, ALaterOneEndsAPredictionBeforeAnyLine) {
  const std::string data = make_dataset(folder_, "train", shop_schema, shop_text(300, 1));
  const std::string model = folder_.file("m.model");
  train(quick_training(data, model));
  const std::string other = write("zz.tsv", "y\tshop\ttags\tcost\n1\ta\tb\t3\n");
  int told = 0;
  EXPECT_THAT(
      complaint<ConfigError>([&] {
        predict({model, {folder_.file("train.tsv"), other}, ""}, [&](std::span<const float>) { ++told; });
      }),
      AllOf(HasSubstr("zz.tsv"), HasSubstr("'price'")));
  EXPECT_EQ(told, 0);
}

TEST_F(InputHeaders, AWrongOneLeavesWhatWasToBeOverwritten) {
  const std::string input = write("in.tsv", click_text(20, 1));
  run_transform(click_schema, {input}, folder_.file("data"));
  const auto before = folder_bytes(folder_.file("data"));
  write_misspelt("in.tsv");
  TransformOptions options;
  options.overwrite = true;
  EXPECT_THROW(run_transform(click_schema, {input}, folder_.file("data"), options), ConfigError);
  write("in.tsv", "");
  EXPECT_THROW(run_transform(click_schema, {input}, folder_.file("data"), options), DataError);
  EXPECT_EQ(difference(folder_bytes(folder_.file("data")), before), "");
}

}  // namespace
}  // namespace widehash::test
