#include "io/compress.hpp"
#include "pipeline/click_table.hpp"
#include "pipeline/pipeline_kit.hpp"

#include <nlohmann/json.hpp>

namespace widehash::test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

class TransformTest : public testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& text) {
    write_text_file(folder_.file(name), text);
    return folder_.file(name);
  }
  std::string output(const std::string& name = "out") { return folder_.file(name); }
  std::vector<RowEntries> rows_of(const std::string& name = "out") {
    verify_dataset(output(name));
    return matrix_rows(all_rows(Dataset(output(name))).view());
  }
  static TransformOptions blocks_of(std::uint64_t bytes) {
    TransformOptions options;
    options.block_bytes = bytes;
    return options;
  }

  TempFolder folder_;
};

TEST_F(TransformTest, RowsAreThoseOfTheEncoder) {
  const std::string input = write("in.tsv", click_text(2500, 1));
  const TransformReport report = run_transform(click_schema, {input}, output(), blocks_of(5000));
  EXPECT_EQ(report.rows, 2500u);
  EXPECT_EQ(report.rejected_rows, 0u);
  EXPECT_EQ(report.rejected_file, "");
  EXPECT_FALSE(report.already_complete);
  EXPECT_EQ(report.text_bytes, file_size_bytes(input) - click_header.size());
  EXPECT_EQ(report.input_bytes, file_size_bytes(input));

  std::vector<std::string> fields;
  for (const std::string& row : click_rows(2500, 1)) {
    for (std::size_t begin = 0; begin <= row.size();) {
      const std::size_t end = std::min(row.find('\t', begin), row.size());
      fields.push_back(row.substr(begin, end - begin));
      begin = end + 1;
    }
  }
  const std::vector<std::string_view> views(fields.begin(), fields.end());
  const Encoder encoder(parse_schema(click_schema, "schema.toml"));
  const CodeBatch expected = encoder.encode({views, 6});
  const CodeBatch written = all_rows(Dataset(output()));
  EXPECT_EQ(matrix_rows(written.view()), matrix_rows(expected.view()));
  EXPECT_EQ(written.targets, expected.targets);
  EXPECT_EQ(written.weights, expected.weights);

  std::uint64_t bytes = 0;
  for (const auto& [name, content] : folder_bytes(output()))
    bytes += name.ends_with(".shard") ? content.size() : 0;
  EXPECT_EQ(report.output_bytes, bytes);
  EXPECT_EQ(report.shards, Dataset(output()).num_shards());
  EXPECT_EQ(report.num_columns, Dataset(output()).layout()->num_columns);
}

TEST_F(TransformTest, AFinishedFolderHoldsNothingElse) {
  run_transform(click_schema, {write("in.tsv", click_text(10, 1))}, output());
  std::vector<std::string> names;
  for (const auto& [name, bytes] : folder_bytes(output())) names.push_back(name);
  EXPECT_THAT(names, UnorderedElementsAre("manifest.json", "schema.toml", "part-00000-000000.shard"));
  EXPECT_EQ(read_text_file(output() + "/schema.toml"), click_schema);
}

TEST_F(TransformTest, BytesDoNotDependOnThreads) {
  const std::string input = write("in.tsv", click_text(1200, 2) + "bad row\n");
  TransformOptions options = blocks_of(777);
  options.max_bad_rows = 1;
  for (const std::size_t threads : {1, 2, 7}) {
    with_threads(threads, [&] {
      run_transform(click_schema, {input}, output(fmt::format("out{}", threads)), options);
    });
  }
  const auto one = folder_bytes(output("out1"));
  EXPECT_GT(one.size(), 30u);
  EXPECT_EQ(difference(one, folder_bytes(output("out2"))), "");
  EXPECT_EQ(difference(one, folder_bytes(output("out7"))), "");
}

TEST_F(TransformTest, TinyBlocksGiveTheSameRows) {
  const std::string input = write("in.tsv", click_text(60, 3));
  run_transform(click_schema, {input}, output("whole"));
  const auto whole = rows_of("whole");
  for (const std::uint64_t bytes : {1, 2, 7, 33, 100, 1000, 100000}) {
    const std::string name = fmt::format("out{}", bytes);
    const TransformReport report = run_transform(click_schema, {input}, output(name), blocks_of(bytes));
    EXPECT_EQ(report.rows, 60u);
    EXPECT_EQ(rows_of(name), whole) << bytes;
  }
}

