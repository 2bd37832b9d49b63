#pragma once

/// \file
/// A replica in the memory of a CUDA device. All work is queued on one stream. Of a step of one device the host learns the loss
/// some steps later: the device itself sees to it that a step whose loss or gradient is not finite moves nothing, and none
/// behind it. In backward() and update(), between which devices meet, the host waits once each. Rows that were prepared
/// came meanwhile on another stream.

#include "begun_steps.hpp"
#include "column_sums.hpp"
#include "cuda/device_context.hpp"
#include "dense.hpp"
#include "device_tensors.hpp"
#include "first_layer_gradient.hpp"
#include "layers.hpp"
#include "linear_pass.hpp"
#include "scatter_tiles.hpp"
#include "slot_plan_copy.hpp"
#include "staging_pool.hpp"
#include "step_status.hpp"

#include <widehash/replica.hpp>

#include <functional>
#include <memory>
#include <vector>

namespace widehash::cuda {

class CudaReplica final : public Replica<float> {
 public:
  CudaReplica(int device, const Network<float>& network, const Optimizer<float>& optimizer,
              const ReplicaShape& shape);

  std::shared_ptr<PreparedRows> prepare(const CodeBatchView& rows) override;
  void begin_step(const CodeBatchView& rows, std::string_view step, PreparedRows* prepared) override;
  double finish_step() override;
  std::size_t steps_ahead() const noexcept override { return BegunSteps::most - 1; }
  void predict(const CodeBatchView& rows, std::span<float> predictions) override;

  /// begin_step() on the rows of the last one, which lie in the memory of the device still: what training costs without
  /// its input. `normaliser` is the sum of their weights. What was prepared for that step must still be held.
  void begin_step_again(double normaliser, std::string_view step);

  void first_forward(const CodeBatchView& rows, PreparedRows* prepared) override;
  DeviceSpan<float> first_sums() override;
  double backward(double normaliser, std::string_view step) override;
  double forward_backward(const CodeBatchView& rows, double normaliser, std::string_view step,
                          PreparedRows* prepared,
                          const std::function<void(DeviceSpan<float>)>& complete) override;
  void update(std::string_view step) override;
  void predict_from_sums(std::span<float> predictions) override;

  DeviceSpan<float> first_values(ValueSet set) override;
  void with_tail(ValueSet set, const std::function<void(DeviceSpan<float>)>& work) override;
  void scale(ValueSet set, double factor) override;
  void anchor_ftrl() override;

  std::uint64_t step() const noexcept override { return step_; }
  void set_step(std::uint64_t step) noexcept override { step_ = step; }
  std::span<const float> read(ValueSet set, std::size_t tensor, std::size_t begin, std::size_t count,
                              std::vector<float>& scratch) const override;

 private:
  /// Throws DeviceError with the arithmetic where the device has too little.
  void require_memory(const Network<float>& network, const Optimizer<float>& optimizer) const;
  /// Whether it is trained by pieces, between which others have to see the gradient.
  bool is_trained_by_pieces() const noexcept;
  bool is_linear() const noexcept;
  /// Take the memory for gradients, which a replica that only predicts does without: all but the first layer's, whose sums
  /// in fixed point are enough for a step of one device; and that.
  void require_gradient_sums();
  void require_gradient();
  void require_columns(const CodeBatchView& rows) const;
  void require_targets(std::string_view step) const;

  /// Rows of this step, on their way to the device.
  void take_rows(const CodeBatchView& rows, PreparedRows* prepared);
  void reserve_values();
  void reserve_deltas();
  void queue_first_forward();
  void queue_tail_forward();
  void queue_tail_backward();
  /// Forward without the first layer, loss, and backward down to the first layer's deltas and the tail's gradient.
  void queue_loss(double normaliser);
  /// Both and the first layer's forward pass, of a linear model.
  void queue_linear_pass(double normaliser);
  double finish_gradient(std::string_view step);
  void queue_step(double normaliser, std::string_view name);
  /// The status of what is queued. Throws DataError where it says that the step is refused.
  StepStatus wait_for_status(std::string_view step);
  [[noreturn]] void refuse(const StepStatus& status, std::string_view step);

  /// Layers count from 1, as values_ does.
  const float* layer_weights(std::size_t layer) const;
  DenseShape layer_shape(std::size_t layer) const;
  const DeviceTensors& tensors(ValueSet set) const;
  /// The updated columns of parameters or gradient.
  DeviceSpan<float> own_part(const DeviceTensors& set) const;

  DeviceContext context_;
  std::uint32_t units_;
  std::vector<TailTensor> tail_;
  std::uint64_t step_;
  DeviceTensors parameters_;
  std::vector<DeviceTensors> states_;
  DeviceTensors gradient_;
  std::unique_ptr<FirstLayerGradient> gradient_sums_;

  CodeLayout layout_;  // that plan_ is of
  std::unique_ptr<SlotPlanCopy> plan_;
  std::unique_ptr<ScatterTiles> tiles_;  // of plan_
  CodeBatchView rows_;                   // of this step, on the host
  StagingPool staging_;
  std::shared_ptr<PreparedRows> unprepared_;  // rows of this step that came without
  StagedRows* staged_ = nullptr;              // rows of this step, on their way or there
  DeviceRows device_rows_;
  std::vector<std::uint32_t> layer_units_;
  std::vector<DeviceBuffer<float>> values_;  // as Workspace::values
  std::vector<DeviceBuffer<float>> deltas_;
  ColumnSums column_sums_;
  LossSum loss_sum_;
  LinearPass linear_pass_;
  DeviceBuffer<StepStatus> status_;
  PinnedBuffer<StepStatus> host_status_;
  BegunSteps begun_;
  PinnedBuffer<float> host_predictions_;
};

}  // namespace widehash::cuda
