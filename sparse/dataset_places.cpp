#include <widehash/internal/dataset_places.hpp>

#include <filesystem>
#include <system_error>

namespace widehash {
namespace {

namespace fs = std::filesystem;

/// A manifest has the path of an input as it was given, relative to the folder where that run was started. That
/// folder is rarely known, but it is often one above the dataset.
void add_below_folders_above(const std::string& directory, const ManifestInput& input,
                             std::vector<std::string>& sources) {
  std::error_code problem;
  for (fs::path above = fs::absolute(directory, problem).lexically_normal(); above.has_relative_path();) {
    above = above.parent_path();
    const fs::path path = above / input.path;
    if (fs::file_size(path, problem) == input.size_bytes && !problem) sources.push_back(path.string());
  }
}

}  // namespace

ReadPlaces places_of(const Dataset& dataset) {
  ReadPlaces places{.files = {}, .folders = dataset.directories(), .sources = {}};
  for (const ManifestInput& input : dataset.manifest().inputs) {
    // Streams and tables in memory have neither a sample nor a file.
    if (input.sample == 0) continue;
    places.sources.push_back(input.path);
    if (fs::path(input.path).is_absolute()) continue;
    for (const std::string& directory : dataset.directories())
      add_below_folders_above(directory, input, places.sources);
  }
  return places;
}

}  // namespace widehash