TEST_F(TransformTest, CompressedInputsGiveTheSameShards) {
  const std::string text = click_text(400, 4);
  run_transform(click_schema, {write("in.tsv", text)}, output("plain"), blocks_of(3000));
  run_transform(click_schema, {write("in.gz", gzip(text.substr(0, 5000)) + gzip(text.substr(5000)))},
                output("gzip"), blocks_of(3000));
  run_transform(click_schema, {write("in.zst", zstd(text))}, output("zstd"), blocks_of(3000));
  auto plain = folder_bytes(output("plain"));
  for (const char* name : {"gzip", "zstd"}) {
    auto packed = folder_bytes(output(name));
    packed.erase("manifest.json");  // names the input and its size
    plain.erase("manifest.json");
    EXPECT_EQ(difference(plain, packed), "") << name;
  }
}

TEST_F(TransformTest, InputsReadAheadGiveTheBytesOfOneAfterAnother) {
  std::vector<std::string> inputs;
  for (int i = 0; i < 7; ++i) {
    const std::string text = click_text(i == 3 ? 0 : 200 + 50 * i, 20 + i);
    inputs.push_back(i % 3 == 0   ? write(fmt::format("{}.gz", i), gzip(text))
                     : i % 3 == 1 ? write(fmt::format("{}.zst", i), zstd(text))
                                  : write(fmt::format("{}.tsv", i), text));
  }
  for (const std::size_t threads : {1, 3, 8}) {
    with_threads(threads, [&] {
      run_transform(click_schema, inputs, output(fmt::format("out{}", threads)), blocks_of(900));
    });
  }
  const auto one = folder_bytes(output("out1"));
  EXPECT_GT(one.size(), 30u);
  EXPECT_EQ(difference(one, folder_bytes(output("out3"))), "");
  EXPECT_EQ(difference(one, folder_bytes(output("out8"))), "");
}

TEST_F(TransformTest, TheFirstDamagedInputIsNamedWhateverIsReadAhead) {
  const std::string whole = write("a.gz", gzip(click_text(3000, 1)));
  const std::string packed = gzip(click_text(3000, 2));
  const std::string cut = write("b.gz", packed.substr(0, packed.size() / 2));
  const std::string cut_too = write("c.gz", packed.substr(0, packed.size() / 3));
  const std::string last = write("d.gz", gzip(click_text(3000, 3)));
  for (const std::size_t threads : {1, 3, 8}) {
    with_threads(threads, [&] {
      try {
        run_transform(click_schema, {whole, cut, cut_too, last}, output(fmt::format("out{}", threads)),
                      blocks_of(700));
        ADD_FAILURE() << "no error";
      } catch (const DataError& error) {
        EXPECT_THAT(error.what(), AllOf(HasSubstr("b.gz"), HasSubstr("cut")));
      }
    });
  }
}

TEST_F(TransformTest, SeveralInputsStandInTheirOrder) {
  const std::string b = write("b.tsv", click_text(40, 5));
  const std::string a = write("a.tsv", click_text(30, 6));
  run_transform(click_schema, {b, a}, output("listed"), blocks_of(500));
  run_transform(click_schema, {folder_.file("?.tsv")}, output("glob"), blocks_of(500));
  run_transform(click_schema, {a}, output("a"), blocks_of(500));
  run_transform(click_schema, {b}, output("b"), blocks_of(500));
  auto both = rows_of("b");
  for (const RowEntries& row : rows_of("a")) both.push_back(row);
  EXPECT_EQ(rows_of("listed"), both);
  both = rows_of("a");
  for (const RowEntries& row : rows_of("b")) both.push_back(row);
  EXPECT_EQ(rows_of("glob"), both);
  const Manifest manifest = load_manifest(output("listed"));
  ASSERT_EQ(manifest.inputs.size(), 2u);
  EXPECT_EQ(manifest.inputs[0].path, b);
  EXPECT_EQ(manifest.inputs[0].rows, 40u);
  EXPECT_EQ(manifest.inputs[1].rows, 30u);
}

