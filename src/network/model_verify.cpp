#include <widehash/code_layout.hpp>
#include <widehash/error.hpp>
#include <widehash/file.hpp>
#include <widehash/model.hpp>
#include <widehash/schema.hpp>

#include <algorithm>

#include <fmt/format.h>

namespace widehash {
namespace {

// Columns whose values are read at a time: a model may be larger than memory.
constexpr std::uint64_t slice_columns = std::uint64_t{1} << 18;

void check_source(const std::string& path, const ModelHeader& header) {
  const auto fail = [&](const std::string& what) {
    throw DataError(path, 0, what + "; take an older copy or train anew");
  };
  const Schema schema = [&] {
    try {
      return parse_schema(header.source.schema_toml, path);
    } catch (const ConfigError& error) {
      throw DataError(path, 0, fmt::format("its schema cannot be read ({}); train anew", error.what()));
    }
  }();
  if (schema.fingerprint() != header.source.schema_fingerprint)
    fail(fmt::format("its schema has the fingerprint {}, and it names {}", schema.fingerprint(),
                     header.source.schema_fingerprint));
  const CodeLayout layout = make_layout(schema, header.source.head_columns);
  if (layout.num_columns != header.architecture.num_columns)
    fail(fmt::format("its schema makes {} columns, and it holds {}", layout.num_columns,
                     header.architecture.num_columns));
}

template <class Real>
VerifyModelReport verify(const std::string& path) {
  const ModelFile<Real> file(path);
  const ModelHeader& header = file.header();
  check_source(path, header);
  VerifyModelReport report;
  report.towers = header.num_towers();
  report.bytes = file_size_bytes(path);
  report.epoch = header.position.epoch;
  for (const std::uint64_t size : tensor_sizes(header.architecture))
    report.parameters += size * header.num_towers();
  const std::uint64_t columns = header.architecture.num_columns;
  for (std::size_t tower = 0; tower < header.num_towers(); ++tower) {
    for (std::uint64_t begin = 0; begin < columns; begin += slice_columns) {
      const ColumnRange slice{begin, std::min(begin + slice_columns, columns)};
      file.parameters(tower, slice);  // refuses what is not finite
      file.states(tower, slice);
    }
  }
  return report;
}

}  // namespace

VerifyModelReport verify_model(const std::string& path) {
  try {
    return verify<float>(path);
  } catch (const ConfigError&) {
    return verify<double>(path);
  }
}

}  // namespace widehash
