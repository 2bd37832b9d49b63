#include "bindings.hpp"
#include "no_gil.hpp"
#include "text.hpp"

#include <widehash/devices.hpp>

#include <fmt/format.h>
#include <pybind11/stl.h>

namespace widehash::python {
namespace {

py::dict cuda_dict(const CudaDevice& device) {
  py::dict dict;
  dict["index"] = device.index;
  dict["name"] = to_str(device.name);
  dict["compute_capability"] = fmt::format("{}.{}", device.compute_major, device.compute_minor);
  dict["memory_bytes"] = device.memory_bytes;
  return dict;
}

py::dict devices() {
  MachineDevices found;
  {
    const NoGil no_gil;  // drivers may take long
    found = find_devices();
  }
  py::list cuda;
  for (const CudaDevice& device : found.cuda) cuda.append(cuda_dict(device));
  py::dict dict;
  dict["cpu_name"] = to_str(found.cpu_name);
  dict["cpu_threads"] = found.cpu_threads;
  dict["cpu_features"] = found.cpu_features;
  dict["memory_bytes"] = found.memory_bytes;
  dict["cuda"] = cuda;
  dict["cuda_note"] = to_str(found.cuda_note);
  dict["mpi"] = to_str(found.mpi);
  return dict;
}

}  // namespace

void bind_devices(py::module_& module) { module.def("devices", &devices); }

}  // namespace widehash::python
