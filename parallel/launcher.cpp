#include "process_link.hpp"

#include <widehash/launcher.hpp>

#include <charconv>
#include <cstdlib>
#include <string_view>

namespace widehash {
namespace {

// 0 if the variable is not set or holds no number.
std::uint64_t number_in(const char* variable) noexcept {
  const char* const value = std::getenv(variable);
  if (value == nullptr) return 0;
  const std::string_view text(value);
  std::uint64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

}  // namespace

// Open MPI and MPICH report the number of processes; PMIx, which Slurm's srun uses, only reports which one
// this is.
Launch launch() noexcept {
  for (const char* variable : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"}) {
    if (const std::uint64_t processes = number_in(variable)) return {processes, variable};
  }
  if (std::getenv("PMIX_RANK") == nullptr) return {};
  if (const std::uint64_t processes = number_in("SLURM_STEP_NUM_TASKS")) return {processes, "PMIX_RANK"};
  return {number_in("PMIX_RANK") + 1, "PMIX_RANK"};
}

namespace detail {

// Without a launcher MPI is never started, because a program of one process should not pay for it.
bool has_launcher() noexcept { return launch().variable != nullptr; }

}  // namespace detail
}  // namespace widehash
