#include "pipeline/click_table.hpp"
#include "pipeline/pipeline_kit.hpp"

#include <algorithm>

namespace widehash::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;

std::vector<std::string> lines_of(const std::string& path) {
  const std::string text = read_text_file(path);
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin);
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

class TransformRejects : public testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& text) {
    write_text_file(folder_.file(name), text);
    return folder_.file(name);
  }
  TransformReport run(const std::vector<std::string>& inputs, std::uint64_t max_bad_rows,
                      const std::string& output = "out", std::uint64_t block_bytes = default_block_bytes,
                      const std::string& toml = click_schema) {
    TransformOptions options;
    options.max_bad_rows = max_bad_rows;
    options.block_bytes = block_bytes;
    return run_transform(toml, inputs, folder_.file(output), options);
  }

  TempFolder folder_;
  const std::string good_ = "1\t1\tu\ts\t5\tt\n";
};

TEST_F(TransformRejects, EveryKindOfBadRowIsWrittenDown) {
  const std::string toml = "max_field_bytes = 20\n" + std::string(click_schema);
  const std::string long_value(21, 'u');
  const std::string input = write("in.tsv", click_header + good_ +                       // 2
                                                "1\t1\tu\ts\t5\n" +                      // 3: five fields
                                                "2\t1\tu\ts\t5\tt\n" +                   // 4: label
                                                good_ +                                  // 5
                                                "1\t1\tu\ts\tfive\tt\n" +                // 6: number
                                                "1\t1\t" + long_value + "\ts\t5\tt\n" +  // 7: overlong
                                                "1\t-2\tu\\\ts\t5\tt\n" +                // 8: weight
                                                "1\t1\tu\ts\t5\tt\textra\n");            // 9: seven fields
  const TransformReport report = run({input}, 10, "out", default_block_bytes, toml);
  EXPECT_EQ(report.rows, 2u);
  EXPECT_EQ(report.rejected_rows, 6u);
  EXPECT_EQ(report.rejected_file, folder_.file("out/rejected.tsv"));
  const auto lines = lines_of(report.rejected_file);
  ASSERT_THAT(lines, SizeIs(7));
  EXPECT_EQ(lines[0], "file\tline\treason\ttext");
  EXPECT_THAT(lines[1], AllOf(StartsWith(input + "\t3\t"), HasSubstr("\t1\\t1\\tu\\ts\\t5")));
  EXPECT_THAT(lines[2], AllOf(StartsWith(input + "\t4\t"), HasSubstr("label 'click' is '2'")));
  EXPECT_THAT(lines[3], AllOf(StartsWith(input + "\t6\t"), HasSubstr("numeric feature 'price' is 'five'")));
  EXPECT_THAT(lines[4], StartsWith(input + "\t7\t"));
  EXPECT_THAT(lines[5], AllOf(StartsWith(input + "\t8\t"), HasSubstr("weight 'worth' is '-2'"),
                              HasSubstr("u\\\\\\ts")));
  EXPECT_THAT(lines[6], StartsWith(input + "\t9\t"));
  for (const std::string& line : lines) EXPECT_EQ(std::count(line.begin(), line.end(), '\t'), 3) << line;
  const VerifyReport verified = verify_dataset(folder_.file("out"));
  EXPECT_EQ(verified.rows, 2u);
  EXPECT_EQ(verified.rejected_rows, 6u);
  // An altered list is reported. A missing one is accepted: somebody has dealt with it.
  write_text_file(report.rejected_file, lines[0] + "\n" + lines[1] + "\n");
  EXPECT_THAT(complaint<DataError>([&] { verify_dataset(folder_.file("out")); }),
              AllOf(HasSubstr("rejected.tsv: lists 1 instead of 6 rejected rows"),
                    HasSubstr("restore it from a copy")));
  std::filesystem::remove(report.rejected_file);
  EXPECT_EQ(verify_dataset(folder_.file("out")).rejected_rows, 6u);
  const Manifest manifest = load_manifest(folder_.file("out"));
  EXPECT_EQ(manifest.inputs[0].rows, 8u);
  EXPECT_EQ(manifest.inputs[0].rejected_rows, 6u);
}

