#include "device_code.hpp"
#include "fiber.hpp"
#include "state.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <cuda_runtime.h>

namespace simulator {
namespace {

/// Lanes that exchange values under one mask. Keeps the values of two turns, because a lane may reach the
/// next exchange before a slower one has read the values of this one.
struct Exchange {
  unsigned mask = 0;
  unsigned arrived = 0;
  std::uint64_t turn = 0;
  WarpCall call = WarpCall::sync;
  WarpValues values[2];
};

struct Warp {
  unsigned lanes = 0;  // lanes that have not ended
  std::vector<std::unique_ptr<Exchange>> exchanges;
};

/// A fiber, and what the thread on it waits for: a counter that has to move on.
struct Worker {
  std::unique_ptr<Fiber> fiber;
  const std::uint64_t* waits_for = nullptr;
  std::uint64_t seen = 0;
  unsigned thread = 0;
  bool is_idle = true;
};

class BlockRunner {
 public:
  void run(const char* kernel, dim3 grid, dim3 block, std::size_t shared_bytes,
           const std::function<void()>& thread);

  BlockVotes barrier(bool vote);
  const WarpValues& exchange(WarpCall call, unsigned mask, std::uint64_t value);
  unsigned thread() const { return workers_[current_]->thread; }
  Warp& warp() { return warps_[thread() / 32]; }
  void* shared() { return shared_.get(); }
  bool is_running() const { return is_running_; }

 private:
  void prepare(std::size_t num_threads, std::size_t shared_bytes);
  void run_block();
  void work();
  void end_thread();
  void wait_for(const std::uint64_t& counter);
  bool resume(std::size_t worker);
  void release_barrier_if_complete();
  void release_if_complete(Exchange& exchange, const Warp& warp);
  void report(const std::string& what);
  std::vector<std::size_t> in_order(std::size_t count);

