#include "commands.hpp"
#include "options.hpp"
#include "output.hpp"
#include "report.hpp"
#include "text.hpp"
#include "text_table.hpp"

#include <widehash/devices.hpp>

#include <memory>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace widehash::tools {
namespace {

Json report_json(const MachineDevices& devices) {
  Json object;
  object["cpu_name"] = devices.cpu_name;
  object["cpu_threads"] = devices.cpu_threads;
  object["cpu_features"] = devices.cpu_features;
  object["memory_bytes"] = devices.memory_bytes;
  object["cuda"] = Json::array();
  for (const auto& device : devices.cuda) {
    object["cuda"].push_back(
        {{"index", device.index},
         {"name", device.name},
         {"compute_capability", fmt::format("{}.{}", device.compute_major, device.compute_minor)},
         {"memory_bytes", device.memory_bytes}});
  }
  object["cuda_note"] = devices.cuda_note;
  object["mpi"] = devices.mpi;
  return object;
}

std::string report_text(const MachineDevices& devices) {
  TextTable table("ll");
  table.add(
      {"cpu", fmt::format("{}, {}", printable(devices.cpu_name), count_text(devices.cpu_threads, "thread"))});
  table.add({"", fmt::format("{}", fmt::join(devices.cpu_features, " "))});
  table.add({"memory", bytes_text(devices.memory_bytes)});
  for (const auto& device : devices.cuda) {
    table.add({fmt::format("cuda:{}", device.index),
               fmt::format("{}, compute capability {}.{}, {}", printable(device.name), device.compute_major,
                           device.compute_minor, bytes_text(device.memory_bytes))});
  }
  if (!devices.cuda_note.empty()) table.add({"cuda", devices.cuda_note});
  table.add({"mpi", devices.mpi});
  return table.text();
}

}  // namespace

void add_devices_command(Program& program) {
  auto common = std::make_shared<CommonOptions>();
  Command& command = program.add("devices", "show what this machine can compute on",
                                 "# processor, memory, GPUs and MPI\n"
                                 "widehash devices\n"
                                 "widehash devices --json | jq .cpu_threads\n");
  add_report_options(command.app, *common);
  command.processes = Processes::any;
  command.run = [common] {
    const MachineDevices devices = find_devices();
    if (common->json) {
      print_json(report_json(devices));
    } else {
      write_standard_output(report_text(devices));
    }
  };
}

}  // namespace widehash::tools
