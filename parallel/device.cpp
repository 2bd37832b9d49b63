#include <widehash/device.hpp>
#include <widehash/devices.hpp>
#include <widehash/error.hpp>
#include <widehash/internal/parse_all.hpp>

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace widehash {
namespace {

// Stands for "cuda" without a number until GPUs have been looked up.
constexpr int every_gpu = -1;

[[noreturn]] void throw_bad_word(std::string_view word, std::string_view list) {
  throw ConfigError(fmt::format(
      "devices '{}': '{}' is not a device; write cpu, cuda or cuda:0, separated by commas", list, word));
}

Device parse_device(std::string_view word, std::string_view list) {
  if (word == "cpu") return {};
  constexpr std::string_view prefix = "cuda:";
  if (!word.starts_with(prefix)) throw_bad_word(word, list);
  const auto index = detail::parse_all<int>(word.substr(prefix.size()));
  if (!index || *index < 0) throw_bad_word(word, list);
  return {DeviceKind::cuda, *index};
}

// GPUs are looked up only if one is requested.
MachineDevices find_gpus(std::string_view list) {
  MachineDevices machine = find_devices();
  if (machine.cuda.empty()) {
    throw DeviceError(
        fmt::format("devices '{}': no CUDA device can be used here ({}); use cpu", list, machine.cuda_note));
  }
  return machine;
}

// "cuda", wherever it appears in the list, stands for every GPU.
std::vector<Device> on_gpus(const std::vector<Device>& wanted, std::string_view list) {
  const MachineDevices machine = find_gpus(list);
  const std::vector<CudaDevice>& gpus = machine.cuda;
  std::vector<Device> devices;
  for (const Device& device : wanted) {
    if (device.index == every_gpu) {
      for (const CudaDevice& gpu : gpus) devices.push_back({DeviceKind::cuda, gpu.index});
      continue;
    }
    const bool is_there = std::any_of(gpus.begin(), gpus.end(),
                                      [&](const CudaDevice& gpu) { return gpu.index == device.index; });
    if (!is_there) {
      std::vector<std::string> names;
      for (const CudaDevice& gpu : gpus) names.push_back(to_string({DeviceKind::cuda, gpu.index}));
      throw DeviceError(fmt::format("devices '{}': {} is not available; this machine has {}{}", list,
                                    to_string(device), fmt::join(names, ", "),
                                    machine.cuda_note.empty() ? "" : " (" + machine.cuda_note + ")"));
    }
    devices.push_back(device);
  }
  return devices;
}

}  // namespace

std::string to_string(const Device& device) {
  return device.kind == DeviceKind::cpu ? "cpu" : fmt::format("cuda:{}", device.index);
}

std::vector<Device> parse_devices(std::string_view list) {
  std::vector<Device> devices;
  for (std::string_view rest = list;;) {
    const std::string_view word = rest.substr(0, rest.find(','));
    devices.push_back(word == "cuda" ? Device{DeviceKind::cuda, every_gpu} : parse_device(word, list));
    if (word.size() == rest.size()) break;
    rest.remove_prefix(word.size() + 1);
  }
  for (const Device& device : devices) {
    if (device.kind != devices.front().kind) {
      throw ConfigError(fmt::format(
          "devices '{}': cpu and cuda devices cannot train together; name devices of one kind", list));
    }
  }
  if (devices.front().kind == DeviceKind::cuda) devices = on_gpus(devices, list);
  if (devices.size() > max_devices) {
    throw ConfigError(
        fmt::format("devices: {} are named; a process takes at most {}", devices.size(), max_devices));
  }
  return devices;
}

}  // namespace widehash
