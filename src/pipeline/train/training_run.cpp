#include "training_run.hpp"

#include "rank_training.hpp"

#include <widehash/error.hpp>
#include <widehash/internal/file.hpp>
#include <widehash/loss.hpp>
#include <widehash/threads.hpp>

#include <optional>

#include <fmt/format.h>

namespace widehash {
namespace {

/// What rank 0 learns about a device.
struct DeviceTimes {
  std::array<double, num_activities> seconds{};
  std::uint64_t bytes_sent = 0;
  std::uint64_t bytes_sent_to_other_hosts = 0;
  std::uint64_t num_spans = 0;
  std::uint64_t num_collectives = 0;
  Device device;
};

DeviceReport report_of(int rank, const DeviceTimes& times) {
  DeviceReport report;
  report.rank = rank;
  report.device = to_string(times.device);
  for (const double seconds : times.seconds) report.seconds += seconds;
  for (std::size_t i = 0; i < num_activities; ++i)
    report.shares[i] = report.seconds > 0 ? times.seconds[i] / report.seconds : 0;
  report.bytes_sent = times.bytes_sent;
  report.bytes_sent_to_other_hosts = times.bytes_sent_to_other_hosts;
  return report;
}

/// Gathers the spans of all ranks on rank 0; `count` is the member that holds the number of spans of a rank.
template <class Span>
std::vector<std::vector<Span>> gather_spans(Communicator& communicator, const std::vector<Span>& own,
                                            const std::vector<DeviceTimes>& all,
                                            std::uint64_t DeviceTimes::*count) {
  std::vector<std::size_t> offsets{0};
  for (const DeviceTimes& times : all) offsets.push_back(offsets.back() + times.*count);
  std::vector<Span> spans(communicator.rank() == 0 ? offsets.back() : 0);
  communicator.gather<Span>(own, offsets, 0, spans);
  std::vector<std::vector<Span>> of_ranks;
  for (std::size_t rank = 0; communicator.rank() == 0 && rank < all.size(); ++rank) {
    of_ranks.emplace_back(spans.begin() + static_cast<std::ptrdiff_t>(offsets[rank]),
                          spans.begin() + static_cast<std::ptrdiff_t>(offsets[rank + 1]));
  }
  return of_ranks;
}

double efficiency_of(const std::vector<DeviceReport>& devices) {
  double useful = 0;
  double all = 0;
  for (const DeviceReport& device : devices) {
    useful += device.seconds * (device.shares[static_cast<std::size_t>(Activity::read)] +
                                device.shares[static_cast<std::size_t>(Activity::compute)]);
    all += device.seconds;
  }
  return all > 0 ? useful / all : 1;
}

}  // namespace

TrainingRun::TrainingRun(const TrainOptions& options, const ProgressCallback& progress,
                         const std::function<void(const EpochReport&)>& on_epoch)
    : options_(options), progress_(progress), on_epoch_(on_epoch) {}

TrainReport TrainingRun::run() {
  TeamSettings settings;
  settings.across_processes = true;
  DeviceTeam team(options_.devices, settings);
  std::unique_ptr<TrainingJob> job;
  std::unique_ptr<PlanFeed> feed;
  TrainReport report;
  std::optional<FileLock> lock;  // held by the process that writes
  std::string stopped;
  const std::size_t num_threads = current_threads();
  team.run([&](Communicator& communicator) {
    const bool is_first = communicator.rank() == team.first_rank();
    if (is_first) {
      // Inside the team, so that a process that cannot begin releases the others.
      job = std::make_unique<TrainingJob>(options_, communicator.size());
      if (communicator.rank() == 0) lock.emplace(options_.model);
      feed = std::make_unique<PlanFeed>(job->dataset(), job->rows_per_step(), job->steps(), options_.seed,
                                        options_.shuffle, team.devices().size(), num_threads);
      // In a shuffled batch, nobody would find the row.
      feed->check_shards(
          [&network = job->architecture()](const CodeBatchView& rows, const std::string& path) {
            check_targets(network.loss, network.outputs, rows.targets, path);
          });
    }
    communicator.barrier();
    communicator.clock().start(!options_.profile.empty());
    RankTraining training(*job, *feed, communicator, progress_, on_epoch_);
    TrainReport own;
    try {
      own = training.run();
    } catch (const FileError& error) {
      if (training.what_is_kept().empty()) throw;
      throw error.when_full(training.what_is_kept());
    }
    report_devices(communicator, own);
    if (!is_first) return;
    report = std::move(own);
    stopped = training.how_to_go_on();
  });
  if (!stopped.empty()) throw Stopped(stopped);
  return report;
}

void TrainingRun::report_devices(Communicator& communicator, TrainReport& report) const {
  ActivityClock& clock = communicator.clock();
  clock.stop();
  DeviceTimes own;
  for (std::size_t i = 0; i < num_activities; ++i) own.seconds[i] = clock.seconds(static_cast<Activity>(i));
  own.bytes_sent = communicator.bytes_sent();
  own.bytes_sent_to_other_hosts = communicator.bytes_sent_to_other_hosts();
  own.device = communicator.device();
  const std::vector<ActivitySpan> own_spans = clock.spans();
  own.num_spans = own_spans.size();
  const std::vector<CollectiveSpan> own_collectives = communicator.collective_spans();
  own.num_collectives = own_collectives.size();

  const auto size = static_cast<std::size_t>(communicator.size());
  std::vector<DeviceTimes> all(size);
  communicator.all_gather<DeviceTimes>(std::span<const DeviceTimes>(&own, 1), even_offsets(size, size), all);
  for (std::size_t rank = 0; rank < size; ++rank)
    report.devices.push_back(report_of(static_cast<int>(rank), all[rank]));
  report.efficiency = efficiency_of(report.devices);
  if (options_.profile.empty()) return;

  auto spans = gather_spans<ActivitySpan>(communicator, own_spans, all, &DeviceTimes::num_spans);
  auto collectives =
      gather_spans<CollectiveSpan>(communicator, own_collectives, all, &DeviceTimes::num_collectives);
  if (communicator.rank() != 0) return;
  std::vector<TraceTrack> tracks;
  for (std::size_t rank = 0; rank < size; ++rank) {
    tracks.push_back({static_cast<int>(rank), fmt::format("rank {}, {}", rank, report.devices[rank].device),
                      std::move(spans[rank]), std::move(collectives[rank])});
  }
  write_text_file(options_.profile, trace_json(tracks));
}

}  // namespace widehash
