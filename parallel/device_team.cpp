#include "group_communicator.hpp"
#include "process_link.hpp"

#include <widehash/device_team.hpp>
#include <widehash/error.hpp>
#include <widehash/threads.hpp>

#include <algorithm>
#include <exception>
#include <system_error>
#include <thread>

#include <fmt/format.h>

namespace widehash {
namespace {

// Timeouts beyond some thirty years overflow a clock's ticks.
constexpr double longest_timeout_seconds = 1e9;

struct Ending {
  std::exception_ptr problem;
  bool is_echo = false;  // a consequence of another rank's failure
};

Ending call(const std::function<void()>& work, detail::RankGroup& group,
            const detail::GroupCommunicator& communicator) {
  const int rank = communicator.rank();
  try {
    work();
    return {};
  } catch (const CommError& error) {
    group.fail(rank, error.what());
    return {std::current_exception(), true};
  } catch (const std::exception& error) {
    const bool is_first = group.fail(rank, error.what());
    // The GPU computed with numbers that never arrived; that is not this rank's failure.
    if (!is_first && communicator.is_cut_off()) return {group.failure(), true};
    return {std::current_exception(), false};
  } catch (...) {
    // A caller may stop the work by throwing from a callback something that is no std::exception.
    group.fail(rank, "it was stopped");
    return {std::current_exception(), false};
  }
}

}  // namespace

struct DeviceTeam::Impl {
  Impl(std::vector<Device> list, const TeamSettings& settings)
      : devices(std::move(list)),
        num_threads(settings.threads),
        group(devices.size(), settings.across_processes ? detail::process_link() : nullptr,
              settings.timeout_seconds, devices.front().kind) {
    const bool is_world = static_cast<std::size_t>(group.world_size()) == devices.size();
    const bool on_one_gpu = is_world && devices.front().kind == DeviceKind::cuda &&
                            std::count(devices.begin(), devices.end(), devices.front()) ==
                                static_cast<std::ptrdiff_t>(devices.size());
    for (std::size_t local = 0; local < devices.size(); ++local) {
      communicators.push_back(std::make_unique<detail::GroupCommunicator>(
          group, local, devices[local], on_one_gpu,
          settings.ordered_device_sums ? detail::SumOrder::ranks : detail::SumOrder::any));
    }
  }

  std::vector<Device> devices;
  std::size_t num_threads;  // threads of the process; 0: as many as run() finds
  detail::RankGroup group;
  std::vector<std::unique_ptr<detail::GroupCommunicator>> communicators;
};

DeviceTeam::DeviceTeam(std::vector<Device> devices, const TeamSettings& settings) {
  if (devices.empty() || devices.size() > max_devices) {
    throw ConfigError(fmt::format("a team has 1 to {} devices, not {}", max_devices, devices.size()));
  }
  if (!(settings.timeout_seconds > 0 && settings.timeout_seconds <= longest_timeout_seconds)) {
    throw ConfigError(fmt::format("a timeout of {} s: it must be above 0 and at most {}",
                                  settings.timeout_seconds, longest_timeout_seconds));
  }
  impl_ = std::make_unique<Impl>(std::move(devices), settings);
}

DeviceTeam::~DeviceTeam() = default;

const std::vector<Device>& DeviceTeam::devices() const noexcept { return impl_->devices; }
int DeviceTeam::world_size() const noexcept { return impl_->group.world_size(); }
int DeviceTeam::first_rank() const noexcept { return impl_->group.first_rank(); }
Communicator& DeviceTeam::communicator(std::size_t local) { return *impl_->communicators.at(local); }

void DeviceTeam::run(const std::function<void(Communicator&)>& work) {
  if (impl_->num_threads == 0) return run_with(current_threads(), work);
  with_threads(impl_->num_threads, [&] { run_with(impl_->num_threads, work); });
}

void DeviceTeam::run_with(std::size_t num_threads, const std::function<void(Communicator&)>& work) {
  const std::size_t count = impl_->devices.size();
  const std::size_t threads_each = std::max<std::size_t>(num_threads / count, 1);
  std::vector<Ending> endings(count);
  const auto run_one = [&](std::size_t local) {
    endings[local] = call(
        [&] {
          // A single device already has the caller's threads.
          if (count == 1) return work(*impl_->communicators[local]);
          with_share_of_threads(threads_each, [&] { work(*impl_->communicators[local]); });
        },
        impl_->group, *impl_->communicators[local]);
    impl_->communicators[local]->leave();
  };
  std::vector<std::thread> threads;
  threads.reserve(count - 1);  // if allocation failed between two threads, the first would stay unjoined
  const auto join_all = [&] {
    for (std::thread& thread : threads) thread.join();
  };
  try {
    for (std::size_t local = 1; local < count; ++local) threads.emplace_back(run_one, local);
  } catch (const std::exception& error) {  // std::system_error, or std::bad_alloc
    const std::string reason =
        fmt::format("cannot start a thread for each of {} devices: {}; name fewer", count, error.what());
    impl_->group.fail(impl_->group.first_rank() + static_cast<int>(threads.size()) + 1, reason);
    join_all();
    throw DeviceError(reason);
  }
  run_one(0);
  join_all();

  // Which of several failures is reported must not depend on which came first.
  for (const Ending& ending : endings) {
    if (ending.problem != nullptr && !ending.is_echo) std::rethrow_exception(ending.problem);
  }
  for (const Ending& ending : endings) {
    if (ending.problem != nullptr) std::rethrow_exception(ending.problem);
  }
}

}  // namespace widehash
