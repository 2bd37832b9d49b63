#pragma once

/// \file
/// A replica in the memory of a CUDA device. All work is queued on one stream, and the host learns the loss
/// of a step some steps later. The device itself ensures that a step changes nothing if its loss or gradient
/// is not finite, here or on a device that it adds up its gradient with, and that no later step does either.
/// Prepared rows arrive meanwhile on another stream.

#include "begun_steps.hpp"
#include "cuda/device_context.hpp"
#include "device_tensors.hpp"
#include "first_layer_gradient.hpp"
#include "linear_pass.hpp"
#include "scatter_tiles.hpp"
#include "slot_plan_copy.hpp"
#include "staging_pool.hpp"
#include "step_status.hpp"
#include "tail.hpp"

#include <widehash/replica.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace widehash::cuda {

class CudaReplica final : public Replica<float> {
 public:
  CudaReplica(int device, const Network<float>& network, const Optimizer<float>& optimizer,
              const ReplicaShape& shape);
  /// Waits for queued work: it reads and writes pinned memory, which is freed without asking the device.
  ~CudaReplica() override;

  std::shared_ptr<PreparedRows> prepare(const CodeBatchView& rows) override;
  void begin_step(const CodeBatchView& rows, std::string_view step, PreparedRows* prepared,
                  const CompleteSums& complete) override;
  void begin_gradient(const CodeBatchView& rows, double normaliser, std::string_view step,
                      PreparedRows* prepared) override;
  void begin_update() override;
  double finish_step() override;
  std::size_t steps_ahead() const noexcept override { return BegunSteps::most - 1; }
  void predict(const CodeBatchView& rows, std::span<float> predictions,
               const CompleteSums& complete) override;

  DeviceSpan<float> first_values(ValueSet set) override;
  void with_tail(ValueSet set, const std::function<void(DeviceSpan<float>)>& work) override;
  void scale(ValueSet set, double factor) override;
  void anchor_ftrl() override;

  std::uint64_t step() const noexcept override { return step_; }
  void set_step(std::uint64_t step) noexcept override { step_ = step; }
  std::span<const float> read(ValueSet set, std::size_t tensor, std::size_t begin, std::size_t count,
                              std::vector<float>& scratch) const override;

 private:
  /// Throws DeviceError, with the arithmetic, if the device has too little memory.
  void require_memory(const Network<float>& network, const Optimizer<float>& optimizer) const;
  /// Allocates the memory for gradients, which a replica that only predicts does without. The first layer's
  /// gradient is allocated only if other devices have to see it; otherwise its sums in fixed point are
  /// enough.
  void require_gradient();
  /// Throws std::logic_error if no further step can be begun.
  void require_place() const;
  void require_columns(const CodeBatchView& rows) const;
  void require_targets(const CodeBatchView& rows, std::string_view step) const;

  std::string name_of(std::string_view step) const;
  /// Makes `rows` the rows of this step, on their way to the device; `prepared` may be null.
  void bring_rows(const CodeBatchView& rows, PreparedRows* prepared);
  /// The same for a step that trains on the rows. Throws if it cannot train on their targets.
  void take_rows(const CodeBatchView& rows, PreparedRows* prepared, std::string_view step);
  /// Queues the sums of the first layer; `complete` adds those of all other devices.
  void queue_first_forward(const CompleteSums& complete);
  /// Queues the work from the rows to the first layer's deltas, which it returns, the tail's gradient and the
  /// status.
  const float* queue_deltas(double normaliser, const CompleteSums& complete);
  void queue_step(double normaliser, std::string name, const CompleteSums& complete);
  [[noreturn]] void refuse(const StepStatus& status, std::string_view step);

  const DeviceTensors& tensors(ValueSet set) const;
  /// The first layer's values of the updated columns, of parameters or gradient.
  DeviceSpan<float> own_part(const DeviceTensors& set) const;

  DeviceContext context_;
  std::uint32_t units_;
  Tail tail_;
  std::uint64_t step_;
  DeviceTensors parameters_;
  std::vector<DeviceTensors> states_;
  DeviceTensors gradient_;
  std::unique_ptr<FirstLayerGradient> gradient_sums_;

  CodeLayout layout_;  // the layout of plan_
  std::unique_ptr<SlotPlanCopy> plan_;
  std::unique_ptr<ScatterTiles> tiles_;  // made from plan_
  CodeBatchView rows_;                   // of this step, on the host
  StagingPool staging_;
  std::shared_ptr<PreparedRows> unprepared_;  // rows of this step that were not prepared
  StagedRows* staged_ = nullptr;              // rows of this step, on their way to the device or there
  DeviceRows device_rows_;
  LinearPass linear_pass_;
  DeviceBuffer<StepStatus> status_;
  std::string gradient_step_;  // the name of begin_gradient()'s step
  BegunSteps begun_;
  PinnedBuffer<float> host_predictions_;
};

}  // namespace widehash::cuda
