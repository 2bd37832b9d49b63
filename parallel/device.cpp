#include <widehash/device.hpp>
#include <widehash/devices.hpp>
#include <widehash/error.hpp>

#include <charconv>

#include <fmt/format.h>

namespace widehash {
namespace {

// One process keeps track of its devices by a small number each.
constexpr std::size_t max_devices = 64;

[[noreturn]] void throw_bad_word(std::string_view word, std::string_view list) {
  throw ConfigError(fmt::format(
      "devices '{}': '{}' is no device; write cpu, cuda or cuda:0, with commas between several", list, word));
}

Device parse_device(std::string_view word, std::string_view list) {
  if (word == "cpu") return {};
  constexpr std::string_view prefix = "cuda:";
  if (!word.starts_with(prefix)) throw_bad_word(word, list);
  const std::string_view number = word.substr(prefix.size());
  Device device{DeviceKind::cuda, 0};
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), device.index);
  if (error != std::errc() || end != number.data() + number.size() || device.index < 0)
    throw_bad_word(word, list);
  return device;
}

// GPUs are looked for only where one is asked for.
[[noreturn]] void throw_no_cuda(std::string_view list) {
  const MachineDevices machine = find_devices();
  const std::string why = machine.cuda.empty() ? machine.cuda_note : "this build trains on CPU devices only";
  throw DeviceError(fmt::format("devices '{}': no CUDA device can be used here ({}); use cpu", list, why));
}

}  // namespace

std::string to_string(const Device& device) {
  return device.kind == DeviceKind::cpu ? "cpu" : fmt::format("cuda:{}", device.index);
}

std::vector<Device> parse_devices(std::string_view list) {
  std::vector<Device> devices;
  for (std::string_view rest = list;;) {
    const std::string_view word = rest.substr(0, rest.find(','));
    devices.push_back(word == "cuda" ? Device{DeviceKind::cuda, 0} : parse_device(word, list));
    if (word.size() == rest.size()) break;
    rest.remove_prefix(word.size() + 1);
  }
  if (devices.size() > max_devices) {
    throw ConfigError(
        fmt::format("devices: {} of them; a process takes up to {}", devices.size(), max_devices));
  }
  for (const Device& device : devices) {
    if (device.kind != devices.front().kind) {
      throw ConfigError(fmt::format(
          "devices '{}': cpu and cuda devices do not train together; name devices of one kind", list));
    }
  }
  if (devices.front().kind == DeviceKind::cuda) throw_no_cuda(list);
  return devices;
}

}  // namespace widehash
