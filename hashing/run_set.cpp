#include "run_set.hpp"

#include <algorithm>

namespace widehash::detail {

RunSet::RunSet(std::string directory, std::size_t num_features, bool wide, std::size_t fan_in,
               std::size_t cursor_buffer_bytes, std::span<std::byte> scratch)
    : directory_(std::move(directory)),
      num_features_(num_features),
      wide_(wide),
      fan_in_(fan_in),
      cursor_buffer_bytes_(cursor_buffer_bytes),
      scratch_(scratch) {}

Run RunSet::new_run() const {
  constexpr std::size_t write_buffer_bytes = std::size_t{64} << 10;
  return {directory_, num_features_, wide_, write_buffer_bytes};
}

void RunSet::add(Run run) {
  runs_.push_back(std::move(run));
  ++num_added_;
  while (true) {
    const int level = runs_.back().level;
    const auto same =
        std::find_if(runs_.begin(), runs_.end(), [level](const Run& r) { return r.level == level; });
    const auto count = static_cast<std::size_t>(runs_.end() - same);
    if (count < fan_in_) break;
    merge_last(count);
  }
}

void RunSet::merge_last(std::size_t count) {
  const auto group = std::span(runs_).last(count);
  Run merged = new_run();
  merged.level = group.front().level + 1;
  for (std::size_t feature = 0; feature < num_features_; ++feature) {
    merged.begin_feature(feature);
    merge_runs(group, feature, cursor_buffer_bytes_,
               [&](const ValueRecord& record) { merged.append(record, scratch_); });
  }
  merged.end();
  runs_.erase(runs_.end() - static_cast<std::ptrdiff_t>(count), runs_.end());
  runs_.push_back(std::move(merged));
}

void RunSet::reduce() {
  // The last runs are the smallest, so merging only as many of them as necessary copies the least.
  while (runs_.size() > fan_in_) merge_last(std::min(fan_in_, runs_.size() - fan_in_ + 1));
}

void RunSet::for_each(std::size_t feature, const std::function<void(const ValueRecord&)>& consume) const {
  merge_runs(runs_, feature, cursor_buffer_bytes_, consume);
}

std::uint64_t RunSet::memory_bytes() const noexcept {
  std::uint64_t bytes = 0;
  for (const Run& run : runs_) bytes += run.memory_bytes();
  return bytes;
}

}  // namespace widehash::detail