TEST_F(TransformRejects, TheHeaderOnceMoreIsABadRow) {
  const std::string plain =
      "label = \"y\"\n[[feature]]\nfield = \"a\"\ncardinality = 9\n[[feature]]\nfield = \"b\"\ncardinality = "
      "9\n";
  const std::string day = "y\ta\tb\n1\tu\tv\n0\ty\ta\n";
  const auto expect_left_out = [&](const std::string& toml, const std::string& text,
                                   const std::string& name) {
    SCOPED_TRACE(name);
    const std::string input = write(name + ".tsv", text + text);
    const TransformReport report = run({input}, 1, name, 8, toml);
    EXPECT_EQ(report.rows, 4u);
    EXPECT_THAT(lines_of(report.rejected_file)[1],
                AllOf(StartsWith(input + "\t4\t"), HasSubstr("the header line again")));
    FitOptions options;
    options.max_bad_rows = 1;
    EXPECT_EQ(run_fit(toml, {input}, folder_.file(name + " tables"), options).rejected_rows, 1u);
  };
  // A label of any text, which would take the field's name for a class.
  const std::string of_classes =
      "label = { field = \"y\", classes = [\"0\", \"1\", \"y\"] }" + plain.substr(11);
  expect_left_out(plain, day, "plain");
  expect_left_out(of_classes, day, "classes");
  expect_left_out("quote = '\"'\n" + of_classes, "y\t\"a\"\tb\n1\tu\t\"v\"\n0\ty\ta\n", "quoted");
  expect_left_out("trim = true\n" + of_classes, "y\t a\tb\n1\tu\tv\n0\ty\ta\n", "trimmed");
  // Each file began with a byte order mark.
  expect_left_out(of_classes, "\xEF\xBB\xBF" + day, "marked");
  expect_left_out("quote = '\"'\n" + of_classes, "\xEF\xBB\xBF\"y\"\ta\tb\n1\tu\tv\n0\ty\ta\n",
                  "marked and quoted");
  // With a single field, its name may be a value.
  const std::string one = write("one.tsv", "a\na\nb\n");
  EXPECT_EQ(run({one}, 0, "one", 8, "[[feature]]\nfield = \"a\"\ncardinality = 9\n").rows, 2u);
}

TEST_F(TransformRejects, ATextForAMissingNumberIsProposedAsAMissingValue) {
  const std::string input =
      write("in.tsv", click_header + good_ + "1\t1\tu\ts\tNA\tt\n" + "1\t1\tu\ts\tfive\tt\n");
  const auto lines = lines_of(run({input}, 2).rejected_file);
  EXPECT_THAT(lines[1],
              AllOf(HasSubstr("'price' is 'NA', not a finite number"), HasSubstr("missing_values")));
  EXPECT_THAT(lines[2], Not(HasSubstr("missing_values")));
  const std::string toml = "missing_values = [\"NA\"]\n" + std::string(click_schema);
  EXPECT_EQ(run({input}, 1, "mended", default_block_bytes, toml).rows, 2u);
}

TEST_F(TransformRejects, WithoutAllowanceTheFirstBadRowIsTheError) {
  std::string text = click_header;
  for (int i = 0; i < 3000; ++i) text += i == 1500 || i == 2900 ? "bad\n" : good_;
  const std::string input = write("in.tsv", text);
  for (const std::size_t threads : {1, 7}) {
    for (const std::uint64_t bytes : {std::uint64_t{100}, std::uint64_t{5000}, default_block_bytes}) {
      const std::string name = fmt::format("out{}-{}", threads, bytes);
      with_threads(threads, [&] {
        try {
          run({input}, 0, name, bytes);
          FAIL();
        } catch (const DataError& error) {
          EXPECT_EQ(error.path(), input);
          EXPECT_EQ(error.row(), 1502u);
          EXPECT_THAT(error.what(),
                      AllOf(HasSubstr("in.tsv"), HasSubstr("1502"), HasSubstr("--max-bad-rows")));
        }
      });
      EXPECT_FALSE(file_exists(folder_.file(name + "/manifest.json")));
    }
  }
}

TEST_F(TransformRejects, AsManyAsAllowedPassAndOneMoreStops) {
  std::string text = click_header;
  for (int i = 0; i < 30; ++i) text += i % 10 == 5 ? "bad\n" : good_;
  const std::string input = write("in.tsv", text);
  EXPECT_EQ(run({input}, 3, "three", 40).rejected_rows, 3u);
  try {
    run({input}, 2, "two", 40);
    FAIL();
  } catch (const DataError& error) {
    EXPECT_EQ(error.row(), 27u);
    EXPECT_THAT(error.what(), HasSubstr("rejected.tsv"));
  }
  EXPECT_EQ(read_text_file(folder_.file("two/rejected.tsv")),
            read_text_file(folder_.file("three/rejected.tsv")));
  EXPECT_FALSE(file_exists(folder_.file("two/manifest.json")));
  // With more bad rows allowed, the stopped run continues where it was.
  const TransformReport report = run({input}, 3, "two", 40);
  EXPECT_GT(report.resumed_shards, 0u);
  EXPECT_EQ(difference(folder_bytes(folder_.file("two")), folder_bytes(folder_.file("three"))), "");
}

