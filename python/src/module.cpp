#include "bindings.hpp"

#include <widehash/version.hpp>

PYBIND11_MODULE(_core, module) {
  using namespace widehash::python;
  module.attr("__version__") = widehash::version;
  bind_errors(module);
  bind_schema(module);
  bind_columns(module);
  bind_hash(module);
  bind_batch(module);
  bind_encoder(module);
  bind_dataset(module);
  bind_tables(module);
  bind_model(module);
}
