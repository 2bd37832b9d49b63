#include "model_metadata.hpp"

#include <widehash/internal/file.hpp>
#include <widehash/internal/json_parse.hpp>
#include <widehash/internal/section_file.hpp>
#include <widehash/model.hpp>

#include <string>

namespace widehash {
namespace {

/// The precision that the file states. Empty if it states none: loading it then reports what is wrong.
std::string precision_of(const std::string& path) {
  const SectionFile file(path, detail::model_kind);
  const auto metadata = detail::parse_json<nlohmann::json>(file.metadata_json());
  const auto precision = metadata.find("precision");
  return precision != metadata.end() && precision->is_string() ? precision->get<std::string>() : "";
}

template <class Real>
VerifyModelReport verify(const std::string& path) {
  const ModelFile<Real> file = open_model<Real>(path);
  const ModelHeader& header = file.header();
  VerifyModelReport report;
  report.towers = header.num_towers();
  report.bytes = file_size_bytes(path);
  report.epoch = header.position.epoch;
  report.parameters = num_parameters(header.architecture) * header.num_towers();
  for (std::size_t tower = 0; tower < header.num_towers(); ++tower) file.require_finite(tower);
  return report;
}

}  // namespace

VerifyModelReport verify_model(const std::string& path) {
  return precision_of(path) == detail::precision_name<double> ? verify<double>(path) : verify<float>(path);
}

}  // namespace widehash
