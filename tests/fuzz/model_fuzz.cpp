// A model file with valid checksums is refused, or is a model.
#include "claims.hpp"
#include "memory_file.hpp"
#include "sealed_file.hpp"

#include <widehash/error.hpp>
#include <widehash/model.hpp>

using namespace widehash;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static fuzz::MemoryFile memory;
  fuzz::FuzzBytes input(data, size);
  std::string_view metadata;
  memory.set(fuzz::seal_input(input, "model", metadata).bytes);
  try {
    const Model<float> model = load_model<float>(memory.path());
    const auto sizes = tensor_sizes(model.network.architecture());
    const auto tensors = model.network.parameters().tensors();
    fuzz::require(tensors.size() == sizes.size(), "a model has the tensors of its architecture");
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      fuzz::require(tensors[i].values.size() == sizes[i], "a tensor has the size of its architecture");
    }
  } catch (const DataError&) {
  } catch (const ConfigError&) {
  }
  return 0;
}
