#pragma once

/// \file
/// The files of a training: `<model>` holds the parameters to use, `<model>.checkpoint` the state to go on
/// from. Here they are written, and told of when a run ends early. The same on all ranks.

#include "epoch_sums.hpp"
#include "training_job.hpp"

#include <widehash/communicator.hpp>
#include <widehash/strategy.hpp>

#include <cstdint>
#include <string>

namespace widehash {

class TrainingFiles {
 public:
  /// What is given must outlive this.
  TrainingFiles(const TrainingJob& job, Communicator& communicator)
      : job_(job), communicator_(communicator) {}

  /// The training goes on from the file at `path`, which is at `position`.
  void go_on_from(const std::string& path, const TrainingPosition& position);

  /// Collective; the sums must be gathered. Throws FileError; DataError where a value is not finite.
  void write_model(Strategy<float>& strategy, const TrainingPosition& position, const EpochSums& sums);
  void write_checkpoint(Strategy<float>& strategy, const TrainingPosition& position, const EpochSums& sums);
  /// No file of an earlier training must be taken for one of this.
  void remove_checkpoint();

  /// The batch of the epoch that is running behind which a file was written last.
  std::uint64_t last_batch() const noexcept { return last_batch_; }

  /// Of a run that was asked to stop at `position`: what is kept and how to go on.
  std::string how_to_go_on(const TrainingPosition& position) const;
  /// Where a failure leaves a file to go on from: that it does, and how; else empty.
  std::string what_is_kept() const;

 private:
  void write(const std::string& path, Strategy<float>& strategy, const TrainingPosition& position,
             const EpochSums& sums);
  /// Which file --resume finds, and what it holds.
  std::string what_resume_finds(const TrainingPosition& position) const;

  const TrainingJob& job_;
  Communicator& communicator_;
  std::uint64_t last_batch_ = 0;
  bool has_checkpoint_ = false;  // on disk, of this training
  bool has_model_ = false;       // likewise, of its best epoch or its last
};

}  // namespace widehash
