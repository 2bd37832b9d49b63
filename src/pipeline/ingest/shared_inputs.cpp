#include "shared_inputs.hpp"

#include <widehash/error.hpp>

#include <fmt/format.h>

namespace widehash {

std::vector<Input> shared_inputs(const Communicator& communicator, const std::vector<std::string>& patterns) {
  std::vector<Input> inputs = expand_inputs(patterns);
  if (communicator.size() == 1) return inputs;
  for (const Input& input : inputs) {
    if (!input.is_stream) continue;
    throw ConfigError(
        fmt::format("{}: can be read only once, so {} processes cannot share it; write it to a file first, "
                    "or start one process",
                    input.name(), communicator.size()));
  }
  return inputs;
}

ReadPlaces places_of(const std::vector<Input>& inputs) {
  ReadPlaces read;
  for (const Input& input : inputs) read.files.push_back(input.path);
  return read;
}

}  // namespace widehash
