#pragma once

/// \file
/// A trained model on the device that is to predict with it.

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
  /// Loads `path`; on a GPU the parameters of all towers are copied there. Throws what open_model() throws,
  /// DeviceError; and as undo_class_weights() where these are to be undone.
  PlacedModel(const std::string& path, const Device& device, bool undoes_class_weights);

  const Architecture& architecture() const noexcept { return model_.network.architecture(); }
  const ModelSource& source() const noexcept { return model_.source; }
  /// On the host, whatever the device.
  const Ensemble<float>& ensemble() const noexcept { return model_; }
  /// ModelFile::checksum() of the file that was loaded.
  std::uint64_t checksum() const noexcept { return checksum_; }

  /// As Model::predict. Any number of threads, each with a workspace of its own; a GPU takes one call after
  /// another.
  void predict(const CodeBatchView& rows, Workspace<float>& work, std::span<float> predictions) const;
  /// Rows worth giving to one call: as many as stay in the second cache, or as fill a GPU.
  std::size_t rows_per_call() const noexcept;

 private:
  PlacedModel(const ModelFile<float>& file, const Device& device, bool undoes_class_weights);
  void predict_on_gpu(const CodeBatchView& rows, std::span<float> predictions) const;

  Ensemble<float> model_;
  std::uint64_t checksum_;
  std::vector<std::unique_ptr<Replica<float>>> towers_;  // of a GPU
  mutable std::mutex mutex_;
  mutable std::vector<float> own_;  // predictions of one tower
};

/// As PlacedModel::rows_per_call.
std::size_t rows_per_call(const Device& device) noexcept;

}  // namespace widehash
