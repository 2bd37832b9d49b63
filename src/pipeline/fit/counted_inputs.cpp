#include "counted_inputs.hpp"

#include <filesystem>
#include <system_error>

namespace widehash {
namespace {

bool is_known(const InputSign& sign) noexcept { return sign.sample != 0; }

/// Places were not always recorded.
bool are_at_one_place(const CountedInput& a, const CountedInput& b) noexcept {
  return a.place.empty() || b.place.empty() ? a.sign.path == b.sign.path : a.place == b.place;
}

bool have_same_bytes(const CountedInput& a, const CountedInput& b) noexcept {
  return a.sign.size_bytes == b.sign.size_bytes && a.sign.sample == b.sign.sample;
}

std::string last_part(const std::string& path) { return path.substr(path.rfind('/') + 1); }

}  // namespace

std::string place_of(const std::string& path) {
  std::error_code problem;
  const std::filesystem::path place = std::filesystem::canonical(path, problem);
  return problem ? std::string() : place.string();
}

void CountedInputs::add(const std::vector<CountedInput>& inputs, const std::string& folder) {
  for (const CountedInput& input : inputs) {
    if (!is_known(input.sign)) continue;
    contents_.emplace(input.sign.size_bytes, input.sign.sample);
    // By both names, so that a link is found by its own and by that of its file.
    const std::string given = last_part(input.sign.path);
    const std::string real = last_part(input.place);
    by_name_[given].push_back({input, folder});
    if (!real.empty() && real != given) by_name_[real].push_back({input, folder});
  }
}

template <class Is>
const CountedInputs::Entry* CountedInputs::find(const CountedInput& input, const Is& is) const {
  if (!is_known(input.sign)) return nullptr;
  for (const std::string& path : {input.sign.path, input.place}) {
    const auto found = by_name_.find(last_part(path));
    if (found == by_name_.end()) continue;
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
  return folder_of(input) == nullptr && find(input, [](const CountedInput&) { return true; }) != nullptr;
}

bool CountedInputs::is_copy(const CountedInput& input) const {
  if (!is_known(input.sign) || input.sign.size_bytes == 0) return false;
  return folder_of(input) == nullptr && contents_.contains({input.sign.size_bytes, input.sign.sample});
}

}  // namespace widehash
