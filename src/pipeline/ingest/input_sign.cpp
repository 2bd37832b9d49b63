#include "input_sign.hpp"

#include <widehash/checksum.hpp>
#include <widehash/internal/json_count.hpp>
#include <widehash/internal/utf8.hpp>
#include <widehash/threads.hpp>

#include <algorithm>
#include <cstddef>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace widehash {

void to_json(nlohmann::ordered_json& json, const InputSign& sign) {
  json = {{"path", sign.path}, {"size_bytes", sign.size_bytes}, {"sample", to_hex(sign.sample)}};
}

void from_json(const nlohmann::ordered_json& json, InputSign& sign) {
  sign = {json.at("path").get<std::string>(), detail::json_count(json, "size_bytes"),
          from_hex(json.at("sample").get<std::string>())};
}

std::vector<InputSign> signs_of(const std::vector<Input>& inputs) {
  std::vector<InputSign> signs(inputs.size());
  parallel_for(inputs.size(), [&](std::size_t i) {
    signs[i] = {to_utf8(inputs[i].path), inputs[i].size_bytes, sample_checksum(inputs[i])};
  });
  return signs;
}

std::string describe_difference(const std::vector<InputSign>& then, const std::vector<InputSign>& now) {
  for (std::size_t i = 0; i < std::min(then.size(), now.size()); ++i) {
    if (then[i].path != now[i].path)
      return fmt::format("input {} was {} and is now {}", i + 1, then[i].path, now[i].path);
  }
  // Names are compared first: an added or removed input explains more than a file that has also changed.
  if (then.size() != now.size()) {
    const bool is_more = then.size() < now.size();
    const std::string& first = is_more ? now[then.size()].path : then[now.size()].path;
    return fmt::format("the number of inputs was {} and is now {}, {} {}", then.size(), now.size(),
                       is_more ? "with" : "without", first);
  }
  for (std::size_t i = 0; i < now.size(); ++i) {
    if (then[i].size_bytes != now[i].size_bytes) {
      return fmt::format("{} has changed: it had {} bytes and now has {}", now[i].path, then[i].size_bytes,
                         now[i].size_bytes);
    }
    if (then[i].sample != 0 && then[i].sample != now[i].sample)
      return fmt::format("{} has changed: it has the same size but other bytes", now[i].path);
  }
  return "";
}

std::string stream_among(const std::vector<Input>& inputs) {
  const auto stream =
      std::find_if(inputs.begin(), inputs.end(), [](const Input& input) { return input.is_stream; });
  if (stream == inputs.end()) return "";
  return stream->path == "-" ? "the standard input" : stream->path;
}

}  // namespace widehash
