// Rows that are hashed on the device and trained on in place, compared with the same rows from the host.

#include "cuda_test.hpp"
#include "network/batches.hpp"
#include "on_device.hpp"

#include <widehash/device_encoder.hpp>
#include <widehash/encoder.hpp>
#include <widehash/error.hpp>
#include <widehash/replica.hpp>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

namespace widehash::cuda {
namespace {

Schema schema_of_columns() {
  Schema schema;
  schema.label.field = "y";
  schema.features = {test::feature("narrow", Encoding::four_split, 1000),
                     test::feature("hot", Encoding::one_hot, 70),
                     test::feature("wide", Encoding::four_split, 1'000'000)};
  return schema;
}

/// Raw columns of numbers, with a label that depends on them.
struct Table {
  std::vector<std::vector<std::uint32_t>> columns;
  std::vector<float> targets;
};

Table random_table(std::size_t num_rows, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Table table{std::vector<std::vector<std::uint32_t>>(3), {}};
  for (std::size_t row = 0; row < num_rows; ++row) {
    for (auto& column : table.columns) column.push_back(static_cast<std::uint32_t>(random() % 500));
    table.targets.push_back(table.columns[0].back() % 3 == 0 ? 1.0f : 0.0f);
  }
  return table;
}

class DeviceCodesTest : public CudaTest {
 protected:
  static CodeBatch encode_on_host(const Encoder& encoder, const Table& table) {
    std::vector<std::string> texts;
    for (std::size_t row = 0; row < table.targets.size(); ++row) {
      texts.push_back(table.targets[row] == 0 ? "0" : "1");
      for (const auto& column : table.columns) texts.push_back(std::to_string(column[row]));
    }
    const std::vector<std::string_view> views(texts.begin(), texts.end());
    return encoder.encode({.values = views, .num_fields = 4});
  }

  static std::unique_ptr<Replica<float>> replica(const CodeLayout& layout,
                                                 std::vector<std::uint32_t> hidden) {
    Architecture architecture;
    architecture.num_columns = layout.num_columns;
    architecture.hidden = std::move(hidden);
    architecture.active_columns = active_columns(layout);
    const Network<float> network(architecture);
    const Optimizer<float> optimizer(default_settings(OptimizerKind::adagrad), network.parameters());
    return make_cuda_replica(0, network, optimizer, {network.columns(), network.columns()});
  }

  static std::vector<float> first_weights(const Replica<float>& replica) {
    std::vector<float> scratch;
    const std::size_t size = replica.shape().columns.size() * replica.architecture().first_units();
    const auto values = replica.read(ValueSet::parameters, 0, 0, size, scratch);
    return {values.begin(), values.end()};
  }
};

/// Memory for a batch of codes, and a stream on which it is filled again and again.
class HashedColumns {
 public:
  HashedColumns(const Encoder& encoder, std::size_t most_rows)
      : layout_(*encoder.layout()),
        encoder_(encoder.schema(), layout_),
        most_rows_(most_rows),
        codes_(context_, most_rows * layout_.wide_codes, "codes"),
        byte_codes_(context_, most_rows * layout_.byte_codes, "codes of a byte"),
        columns_(context_, most_rows * layout_.column_stride, "columns"),
        scratch_(context_, encoder_.scratch_bytes(most_rows), "scratch") {
    for (int j = 0; j < 3; ++j) raw_.emplace_back(context_, most_rows, "raw columns");
  }

  CodeBatchView fill(const Table& table) {
    const std::size_t num_rows = table.targets.size();
    std::vector<DeviceColumn> columns(3);
    for (std::size_t j = 0; j < 3; ++j) {
      copy_to_device<std::uint32_t>(table.columns[j], raw_[j].data(), stream_);
      columns[j].kind = DeviceValues::uint32;
      columns[j].values = raw_[j].data();
    }
    CodeBatchView rows;
    rows.layout = &layout_;
    rows.num_rows = num_rows;
    rows.targets = table.targets;
    rows.device_codes = {codes_.data(), columns_.data(), most_rows_, byte_codes_.data(), stream_.get()};
    encoder_.encode(columns, num_rows, rows.device_codes, scratch_.data());
    return rows;
  }

