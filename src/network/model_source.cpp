#include <widehash/code_layout.hpp>
#include <widehash/error.hpp>
#include <widehash/model.hpp>
#include <widehash/schema.hpp>

#include <algorithm>

#include <fmt/format.h>

namespace widehash {
namespace {

/// The layout of the rows that a model takes.
CodeLayout layout_of(const std::string& path, const ModelSource& source) {
  try {
    const Schema schema = parse_schema(source.schema_toml, path);
    const std::string fingerprint = schema.fingerprint();
    if (fingerprint != source.schema_fingerprint) {
      throw DataError(
          path, 0,
          fmt::format("its schema has the fingerprint {}, but it names {}; use an older copy or train again",
                      fingerprint, source.schema_fingerprint));
    }
    return make_layout(schema, source.head_columns);
  } catch (const ConfigError& error) {
    throw DataError(path, 0, fmt::format("its schema cannot be read ({}); train again", error.what()));
  } catch (const ShapeError& error) {
    throw DataError(path, 0,
                    fmt::format("its schema and its columns disagree ({}); use an older copy or train again",
                                error.what()));
  }
}

/// Throws DataError unless header.source yields the columns, outputs and classes of the model.
void require_sound_source(const std::string& path, const ModelHeader& header) {
  const CodeLayout layout = layout_of(path, header.source);
  const Architecture& architecture = header.architecture;
  const std::uint32_t outputs = std::max<std::uint32_t>(layout.num_classes, 1);
  if (layout.num_columns != architecture.num_columns || outputs != architecture.outputs) {
    throw DataError(path, 0,
                    fmt::format("its schema makes {} columns and {} outputs, but it holds {} and {}; use an "
                                "older copy or train again",
                                layout.num_columns, outputs, architecture.num_columns, architecture.outputs));
  }
  if (layout.num_classes != header.source.num_classes) {
    throw DataError(
        path, 0,
        fmt::format("its schema names {} classes, but it says {}; use an older copy or train again",
                    layout.num_classes, header.source.num_classes));
  }
}

}  // namespace

template <class Real>
ModelFile<Real> open_model(const std::string& path) {
  ModelFile<Real> file(path);
  require_sound_source(path, file.header());
  return file;
}

template ModelFile<float> open_model(const std::string&);
template ModelFile<double> open_model(const std::string&);

}  // namespace widehash