  const char* kernel_ = "";
  const std::function<void()>* thread_ = nullptr;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<Warp> warps_;
  std::vector<std::size_t> threads_;  // in the order of their turns
  std::size_t next_ = 0;              // next of threads_ to start
  std::size_t current_ = 0;           // current worker
  std::size_t num_live_ = 0;
  std::size_t num_arrived_ = 0;
  int num_votes_ = 0;
  std::uint64_t barrier_turn_ = 0;
  BlockVotes votes_[2];
  std::unique_ptr<char, void (*)(void*)> shared_{nullptr, std::free};
  std::size_t shared_bytes_ = 0;
  std::mt19937_64 random_;
  bool is_running_ = false;
};

constexpr std::size_t shared_guard_bytes = 64;
constexpr std::uint8_t shared_guard = 0xB7;

thread_local BlockRunner runner;

std::vector<std::size_t> BlockRunner::in_order(std::size_t count) {
  std::vector<std::size_t> order(count);
  for (std::size_t i = 0; i < count; ++i) order[i] = i;
  if (settings().order == Order::reverse) std::reverse(order.begin(), order.end());
  if (settings().order == Order::shuffled) std::shuffle(order.begin(), order.end(), random_);
  return order;
}

void BlockRunner::report(const std::string& what) {
  report_violation(std::string(kernel_) + ", block " + std::to_string(blockIdx.x) + ": " + what);
}

void BlockRunner::run(const char* kernel, dim3 grid, dim3 block, std::size_t shared_bytes,
                      const std::function<void()>& thread) {
  kernel_ = kernel;
  thread_ = &thread;
  random_.seed(settings().seed);
  gridDim = grid;
  blockDim = block;
  is_running_ = true;
  for (const std::size_t index : in_order(std::size_t{grid.x} * grid.y * grid.z)) {
    blockIdx = {static_cast<unsigned>(index % grid.x), static_cast<unsigned>(index / grid.x % grid.y),
                static_cast<unsigned>(index / grid.x / grid.y)};
    prepare(std::size_t{block.x} * block.y * block.z, shared_bytes);
    run_block();
  }
  is_running_ = false;
}

void BlockRunner::prepare(std::size_t num_threads, std::size_t shared_bytes) {
  threads_ = in_order(num_threads);
  next_ = 0;
  num_live_ = num_threads;
  num_arrived_ = 0;
  num_votes_ = 0;
  warps_.clear();
  warps_.resize((num_threads + 31) / 32);
  for (std::size_t t = 0; t < num_threads; ++t) warps_[t / 32].lanes |= 1u << (t % 32);
  // Under the address sanitizer, the borders of the allocation stop reads past its end, too.
  shared_bytes_ = shared_bytes;
  shared_.reset(static_cast<char*>(std::malloc(shared_bytes + shared_guard_bytes)));
  std::memset(shared_.get(), settings().poison, shared_bytes);
  std::memset(shared_.get() + shared_bytes, shared_guard, shared_guard_bytes);
}

void BlockRunner::run_block() {
  while (num_live_ > 0) {
    bool has_moved = false;
    for (const std::size_t worker : in_order(workers_.size())) has_moved = resume(worker) || has_moved;
    if (next_ < threads_.size() && !has_moved) {
      workers_.push_back(std::make_unique<Worker>());
      workers_.back()->fiber = std::make_unique<Fiber>([this] { work(); });
      has_moved = resume(workers_.size() - 1);
    }
    if (!has_moved) {
      report("threads wait for each other for ever (a barrier or shuffle that not all of them come to)");
      device_error(current_device()) = cudaErrorLaunchFailure;
      // Their stacks are freed, along with what was on them.
      workers_.clear();
      return;
    }
  }
  const auto is_guard = [](char c) { return static_cast<std::uint8_t>(c) == shared_guard; };
  if (!std::all_of(shared_.get() + shared_bytes_, shared_.get() + shared_bytes_ + shared_guard_bytes,
                   is_guard)) {
    report("a write past the " + std::to_string(shared_bytes_) + " bytes of dynamic shared memory");
  }
}

bool BlockRunner::resume(std::size_t worker) {
  Worker& resumed = *workers_[worker];
  if (resumed.is_idle ? next_ == threads_.size() : *resumed.waits_for == resumed.seen) return false;
  current_ = worker;
  if (!resumed.is_idle) {
    threadIdx = {resumed.thread % blockDim.x, resumed.thread / blockDim.x % blockDim.y,
                 resumed.thread / blockDim.x / blockDim.y};
  }
  resumed.fiber->resume();
  return true;
}

/// The body of a fiber: runs thread after thread, so that kernels without barriers need only one fiber.
void BlockRunner::work() {
  for (;;) {
    Worker& self = *workers_[current_];
    while (next_ < threads_.size()) {
      self.is_idle = false;
      self.thread = static_cast<unsigned>(threads_[next_++]);
      threadIdx = {self.thread % blockDim.x, self.thread / blockDim.x % blockDim.y,
                   self.thread / blockDim.x / blockDim.y};
      (*thread_)();
      end_thread();
    }
    self.is_idle = true;
    self.fiber->give_way();
  }
}

void BlockRunner::end_thread() {
  --num_live_;
  Warp& own = warp();
  own.lanes &= ~(1u << (thread() % 32));
  for (const auto& exchange : own.exchanges) release_if_complete(*exchange, own);
  release_barrier_if_complete();
}

void BlockRunner::wait_for(const std::uint64_t& counter) {
  Worker& self = *workers_[current_];
  self.waits_for = &counter;
  self.seen = counter;
  self.fiber->give_way();
}

void BlockRunner::release_barrier_if_complete() {
  if (num_arrived_ == 0 || num_arrived_ < num_live_) return;
  votes_[barrier_turn_ % 2] = {num_votes_, static_cast<int>(num_arrived_)};
  num_arrived_ = 0;
  num_votes_ = 0;
  ++barrier_turn_;
}

BlockVotes BlockRunner::barrier(bool vote) {
  const std::uint64_t turn = barrier_turn_;
  ++num_arrived_;
  num_votes_ += vote;
  release_barrier_if_complete();
  if (barrier_turn_ == turn) wait_for(barrier_turn_);
  return votes_[turn % 2];
}

void BlockRunner::release_if_complete(Exchange& exchange, const Warp& own) {
  if (exchange.arrived == 0 || (exchange.mask & own.lanes & ~exchange.arrived) != 0) return;
  exchange.values[exchange.turn % 2].lanes = exchange.arrived;
  exchange.arrived = 0;
  ++exchange.turn;
}

const WarpValues& BlockRunner::exchange(WarpCall call, unsigned mask, std::uint64_t value) {
  Warp& own = warp();
  const unsigned bit = 1u << (thread() % 32);
  if ((mask & bit) == 0) report("a lane calls a warp function with a mask that it is not in");
  const auto same_mask = [mask](const auto& candidate) { return candidate->mask == mask; };
  auto found = std::find_if(own.exchanges.begin(), own.exchanges.end(), same_mask);
  if (found == own.exchanges.end()) {
    own.exchanges.push_back(std::make_unique<Exchange>());
    found = std::prev(own.exchanges.end());
    (*found)->mask = mask;
  }
  Exchange& exchange = **found;
  if (exchange.arrived != 0 && exchange.call != call)
    report("lanes of one mask meet in different warp functions");
  exchange.call = call;
  const std::uint64_t turn = exchange.turn;
  exchange.values[turn % 2].values[thread() % 32] = value;
  exchange.arrived |= bit;
  release_if_complete(exchange, own);
  if (exchange.turn == turn) wait_for(exchange.turn);
  return exchange.values[turn % 2];
}

}  // namespace

void run_grid(const char* kernel, dim3 grid, dim3 block, std::size_t shared_bytes,
              const std::function<void()>& thread) {
  runner.run(kernel, grid, block, shared_bytes, thread);
}

void* dynamic_shared_memory() { return runner.shared(); }
BlockVotes block_barrier(bool vote) { return runner.barrier(vote); }
const WarpValues& warp_exchange(WarpCall call, unsigned mask, std::uint64_t value) {
  return runner.exchange(call, mask, value);
}
int lane_id() { return static_cast<int>(runner.thread() % 32); }
unsigned active_mask() { return runner.warp().lanes; }

std::uint64_t value_of_lane(const WarpValues& values, int lane) {
  if ((values.lanes >> lane & 1) != 0) return values.values[static_cast<std::size_t>(lane)];
  report_violation("a shuffle reads lane " + std::to_string(lane) + ", which does not take part");
  return 0x0101010101010101u * settings().poison;
}

unsigned votes(const WarpValues& values) { return lanes_equal_to(values, 1); }

unsigned lanes_equal_to(const WarpValues& values, std::uint64_t value) {
  unsigned lanes = 0;
  for (unsigned lane = 0; lane < 32; ++lane) {
    if ((values.lanes >> lane & 1) != 0 && values.values[lane] == value) lanes |= 1u << lane;
  }
  return lanes;
}

std::uint64_t sum_of_lanes(const WarpValues& values) {
  std::uint64_t sum = 0;
  for (unsigned lane = 0; lane < 32; ++lane) {
    if ((values.lanes >> lane & 1) != 0) sum += values.values[lane];
  }
  return sum;
}

}  // namespace simulator
