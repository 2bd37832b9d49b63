// The calls that a step makes besides its kernels, which no result shows.

#include "cuda/device_buffer.hpp"
#include "network/batches.hpp"

#include <widehash/replica.hpp>

#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <simulator.hpp>

namespace widehash::cuda {
namespace {

std::unique_ptr<Replica<float>> replica(const CodeLayout& layout, std::vector<std::uint32_t> hidden,
                                        std::uint32_t outputs = 1) {
  Architecture architecture;
  architecture.num_columns = layout.num_columns;
  architecture.hidden = std::move(hidden);
  architecture.outputs = outputs;
  if (outputs > 1) architecture.loss = LossKind::softmax;
  architecture.active_columns = active_columns(layout);
  const Network<float> network(architecture);
  const Optimizer<float> optimizer(default_settings(OptimizerKind::adagrad), network.parameters());
  return make_cuda_replica(0, network, optimizer, {network.columns(), network.columns()});
}

/// The number of calls of `call` while work() runs.
template <class Work>
std::uint64_t calls(const std::string& call, const Work& work) {
  const std::uint64_t before = simulator::num_calls(call);
  work();
  return simulator::num_calls(call) - before;
}

TEST(StepCalls, OneOutputTakesItsWeightsGradientFromNoLibrary) {
  const auto layout = test::plain_layout(2, 50);
  struct Shape {
    std::vector<std::uint32_t> hidden;
    std::uint32_t outputs;
    std::uint64_t products;
  };
  // After one hidden layer, no products at all. After a layer too wide for that, or with several outputs, the
  // products forward and back.
  for (const Shape& of : {Shape{{4}, 1, 0}, {{129}, 1, 2}, {{4}, 3, 3}, {{5, 4}, 1, 3}}) {
    const auto device = replica(*layout, of.hidden, of.outputs);
    const CodeBatch batch = test::random_batch(layout, 40, 1, of.outputs);
    EXPECT_EQ(calls("cublasSgemm", [&] { device->train_step(batch.view(), "a step"); }), of.products)
        << of.hidden.size() << " hidden layers, " << of.outputs << " outputs";
  }
}

TEST(StepCalls, KernelsOfAStep) {
  const auto layout = test::plain_layout(2, 50);
  const CodeBatch batch = test::random_batch(layout, 40, 1);
  // The rows are turned first. Then come: linear, scatter, update; or gather, output, scatter, update.
  for (const auto& [hidden, kernels] :
       {std::pair(std::vector<std::uint32_t>{}, 4u), std::pair(std::vector<std::uint32_t>{4}, 5u)}) {
    const auto device = replica(*layout, hidden);
    device->train_step(batch.view(), "the first, which sees the layout");
    EXPECT_EQ(calls("launch", [&] { device->train_step(batch.view(), "a step"); }), kernels);
  }
}

TEST(StepCalls, OfCodesOnTheDeviceThatWerePreparedAreNoCopiesAndNoQuestions) {
  const auto layout = test::plain_layout(2, 50);
  const CodeBatch batch = test::random_batch(layout, 64, 1);
  const DeviceContext context(0);
  const Stream stream;
  const DeviceBuffer<std::uint16_t> codes(context, 64 * layout->wide_codes, "codes");
  const DeviceBuffer<std::uint8_t> byte_codes(context, 64 * layout->byte_codes, "codes");
  codes.clear(stream);
  byte_codes.clear(stream);
  CodeBatchView rows;
  rows.layout = layout.get();
  rows.num_rows = 64;
  rows.targets = batch.targets;
  const std::vector<float> weights(64, 2.0f);
  rows.weights = weights;
  rows.device_codes = {codes.data(), nullptr, 64, byte_codes.data(), stream.get()};

  const auto device = replica(*layout, {});
  device->train_step(rows, "the first, for which memory is taken");
  const std::vector<std::string> costs{"cudaMemcpyAsync", "cudaPointerGetAttributes", "cudaMalloc"};
  for (int turn = 0; turn < 3; ++turn) {
    const auto prepared = device->prepare(rows);
    ASSERT_NE(prepared, nullptr);
    for (const std::string& call : costs) {
      EXPECT_EQ(calls(call, [&] { device->train_step(rows, "a step", prepared.get()); }), 0u) << call;
    }
  }
  EXPECT_GT(calls("cudaPointerGetAttributes", [&] { device->train_step(rows, "a step"); }), 0u);
}

}  // namespace
}  // namespace widehash::cuda
