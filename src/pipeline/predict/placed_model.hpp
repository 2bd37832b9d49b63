#pragma once

/// \file
/// A trained model on the device that predicts with it.

#include <widehash/device.hpp>
#include <widehash/model.hpp>
#include <widehash/replica.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

namespace widehash {

class PlacedModel {
 public:
  /// Loads `path`; for a GPU, also copies the parameters of all towers there. Throws what open_model()
  /// throws, DeviceError, and, where `undoes_class_weights`, what undo_class_weights() throws.
  PlacedModel(const std::string& path, const Device& device, bool undoes_class_weights);

  const Architecture& architecture() const noexcept { return model_.network.architecture(); }
  const ModelSource& source() const noexcept { return model_.source; }
  /// The model on the host, whatever the device.
  const Ensemble<float>& ensemble() const noexcept { return model_; }
  /// ModelFile::checksum() of the file that was loaded.
  std::uint64_t checksum() const noexcept { return checksum_; }

  /// As Model::predict. Any number of threads may call it, each with its own workspace; a GPU runs one call at a time.
  void predict(const CodeBatchView& rows, Workspace<float>& work, std::span<float> predictions) const;
  /// The number of rows worth passing to one call: as many as stay in the L2 cache, or as many as fill a GPU.
  std::size_t rows_per_call() const noexcept;

 private:
  PlacedModel(const ModelFile<float>& file, const Device& device, bool undoes_class_weights);
  void predict_on_gpu(const CodeBatchView& rows, std::span<float> predictions) const;

  Ensemble<float> model_;
  std::uint64_t checksum_;
  std::vector<std::unique_ptr<Replica<float>>> towers_;  // on the GPU; empty for the CPU
  mutable std::mutex mutex_;
  mutable std::vector<float> own_;  // predictions of one tower
};

/// As PlacedModel::rows_per_call.
std::size_t rows_per_call(const Device& device) noexcept;

}  // namespace widehash
