#include "training_notes.hpp"

#include "epoch_sums.hpp"
#include "predict/class_weights_note.hpp"

#include <widehash/error.hpp>

#include <algorithm>

namespace widehash {

TrainingNotes read_notes(const std::string& path, const ModelHeader& header) {
  TrainingNotes notes = TrainingNotes::parse(header.training);
  const auto is_of = [](const TrainingNotes& object, const char* key, bool (TrainingNotes::*type)() const) {
    return !object.contains(key) || (object.at(key).*type)();
  };
  const auto are_numbers = [](const TrainingNotes& list) {
    return list.is_array() && std::ranges::all_of(list, &TrainingNotes::is_number);
  };
  const TrainingNotes settings = notes.contains("settings") ? notes.at("settings") : TrainingNotes::object();
  const bool is_sound = settings.is_object() &&
                        is_of(settings, "batch_size", &TrainingNotes::is_number_unsigned) &&
                        is_of(settings, "mean_weight", &TrainingNotes::is_number) &&
                        are_numbers(settings.value(class_weights_key, TrainingNotes::array())) &&
                        is_of(notes, "valid", &TrainingNotes::is_string) && EpochSums::are_sound(notes);
  if (!is_sound) {
    throw DataError(path, 0,
                    "its notes are not those of a training; put an older copy there, or start over with "
                    "--overwrite in place of --resume");
  }
  return notes;
}

}  // namespace widehash
