#include "training_bench.hpp"

#include "criteo_batches.hpp"
#include "device_timing.hpp"

#include <widehash/replica.hpp>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace widehash::bench {
namespace {

/// The number of batches of 9 MB used in turn, so many that their codes stay neither in a second-level cache
/// of 60 MB nor in the caches of the processor that gathers them.
std::size_t num_batches() { return std::clamp<std::size_t>(works_at_once(), 2, 24); }
/// Made once and never destroyed: they take the host seconds, and a benchmark is called half a dozen times.
const std::vector<RawBatch>& all_raw_batches() {
  static const auto* const batches = new std::vector<RawBatch>(raw_batches(num_batches()));
  return *batches;
}

const std::vector<CodeBatch>& all_code_batches() {
  static const auto* const batches = new std::vector<CodeBatch>(code_batches(num_batches()));
  return *batches;
}

/// Steps until every buffer that training uses has been allocated.
std::size_t num_first_steps() { return std::clamp<std::size_t>(works_at_once(), 1, 16); }

/// Prepares batches on a thread of its own, as training does, so that
/// the host's work for a batch does not delay the steps.
template <class RowsOf>
class PreparedAhead {
 public:
  /// rows_of(i) returns batch i.
  PreparedAhead(Replica<float>& replica, const RowsOf& rows_of)
      : thread_([this, &replica, rows_of] {
          try {
            for (std::size_t i = 0; wait_for_room(); ++i) put(replica.prepare(rows_of(i)));
          } catch (...) {
            const std::lock_guard lock(mutex_);
            problem_ = std::current_exception();
            changed_.notify_all();
          }
        }) {}
  ~PreparedAhead() {
    {
      const std::lock_guard lock(mutex_);
      is_over_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }
  PreparedAhead(const PreparedAhead&) = delete;
  PreparedAhead& operator=(const PreparedAhead&) = delete;

  std::shared_ptr<PreparedRows> take() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !prepared_.empty() || problem_; });
    if (prepared_.empty()) std::rethrow_exception(problem_);
    auto first = std::move(prepared_.front());
    prepared_.pop_front();
    changed_.notify_all();
    return first;
  }

 private:
  static constexpr std::size_t most_ahead = 4;

  bool wait_for_room() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return is_over_ || prepared_.size() < most_ahead; });
    return !is_over_;
  }
  void put(std::shared_ptr<PreparedRows> rows) {
    const std::lock_guard lock(mutex_);
    prepared_.push_back(std::move(rows));
    changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::shared_ptr<PreparedRows>> prepared_;
  std::exception_ptr problem_;
  bool is_over_ = false;
  std::thread thread_;
};

/// A replica with the first layer and state.range(0) hidden units.
std::unique_ptr<Replica<float>> make_replica(const benchmark::State& state, const CodeLayout& layout) {
  Architecture architecture;
  architecture.num_columns = layout.num_columns;
  architecture.active_columns = active_columns(layout);
  if (state.range(0) > 0) architecture.hidden = {static_cast<std::uint32_t>(state.range(0))};
  const Network<float> network(architecture);
  const Optimizer<float> optimizer(default_settings(OptimizerKind::adagrad), network.parameters());
  return make_cuda_replica(0, network, optimizer, {network.columns(), network.columns()});
}

/// Runs steps, as far ahead as the replica allows; begin(i) begins step i. The loss of the last step shows
/// that it is training, not how good the model is.
template <class Begin>
void train(benchmark::State& state, Replica<float>& replica, const Begin& begin) {
  double loss = 0;
  std::size_t num_begun = 0;
  std::size_t step = 0;
  const auto go_on = [&] {
    begin(step++);
    if (++num_begun <= replica.steps_ahead()) return;
    loss = replica.finish_step();
    --num_begun;
  };
  const auto start = std::chrono::steady_clock::now();
  do {
    for (std::size_t i = 0; i < num_first_steps(); ++i) go_on();
  } while (works_at_once() > 1 && std::chrono::steady_clock::now() - start < warm_up);
  for (auto _ : state) go_on();
  for (; num_begun > 0; --num_begun) loss = replica.finish_step();
  report(state, batch_rows, 0);
  state.counters["log_loss"] = loss / batch_rows;
}

/// Codes in device memory.
void on_device(benchmark::State& state) {
  const Schema schema = criteo_schema();
  const CodeLayout layout = make_layout(schema);
  std::vector<std::unique_ptr<HashedBatch>> batches;
  for (const RawBatch& batch : all_raw_batches()) {
    batches.push_back(std::make_unique<HashedBatch>(device(), schema, layout));
    batches.back()->fill(batch);
  }
  const auto replica = make_replica(state, layout);
  const auto rows_of = [&](std::size_t step) { return batches[step % batches.size()]->rows(); };
  PreparedAhead ahead(*replica, rows_of);
  train(state, *replica, [&](std::size_t step) {
    const auto prepared = ahead.take();
    replica->begin_step(rows_of(step), "batch", prepared.get());
  });
}

/// Columns of 32-bit numbers, copied and hashed for every step.
void raw_columns(benchmark::State& state) {
  const Schema schema = criteo_schema();
  const CodeLayout layout = make_layout(schema);
  const std::vector<RawBatch>& raw = all_raw_batches();
  HashedBatch first(device(), schema, layout);
  HashedBatch second(device(), schema, layout);
  const auto replica = make_replica(state, layout);
  train(state, *replica, [&](std::size_t step) {
    HashedBatch& batch = step % 2 == 0 ? first : second;
    replica->begin_step(batch.fill(raw[step % raw.size()]), "batch");
  });
}

/// Codes in host memory: the next batches are copied while one is trained on.
void host_batch(benchmark::State& state) {
  const std::vector<CodeBatch>& batches = all_code_batches();
  const auto rows_of = [&](std::size_t step) { return batches[step % batches.size()].view(); };
  const auto replica = make_replica(state, *rows_of(0).layout);
  PreparedAhead ahead(*replica, rows_of);
  train(state, *replica, [&](std::size_t step) {
    const auto prepared = ahead.take();
    replica->begin_step(rows_of(step), "batch", prepared.get());
  });
}

}  // namespace

void register_training() {
  const auto add = [](const char* name, auto function) {
    add_benchmark(name, function)->Arg(0)->Arg(32)->UseRealTime()->Unit(benchmark::kMicrosecond);
  };
  add("train/device", on_device);
  add("train/raw_columns", raw_columns);
  add("train/host_batch", host_batch);
}

}  // namespace widehash::bench
