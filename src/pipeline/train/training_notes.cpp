#include "training_notes.hpp"

#include "epoch_sums.hpp"

#include <widehash/error.hpp>
#include <widehash/train.hpp>

namespace widehash {

TrainingNotes read_notes(const std::string& path, const ModelHeader& header) {
  TrainingNotes notes = TrainingNotes::parse(header.training);
  const auto is_of = [](const TrainingNotes& object, const char* key, bool (TrainingNotes::*type)() const) {
    return !object.contains(key) || (object.at(key).*type)();
  };
  const TrainingNotes settings = notes.contains("settings") ? notes.at("settings") : TrainingNotes::object();
  const bool is_sound = settings.is_object() &&
                        is_of(settings, "batch_size", &TrainingNotes::is_number_unsigned) &&
                        is_of(settings, "mean_weight", &TrainingNotes::is_number) &&
                        is_of(settings, class_weights_key, &TrainingNotes::is_array) &&
                        is_of(notes, "valid", &TrainingNotes::is_string) && EpochSums::are_sound(notes);
  if (!is_sound) {
    throw DataError(path, 0,
                    "its notes are not those of a training; put an older copy there, or begin anew with "
                    "--overwrite in place of --resume");
  }
  return notes;
}

std::vector<double> trained_class_weights(const std::string& model) {
  const TrainingNotes notes = read_notes(model, read_model_header<float>(model));
  const TrainingNotes settings = notes.value("settings", TrainingNotes::object());
  std::vector<double> weights;
  for (const TrainingNotes& weight : settings.value(class_weights_key, TrainingNotes::array()))
    weights.push_back(weight.is_number() ? weight.get<double>() : 1);
  return weights;
}

}  // namespace widehash