 private:
  DeviceContext context_{0};
  Stream stream_;
  const CodeLayout& layout_;
  DeviceEncoder encoder_;
  std::size_t most_rows_;
  DeviceBuffer<std::uint16_t> codes_;
  DeviceBuffer<std::uint8_t> byte_codes_;
  DeviceBuffer<std::uint32_t> columns_;
  DeviceBuffer<std::byte> scratch_;
  std::vector<DeviceBuffer<std::uint32_t>> raw_;
};

TEST_F(DeviceCodesTest, TrainAsTheSameRowsFromTheHost) {
  const Encoder encoder(schema_of_columns());
  for (const std::vector<std::uint32_t>& hidden : {std::vector<std::uint32_t>{}, {4}}) {
    const auto from_host = replica(*encoder.layout(), hidden);
    const auto on_device = replica(*encoder.layout(), hidden);
    HashedColumns hashed(encoder, 300);
    std::vector<double> expected;
    std::vector<double> losses;
    std::size_t num_begun = 0;
    for (std::uint64_t step = 0; step < 9; ++step) {
      const Table table = random_table(step == 4 ? 1 : 300 - 7 * step, step);
      const CodeBatch batch = encode_on_host(encoder, table);
      expected.push_back(from_host->train_step(batch.view(), "a step"));
      // The next step's codes overwrite these while the device may still be working on them.
      on_device->begin_step(hashed.fill(table), "a step");
      if (++num_begun <= on_device->steps_ahead()) continue;
      losses.push_back(on_device->finish_step());
      --num_begun;
    }
    for (; num_begun > 0; --num_begun) losses.push_back(on_device->finish_step());
    EXPECT_EQ(losses, expected);
    EXPECT_EQ(first_weights(*on_device), first_weights(*from_host));
  }
}

TEST_F(DeviceCodesTest, WhoseTargetsWereBroughtAheadMayBeOthersUntilTheStepBegins) {
  const Encoder encoder(schema_of_columns());
  for (const std::vector<std::uint32_t>& hidden : {std::vector<std::uint32_t>{}, {4}}) {
    const auto from_host = replica(*encoder.layout(), hidden);
    const auto on_device = replica(*encoder.layout(), hidden);
    HashedColumns hashed(encoder, 300);
    std::vector<double> expected;
    std::vector<double> losses;
    std::size_t num_begun = 0;
    CodeBatchView place = hashed.fill(random_table(300, 99));
    for (std::uint64_t step = 0; step < 9; ++step) {
      Table table = random_table(300 - 7 * step, step);
      const CodeBatch batch = encode_on_host(encoder, table);
      expected.push_back(from_host->train_step(batch.view(), "a step"));
      // The targets arrive before the codes. Once the codes are there, the targets are no longer read.
      place.num_rows = table.targets.size();
      place.targets = table.targets;
      const auto prepared = on_device->prepare(place);
      ASSERT_NE(prepared, nullptr);
      CodeBatchView rows = hashed.fill(table);
      std::ranges::fill(table.targets, 7.0f);
      on_device->begin_step(rows, "a step", prepared.get());
      if (++num_begun <= on_device->steps_ahead()) continue;
      losses.push_back(on_device->finish_step());
      --num_begun;
    }
    for (; num_begun > 0; --num_begun) losses.push_back(on_device->finish_step());
    EXPECT_EQ(losses, expected);
    EXPECT_EQ(first_weights(*on_device), first_weights(*from_host));
  }
}

TEST_F(DeviceCodesTest, SlicesAndPredictionsAreThoseOfTheHost) {
  const Encoder encoder(schema_of_columns());
  const Table table = random_table(100, 3);
  const CodeBatch batch = encode_on_host(encoder, table);
  const auto from_host = replica(*encoder.layout(), {});
  const auto on_device = replica(*encoder.layout(), {});
  HashedColumns hashed(encoder, 128);
  const CodeBatchView slice = hashed.fill(table).rows(40, 37);
  EXPECT_EQ(slice.num_rows, 37u);
  const double expected = from_host->train_step(batch.view().rows(40, 37), "a step");
  EXPECT_EQ(on_device->train_step(slice, "a step"), expected);

  std::vector<float> predictions(37);
  std::vector<float> host_predictions(37);
  on_device->predict(slice, predictions);
  from_host->predict(batch.view().rows(40, 37), host_predictions);
  EXPECT_EQ(predictions, host_predictions);
}

TEST_F(DeviceCodesTest, ThatCannotBeReadAreRefused) {
  const Encoder encoder(schema_of_columns());
  const auto device = replica(*encoder.layout(), {});
  const Table table = random_table(20, 1);
  HashedColumns hashed(encoder, 32);
  const CodeBatchView good = hashed.fill(table);
  const auto expect_refused = [&](const auto& spoil, const std::string& reason) {
    CodeBatchView bad = good;
    spoil(bad.device_codes);
    try {
      device->train_step(bad, "a step");
      ADD_FAILURE() << "nothing was thrown for: " << reason;
    } catch (const ShapeError& error) {
      EXPECT_NE(std::string(error.what()).find(reason), std::string::npos) << error.what();
    }
    EXPECT_THROW((void)device->prepare(bad), ShapeError);
  };
  expect_refused([](DeviceCodes& codes) { codes.slot_stride = 0; }, "slot by slot");
  expect_refused([](DeviceCodes& codes) { codes.slot_stride = 19; }, "19 places per slot");
  expect_refused([](DeviceCodes& codes) { codes.slot_stride = std::uint64_t{1} << 32; },
                 "more than a GPU takes");
  expect_refused([](DeviceCodes& codes) { codes.codes = nullptr; }, "no codes of 16 bits");
  expect_refused([](DeviceCodes& codes) { codes.byte_codes = nullptr; }, "no codes of 8 bits");
  expect_refused([](DeviceCodes& codes) { codes.columns = nullptr; }, "no columns");
  std::vector<std::uint16_t> on_host(1000);
  expect_refused([&](DeviceCodes& codes) { codes.codes = on_host.data(); }, "not in the memory of cuda:0");
  device->train_step(good, "a step");

  // Rows of a schema that a device can encode only in part.
  const auto mixed = test::mixed_layout();
  const auto other = replica(*mixed, {});
  CodeBatchView bad = good;
  bad.layout = mixed.get();
  EXPECT_THROW(other->train_step(bad, "a step"), ShapeError);
}

TEST_F(DeviceCodesTest, AreNothingForTheProcessor) {
  const Encoder encoder(schema_of_columns());
  const Table table = random_table(20, 1);
  HashedColumns hashed(encoder, 32);
  const CodeBatchView rows = hashed.fill(table);
  Architecture architecture;
  architecture.num_columns = encoder.layout()->num_columns;
  Network<float> network(architecture);
  Optimizer<float> optimizer(default_settings(OptimizerKind::sgd), network.parameters());
  EXPECT_THROW(network.train_step(rows, optimizer), ShapeError);
  CodeBatch batch(encoder.layout());
  EXPECT_THROW(batch.append(rows), ShapeError);
  EXPECT_THROW(check_batch(rows, "a batch"), DataError);
}

}  // namespace
}  // namespace widehash::cuda
