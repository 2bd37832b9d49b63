#include <widehash/internal/dataset_places.hpp>

namespace widehash {

ReadPlaces places_of(const Dataset& dataset) {
  ReadPlaces places{.files = {}, .folders = dataset.directories(), .sources = {}};
  for (const ManifestInput& input : dataset.manifest().inputs) {
    // Streams and tables in memory have neither a sample nor a file.
    if (input.sample != 0) places.sources.push_back(input.path);
  }
  return places;
}

}  // namespace widehash