TEST_F(TransformRejects, LinesAreThoseOfTheFileWhateverTheBlocks) {
  const std::string toml = "format = \"csv\"\nlabel = \"y\"\n[[feature]]\nfield = \"a\"\ncardinality = 10\n";
  std::string text = "y,a\n";
  std::vector<std::uint64_t> bad_lines;
  std::uint64_t line = 2;
  std::mt19937 random(5);
  for (int i = 0; i < 200; ++i) {
    const auto kind = random() % 5;
    if (kind == 0) {
      text += "1,\"two\nlines\"\r\n";
      line += 2;
    } else if (kind == 1) {
      text += "\n";  // not a row
      line += 1;
    } else if (kind == 2) {
      text += random() % 2 == 0 ? "x,1\n" : "1,2,3\n";
      bad_lines.push_back(line++);
    } else {
      text += "1,plain\n";
      line += 1;
    }
  }
  const std::string input = write("in.csv", text);
  for (const std::uint64_t bytes : {1, 3, 10, 64, 1000, 1000000}) {
    const TransformReport report = run({input}, 1000, fmt::format("out{}", bytes), bytes, toml);
    const auto rejected = lines_of(report.rejected_file);
    ASSERT_EQ(rejected.size(), bad_lines.size() + 1) << bytes;
    for (std::size_t i = 0; i < bad_lines.size(); ++i) {
      EXPECT_THAT(rejected[i + 1], StartsWith(fmt::format("{}\t{}\t", input, bad_lines[i]))) << bytes;
    }
  }
}

TEST_F(TransformRejects, EachFileCountsItsOwnLines) {
  const std::string a = write("a.tsv", click_header + good_ + "bad\n");
  const std::string b = write("b.tsv", click_header + "bad\n" + good_);
  const auto lines = lines_of(run({a, b}, 5).rejected_file);
  ASSERT_THAT(lines, SizeIs(3));
  EXPECT_THAT(lines[1], StartsWith(a + "\t3\t"));
  EXPECT_THAT(lines[2], StartsWith(b + "\t2\t"));
}

TEST_F(TransformRejects, AFileOfNothingButBadRowsStopsEarly) {
  std::string text = click_header;
  for (int i = 0; i < 300000; ++i) text += "x\n";
  const std::string input = write("in.tsv", text);
  try {
    run({input}, 100);
    FAIL();
  } catch (const DataError& error) {
    EXPECT_EQ(error.row(), 102u);
  }
  EXPECT_THAT(lines_of(folder_.file("out/rejected.tsv")), SizeIs(102));
}

TEST_F(TransformRejects, ABlockOfOnlyBadRowsHasNoShard) {
  const std::string input = write("in.tsv", click_header + "bad\nbad\nbad\n");
  const TransformReport report = run({input}, 3);
  EXPECT_EQ(report.rows, 0u);
  EXPECT_EQ(report.shards, 0u);
  EXPECT_EQ(verify_dataset(folder_.file("out")).rejected_rows, 3u);
}

TEST_F(TransformRejects, AnyBytesOfABadRowStayOnOneLine) {
  const std::string input = write("in.tsv", click_header + std::string("a\0b\xff\x7f\rc\n", 8) + good_);
  const auto lines = lines_of(run({input}, 1).rejected_file);
  ASSERT_THAT(lines, SizeIs(2));
  EXPECT_THAT(lines[1], HasSubstr("\ta\\x00b\xff\\x7f\\x0dc"));
}

TEST_F(TransformRejects, ReasonsHoldNoControlBytes) {
  const std::string input = write("in.tsv", click_header + std::string("\0\x1b[2J\t1\tu\ts\t5\tt\n", 16));
  EXPECT_THAT(complaint<DataError>([&] { run({input}, 0); }),
              AllOf(HasSubstr("label 'click' is '??[2J', not"), HasSubstr("--max-bad-rows")));
}

TEST_F(TransformRejects, AStaleFileGoesWhenNothingIsRejected) {
  const std::string input = write("in.tsv", click_header + good_ + "bad\n");
  run({input}, 1);
  EXPECT_TRUE(file_exists(folder_.file("out/rejected.tsv")));
  write("in.tsv", click_header + good_);
  TransformOptions options;
  options.overwrite = true;
  EXPECT_EQ(run_transform(click_schema, {input}, folder_.file("out"), options).rejected_file, "");
  EXPECT_FALSE(file_exists(folder_.file("out/rejected.tsv")));
}

}  // namespace
}  // namespace widehash::test
