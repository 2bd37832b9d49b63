#pragma once

/// \file
/// The model file: a section file of kind "model" (section_file.hpp) that holds everything that a prediction
/// or the next training step needs. Saved at one point of training as a whole, so weights, optimizer state
/// and position always belong together; loading and going on gives the same bits as never having stopped.
///
///     schema              TOML text
///     training            JSON text, kept byte for byte
///     head_columns        u32, one per feature: E of exact features
///     parameters/<i>      tensor i of Parameters::tensors(), float32 or float64
///     state/<s>/<i>       tensor i of optimizer state s
///     metadata            JSON: architecture, optimizer, step, precision, fingerprints, classes, position

#include <widehash/network.hpp>
#include <widehash/optimizer.hpp>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace widehash {

/// Where training stands: the next batch to be trained is `batch` of `epoch`.
struct TrainingPosition {
  std::uint64_t epoch = 0;
  std::uint64_t batch = 0;
  std::uint64_t rows_seen = 0;
  std::uint64_t seed = 0;                                            // of the order of rows
  double best_valid_loss = std::numeric_limits<double>::infinity();  // mean per weight; infinity: none yet
  std::uint64_t best_epoch = 0;
  std::uint32_t bad_epochs = 0;  // since the best one

  bool operator==(const TrainingPosition&) const = default;
};

/// What the columns of a model mean.
struct ModelSource {
  std::string schema_toml;
  std::string schema_fingerprint;
  std::string tables_fingerprint;           // empty: no tables were used
  std::vector<std::uint32_t> head_columns;  // for make_layout(); empty: no exact features
  std::uint32_t num_classes = 0;            // of the targets; 0: numbers

  bool operator==(const ModelSource&) const = default;
};

template <class Real>
struct Model {
  Network<Real> network;
  Optimizer<Real> optimizer;
  ModelSource source;
  TrainingPosition position;
  std::string training = "{}";  // JSON object: how the model was trained, for people and for --resume
};

/// Writes `path` atomically. Throws FileError; ConfigError where the network holds only a part of the columns
/// or `training` is not a JSON object; ShapeError where the optimizer is of other parameters.
template <class Real>
void save_model(const std::string& path, const Model<Real>& model);

/// Reads and checks everything: every checksum, and every size against the architecture before memory is
/// taken for it. Throws FileError; DataError for a cut, altered or contradictory file; ConfigError for a
/// model of the other precision.
template <class Real>
Model<Real> load_model(const std::string& path);

}  // namespace widehash
