#pragma once

/// \file
/// Signs by which inputs are recognised, so that a run can find out whether its folder was made from the same
/// inputs.

#include <widehash/input.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace widehash {

struct InputSign {
  std::string path;
  std::uint64_t size_bytes = 0;
  std::uint64_t sample = 0;  // sample_checksum(); 0 for a stream, or where it was not recorded

  bool operator==(const InputSign&) const = default;
};

/// The form in journals and records.
void to_json(nlohmann::ordered_json& json, const InputSign& sign);
/// Throws std::exception where `json` does not hold a sign.
void from_json(const nlohmann::ordered_json& json, InputSign& sign);

/// Reads a sample of each input. Throws FileError.
std::vector<InputSign> signs_of(const std::vector<Input>& inputs);

/// The first difference between the two, such as "day1.tsv has changed: it had 120 bytes and now has 140"; ""
/// where they are the same as far as signs show.
std::string describe_difference(const std::vector<InputSign>& then, const std::vector<InputSign>& now);

/// The first input that cannot be read twice, so that it cannot be recognised; "" where there is none.
std::string stream_among(const std::vector<Input>& inputs);

}  // namespace widehash
