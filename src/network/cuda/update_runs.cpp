#include "update_runs.hpp"

#include <algorithm>
#include <utility>

namespace widehash::cuda {

UpdateRun first_layer_run(const DeviceTensors& parameters, std::span<const DeviceTensors> states,
                          std::uint64_t first_state, std::uint64_t begin, std::uint64_t size) {
  UpdateRun run;
  run.size = size;
  run.weights = parameters.first.data() + begin;
  if (!states.empty()) run.first = states[0].first.data() + (begin - first_state);
  if (states.size() > 1) run.second = states[1].first.data() + (begin - first_state);
  return run;
}

std::vector<UpdateRun> first_layer_runs(const DeviceTensors& parameters,
                                        std::span<const DeviceTensors> states, std::uint32_t units,
                                        const SlotPlanCopy& plan, unsigned long long* sums,
                                        const float* number_gradient) {
  std::vector<std::pair<std::uint64_t, const float*>> numbers;  // column and gradient
  for (const DeviceSlot& slot : plan.numbers()) {
    numbers.emplace_back(static_cast<std::uint64_t>(slot.shift), number_gradient);
    number_gradient += units;
  }
  std::ranges::sort(numbers);
  std::vector<UpdateRun> runs;
  std::uint64_t begin = 0;  // the first column that is in no run yet
  const auto add = [&](std::uint64_t end) -> UpdateRun& {
    runs.push_back(first_layer_run(parameters, states, 0, begin * units, (end - begin) * units));
    begin = end;
    return runs.back();
  };
  const auto add_sums = [&](std::uint64_t end) {
    if (begin == end) return;
    unsigned long long* const of_run = sums + begin * units;
    add(end).sums = of_run;
  };
  for (const auto& [column, gradient] : numbers) {
    // Neighbours whose gradients are neighbours too are one run: a launch takes few of them.
    const bool goes_on = column == begin && !runs.empty() && runs.back().gradient != nullptr &&
                         runs.back().gradient + runs.back().size == gradient;
    if (goes_on) {
      runs.back().size += units;
      begin = column + 1;
      continue;
    }
    add_sums(column);
    add(column + 1).gradient = gradient;
  }
  add_sums(parameters.first.size() / units);
  return runs;
}

void add_tail_runs(const DeviceTensors& parameters, std::span<const DeviceTensors> states,
                   std::span<const TailTensor> tail, const DeviceTensors& gradient,
                   std::vector<UpdateRun>& runs) {
  for (const TailTensor& tensor : tail) {
    UpdateRun run;
    run.size = tensor.size;
    run.regularise = !tensor.is_bias;
    run.weights = parameters.tail.data() + tensor.begin;
    run.gradient = gradient.tail.data() + tensor.begin;
    if (!states.empty()) run.first = states[0].tail.data() + tensor.begin;
    if (states.size() > 1) run.second = states[1].tail.data() + tensor.begin;
    runs.push_back(run);
  }
}

}  // namespace widehash::cuda
