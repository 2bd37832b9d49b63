#include "counted_inputs.hpp"

#include "encode/table_texts.hpp"

#include <widehash/internal/utf8.hpp>

#include <filesystem>
#include <system_error>

namespace widehash {
namespace {

bool is_known(const InputSign& sign) noexcept { return sign.sample != 0; }

/// Older records have no places.
bool are_at_one_place(const CountedInput& a, const CountedInput& b) noexcept {
  return a.place.empty() || b.place.empty() ? a.sign.path == b.sign.path : a.place == b.place;
}

bool have_same_bytes(const CountedInput& a, const CountedInput& b) noexcept {
  return a.sign.size_bytes == b.sign.size_bytes && a.sign.sample == b.sign.sample;
}

}  // namespace

std::string place_of(const std::string& path) {
  std::error_code problem;
  const std::filesystem::path place = std::filesystem::canonical(path, problem);
  return problem ? std::string() : to_utf8(place.string());  // as the record can hold it
}

void CountedInputs::add(const std::vector<CountedInput>& inputs, const std::string& folder) {
  for (const CountedInput& input : inputs) {
    if (!is_known(input.sign)) continue;
    contents_.emplace(input.sign.size_bytes, input.sign.sample);
    by_path_[input.sign.path].push_back({input, folder});
    if (!input.place.empty() && input.place != input.sign.path)
      by_path_[input.place].push_back({input, folder});
  }
}

template <class Is>
const CountedInputs::Entry* CountedInputs::find(const CountedInput& input, const Is& is) const {
  if (!is_known(input.sign)) return nullptr;
  for (const std::string& path : {input.sign.path, input.place}) {
    const auto found = by_path_.find(path);
    if (found == by_path_.end()) continue;
    for (const Entry& entry : found->second) {
      if (are_at_one_place(entry.input, input) && is(entry.input)) return &entry;
    }
  }
  return nullptr;
}

const std::string* CountedInputs::folder_of(const CountedInput& input) const {
  const Entry* found = find(input, [&](const CountedInput& other) { return have_same_bytes(other, input); });
  return found == nullptr ? nullptr : &found->folder;
}

bool CountedInputs::had_other_bytes(const CountedInput& input) const {
  // Two tables in memory are not one file that has changed.
  if (input.sign.path == memory_source && input.place.empty()) return false;
  return folder_of(input) == nullptr && find(input, [](const CountedInput&) { return true; }) != nullptr;
}

bool CountedInputs::is_copy(const CountedInput& input) const {
  if (!is_known(input.sign) || input.sign.size_bytes == 0) return false;
  return folder_of(input) == nullptr && contents_.contains({input.sign.size_bytes, input.sign.sample});
}

}  // namespace widehash
