#include "base/damage.hpp"
#include "sparse/sample.hpp"

#include <widehash/error.hpp>
#include <widehash/threads.hpp>

#include <array>
#include <functional>
#include <limits>
#include <numeric>
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace widehash {
namespace {

using test::every_kind_sample;
using test::same_rows;
using test::Sample;
using testing::HasSubstr;

TEST(CodeBatch, NewBatchIsEmpty) {
  const Sample sample = every_kind_sample(0, 1);
  const CodeBatchView view = sample.batch.view();
  EXPECT_EQ(view.num_rows, 0u);
  EXPECT_EQ(view.ragged_offsets.size(), 1u);
  EXPECT_NO_THROW(check_batch(view, "batch"));
  EXPECT_EQ(CodeBatch().view().num_rows, 0u);
}

TEST(CodeBatch, NewRowsHaveRoomAndEmptyRuns) {
  Sample sample = every_kind_sample(3, 1);
  const std::size_t ragged = sample.batch.ragged.size();
  sample.batch.resize(5);
  const CodeBatchView view = sample.batch.view();
  EXPECT_EQ(view.codes.size(), 5 * sample.layout->code_stride);
  EXPECT_EQ(view.ragged_offsets[4], ragged);
  EXPECT_EQ(view.ragged_offsets[5], ragged);
  EXPECT_EQ(view.targets.size(), 5u);
}

TEST(CodeBatch, RowsThatThereIsNoRoomForChangeNothing) {
  Sample sample = every_kind_sample(3, 1);
  const CodeBatch before = sample.batch;
  // More than any array can hold, so that no allocator is called: a sanitizer's allocator would end the process.
  const std::size_t most = std::numeric_limits<std::size_t>::max() / sample.layout->code_stride;
  EXPECT_THROW(sample.batch.resize(most), ShapeError);
  EXPECT_THROW(sample.batch.resize(std::size_t{1} << 62), ShapeError);  // times 4 is 0
  EXPECT_NO_THROW(check_batch(sample.batch.view(), "batch"));
  EXPECT_TRUE(same_rows(sample.batch.view(), before.view()));
  EXPECT_THROW(CodeBatch().resize(0), ShapeError);
}

TEST(CodeBatch, OneThatWasMovedFromMayBeCleared) {
  Sample sample = every_kind_sample(3, 1);
  const CodeBatch taken = std::move(sample.batch);
  sample.batch.truncate(1);
  sample.batch.clear();
  EXPECT_EQ(sample.batch.num_rows(), 0u);
  EXPECT_EQ(taken.num_rows(), 3u);
}

TEST(CodeBatch, RowsArePartsOfTheView) {
  const Sample sample = every_kind_sample(33, 2);
  const CodeBatchView whole = sample.batch.view();
  for (const auto& [begin, count] :
       {std::pair<std::size_t, std::size_t>{0, 33}, {0, 0}, {33, 0}, {5, 20}, {32, 1}}) {
    const CodeBatchView part = whole.rows(begin, count);
    EXPECT_EQ(part.num_rows, count);
    EXPECT_NO_THROW(check_batch(part, "part"));
    std::vector<std::size_t> numbers(count);
    std::iota(numbers.begin(), numbers.end(), begin);
    CodeBatch copy(sample.layout);
    copy.append_rows(whole, numbers);
    EXPECT_TRUE(same_rows(copy.view(), part));
  }
  EXPECT_TRUE(same_rows(whole.rows(5, 20).rows(3, 4), whole.rows(8, 4)));
}

TEST(CodeBatch, RowsPastTheEndAreShapeErrors) {
  const Sample sample = every_kind_sample(3, 2);
  EXPECT_THROW(sample.batch.view().rows(4, 0), ShapeError);
  EXPECT_THROW(sample.batch.view().rows(2, 2), ShapeError);
  EXPECT_THROW(sample.batch.view().rows(1, std::numeric_limits<std::size_t>::max()), ShapeError);
}

TEST(CodeBatch, AppendedPartsMakeTheWhole) {
  const Sample sample = every_kind_sample(100, 3);
  CodeBatch joined(sample.layout);
  for (const auto& [begin, count] :
       {std::pair<std::size_t, std::size_t>{0, 31}, {31, 0}, {31, 32}, {63, 37}}) {
    joined.append(sample.batch.view().rows(begin, count));
  }
  EXPECT_TRUE(same_rows(joined.view(), sample.batch.view()));
  EXPECT_EQ(joined.ragged_offsets, sample.batch.ragged_offsets);
}

TEST(CodeBatch, NumberedRowsAreAppendedInTheirOrder) {
  Schema fixed = test::every_kind_schema();  // without ragged runs, so that several threads copy rows
  std::erase_if(fixed.features, [](const Feature& f) { return f.name == "tags" || f.name == "shop"; });
  for (const Sample& sample : {every_kind_sample(9000, 6), test::make_sample(fixed, {}, 9000, 6)}) {
    std::mt19937 random(7);
    std::vector<std::size_t> numbers(20'000);
    for (std::size_t& number : numbers) number = random() % 9000;
    CodeBatch wanted(sample.layout);
    wanted.append(sample.batch.view().rows(0, 3));
    for (const std::size_t number : numbers) wanted.append(sample.batch.view().rows(number, 1));
    for (const std::size_t threads : {1, 3}) {
      CodeBatch taken(sample.layout);
      taken.append(sample.batch.view().rows(0, 3));
      with_threads(threads, [&] { taken.append_rows(sample.batch.view(), numbers); });
      EXPECT_EQ(taken.num_rows(), 20'003u);
      EXPECT_TRUE(same_rows(taken.view(), wanted.view()));
    }
  }
}

TEST(CodeBatch, ANumberOfNoRowChangesNothing) {
  const Sample sample = every_kind_sample(3, 4);
  CodeBatch batch(sample.layout);
  EXPECT_THROW(batch.append_rows(sample.batch.view(), std::array{std::size_t{0}, std::size_t{3}}),
               ShapeError);
  EXPECT_EQ(batch.num_rows(), 0u);
}

TEST(CodeBatch, RowsWhoseOffsetsFallAreNotAppended) {
  const Sample sample = every_kind_sample(3, 4);
  std::vector<std::uint64_t> offsets(sample.batch.ragged_offsets.begin(), sample.batch.ragged_offsets.end());
  offsets[1] = std::uint64_t{1} << 40;
  CodeBatchView bad = sample.batch.view();
  bad.ragged_offsets = offsets;
  CodeBatch batch(sample.layout);
  EXPECT_THROW(batch.append(bad), ShapeError);
  EXPECT_THROW(batch.append_rows(bad, std::array{std::size_t{0}}), ShapeError);
  EXPECT_EQ(batch.num_rows(), 0u);
}

TEST(CodeBatch, RowsOfAnotherLayoutAreNotAppended) {
  const Sample sample = every_kind_sample(3, 4);
  const Sample other = test::make_sample(test::every_kind_schema(), {}, 3, 4);
  CodeBatch batch(sample.layout);
  EXPECT_THROW(batch.append(other.batch.view()), ShapeError);
  EXPECT_THROW(batch.append_rows(other.batch.view(), std::array{std::size_t{0}}), ShapeError);
  // A layout that is another object of equal meaning is accepted.
  batch.append(every_kind_sample(2, 9).batch.view());
  EXPECT_EQ(batch.num_rows(), 2u);
}

TEST(CodeBatch, TruncateKeepsTheFirstRows) {
  Sample sample = every_kind_sample(40, 5);
  CodeBatch wanted(sample.layout);
  wanted.append(sample.batch.view().rows(0, 17));
  sample.batch.truncate(50);
  EXPECT_EQ(sample.batch.num_rows(), 40u);
  sample.batch.truncate(17);
  EXPECT_TRUE(same_rows(sample.batch.view(), wanted.view()));
  EXPECT_EQ(sample.batch.ragged.size(), wanted.ragged.size());
  sample.batch.clear();
  EXPECT_EQ(sample.batch.num_rows(), 0u);
  EXPECT_TRUE(sample.batch.ragged.empty());
  EXPECT_NO_THROW(check_batch(sample.batch.view(), "cleared"));
}

TEST(CheckBatch, TakesWhatEncodersMake) {
  for (const std::size_t rows : {0, 1, 31, 32, 33, 500}) {
    EXPECT_NO_THROW(check_batch(every_kind_sample(rows, 6).batch.view(), "batch")) << rows;
  }
}

// Damages row 2 of 4 in one place and expects an error that names it.
void expect_found(const std::function<void(CodeBatch&)>& harm, const std::string& words) {
  Sample sample = every_kind_sample(4, 7);
  harm(sample.batch);
  try {
    check_batch(sample.batch.view(), "table in memory");
    ADD_FAILURE() << "not found: " << words;
  } catch (const DataError& error) {
    EXPECT_EQ(error.path(), "table in memory");
    EXPECT_EQ(error.row(), 3u) << error.what();
    EXPECT_THAT(error.what(), HasSubstr("encode them again"));
    EXPECT_THAT(error.what(), HasSubstr(words));
  }
}

constexpr std::size_t user = 0;
constexpr std::size_t item = 1;
constexpr std::size_t page = 10;
constexpr std::size_t query = 11;

// Sets code `k` of row 2.
auto with_code(std::size_t feature, std::uint32_t k, std::uint32_t code) {
  return [=](CodeBatch& b) { b.set_code(2, b.layout().blocks[feature], k, code); };
}

TEST(CheckBatch, FindsCodesOutOfRange) {
  expect_found(with_code(user, 3, 32), "'user': code 32");
  expect_found(with_code(item, 3, 8), "'item': code 8");
  expect_found(with_code(user, 0, absent_byte_code), "'user'");
  expect_found(with_code(page, 3, 317), "'page': code 317");
  expect_found(with_code(query, 1, 256), "'query': code 256");
  expect_found(with_code(page, 0, absent_code), "'page'");
}

TEST(CheckBatch, FindsValuesAbsentInPart) {
  const auto in_part = [](std::size_t feature, std::uint32_t mark) {
    return [=](CodeBatch& b) {
      for (std::uint32_t k = 0; k < 4; ++k) with_code(feature, k, k == 1 ? mark : 0)(b);
    };
  };
  expect_found(in_part(item, absent_byte_code), "'item': a value is only partly present");
  expect_found(in_part(query, absent_code), "'query': a value is only partly present");
  expect_found(
      [](CodeBatch& b) {
        for (std::uint32_t k = 0; k < 4; ++k) b.columns[2 * 6 + 2 + k] = k * 65536;
        b.columns[2 * 6 + 2] = absent_column;
      },
      "'address': a value is only partly present");
}

TEST(CheckBatch, FindsColumnsOutOfRange) {
  expect_found([](CodeBatch& b) { b.columns[2 * 6] = 17; }, "'day': column 17");
  expect_found([](CodeBatch& b) { b.columns[2 * 6 + 1] = 5; }, "'age': column 5");
  expect_found([](CodeBatch& b) { b.columns[2 * 6 + 1] = absent_column; }, "'age'");
  expect_found([](CodeBatch& b) { b.columns[2 * 6 + 3] = 131072; }, "'address': column 131072");
  expect_found([](CodeBatch& b) { b.columns[2 * 6 + 3] = 65535; }, "'address': column 65535");
}

TEST(CheckBatch, FindsRaggedRunsOutOfRange) {
  const auto with_run = [](std::vector<std::uint32_t> run) {
    return [run](CodeBatch& b) {
      b.ragged = run;
      b.ragged_offsets = {0, 0, 0, run.size(), run.size()};
    };
  };
  // shop has columns 178 to 222, tags 223 to 254.
  Sample good = every_kind_sample(4, 7);
  with_run({182, 183, 193, 203, 213, 178, 223, 231, 239, 254})(good.batch);
  EXPECT_NO_THROW(check_batch(good.batch.view(), "good"));
  expect_found(with_run({177}), "ragged column 177");
  expect_found(with_run({180, 255}), "ragged column 255");
  expect_found(with_run({223, 231, 239, 247, 182}), "schema order");
  expect_found(with_run({183, 193, 203}), "'shop' are not those of whole values");
  expect_found(with_run({183, 193, 203, 223}), "'shop' are not those of whole values");
  expect_found(with_run({183, 193, 193, 213}), "'shop' are not those of whole values");
  expect_found(with_run({183, 178, 193, 203, 213}), "'shop' are not those of whole values");
  expect_found(with_run({223, 231, 239, 246}), "'tags' are not those of whole values");
  expect_found(with_run({0xFFFFFFFF}), "ragged column 4294967295");
  expect_found([](CodeBatch& b) { b.ragged_offsets[3] = b.ragged_offsets[2] - 1; }, "ragged columns");
  expect_found([](CodeBatch& b) { b.ragged_offsets[3] = ~std::uint64_t{0}; }, "ragged columns");
}

TEST(CheckBatch, FindsNumbersThatAreNone) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float infinity = std::numeric_limits<float>::infinity();
  expect_found([=](CodeBatch& b) { b.numbers[2 * 2 + 1] = nan; }, "not finite");
  expect_found([=](CodeBatch& b) { b.targets[2] = infinity; }, "target");
  expect_found([=](CodeBatch& b) { b.weights[2] = nan; }, "weight");
  expect_found([](CodeBatch& b) { b.weights[2] = -0.5F; }, "weight -0.5");
}

TEST(CheckBatch, FindsTargetsThatAreNoClass) {
  Schema schema = test::every_kind_schema();
  schema.label.kind = LabelKind::classes;
  schema.label.classes = {"a", "b", "c"};
  Sample sample = test::make_sample(schema, {}, 4, 8);
  EXPECT_NO_THROW(check_batch(sample.batch.view(), "good"));
  for (const float target : {-1.0F, 0.5F, 3.0F}) {
    sample.batch.targets[1] = target;
    EXPECT_THROW(check_batch(sample.batch.view(), "bad"), DataError) << target;
  }
}

TEST(CheckBatch, FindsArraysOfAnotherLength) {
  const auto refused = [](const std::function<void(CodeBatch&)>& harm) {
    Sample sample = every_kind_sample(4, 9);
    harm(sample.batch);
    return test::throws<DataError>([&] { check_batch(sample.batch.view(), "batch"); });
  };
  EXPECT_TRUE(refused([](CodeBatch& b) { b.codes.pop_back(); }));
  EXPECT_TRUE(refused([](CodeBatch& b) { b.columns.push_back(0); }));
  EXPECT_TRUE(refused([](CodeBatch& b) { b.numbers.clear(); }));
  EXPECT_TRUE(refused([](CodeBatch& b) { b.targets.clear(); }));
  EXPECT_TRUE(refused([](CodeBatch& b) { b.weights.pop_back(); }));
  EXPECT_TRUE(refused([](CodeBatch& b) { b.ragged_offsets.pop_back(); }));
  EXPECT_TRUE(refused([](CodeBatch& b) { b.ragged_offsets.clear(); }));
  EXPECT_TRUE(refused([](CodeBatch& b) { b.ragged.clear(); }));
  const Sample sample = every_kind_sample(4, 9);
  CodeBatchView huge = sample.batch.view();
  huge.num_rows = std::size_t{1} << 62;  // times 12 words of codes, this wraps around to 0
  huge.codes = {};
  EXPECT_THROW(check_batch(huge, "huge"), DataError);
}

// Whatever the arrays contain, a batch is either refused or has only safe indices.
TEST(CheckBatch, AcceptedNoiseHasOnlySafeIndices) {
  std::mt19937 random(11);
  int accepted = 0;
  for (int round = 0; round < 3000; ++round) {
    Sample sample = every_kind_sample(2, static_cast<unsigned>(round));
    CodeBatch& batch = sample.batch;
    for (int i = 0; i < 2; ++i) {
      const std::size_t feature = std::array{user, item, page, query}[random() % 4];
      const FeatureBlock& block = batch.layout().blocks[feature];
      batch.set_code(random() % 2, block, static_cast<std::uint32_t>(random() % 4),
                     random() % 8 == 0 ? block.absent_mark()
                                       : static_cast<std::uint32_t>(random() % (block.width * 5 / 4)));
      if (random() % 4 != 0) continue;
      batch.columns[random() % batch.columns.size()] = static_cast<std::uint32_t>(random() % 300000);
      if (!batch.ragged.empty())
        batch.ragged[random() % batch.ragged.size()] = static_cast<std::uint32_t>(random() % 260);
    }
    try {
      check_batch(batch.view(), "noise");
    } catch (const DataError&) {
      continue;
    }
    ++accepted;
    for (std::size_t row = 0; row < 2; ++row) {
      for (const FeatureBlock& block : sample.layout->blocks) {
        if (!block.has_codes()) continue;
        const bool is_absent = block.may_be_absent && batch.view().code(row, block, 0) == block.absent_mark();
        for (std::uint32_t k = 0; k < 4; ++k) {
          const std::uint32_t code = batch.view().code(row, block, k);
          if (is_absent) {
            ASSERT_EQ(code, block.absent_mark()) << block.name;
          } else {
            ASSERT_LT(code, block.width) << block.name;
          }
        }
      }
    }
    for (const std::uint32_t column : batch.ragged) ASSERT_LT(column, sample.layout->num_columns);
  }
  EXPECT_GT(accepted, 100);
  EXPECT_LT(accepted, 3000);
}

}  // namespace
}  // namespace widehash
