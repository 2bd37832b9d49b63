#pragma once

/// \file
/// What inputs are known by, so that a run can tell whether what lies in its folder was made from the same.

#include <widehash/input.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace widehash {

struct InputSign {
  std::string path;
  std::uint64_t size_bytes = 0;
  std::uint64_t sample = 0;  // sample_checksum(); 0 for a stream, and where it was not recorded

  bool operator==(const InputSign&) const = default;
};

/// As journals and records hold it.
void to_json(nlohmann::ordered_json& json, const InputSign& sign);
/// Throws std::exception where it does not hold one.
void from_json(const nlohmann::ordered_json& json, InputSign& sign);

/// Reads a sample of each input. Throws FileError.
std::vector<InputSign> signs_of(const std::vector<Input>& inputs);

/// The first thing in which they differ, as "day1.tsv has changed: 120 bytes then, 140 now"; "" where they
/// are the same as far as signs tell.
std::string describe_difference(const std::vector<InputSign>& then, const std::vector<InputSign>& now);

/// The first of them that cannot be read twice, so that nobody can tell whether it is the same again; ""
/// without any.
std::string stream_among(const std::vector<Input>& inputs);

}  // namespace widehash
