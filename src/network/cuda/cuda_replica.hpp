#pragma once

/// \file
/// A replica in the memory of a CUDA device. All work of a step is queued on one stream; the host waits once in
/// train_step(), to learn the loss before the parameters move, or once in each of backward() and update(). Rows that were
/// prepared came meanwhile on another stream.

#include "column_sums.hpp"
#include "cuda/device_context.hpp"
#include "dense.hpp"
#include "device_tensors.hpp"
#include "first_layer.hpp"
#include "layers.hpp"
#include "slot_plan_copy.hpp"
#include "staging_pool.hpp"
#include "step_status.hpp"

#include <widehash/replica.hpp>

#include <memory>
#include <vector>

namespace widehash::cuda {

class CudaReplica final : public Replica<float> {
 public:
  CudaReplica(int device, const Network<float>& network, const Optimizer<float>& optimizer,
              const ReplicaShape& shape);

  std::shared_ptr<PreparedRows> prepare(const CodeBatchView& rows) override;
  double train_step(const CodeBatchView& rows, std::string_view step,
                    PreparedRows* prepared = nullptr) override;
  void predict(const CodeBatchView& rows, std::span<float> predictions) override;

  /// train_step() on the rows of the last one, which lie in the memory of the device still: what training costs without
  /// its input. `normaliser` is the sum of their weights. What was prepared for that step must still be held.
  double train_step_again(double normaliser, std::string_view step);

  void first_forward(const CodeBatchView& rows, PreparedRows* prepared) override;
  DeviceSpan<float> first_sums() override;
  double backward(double normaliser, std::string_view step) override;
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
  /// Takes the memory for gradients, which a replica that only predicts does without.
  void require_gradient();
  void require_columns(const CodeBatchView& rows) const;
  void require_finite_loss(const StepStatus& status, std::string_view step) const;
  void require_finite_gradient(const StepStatus& status, std::string_view step) const;

  void queue_tail_forward();
  void queue_tail_backward();
  void require_targets(std::string_view step) const;
  double finish_step(double normaliser, std::string_view name);

  void queue_first_forward();
  void queue_backward(double normaliser);
  void queue_finite_check();
  void queue_update();
  StepStatus read_status();

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
  CodeBatchView rows_;  // of this step, on the host
  StagingPool staging_;
  std::shared_ptr<PreparedRows> unprepared_;  // rows of this step that came without
  StagedRows* staged_ = nullptr;              // rows of this step, on their way or there
  DeviceRows device_rows_;
  std::vector<std::uint32_t> layer_units_;
  std::vector<DeviceBuffer<float>> values_;  // as Workspace::values
  std::vector<DeviceBuffer<float>> deltas_;
  ColumnSums column_sums_;
  LossSum loss_sum_;
  DeviceBuffer<StepStatus> status_;
  PinnedBuffer<StepStatus> host_status_;
  PinnedBuffer<float> host_predictions_;
};

}  // namespace widehash::cuda
