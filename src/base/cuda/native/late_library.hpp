#pragma once

/// \file
/// A shared library that is loaded when one of its functions is first called. Linking to cuBLAS and NCCL
/// would cost every start of the program 200 MiB and a tenth of a second, and most runs never use a GPU. So
/// the sources beside this file define the functions that we call, each of which forwards to the library's.

#include <widehash/error.hpp>

#include <string>

#include <dlfcn.h>
#include <fmt/format.h>

namespace widehash::cuda {

class LateLibrary {
 public:
  /// Searches where the system does, then in the folder of the toolkit that this was built with. Throws
  /// DeviceError if the library is in neither.
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

  /// Returns the library's function called `name`, with the type of the given function, which forwards to it.
  template <class Function>
  Function* function(const Function&, const char* name) const {
    void* const address = ::dlsym(handle_, name);
    if (address == nullptr) throw DeviceError(fmt::format("{} has no function {}", name_, name));
    return reinterpret_cast<Function*>(address);
  }

 private:
  std::string name_;
  void* handle_ = nullptr;  // never closed: the library's threads may outlive every object of ours
};

}  // namespace widehash::cuda
