#include "model_metadata.hpp"

#include <widehash/file.hpp>
#include <widehash/json_parse.hpp>
#include <widehash/model.hpp>
#include <widehash/section_file.hpp>

#include <algorithm>
#include <string>

namespace widehash {
namespace {

// Columns whose values are read at a time: a model may be larger than memory.
constexpr std::uint64_t slice_columns = std::uint64_t{1} << 18;

/// Empty where the file does not say it: who loads it is told what is wrong.
std::string precision_of(const std::string& path) {
  const SectionFile file(path, detail::model_kind);
  const auto metadata = detail::parse_json<nlohmann::json>(file.metadata_json());
  const auto precision = metadata.find("precision");
  return precision != metadata.end() && precision->is_string() ? precision->get<std::string>() : "";
}

template <class Real>
VerifyModelReport verify(const std::string& path) {
  const ModelFile<Real> file(path);
  const ModelHeader& header = file.header();
  require_sound_source(path, header);
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
  return precision_of(path) == detail::precision_name<double> ? verify<double>(path) : verify<float>(path);
}

}  // namespace widehash
