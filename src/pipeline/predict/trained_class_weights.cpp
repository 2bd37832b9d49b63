#include "class_weights_note.hpp"

#include <widehash/model.hpp>
#include <widehash/trained_class_weights.hpp>

namespace widehash {

std::vector<double> trained_class_weights(const std::string& model) {
  return class_weights_in(read_model_header<float>(model).training);
}

}  // namespace widehash
