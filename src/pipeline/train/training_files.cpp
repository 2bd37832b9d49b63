#include "training_files.hpp"

#include <widehash/error.hpp>
#include <widehash/internal/file.hpp>
#include <widehash/internal/move_file.hpp>

#include <cstdint>
#include <span>

#include <fmt/format.h>

namespace widehash {

TrainingFiles::TrainingFiles(const TrainingJob& job, Communicator& communicator)
    : job_(job), communicator_(communicator) {
  header_.architecture = job.architecture();
  header_.optimizer = job.optimizer();
  header_.optimizer.mean_weight = 0;  // follows from these rows; it is in the notes
  if (communicator.rank() == 0) header_.source = job.source();
}

void TrainingFiles::go_on_from(const std::string& path, const TrainingPosition& position) {
  last_batch_ = position.batch;
  has_checkpoint_ = path == job_.checkpoint_path();
  has_model_ = !has_checkpoint_ || position.best_epoch > 0;
}

void TrainingFiles::begin(Strategy<float>& strategy, const TrainingPosition& start, const EpochSums& sums) {
  const bool is_main = communicator_.rank() == 0;
  std::uint64_t replaces_model = is_main && file_exists(job_.options().model) ? 1 : 0;
  communicator_.broadcast(std::span(&replaces_model, 1), 0);
  if (replaces_model != 0)
    write(job_.checkpoint_path(), strategy, start, sums);  // holds nothing worth reporting
  else
    remove_checkpoint();
}

void TrainingFiles::write_model(Strategy<float>& strategy, const TrainingPosition& position,
                                const EpochSums& sums) {
  write(job_.options().model, strategy, position, sums);
  has_model_ = true;
}

void TrainingFiles::write_checkpoint(Strategy<float>& strategy, const TrainingPosition& position,
                                     const EpochSums& sums) {
  write(job_.checkpoint_path(), strategy, position, sums);
  has_checkpoint_ = true;
}

void TrainingFiles::write(const std::string& path, Strategy<float>& strategy,
                          const TrainingPosition& position, const EpochSums& sums) {
  TrainingNotes notes;
  notes["settings"] = job_.settings();
  if (job_.valid() != nullptr) notes["valid"] = job_.valid_rows();
  sums.put(notes);
  header_.position = position;
  header_.training = notes.dump();
  try {
    save_model(path, communicator_, strategy, header_);
  } catch (const DataError&) {
    // A model is refused for one reason only: values that no reader would accept.
    throw DataError(
        job_.dataset().name(), 0,
        fmt::format("{} the parameters or the optimizer's states are not finite; a smaller learning "
                    "rate, less --l2 or scaled numeric features may help",
                    position.batch == 0
                        ? fmt::format("by the end of epoch {}", position.epoch)
                        : fmt::format("by batch {} of epoch {}", position.batch, position.epoch + 1)));
  }
  last_batch_ = position.batch;
}

void TrainingFiles::remove_checkpoint() {
  has_checkpoint_ = false;
  if (communicator_.rank() != 0) return;
  remove_file(job_.checkpoint_path());
}

std::string TrainingFiles::how_to_go_on(const TrainingPosition& position) const {
  if (position.is_at_start()) {
    return fmt::format("{}: stopped as asked before the first step; nothing was written; start it again",
                       job_.options().model);
  }
  const std::string where =
      position.batch == 0 ? fmt::format("after epoch {}", position.epoch)
                          : fmt::format("in epoch {}, after batch {}", position.epoch + 1, position.batch);
  return fmt::format("{}: stopped as asked {}; {}", job_.options().model, where, what_resume_finds(position));
}

std::string TrainingFiles::what_resume_finds(const TrainingPosition& position) const {
  if (position.batch == 0 || job_.options().checkpoint_every > 0)
    return fmt::format("{} is up to date; the same command with --resume continues", job_.checkpoint_path());
  if (position.epoch == 0 && last_batch_ == 0)
    return "nothing was written; start it again, with --checkpoint-every N to lose less next time";
  return fmt::format("{} holds {}; the same command with --resume continues from there",
                     has_checkpoint_ ? job_.checkpoint_path() : job_.options().model,
                     last_batch_ > 0 ? fmt::format("batch {} of epoch {}", last_batch_, position.epoch + 1)
                                     : fmt::format("the end of epoch {}", position.epoch));
}

std::string TrainingFiles::what_is_kept() const {
  if (!has_checkpoint_ && !has_model_) return "";
  return fmt::format("{} is kept, and the same command with --resume continues from it",
                     has_checkpoint_ ? job_.checkpoint_path() : job_.options().model);
}

}  // namespace widehash
