#pragma once

/// \file
/// What a training runs on, as a list: "cpu" is one device, "cpu,cpu,cpu" are three virtual devices that
/// share the threads of the process.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace widehash {

enum class DeviceKind { cpu, cuda };

/// A share of this machine. The same one may be named several times: each mention is a device of its own.
struct Device {
  DeviceKind kind = DeviceKind::cpu;
  int index = 0;  // of a CUDA device; 0 for cpu

  bool operator==(const Device&) const = default;
};

/// Devices that one process takes: it keeps track of them by a small number each.
inline constexpr std::size_t max_devices = 64;

/// "cpu", "cuda:1".
std::string to_string(const Device& device);

/// Devices of a list such as "cpu,cpu" or "cuda:0,cuda:0"; "cuda" alone stands for every GPU of the machine.
/// Throws ConfigError for other words, for a list of both kinds and for more than max_devices, DeviceError
/// for a device that this machine or this build does not have.
std::vector<Device> parse_devices(std::string_view list);

}  // namespace widehash
