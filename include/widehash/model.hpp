#pragma once

/// \file
/// The model file: a section file of kind "model" (section_file.hpp) that holds everything that a prediction
/// or the next training step needs. It is saved as a whole at one point of training, so weights, optimizer
/// state and position always belong together. Loading it and continuing gives the same bits as never having
/// stopped.
///
///     schema              TOML text
///     training            JSON text, kept byte for byte
///     head_columns        u32, one per feature: E of exact features
///     column_means        float32, one per column, if they are known
///     parameters/<i>      tensor i of Parameters::tensors(), float32 or float64
///     state/<s>/<i>       tensor i of optimizer state s
///     metadata            JSON: architecture, optimizer, step, precision, fingerprints, classes, position
///
/// A model of several independent towers, whose prediction is their mean, holds the two kinds of tensors of
/// each further tower t = 1, 2, ... under "tower/<t>/".

#include <widehash/network.hpp>
#include <widehash/optimizer.hpp>

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace widehash {

/// Progress of training: the next batch to train on is `batch` of `epoch`.
struct TrainingPosition {
  std::uint64_t epoch = 0;
  std::uint64_t batch = 0;
  std::uint64_t rows_seen = 0;
  std::uint64_t seed = 0;  // of the order of rows
  /// The figure of judged_by() (metrics.hpp) of the best epoch; infinity: none yet.
  double best_valid_loss = std::numeric_limits<double>::infinity();
  /// The same figure of the model that training started from; infinity: it was not judged.
  double start_valid_loss = std::numeric_limits<double>::infinity();
  std::uint64_t best_epoch = 0;
  std::uint32_t bad_epochs = 0;  // since the best one

  bool is_at_start() const noexcept { return epoch == 0 && batch == 0; }
  bool operator==(const TrainingPosition&) const = default;
};

/// The meaning of the columns of a model.
struct ModelSource {
  std::string schema_toml;
  std::string schema_fingerprint;
  std::string tables_fingerprint;           // empty: no tables were used
  std::vector<std::uint32_t> head_columns;  // for make_layout(); empty: no exact features
  std::uint32_t num_classes = 0;            // of the targets; 0: numbers
  /// Mean of each column over the rows of the training, relative to which effects of features are given
  /// (RowEffects); empty: unknown. See column_means() in train.hpp.
  std::vector<float> column_means = {};

  bool operator==(const ModelSource&) const = default;
};

/// All that prediction needs: a network, or several whose mean is the prediction, and the meaning of their
/// columns.
template <class Real>
struct Ensemble {
  Network<Real> network;
  /// Independent towers besides `network`. Usually none.
  std::vector<Network<Real>> other_towers;
  ModelSource source;

  /// Computes predictions through the link, [rows x outputs], with the caller's workspace.
  void predict(const CodeBatchView& batch, Workspace<Real>& work, std::span<Real> predictions) const;
};

/// All that is needed to continue a training.
template <class Real>
struct Model : Ensemble<Real> {
  Optimizer<Real> optimizer;
  TrainingPosition position;
  std::string training = "{}";  // JSON object: how the model was trained, for people and for --resume
};

/// The contents of a model file except its tensors.
struct ModelHeader {
  Architecture architecture;
  OptimizerSettings optimizer;
  std::vector<std::uint64_t> steps{0};  // steps done by each tower
  ModelSource source;
  TrainingPosition position;
  std::string training = "{}";

  std::size_t num_towers() const noexcept { return steps.size(); }
};

/// Returns the number of elements of each tensor of Parameters::tensors() for all columns.
std::vector<std::uint64_t> tensor_sizes(const Architecture& architecture);
/// Returns their sum: the number of parameters of one tower.
std::uint64_t num_parameters(const Architecture& architecture);

/// Writes a model piece by piece, so that it need not fit in one memory: for each tower its parameters, then
/// its states, each as its tensors in order. Throws what save_model() throws, and ShapeError if the means do
/// not match the columns. finish() throws ShapeError if a tensor is incomplete.
template <class Real>
class ModelWriter {
 public:
  ModelWriter(const std::string& path, const ModelHeader& header);
  ~ModelWriter();
  /// Appends the next values, in the order above. One call must not go beyond the end of a tensor. Throws
  /// DataError if a value is not finite, because no reader would accept it.
  void append(std::span<const Real> values);
  void finish();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// A mapped model file, from which a device takes only its columns. Opening it reads and checks everything:
/// every checksum, and every size against the architecture. Throws FileError; DataError for a truncated,
/// altered or contradictory file; ConfigError for a model of the other precision. Cost: one pass over the
/// file.
template <class Real>
class ModelFile {
 public:
  explicit ModelFile(const std::string& path);
  ModelFile(ModelFile&&) noexcept;
  ~ModelFile();

  const std::string& path() const noexcept;
  const ModelHeader& header() const noexcept;
  /// Identifies the whole content: SectionFile::footer_checksum().
  std::uint64_t checksum() const noexcept;
  /// Parameters and states with the first layer cut to `columns` and the whole tail. Both throw DataError if
  /// a value is not finite.
  Parameters<Real> parameters(std::size_t tower, ColumnRange columns) const;
  std::vector<Parameters<Real>> states(std::size_t tower, ColumnRange columns) const;
  /// Throws DataError if a value of a tower, in its parameters or states, is not finite. Copies nothing.
  void require_finite(std::size_t tower) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Whether the file begins like a model file, intact or not. Throws FileError.
bool is_model_file(const std::string& path);

/// Returns what ModelFile::header() returns, without reading the tensors, which may be damaged. Throws as
/// ModelFile.
template <class Real>
ModelHeader read_model_header(const std::string& path);

/// Opens a model file for a caller that reads rows by its schema. Throws what ModelFile throws; DataError if
/// its source is incomplete, as in a model saved without one, or does not match the columns, outputs and
/// classes of the model.
template <class Real>
ModelFile<Real> open_model(const std::string& path);

/// Writes `path` atomically. Throws FileError; ConfigError if the network holds only part of the columns, if
/// `training` is not a JSON object, or if there are several towers (their optimizers are not in a Model; see
/// ModelWriter); ShapeError if the optimizer is of other parameters.
template <class Real>
void save_model(const std::string& path, const Model<Real>& model);

/// Throws what ModelFile throws. Memory: parameters and optimizer states, D (1 + S) values for D parameters
/// with S states each.
template <class Real>
Model<Real> load_model(const std::string& path);
/// The same for an open file.
template <class Real>
Model<Real> load_model(const ModelFile<Real>& file);
/// Loads only what predicts. Memory: the parameters of all towers.
template <class Real>
Ensemble<Real> load_ensemble(const ModelFile<Real>& file);

struct VerifyModelReport {
  std::uint64_t towers = 0;
  std::uint64_t parameters = 0;  // of all towers
  std::uint64_t bytes = 0;
  std::uint64_t epoch = 0;  // finished epochs
};

/// Verifies a model file of either precision: every checksum, every size, that all values are finite, and
/// that its schema gives its columns. Memory: the file is mapped and nothing is copied. Throws DataError,
/// FileError.
VerifyModelReport verify_model(const std::string& path);

}  // namespace widehash
