#pragma once

/// \file
/// The devices that a training runs on, as a list: "cpu" is one device, "cpu,cpu,cpu" is three virtual
/// devices that share the threads of the process.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace widehash {

enum class DeviceKind { cpu, cuda };

/// A device of this machine. A list may name the same one several times; each mention is a separate device.
struct Device {
  DeviceKind kind = DeviceKind::cpu;
  int index = 0;  // of a CUDA device; 0 for cpu

  bool operator==(const Device&) const = default;
};

/// The most devices that one process can use; each is tracked by a small number.
inline constexpr std::size_t max_devices = 64;

/// Returns the name of a device: "cpu", "cuda:1".
std::string to_string(const Device& device);

/// Parses a list such as "cpu,cpu" or "cuda:0,cuda:0". "cuda" alone stands for every GPU of the machine.
/// Throws ConfigError for any other word, for a list of both kinds and for more than max_devices devices.
/// Throws DeviceError for a device that this machine or this build does not have.
std::vector<Device> parse_devices(std::string_view list);

}  // namespace widehash
