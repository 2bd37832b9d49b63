#pragma once

#include <widehash/dataset.hpp>
#include <widehash/internal/read_places.hpp>

namespace widehash {

/// The folders of a dataset and the inputs it was made from.
ReadPlaces places_of(const Dataset& dataset);

}  // namespace widehash
