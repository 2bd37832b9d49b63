#include "base/damage.hpp"
#include "base/temp_folder.hpp"
#include "sparse/sample.hpp"

#include <widehash/csr_ops.hpp>
#include <widehash/error.hpp>
#include <widehash/export.hpp>
#include <widehash/threads.hpp>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace widehash {
namespace {

using test::Sample;
using test::TempFolder;

/// A dataset in a folder of its own, with room beside it for what is exported.
struct OnDisk {
  OnDisk(const Schema& schema, const std::vector<std::uint32_t>& heads, std::size_t rows,
         std::size_t shard_rows)
      : sample(test::make_sample(schema, heads, rows, 1)) {
    make_directories(day);
    test::write_dataset(schema, heads, sample.batch.view(), shard_rows, day);
  }
  Dataset open() const { return Dataset(day); }

  TempFolder folder;
  std::string day = folder.file("day");
  Sample sample;
};

/// A schema with two numbers a row, so that lines can be written by hand.
Schema two_numbers(LabelKind kind) {
  Schema schema;
  schema.features = {test::make_feature("a", Encoding::numeric), test::make_feature("b", Encoding::numeric)};
  schema.label.field = "y";
  schema.label.kind = kind;
  if (kind == LabelKind::binary) {
    schema.label.positive = {"1"};
    schema.label.negative = {"0"};
  }
  if (kind == LabelKind::classes) schema.label.classes = {"x", "y", "z"};
  return schema;
}

/// The text that `exporter` writes for two rows: (0.5, 0) of weight 2.5 and (1, -3) of weight 0, with these targets.
std::string text_of(const Schema& schema,
                    void (*exporter)(const Dataset&, const TextSink&, const ProgressCallback&),
                    std::array<float, 2> targets = {1, 0}) {
  const TempFolder folder;
  Sample sample = test::make_sample(schema, {}, 2, 1);
  sample.batch.numbers = {0.5F, 0.0F, 1.0F, -3.0F};
  if (sample.layout->has_targets) sample.batch.targets = {targets[0], targets[1]};
  if (sample.layout->has_weights) sample.batch.weights = {2.5F, 0};
  test::write_dataset(schema, {0, 0}, sample.batch.view(), 1, folder.path());
  std::string text;
  exporter(Dataset(folder.path()), [&](std::string_view piece) { text += piece; }, {});
  return text;
}

TEST(ExportLibsvm, WritesOneBasedColumns) {
  EXPECT_EQ(text_of(two_numbers(LabelKind::number), export_libsvm), "1 1:0.5\n0 1:1 2:-3\n");
}

TEST(ExportLibsvm, WithoutLabelTheTargetIsZero) {
  Schema schema = two_numbers(LabelKind::number);
  schema.label = {};
  EXPECT_EQ(text_of(schema, export_libsvm), "0 1:0.5\n0 1:1 2:-3\n");
}

TEST(ExportVw, LabelsFollowTheSchema) {
  EXPECT_EQ(text_of(two_numbers(LabelKind::number), export_vw, {2.5F, 0}), "2.5 |f 0:0.5\n0 |f 0:1 1:-3\n");
  EXPECT_EQ(text_of(two_numbers(LabelKind::binary), export_vw), "1 |f 0:0.5\n-1 |f 0:1 1:-3\n");
  EXPECT_EQ(text_of(two_numbers(LabelKind::classes), export_vw), "2 |f 0:0.5\n1 |f 0:1 1:-3\n");
}

TEST(ExportVw, NumbersThatAreAll0Or1AreMinus1And1) {
  const Schema schema = two_numbers(LabelKind::number);
  EXPECT_EQ(text_of(schema, export_vw), "1 |f 0:0.5\n-1 |f 0:1 1:-3\n");
  EXPECT_EQ(text_of(schema, export_vw, {0, 0}), "-1 |f 0:0.5\n-1 |f 0:1 1:-3\n");
  // If any row has another target, 0 and 1 are plain numbers.
  EXPECT_EQ(text_of(schema, export_vw, {1, 2}), "1 |f 0:0.5\n2 |f 0:1 1:-3\n");
  EXPECT_EQ(text_of(schema, export_vw, {-1, 1}), "-1 |f 0:0.5\n1 |f 0:1 1:-3\n");
  EXPECT_EQ(text_of(schema, export_libsvm), "1 1:0.5\n0 1:1 2:-3\n");
}

TEST(ExportVw, WeightsFollowTheLabel) {
  Schema schema = two_numbers(LabelKind::binary);
  schema.weight = "w";
  EXPECT_EQ(text_of(schema, export_vw), "1 2.5 |f 0:0.5\n-1 0 |f 0:1 1:-3\n");
  schema.label = {};
  EXPECT_EQ(text_of(schema, export_vw), "|f 0:0.5\n|f 0:1 1:-3\n");
}

/// Expects the lines of 9,000 rows to hold the entries of the matrix.
void expect_lines_of(const OnDisk& disk) {
  const std::string path = disk.folder.file("out.svm");
  export_libsvm(disk.open(), path);
  std::istringstream lines(read_text_file(path));
  std::string line;
  std::size_t row = 0;
  for (; std::getline(lines, line); ++row) {
    std::istringstream words(line);
    float target = 0;
    words >> target;
    ASSERT_EQ(target, disk.sample.batch.targets[row]);
    std::map<SparseIndex, float> found;
    SparseIndex column = 0;
    char colon = 0;
    for (float value = 0; words >> column >> colon >> value;) found[column - 1] = value;
    ASSERT_EQ(found, disk.sample.rows[row]) << "row " << row;
  }
  EXPECT_EQ(row, 9000u);
}

TEST(ExportLibsvm, ReadsBackAsTheMatrix) {
  expect_lines_of(OnDisk(test::every_kind_schema(), test::every_kind_heads(), 9000, 5000));
  // Few columns, whose texts are made beforehand; one has numbers.
  Schema narrow;
  narrow.label.field = "y";
  narrow.features = {test::make_feature("a", Encoding::four_split, 1000),
                     test::make_feature("b", Encoding::numeric),
                     test::make_feature("c", Encoding::four_split, 100'000'000)};
  expect_lines_of(OnDisk(narrow, {0, 0, 0}, 9000, 5000));
}

TEST(ExportText, DoesNotDependOnThreads) {
  const OnDisk disk(test::every_kind_schema(), test::every_kind_heads(), 10'000, 7000);
  const auto text_with = [&](std::size_t threads) {
    std::string text;
    with_threads(threads, [&] { export_vw(disk.open(), [&](std::string_view piece) { text += piece; }); });
    return text;
  };
  EXPECT_EQ(text_with(1), text_with(3));
}

TEST(Export, DamagedShardIsNotExported) {
  const OnDisk disk(test::every_kind_schema(), test::every_kind_heads(), 10, 5);
  std::string bytes = read_text_file(disk.day + "/part-1.shard");
  bytes[64] = static_cast<char>(bytes[64] ^ 1);
  test::overwrite(disk.day + "/part-1.shard", bytes);
  for (const auto write : {+[](const Dataset&d, const std::string&path) { export_npz(d, path); },
                           +[](const Dataset&d, const std::string&path) { export_vw(d, path); }}) {
    EXPECT_THROW(write(disk.open(), disk.folder.file("out")), DataError);
    EXPECT_FALSE(file_exists(disk.folder.file("out")));
    EXPECT_FALSE(file_exists(disk.folder.file("out.tmp")));
  }
}

TEST(Export, NothingIsWrittenIntoTheDataset) {
  const OnDisk disk(test::every_kind_schema(), test::every_kind_heads(), 10, 5);
  const std::string bytes = read_text_file(disk.day + "/part-1.shard");
  for (const auto write : {+[](const Dataset&d, const std::string&path) { export_npz(d, path); },
                           +[](const Dataset&d, const std::string&path) { export_vw(d, path); },
                           +[](const Dataset&d, const std::string&path) { export_libsvm(d, path); }}) {
    EXPECT_THROW(write(disk.open(), disk.day + "/part-1.shard"), ConfigError);
    EXPECT_THROW(write(disk.open(), disk.day + "/out"), ConfigError);
  }
  EXPECT_EQ(read_text_file(disk.day + "/part-1.shard"), bytes);
  EXPECT_FALSE(file_exists(disk.day + "/out"));
}

TEST(Export, FullDiskIsAFileError) {
  if (!file_exists("/dev/full")) GTEST_SKIP() << "no /dev/full here to stand for a full disk";
  const OnDisk disk(test::every_kind_schema(), test::every_kind_heads(), 10, 5);
  for (const auto write : {+[](const Dataset&d, const std::string&path) { export_npz(d, path); },
                           +[](const Dataset&d, const std::string&path) { export_libsvm(d, path); }}) {
    std::filesystem::create_symlink("/dev/full", disk.folder.file("out.tmp"));
    try {
      write(disk.open(), disk.folder.file("out"));
      ADD_FAILURE() << "a full disk went unnoticed";
    } catch (const FileError& error) {
      EXPECT_EQ(error.code(), ENOSPC);
    }
    EXPECT_FALSE(file_exists(disk.folder.file("out")));
  }
}

TEST(Export, ProgressEndsAtTheTotal) {
  const OnDisk disk(test::every_kind_schema(), test::every_kind_heads(), 10, 5);
  Progress last;
  const ProgressCallback keep = [&](const Progress& progress) { last = progress; };
  export_npz(disk.open(), disk.folder.file("out"), keep);
  EXPECT_EQ(last.rows, 10u);
  EXPECT_EQ(last.bytes_done, last.bytes_total);
  last = {};
  export_libsvm(disk.open(), disk.folder.file("out"), keep);
  EXPECT_EQ(last.rows, 10u);
  EXPECT_EQ(last.bytes_done, last.bytes_total);
}

// Reads the file with scipy and writes what it found as JSON.
constexpr const char* reader = R"(
import json, sys, zipfile
import numpy, scipy.sparse
path, out = sys.argv[1:]
bad = zipfile.ZipFile(path).testzip()
x = scipy.sparse.load_npz(path)
arrays = numpy.load(path)
json.dump({
    "bad": bad, "shape": list(x.shape), "indptr": x.indptr.tolist(), "indices": x.indices.tolist(),
    "data": x.data.tolist(), "sorted": bool(x.has_sorted_indices), "dtypes": {k: str(arrays[k].dtype) for k in arrays},
    "targets": arrays["targets"].tolist() if "targets" in arrays else None,
    "weights": arrays["weights"].tolist() if "weights" in arrays else None,
}, open(out, "w"))
)";

/// A python3 with numpy and scipy: the distribution's, or the one in PATH. Empty if neither has them.
std::string find_python() {
  for (const std::string python : {"/usr/bin/python3", "python3"}) {
    if (std::system((python + " -c 'import numpy, scipy.sparse' >/dev/null 2>&1").c_str()) == 0)
      return python;
  }
  return "";
}

nlohmann::json read_with_scipy(const std::string& python, const TempFolder& folder, const std::string& path) {
  write_text_file(folder.file("reader.py"), reader);
  const std::string command =
      python + " '" + folder.file("reader.py") + "' '" + path + "' '" + folder.file("found.json") + "'";
  if (std::system(command.c_str()) != 0) {
    ADD_FAILURE() << "scipy cannot read " << path;
    return {};
  }
  return nlohmann::json::parse(read_text_file(folder.file("found.json")));
}

TEST(ExportNpz, ScipyReadsTheMatrix) {
  const std::string python = find_python();
  if (python.empty()) GTEST_SKIP() << "no python3 with numpy and scipy here to read the file";
  Schema plain = two_numbers(LabelKind::number);
  plain.weight = "w";
  // 70,000 rows make more than one slice, in two shards.
  const std::vector<std::pair<Schema, std::size_t>> cases{{test::every_kind_schema(), 0},
                                                          {test::every_kind_schema(), 1},
                                                          {test::every_kind_schema(), 33},
                                                          {plain, 70'000}};
  for (const auto& [schema, rows] : cases) {
    const OnDisk disk(schema, {}, rows, 69'000);
    const std::string path = disk.folder.file("out.npz");
    export_npz(disk.open(), path);
    const nlohmann::json found = read_with_scipy(python, disk.folder, path);
    const Csr x = to_csr(disk.sample.batch.view());
    EXPECT_TRUE(found.at("bad").is_null());
    EXPECT_EQ(found.at("shape"), (std::vector<SparseIndex>{x.num_rows, x.num_columns}));
    EXPECT_TRUE(found.at("indptr") == nlohmann::json(x.row_offsets)) << rows;
    EXPECT_TRUE(found.at("indices") == nlohmann::json(x.columns)) << rows;
    EXPECT_TRUE(found.at("data") == nlohmann::json(x.values)) << rows;
    EXPECT_TRUE(found.at("targets") == nlohmann::json(disk.sample.batch.targets)) << rows;
    EXPECT_TRUE(found.at("weights") == nlohmann::json(disk.sample.batch.weights)) << rows;
    EXPECT_EQ(found.at("dtypes").at("indices"), "int64");
    EXPECT_EQ(found.at("dtypes").at("indptr"), "int64");
    EXPECT_EQ(found.at("dtypes").at("data"), "float32");
  }
}

TEST(ExportNpz, WithoutLabelAndWeightThereAreOnlyTheMatrixArrays) {
  const std::string python = find_python();
  if (python.empty()) GTEST_SKIP() << "no python3 with numpy and scipy here to read the file";
  Schema schema = two_numbers(LabelKind::number);
  schema.label = {};
  const OnDisk disk(schema, {0, 0}, 4, 2);
  export_npz(disk.open(), disk.folder.file("out.npz"));
  EXPECT_EQ(read_with_scipy(python, disk.folder, disk.folder.file("out.npz")).at("dtypes").size(), 5u);
}

TEST(ExportNpz, SameDatasetGivesTheSameBytes) {
  const OnDisk disk(test::every_kind_schema(), test::every_kind_heads(), 50, 20);
  export_npz(disk.open(), disk.folder.file("a"));
  export_npz(disk.open(), disk.folder.file("b"));
  EXPECT_EQ(read_text_file(disk.folder.file("a")), read_text_file(disk.folder.file("b")));
}

}  // namespace
}  // namespace widehash
