#pragma once

/// \file
/// The files of a training: `<model>` holds the parameters to use, `<model>.checkpoint` the state to continue
/// from. This class writes them, and reports them when a run ends early. The same on all ranks.

#include "epoch_sums.hpp"
#include "training_job.hpp"

#include <widehash/communicator.hpp>
#include <widehash/strategy.hpp>

#include <cstdint>
#include <string>

namespace widehash {

class TrainingFiles {
 public:
  /// The arguments must outlive this object.
  TrainingFiles(const TrainingJob& job, Communicator& communicator);

  /// Records that the training continues from the file at `path`, which is at `position`.
  void go_on_from(const std::string& path, const TrainingPosition& position);

  /// Collective; the sums must be gathered. Throws FileError; DataError where a value is not finite.
  void write_model(Strategy<float>& strategy, const TrainingPosition& position, const EpochSums& sums);
  void write_checkpoint(Strategy<float>& strategy, const TrainingPosition& position, const EpochSums& sums);
  /// For a new training that can begin: makes sure that nobody takes the files of an earlier one for its own.
  /// Removes the checkpoint or, where a model is to be replaced later, writes one of the start. Collective.
  void begin(Strategy<float>& strategy, const TrainingPosition& start, const EpochSums& sums);
  void remove_checkpoint();

  /// Returns the batch of the current epoch after which a file was last written.
  std::uint64_t last_batch() const noexcept { return last_batch_; }

  /// For a run that was asked to stop at `position`: says what is kept and how to continue.
  std::string how_to_go_on(const TrainingPosition& position) const;
  /// Where a failure leaves a file to continue from: says so, and how. Otherwise empty.
  std::string what_is_kept() const;

 private:
  void write(const std::string& path, Strategy<float>& strategy, const TrainingPosition& position,
             const EpochSums& sums);
  /// Says which file --resume finds, and what it holds.
  std::string what_resume_finds(const TrainingPosition& position) const;

  const TrainingJob& job_;
  Communicator& communicator_;
  ModelHeader header_;  // on rank 0 with the source, which has a number for each column
  std::uint64_t last_batch_ = 0;
  bool has_checkpoint_ = false;  // on disk, of this training
  bool has_model_ = false;       // likewise, of its best epoch or its last
};

}  // namespace widehash