TEST_F(TransformTest, FieldsAreFoundByNameInEachFile) {
  const std::string toml =
      "label = \"y\"\n[[feature]]\nfield = \"a\"\ncardinality = 100\n[[feature]]\nfield = \"b\"\ncardinality "
      "= 100\n";
  const std::string first = write("1.tsv", "y\ta\tb\n1\tx\tz\n2\tx2\tz2\n");
  const std::string second = write("2.tsv", "b\textra\ty\ta\nz\t!\t1\tx\nz2\t!\t2\tx2\n");
  run_transform(toml, {first, second}, output());
  const auto rows = rows_of();
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_EQ(rows[0], rows[2]);
  EXPECT_EQ(rows[1], rows[3]);
  EXPECT_NE(rows[0], rows[1]);
  EXPECT_THAT(all_rows(Dataset(output())).targets, ElementsAre(1.0F, 2.0F, 1.0F, 2.0F));
  const std::string third = write("3.tsv", "b\ty\n1\t2\n");
  EXPECT_THAT(complaint<ConfigError>([&] {
                run_transform(toml, {first, third}, output("other"));
              }),
              AllOf(HasSubstr("3.tsv"), HasSubstr("'a'")));
}

TEST_F(TransformTest, AHeaderAloneIsADatasetWithoutRows) {
  const TransformReport report = run_transform(click_schema, {write("in.tsv", click_header)}, output());
  EXPECT_EQ(report.rows, 0u);
  EXPECT_EQ(report.shards, 0u);
  EXPECT_EQ(verify_dataset(output()).rows, 0u);
}

TEST_F(TransformTest, AnEmptyInputHasNoHeader) {
  const std::string input = write("in.tsv", "");
  EXPECT_THAT(complaint<DataError>([&] { run_transform(click_schema, {input}, output()); }),
              HasSubstr("in.tsv"));
  EXPECT_FALSE(file_exists(output() + "/manifest.json"));
  const std::string headless =
      "header = false\nfields = [\"a\"]\n[[feature]]\nfield = \"a\"\ncardinality = 10\n";
  EXPECT_EQ(run_transform(headless, {input}, output("headless")).rows, 0u);
}

TEST_F(TransformTest, AHeaderWhereThereIsToBeNoneIsABadRow) {
  const std::string toml =
      "header = false\nfields = [\"a\", \"b\"]\n[[feature]]\nfield = \"a\"\ncardinality = 10\n";
  const std::string input = write("in.tsv", "a\tb\nx\t1\n");
  EXPECT_THAT(complaint<DataError>([&] { run_transform(toml, {input}, output()); }),
              testing::AllOf(HasSubstr("in.tsv:1: the names of the fields, although header = false")));
  TransformOptions options;
  options.max_bad_rows = 1;
  EXPECT_EQ(run_transform(toml, {input}, output(), options).rows, 1u);
  // A row that has some of the names is a row.
  EXPECT_EQ(run_transform(toml, {write("like.tsv", "a\ta\nb\tb\n")}, output("like")).rows, 2u);
}

TEST_F(TransformTest, AMissingInputIsNamedAndLeavesNothing) {
  EXPECT_THAT(
      complaint<FileError>([&] { run_transform(click_schema, {folder_.file("none.tsv")}, output()); }),
      HasSubstr("none.tsv"));
  EXPECT_FALSE(std::filesystem::exists(output()));
}

TEST_F(TransformTest, BlankLinesOfASingleFieldAreRowsWithOrWithoutAHeader) {
  const std::string feature = "[[feature]]\nfield = \"a\"\ncardinality = 100\n";
  EXPECT_EQ(run_transform(feature, {write("header.tsv", "a\nx\n\ny\n\n")}, output("header")).rows, 4u);
  EXPECT_EQ(run_transform("header = false\nfields = [\"a\"]\n" + feature, {write("none.tsv", "x\n\ny\n\n")},
                          output("none"))
                .rows,
            4u);
  EXPECT_EQ(rows_of("header"), rows_of("none"));
  // With two fields, a blank line is not a row.
  EXPECT_EQ(run_transform(feature, {write("two.tsv", "a\tb\nx\t1\n\ny\t2\n\n")}, output("two")).rows, 2u);
}

TEST_F(TransformTest, QuotedFieldsMayHoldDelimitersAndLineEnds) {
  const std::string toml =
      "format = \"csv\"\n[[feature]]\nfield = \"a\"\ncardinality = 100\n[[feature]]\nfield = "
      "\"b\"\ncardinality = 100\n";
  const std::string text = "a,b\n\"x,1\",\"line\nend\"\n\"say \"\"hi\"\"\",2\r\nplain,\n";
  const Encoder encoder(parse_schema(toml, "s"));
  const std::vector<std::string_view> values = {"x,1", "line\nend", "say \"hi\"", "2", "plain", ""};
  for (const std::uint64_t bytes : {1, 5, 9, 1000}) {
    const std::string name = fmt::format("out{}", bytes);
    run_transform(toml, {write("in.csv", text)}, output(name), blocks_of(bytes));
    EXPECT_EQ(rows_of(name), matrix_rows(encoder.encode({values, 2}).view())) << bytes;
  }
}

