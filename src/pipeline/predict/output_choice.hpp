#pragma once

/// \file
/// Which of the outputs of a model is asked about.

#include <widehash/architecture.hpp>
#include <widehash/error.hpp>

#include <cstdint>
#include <string>

#include <fmt/format.h>

namespace widehash {

/// Throws ConfigError naming `model` where it has no output `output`.
inline void require_output(const std::string& model, const Architecture& architecture, std::uint64_t output) {
  if (output < architecture.outputs) return;
  throw ConfigError(fmt::format("{}: has {} output{}, counted from 0, so there is no output {}", model,
                                architecture.outputs, architecture.outputs == 1 ? "" : "s", output));
}

}  // namespace widehash
