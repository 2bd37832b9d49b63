#pragma once

/// \file
/// A shared library that is loaded at the first call of one of its functions. cuBLAS and NCCL take 200 MiB
/// and a tenth of a second of every start when a program is linked to them, and most runs of the program
/// never see a GPU. So the sources beside this one define the functions that we call, each handing over to
/// the library's.

#include <widehash/error.hpp>

#include <string>

#include <dlfcn.h>
#include <fmt/format.h>

namespace widehash::cuda {

class LateLibrary {
 public:
  /// Looks where the system does, then beside the toolkit this was built with. Throws DeviceError where it is
  /// in neither.
  explicit LateLibrary(std::string name) : name_(std::move(name)) {
    std::string reason;
    for (const std::string& path : {name_, std::string(WIDEHASH_CUDA_LIBRARY_FOLDER "/") + name_}) {
      handle_ = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
      if (handle_ != nullptr) return;
      const char* const error = ::dlerror();
      reason += fmt::format("{}{}", reason.empty() ? "" : "; ", error == nullptr ? "no reason" : error);
    }
    throw DeviceError(fmt::format("{} cannot be loaded ({}); GPUs need it", name_, reason));
  }

  /// The library's function of that name, of the type of the given one, which hands over to it.
  template <class Function>
  Function* function(const Function&, const char* name) const {
    void* const address = ::dlsym(handle_, name);
    if (address == nullptr) throw DeviceError(fmt::format("{} has no function {}", name_, name));
    return reinterpret_cast<Function*>(address);
  }

 private:
  std::string name_;
  void* handle_ = nullptr;  // never closed: its threads may outlive every object of ours
};

}  // namespace widehash::cuda
