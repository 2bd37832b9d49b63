#pragma once

/// \file
/// The model file: a section file of kind "model" (section_file.hpp) that holds everything that a prediction
/// or the next training step needs. Saved at one point of training as a whole, so weights, optimizer state
/// and position always belong together; loading and going on gives the same bits as never having stopped.
///
///     schema              TOML text
///     training            JSON text, kept byte for byte
///     head_columns        u32, one per feature: E of exact features
///     column_means        float32, one per column, where they are known
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

/// Where training stands: the next batch to be trained is `batch` of `epoch`.
struct TrainingPosition {
  std::uint64_t epoch = 0;
  std::uint64_t batch = 0;
  std::uint64_t rows_seen = 0;
  std::uint64_t seed = 0;  // of the order of rows
  /// Of the best epoch: the figure of judged_by() (metrics.hpp); infinity: none yet.
  double best_valid_loss = std::numeric_limits<double>::infinity();
  /// The same of the model that training started from; infinity: it was not judged.
  double start_valid_loss = std::numeric_limits<double>::infinity();
  std::uint64_t best_epoch = 0;
  std::uint32_t bad_epochs = 0;  // since the best one

  bool is_at_start() const noexcept { return epoch == 0 && batch == 0; }
  bool operator==(const TrainingPosition&) const = default;
};

/// What the columns of a model mean.
struct ModelSource {
  std::string schema_toml;
  std::string schema_fingerprint;
  std::string tables_fingerprint;           // empty: no tables were used
  std::vector<std::uint32_t> head_columns;  // for make_layout(); empty: no exact features
  std::uint32_t num_classes = 0;            // of the targets; 0: numbers
  /// Of each column over the rows of the training, what effects of features are told against (RowEffects); empty: not
  /// known. See column_means() in train.hpp.
  std::vector<float> column_means = {};

  bool operator==(const ModelSource&) const = default;
};

/// What predicts: a network, or several whose mean is the prediction, and what their columns mean.
template <class Real>
struct Ensemble {
  Network<Real> network;
  /// Independent towers beside `network`. Usually none.
  std::vector<Network<Real>> other_towers;
  ModelSource source;

  /// Predictions through the link, [rows x outputs], with the caller's workspace.
  void predict(const CodeBatchView& batch, Workspace<Real>& work, std::span<Real> predictions) const;
};

/// What a training goes on with.
template <class Real>
struct Model : Ensemble<Real> {
  Optimizer<Real> optimizer;
  TrainingPosition position;
  std::string training = "{}";  // JSON object: how the model was trained, for people and for --resume
};

/// What a model file says beside its tensors.
struct ModelHeader {
  Architecture architecture;
  OptimizerSettings optimizer;
  std::vector<std::uint64_t> steps{0};  // done, of each tower
  ModelSource source;
  TrainingPosition position;
  std::string training = "{}";

  std::size_t num_towers() const noexcept { return steps.size(); }
};

/// Elements of each tensor of Parameters::tensors() for all columns.
std::vector<std::uint64_t> tensor_sizes(const Architecture& architecture);

/// Writes a model piece by piece, so that it need not be in one memory: for each tower its parameters, then
/// its states, each the tensors in order. Throws what save_model() throws, and ShapeError where the means
/// are not those of the columns, and from finish() where a tensor was not whole.
template <class Real>
class ModelWriter {
 public:
  ModelWriter(const std::string& path, const ModelHeader& header);
  ~ModelWriter();
  /// The next values, in the order above; a call does not go beyond the end of a tensor. Throws DataError
  /// where one is not finite, for no reader would take it.
  void append(std::span<const Real> values);
  void finish();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// A model file, mapped, of which a device takes only its columns. Opening reads and checks everything: every
/// checksum, and every size against the architecture. Throws FileError; DataError for a cut, altered or
/// contradictory file; ConfigError for a model of the other precision. Cost: one pass over the file.
template <class Real>
class ModelFile {
 public:
  explicit ModelFile(const std::string& path);
  ModelFile(ModelFile&&) noexcept;
  ~ModelFile();

  const std::string& path() const noexcept;
  const ModelHeader& header() const noexcept;
  /// Stands for the whole content: SectionFile::footer_checksum().
  std::uint64_t checksum() const noexcept;
  /// The first layer cut to `columns`, the tail whole. Throw DataError where a value is not finite.
  Parameters<Real> parameters(std::size_t tower, ColumnRange columns) const;
  std::vector<Parameters<Real>> states(std::size_t tower, ColumnRange columns) const;
  /// Of all values of a tower, parameters and states, without a copy of them.
  void require_finite(std::size_t tower) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Whether the file begins as a model does, sound or not. Throws FileError.
bool is_model_file(const std::string& path);

/// What ModelFile::header() is, without a look at the tensors, which may be damaged. Throws as ModelFile.
template <class Real>
ModelHeader read_model_header(const std::string& path);

/// A model file for who reads rows by its schema. Throws what ModelFile throws; DataError where its source is
/// not whole or does not make the columns, outputs and classes of the model; one that was saved without a
/// source has none.
template <class Real>
ModelFile<Real> open_model(const std::string& path);

/// Writes `path` atomically. Throws FileError; ConfigError where the network holds only a part of the columns
/// or `training` is not a JSON object, or it has several towers (their optimizers are not in a Model; see
/// ModelWriter); ShapeError where the optimizer is of other parameters.
template <class Real>
void save_model(const std::string& path, const Model<Real>& model);

/// Throws what ModelFile throws. Memory: parameters and optimizer states, D (1 + S) values for D parameters and
/// S states of each.
template <class Real>
Model<Real> load_model(const std::string& path);
/// The same of a file that is open.
template <class Real>
Model<Real> load_model(const ModelFile<Real>& file);
/// Of it what predicts. Memory: the parameters of all towers.
template <class Real>
Ensemble<Real> load_ensemble(const ModelFile<Real>& file);

struct VerifyModelReport {
  std::uint64_t towers = 0;
  std::uint64_t parameters = 0;  // of all towers
  std::uint64_t bytes = 0;
  std::uint64_t epoch = 0;  // finished
};

/// Reads a model file of either precision again: every checksum, every size, that all values are finite, and
/// that its schema makes its columns. Memory: the file is mapped, and nothing is copied. Throws DataError, FileError.
VerifyModelReport verify_model(const std::string& path);

}  // namespace widehash
