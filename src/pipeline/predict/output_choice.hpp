#pragma once

/// \file
/// Checks the output of a model that a caller asks about.

#include <widehash/architecture.hpp>
#include <widehash/error.hpp>

#include <cstdint>
#include <string>

#include <fmt/format.h>

namespace widehash {

/// Throws ConfigError naming `model` where the model has no output `output`.
inline void require_output(const std::string& model, const Architecture& architecture, std::uint64_t output) {
  if (output < architecture.outputs) return;
  throw ConfigError(fmt::format("{}: has {} output{}, counted from 0, so there is no output {}", model,
                                architecture.outputs, architecture.outputs == 1 ? "" : "s", output));
}

}  // namespace widehash
