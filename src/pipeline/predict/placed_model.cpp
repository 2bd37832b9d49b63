#include "placed_model.hpp"

#include "class_weights_note.hpp"
#include "undo_class_weights.hpp"

#include <widehash/threads.hpp>

namespace widehash {
namespace {

std::unique_ptr<Replica<float>> make_tower(const Network<float>& network, const Device& device) {
  ReplicaShape shape{network.columns(), network.columns()};
  shape.predicts_only = true;
  // An update rule without states.
  OptimizerSettings none;
  none.kind = OptimizerKind::sgd;
  return make_cuda_replica(device.index, network, Optimizer<float>(none, network.parameters()), shape);
}

}  // namespace

PlacedModel::PlacedModel(const std::string& path, const Device& device, bool undoes_class_weights)
    : PlacedModel(open_model<float>(path), device, undoes_class_weights) {}

PlacedModel::PlacedModel(const ModelFile<float>& file, const Device& device, bool undoes_class_weights)
    : model_(load_ensemble(file)), checksum_(file.checksum()) {
  if (undoes_class_weights) undo_class_weights(model_, class_weights_in(file.header().training), file.path());
  if (device.kind == DeviceKind::cpu) return;
  towers_.push_back(make_tower(model_.network, device));
  for (const Network<float>& tower : model_.other_towers) towers_.push_back(make_tower(tower, device));
}

void PlacedModel::predict(const CodeBatchView& rows, Workspace<float>& work,
                          std::span<float> predictions) const {
  if (towers_.empty()) return model_.predict(rows, work, predictions);
  // While rows are gathered on all threads, this thread must not pick up other rows of the pipeline: it would
  // wait for itself.
  run_isolated([&] {
    const std::lock_guard lock(mutex_);
    predict_on_gpu(rows, predictions);
  });
}

void PlacedModel::predict_on_gpu(const CodeBatchView& rows, std::span<float> predictions) const {
  towers_.front()->predict(rows, predictions);
  if (towers_.size() == 1) return;
  own_.resize(predictions.size());
  for (std::size_t tower = 1; tower < towers_.size(); ++tower) {
    towers_[tower]->predict(rows, own_);
    for (std::size_t i = 0; i < own_.size(); ++i) predictions[i] += own_[i];
  }
  for (float& prediction : predictions) prediction /= static_cast<float>(towers_.size());
}

std::size_t PlacedModel::rows_per_call() const noexcept {
  return widehash::rows_per_call(towers_.empty() ? Device{} : Device{DeviceKind::cuda, 0});
}

std::size_t rows_per_call(const Device& device) noexcept {
  return device.kind == DeviceKind::cpu ? 4096 : std::size_t{1} << 16;
}

}  // namespace widehash
