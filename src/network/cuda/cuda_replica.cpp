#include "cuda_replica.hpp"

#include "gather_sum.hpp"
#include "layers.hpp"
#include "not_finite.hpp"
#include "update_runs.hpp"

#include <widehash/error.hpp>
#include <widehash/loss.hpp>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace widehash {

std::unique_ptr<Replica<float>> make_cuda_replica(int device, const Network<float>& network,
                                                  const Optimizer<float>& optimizer,
                                                  const ReplicaShape& shape) {
  return std::make_unique<cuda::CudaReplica>(device, network, optimizer, shape);
}

namespace cuda {
namespace {

bool is_refused(const StepStatus& status) noexcept {
  return status.outputs_not_finite != 0 || status.gradient_not_finite != 0;
}

constexpr const char* training_hint =
    "--parallel model divides the first layer over several devices, and fewer hidden units or columns make "
    "it smaller";
constexpr const char* predicting_hint = "--devices cpu uses host memory instead";

}  // namespace

CudaReplica::CudaReplica(int device, const Network<float>& network, const Optimizer<float>& optimizer,
                         const ReplicaShape& shape)
    : Replica<float>(network.architecture(), optimizer.settings(), shape),
      context_(device),
      units_(network.parameters().units),
      tail_(context_, network.architecture(), network.parameters()),
      step_(optimizer.step()),
      staging_(context_, shape.predicts_only ? 0 : BegunSteps::most, network.architecture().target_units) {
  bool fits = network.columns() == shape.columns;
  for (const auto& state : optimizer.states()) fits = fits && state.columns == shape.updated_columns;
  if (!fits) throw ShapeError("replica: network and optimizer do not hold the columns of its shape");
  require_memory(network, optimizer);
  parameters_ = DeviceTensors(context_, network.parameters(), "parameters");
  for (const auto& state : optimizer.states()) states_.emplace_back(context_, state, "optimizer state");
  status_ = DeviceBuffer<StepStatus>(context_, 1, "status of a step");
  status_.clear(context_.stream());
  prepare_gather_sum();
  prepare_linear_pass();
  // Loads cuBLAS now rather than while a collective is running.
  if (tail_.has_hidden_layers()) (void)context_.blas();
}

CudaReplica::~CudaReplica() {
  (void)cudaSetDevice(context_.device());
  for (const Stream* const stream : {&context_.copy_stream(), &context_.stream()})
    (void)cudaStreamSynchronize(stream->get());
}

void CudaReplica::require_memory(const Network<float>& network, const Optimizer<float>& optimizer) const {
  const std::uint64_t values = network.parameters().num_values();
  MemoryNeed need;
  need.add("parameters", values, sizeof(float));
  for (const auto& state : optimizer.states()) need.add("optimizer state", state.num_values(), sizeof(float));
  if (!shape().predicts_only) {
    const std::uint64_t first = shape().columns.size() * units_;
    need.add("gradient", shape().shares_gradient ? values : values - first, sizeof(float));
    need.add("its fixed-point sums", first, FirstLayerGradient::bytes_per_value);
    if (shape().shares_gradient) need.add("the gradient that others send", first, sizeof(float));
    if (shape().shares_parameters) need.add("the parameters that others send", first, sizeof(float));
  }
  need.require(context_, shape().predicts_only ? predicting_hint : training_hint);
}

void CudaReplica::require_gradient() {
  if (gradient_sums_ != nullptr) return;
  const std::size_t refusals = shape().shares_gradient ? num_refusals : 0;
  gradient_.tail = DeviceBuffer<float>(context_, parameters_.tail.size() + refusals, "gradient");
  if (shape().shares_gradient)
    gradient_.first = DeviceBuffer<float>(context_, parameters_.first.size(), "gradient");
  gradient_sums_ = std::make_unique<FirstLayerGradient>(context_, shape().columns.size(), units_);
}

void CudaReplica::require_place() const {
  if (begun_.full()) throw std::logic_error("cuda replica: more steps were begun than it can run ahead");
}

std::string CudaReplica::name_of(std::string_view step) const {
  return step.empty() ? fmt::format("batch {}", step_ + 1) : std::string(step);
}

std::shared_ptr<PreparedRows> CudaReplica::prepare(const CodeBatchView& rows) {
  require_columns(rows);
  auto staged = staging_.stage(rows, sum_of_weights(rows.weights, rows.num_rows));
  try {
    require_targets(rows, {});
    staged->has_good_targets = true;
  } catch (const Error&) {
    // The step reports the bad target, under the step's name.
  }
  return staged;
}

void CudaReplica::begin_step(const CodeBatchView& rows, std::string_view step, PreparedRows* prepared,
                             const CompleteSums& complete) {
  require_place();
  require_columns(rows);
  if (shape().updated_columns != shape().columns)
    throw ShapeError("replica: a step of one device updates all of its columns");
  const double weight =
      prepared != nullptr ? prepared->weight() : sum_of_weights(rows.weights, rows.num_rows);
  const double normaliser = gradient_normaliser(this->optimizer(), weight, rows.num_rows);
  if (normaliser == 0) return begun_.add_empty();
  std::string name = name_of(step);
  take_rows(rows, prepared, name);
  queue_step(normaliser, std::move(name), complete);
}

void CudaReplica::begin_gradient(const CodeBatchView& rows, double normaliser, std::string_view step,
                                 PreparedRows* prepared) {
  require_place();
  if (!shape().shares_gradient) throw ShapeError("replica: it was not set up to share its gradient");
  gradient_step_ = name_of(step);
  context_.make_current();
  require_gradient();
  if (rows.num_rows == 0) {
    gradient_.clear(context_.stream());
    clear_loss(context_, status_.data());
  } else {
    take_rows(rows, prepared, gradient_step_);
    const float* const deltas = queue_deltas(normaliser, {});
    gradient_sums_->add_up(device_rows_, *plan_, *tiles_, deltas, status_.data());
    gradient_sums_->finish(device_rows_, *plan_, deltas, status_.data(), gradient_.first.data());
    staged_->used();
  }
  write_refusals(context_, status_.data(), gradient_.tail.data() + parameters_.tail.size());
}

void CudaReplica::begin_update() {
  context_.make_current();
  const DeviceSpan<float> own = own_part(gradient_);
  // The gradient has been added up across devices since, so its values may be anything.
  check_gradient(context_, own.data, own.size, gradient_.tail.data(), parameters_.tail.size(),
                 status_.data());
  const std::uint64_t begin = (shape().updated_columns.begin - shape().columns.begin) * units_;
  std::vector<UpdateRun> runs{first_layer_run(parameters_, states_, begin, begin, own.size)};
  runs.back().gradient = own.data;
  add_tail_runs(parameters_, states_, tail_.tensors(), gradient_, runs);
  cuda::update(context_, optimizer(), ++step_, runs, 0, status_.data(), begun_.next_status());
  begun_.add(gradient_step_, context_.stream());
}

double CudaReplica::finish_step() {
  if (begun_.empty()) throw std::logic_error("cuda replica: no step was begun");
  const auto [status, name] = begun_.take();
  if (!is_refused(status)) return architecture().target_units.squared(status.loss);
  // Neither this step nor any later one changed anything.
  context_.make_current();
  context_.stream().synchronize();
  step_ -= 1 + begun_.num_queued();
  begun_.forget();
  refuse(status, name);
}

void CudaReplica::predict(const CodeBatchView& rows, std::span<float> predictions,
                          const CompleteSums& complete) {
  const std::size_t count = rows.num_rows * architecture().outputs;
  if (predictions.size() != count) {
    throw ShapeError(
        fmt::format("network: room for {} predictions, but {} are made", predictions.size(), count));
  }
  bring_rows(rows, nullptr);
  queue_first_forward(complete);
  staged_->used();
  float* const outputs = tail_.queue_outputs(parameters_.tail.data());
  apply_link(context_, architecture().loss, rows_.num_rows, architecture().outputs, outputs);
  host_predictions_.reserve(count);
  copy_to_host<float>(outputs, host_predictions_.first(count), context_.stream());
  context_.stream().synchronize();
  std::copy_n(host_predictions_.data(), count, predictions.begin());
  to_predictions<float>(architecture().target_units, predictions);
}

void CudaReplica::require_columns(const CodeBatchView& rows) const {
  if (rows.layout != nullptr && rows.layout->num_columns == architecture().num_columns) return;
  throw ShapeError(fmt::format("network: a batch of {} columns for a network of {}",
                               rows.layout == nullptr ? 0 : rows.layout->num_columns,
                               architecture().num_columns));
}

void CudaReplica::bring_rows(const CodeBatchView& rows, PreparedRows* prepared) {
  require_columns(rows);
  context_.make_current();
  if (plan_ == nullptr || !same_layout(layout_, *rows.layout)) {
    // Replaces all of them or none: memory may run out, and the caller may try again.
    auto plan = std::make_unique<SlotPlanCopy>(context_, *rows.layout, shape().columns);
    auto tiles = std::make_unique<ScatterTiles>(context_, *plan, units_);
    layout_ = *rows.layout;
    plan_ = std::move(plan);
    tiles_ = std::move(tiles);
  }
  rows_ = rows;
  if (prepared == nullptr) {
    unprepared_.reset();  // gives the buffer of the previous step back first
    unprepared_ = staging_.stage(rows);
    prepared = unprepared_.get();
  }
  staged_ = &static_cast<StagingPool::Staged*>(prepared)->rows();
  device_rows_ = staged_->take();
}

void CudaReplica::queue_first_forward(const CompleteSums& complete) {
  float* const sums = tail_.take_sums(rows_.num_rows);
  gather_sum(device_rows_, plan_->device(), parameters_.first.data(), units_, sums, context_.stream());
  if (complete) complete({sums, rows_.num_rows * units_, &context_});
}

void CudaReplica::require_targets(const CodeBatchView& rows, std::string_view step) const {
  if (rows.targets.size() != rows.num_rows) {
    throw ShapeError(fmt::format("network: {} targets for {} rows; training needs a label",
                                 rows.targets.size(), rows.num_rows));
  }
  check_targets(architecture().loss, architecture().outputs, rows.targets, step);
}

void CudaReplica::take_rows(const CodeBatchView& rows, PreparedRows* prepared, std::string_view step) {
  const auto* const staged = static_cast<const StagingPool::Staged*>(prepared);
  if (staged == nullptr || !staged->has_good_targets) require_targets(rows, step);
  bring_rows(rows, prepared);
}

const float* CudaReplica::queue_deltas(double normaliser, const CompleteSums& complete) {
  float* const deltas = tail_.take_deltas(rows_.num_rows);
  if (!tail_.has_hidden_layers() && tail_.has_one_output() && !complete) {
    linear_pass_.compute(context_, architecture().loss, device_rows_, plan_->device(), normaliser,
                         {parameters_.first.data(), parameters_.tail.data(), deltas, gradient_.tail.data()},
                         status_.data());
    return deltas;
  }
  queue_first_forward(complete);
  tail_.queue_gradient(parameters_.tail.data(), device_rows_, normaliser, gradient_.tail.data(),
                       status_.data());
  return deltas;
}

void CudaReplica::queue_step(double normaliser, std::string name, const CompleteSums& complete) {
  require_gradient();
  const float* const deltas = queue_deltas(normaliser, complete);
  gradient_sums_->add_up(device_rows_, *plan_, *tiles_, deltas, status_.data());
  const float* numbers = nullptr;
  if (!plan_->numbers().empty()) {
    numbers = gradient_sums_->add_up_numbers(device_rows_, *plan_, deltas);
    look_for_not_finite(context_, numbers, plan_->numbers().size() * units_, status_.data());
  }
  staged_->used();
  auto runs = first_layer_runs(parameters_, states_, units_, *plan_, gradient_sums_->sums(), numbers);
  add_tail_runs(parameters_, states_, tail_.tensors(), gradient_, runs);
  cuda::update(context_, optimizer(), ++step_, runs, term_bits_of(device_rows_), status_.data(),
               begun_.next_status());
  begun_.add(std::move(name), context_.stream());
}

void CudaReplica::refuse(const StepStatus& status, std::string_view step) {
  status_.clear(context_.stream());
  throw detail::not_finite(step, status.outputs_not_finite != 0 ? "the loss" : "the gradient");
}

DeviceSpan<float> CudaReplica::own_part(const DeviceTensors& set) const {
  return {set.first.data() + (shape().updated_columns.begin - shape().columns.begin) * units_,
          shape().updated_columns.size() * units_, &context_};
}

const DeviceTensors& CudaReplica::tensors(ValueSet set) const {
  switch (set) {
    case ValueSet::parameters:
      return parameters_;
    case ValueSet::first_state:
      return states_.at(0);
    case ValueSet::second_state:
      return states_.at(1);
    case ValueSet::gradient:
      break;
  }
  return gradient_;
}

DeviceSpan<float> CudaReplica::first_values(ValueSet set) {
  const DeviceTensors& values = tensors(set);
  return {values.first.data(), values.first.size(), &context_};
}

void CudaReplica::with_tail(ValueSet set, const std::function<void(DeviceSpan<float>)>& work) {
  const DeviceTensors& values = tensors(set);
  work({values.tail.data(), values.tail.size(), &context_});
}

void CudaReplica::scale(ValueSet set, double factor) {
  context_.make_current();
  const DeviceTensors& values = tensors(set);
  cuda::scale(context_, factor, values.first.size(), values.first.data());
  cuda::scale(context_, factor, values.tail.size(), values.tail.data());
}

void CudaReplica::anchor_ftrl() {
  context_.make_current();
  const DeviceSpan<float> own = own_part(parameters_);
  cuda::anchor_ftrl(context_, optimizer(), true, own.size, own.data, states_.at(0).first.data(),
                    states_.at(1).first.data());
  for (const TailTensor& tensor : tail_.tensors()) {
    cuda::anchor_ftrl(context_, optimizer(), !tensor.is_bias, tensor.size,
                      parameters_.tail.data() + tensor.begin, states_[0].tail.data() + tensor.begin,
                      states_[1].tail.data() + tensor.begin);
  }
}

std::span<const float> CudaReplica::read(ValueSet set, std::size_t tensor, std::size_t begin,
                                         std::size_t count, std::vector<float>& scratch) const {
  context_.make_current();
  const DeviceTensors& values = tensors(set);
  const bool is_state = set == ValueSet::first_state || set == ValueSet::second_state;
  const float* from = tensor > 0 ? values.tail.data() + tail_.tensors()[tensor - 1].begin
                      : is_state ? values.first.data()
                                 : own_part(values).data;
  scratch.resize(count);
  copy_to_host<float>(from + begin, scratch, context_.stream());
  context_.stream().synchronize();
  return scratch;
}

}  // namespace cuda
}  // namespace widehash