TEST_F(TransformTest, TablesAreNeededAndMustBeOfTheSchema) {
  const std::string toml = "[[feature]]\nfield = \"user\"\nencoding = \"exact\"\ncardinality = 100\n";
  const std::string input = write("in.tsv", click_text(100, 7));
  EXPECT_THAT(complaint<ConfigError>([&] { run_transform(toml, {input}, output()); }), HasSubstr("--tables"));
  run_fit(click_schema, {input}, folder_.file("other"));
  TransformOptions options;
  options.tables_directory = folder_.file("other");
  EXPECT_THROW(run_transform(toml, {input}, output(), options), ConfigError);
  EXPECT_FALSE(std::filesystem::exists(output()));
  run_fit(toml, {input}, folder_.file("tables"));
  options.tables_directory = folder_.file("tables");
  EXPECT_EQ(run_transform(toml, {input}, output(), options).rows, 100u);
  EXPECT_EQ(rows_of()[0].size(), 1u);
}

TEST_F(TransformTest, MemoryForNoBlockIsAnError) {
  TransformOptions options = blocks_of(1 << 20);
  options.memory_bytes = 1 << 20;
  EXPECT_THAT(complaint<ConfigError>([&] {
                run_transform(click_schema, {write("in.tsv", click_text(5, 8))}, output(), options);
              }),
              HasSubstr("--memory"));
  EXPECT_FALSE(std::filesystem::exists(output()));
}

TEST_F(TransformTest, BlocksOfNoBytesAreAnError) {
  const TransformOptions options = blocks_of(0);
  const std::string input = write("in.tsv", click_text(5, 8));
  EXPECT_THAT(complaint<ConfigError>([&] { run_transform(click_schema, {input}, output(), options); }),
              HasSubstr("--block-bytes"));
  EXPECT_FALSE(std::filesystem::exists(output()));
}

TEST_F(TransformTest, ProgressEndsAtTheWholeInput) {
  const std::string input = write("in.tsv", click_text(500, 9));
  TransformOptions options = blocks_of(1000);
  options.inputs = {input};
  options.output_directory = output();
  Progress last;
  transform(source(click_schema), options, [&](const Progress& now) {
    EXPECT_GE(now.rows, last.rows);
    EXPECT_GE(now.bytes_done, last.bytes_done);
    last = now;
  });
  EXPECT_EQ(last.rows, 500u);
  EXPECT_EQ(last.bytes_done, last.bytes_total);
  EXPECT_EQ(last.bytes_total, file_size_bytes(input));
}

TEST_F(TransformTest, ASchemaBuiltInCodeNeedsNoText) {
  const std::string input = write("in.tsv", click_text(50, 1));
  TransformOptions options;
  options.inputs = {input};
  options.output_directory = output();
  const Schema schema = parse_schema(click_schema, "schema.toml");
  EXPECT_EQ(transform({schema, {}}, options).rows, 50u);
  EXPECT_EQ(Dataset(output()).schema().fingerprint(), schema.fingerprint());
  verify_dataset(output());
  EXPECT_TRUE(transform({schema, {}}, options).already_complete);
}

TEST_F(TransformTest, TheTextOfAnotherSchemaIsRefused) {
  TransformOptions options;
  options.inputs = {write("in.tsv", click_text(5, 1))};
  options.output_directory = output();
  const Schema schema = parse_schema(click_schema, "schema.toml");
  EXPECT_THROW(transform({schema, "seed = 1\n" + std::string(click_schema)}, options), ConfigError);
  EXPECT_THROW(transform({schema, "# nothing\n"}, options), ConfigError);
  Schema broken = schema;
  broken.features[0].encoding = static_cast<Encoding>(77);
  EXPECT_THROW(transform({broken, {}}, options), ConfigError);
  EXPECT_FALSE(std::filesystem::exists(output()));
  EXPECT_EQ(transform({schema, "# words\n" + std::string(click_schema)}, options).rows, 5u);
}

}  // namespace
}  // namespace widehash::test
