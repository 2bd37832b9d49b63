#pragma once

/// \file
/// The `device` argument of calls that work on one device.

#include <widehash/device.hpp>
#include <widehash/error.hpp>

#include <string>

#include <fmt/format.h>

namespace widehash::python {

/// "cpu", "cuda:1", or "cuda" for the first GPU. Throws ConfigError for a list, and what parse_devices() throws.
inline Device one_device(const std::string& text) {
  if (text.find(',') != std::string::npos)
    throw ConfigError(fmt::format("device = '{}': is a list, but one device does this work", text));
  return parse_devices(text).front();
}

}  // namespace widehash::python
