#include "training_start.hpp"

#include <widehash/error.hpp>
#include <widehash/file.hpp>

#include <array>
#include <cstdint>
#include <span>

#include <fmt/format.h>

namespace widehash {
namespace {

/// Throws ConfigError where a new training would replace what somebody may want.
void require_nothing_lost(const TrainingJob& job) {
  const TrainOptions& options = job.options();
  if (options.overwrite) return;
  if (file_exists(job.checkpoint_path())) {
    throw ConfigError(
        job.checkpoint_path() +
        ": a training that can go on is there; give --resume to go on with it, or --overwrite to "
        "begin anew");
  }
  if (file_exists(options.model)) {
    throw ConfigError(options.model +
                      ": is there already; give --overwrite to replace it, or another file for the model");
  }
}

}  // namespace

std::string agree_on_start(const TrainingJob& job, Communicator& communicator) {
  const bool is_main = communicator.rank() == 0;
  // Decided by one: the files of a shared folder need not look the same to all at the same moment.
  enum Choice : std::uint64_t { fresh, checkpoint, model };
  std::uint64_t choice = fresh;
  if (is_main && job.options().resume) {
    choice = file_exists(job.checkpoint_path()) ? checkpoint
             : file_exists(job.options().model) ? model
                                                : fresh;
  }
  if (is_main && choice == fresh) require_nothing_lost(job);
  const std::uint64_t own_from = job.from() != nullptr ? job.from()->checksum() : 0;
  std::array<std::uint64_t, 2> said{choice, own_from};
  communicator.broadcast(std::span<std::uint64_t>(said), 0);
  choice = said[0];
  if (said[1] != own_from) {
    throw ConfigError(fmt::format(
        "the model to start from (--from) is another one to the process of rank {} than to that of "
        "rank 0; give all processes the same file",
        communicator.rank()));
  }
  return choice == checkpoint ? job.checkpoint_path() : choice == model ? job.options().model : std::string();
}

}  // namespace widehash
