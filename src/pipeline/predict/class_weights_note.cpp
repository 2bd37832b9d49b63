#include "class_weights_note.hpp"

#include <algorithm>
#include <functional>

#include <nlohmann/json.hpp>

namespace widehash {

std::vector<double> noted_class_weights(const std::string& notes) {
  using Json = nlohmann::json;
  // Notes that were not written by a training hold no class weights.
  const Json training = Json::parse(notes, nullptr, false);
  const Json::json_pointer place(std::string("/settings/") + class_weights_key);
  if (!training.contains(place)) return {};
  const Json& weights = training.at(place);
  std::vector<double> of_class;
  if (weights.is_array() && std::ranges::all_of(weights, &Json::is_number)) weights.get_to(of_class);
  return of_class;
}

std::vector<double> class_weights_in(const std::string& notes) {
  std::vector<double> of_class = noted_class_weights(notes);
  const bool are_even = std::ranges::adjacent_find(of_class, std::not_equal_to()) == of_class.end();
  return are_even ? std::vector<double>{} : of_class;
}

}  // namespace widehash
