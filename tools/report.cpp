#include "report.hpp"

#include "output.hpp"
#include "text.hpp"

#include <widehash/input.hpp>
#include <widehash/internal/utf8.hpp>

#include <cinttypes>
#include <cstdio>
#include <fstream>
#include <map>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <sys/resource.h>

namespace widehash::tools {

// Not ru_maxrss, which a process inherits from the one that started it: if that one is large, the figure is
// never smaller.
std::uint64_t peak_memory_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (std::uint64_t kib = 0; std::sscanf(line.c_str(), "VmHWM: %" SCNu64, &kib) == 1) return kib * 1024;
  }
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;  // Linux counts in KiB
}

std::string json_text(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

void print_json(const Json& object) { write_standard_output(json_text(object) + '\n'); }

void set_value(Json& object, const std::string& key, std::string_view bytes) {
  object[key] = std::string(bytes);
  if (is_utf8(bytes)) return;
  std::string hex;
  for (const char byte : bytes) hex += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  object[key + "_hex"] = hex;
}

std::string no_rows_text(std::string_view command, std::uint64_t rows, std::uint64_t rejected_rows,
                         const std::string& rejected_file, std::uint64_t other_fold_rows) {
  if (rows > 0) return {};
  const std::string why =
      rejected_rows > 0 ? fmt::format("the inputs hold {}, all bad, see {}", count_text(rejected_rows, "row"),
                                      printable(rejected_file))
      : other_fold_rows > 0 ? fmt::format("none of {} is in these folds", count_text(other_fold_rows, "row"))
                            : "the inputs hold none";
  return fmt::format("{}: there are no rows: {}", command, why);
}

std::string repeated_inputs_text(const std::vector<std::string>& patterns) {
  if (patterns.empty()) return {};  // only tables were added
  const std::vector<Input> inputs = expand_inputs(patterns);
  std::map<std::uint64_t, std::size_t> num_of_size;
  for (const Input& input : inputs) ++num_of_size[input.size_bytes];
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::string> contents;  // by size and sample
  std::uint64_t others = 0;
  std::string text;
  const auto tell = [&](const std::string& first, const Input& second, const char* why) {
    if (text.empty()) {
      text =
          fmt::format("{} and {} {}, so the rows count twice", printable(first), printable(second.path), why);
    } else {
      ++others;
    }
  };
  for (const Input& input : inputs) {
    if (!input.linked_to.empty()) {
      tell(input.linked_to, input, "are the same file under two names");
    } else if (!input.is_stream && input.size_bytes > 0 && num_of_size[input.size_bytes] > 1) {
      const auto [found, is_new] =
          contents.emplace(std::pair(input.size_bytes, sample_checksum(input)), input.path);
      if (!is_new) tell(found->second, input, "have the same bytes, like a file and its copy");
    }
  }
  return others == 0 ? text : text + fmt::format(" ({} more such)", others);
}

Json number_or_null(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }

void set_speed(Json& object, std::uint64_t rows, double seconds) {
  object["seconds"] = seconds;
  object["rows_per_second"] = seconds > 0 ? Json(static_cast<double>(rows) / seconds) : Json(nullptr);
}

void set_speed(Json& object, std::uint64_t rows, std::uint64_t bytes, double seconds) {
  set_speed(object, rows, seconds);
  object["megabytes_per_second"] =
      seconds > 0 ? Json(static_cast<double>(bytes) / 1e6 / seconds) : Json(nullptr);
}

std::string speed_text(std::uint64_t rows, std::uint64_t bytes, double seconds) {
  std::string text = seconds_text(seconds);
  if (seconds <= 0) return text;
  if (rows > 0) text += "  " + rate_text(rows, seconds);
  if (bytes > 0) text += fmt::format("  {} MB/s", estimate_text(static_cast<double>(bytes) / 1e6 / seconds));
  return text;
}

std::string rows_text(std::uint64_t rows, std::uint64_t rejected_rows, const std::string& rejected_file) {
  if (rejected_rows == 0) return count_text(rows);
  const std::string where = rejected_file.empty() ? "" : ", see " + printable(rejected_file);
  return fmt::format("{}  ({} rejected{})", count_text(rows), count_text(rejected_rows), where);
}

std::string folds_text(const Folds& folds, std::uint64_t other_fold_rows) {
  return fmt::format("{}{}  ({} of other folds skipped)", to_text(folds),
                     folds.by.empty() ? "" : " by " + printable(folds.by),
                     count_text(other_fold_rows, "row"));
}

}  // namespace widehash::tools
