#pragma once

/// \file
/// What commands share for reporting their results.

#include <widehash/folds.hpp>
#include <widehash/metrics.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace widehash::tools {

/// Keys stay in the order in which they are set.
using Json = nlohmann::ordered_json;

/// Says that rows count twice because two inputs are one file under two names or have the same bytes. "" if
/// no input is repeated.
std::string repeated_inputs_text(const std::vector<std::string>& patterns);

/// Says in one sentence why work left no rows. "" if it left some.
std::string no_rows_text(std::string_view command, std::uint64_t rows, std::uint64_t rejected_rows,
                         const std::string& rejected_file, std::uint64_t other_fold_rows);

/// Measures the seconds since it was made.
class Stopwatch {
 public:
  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
};

/// Returns the most memory that this process has held so far (resident set), in bytes.
std::uint64_t peak_memory_bytes();

/// Formats `value` on one line. Numbers that are not finite become null; bytes that are not UTF-8 become
/// replacement characters.
std::string json_text(const Json& value);
/// Writes json_text(object) and a line end to standard output.
void print_json(const Json& object);

/// Sets object[key] to a value from the data. JSON holds only Unicode: if `bytes` is not UTF-8, object[key +
/// "_hex"] holds all of it in hexadecimal, and object[key] has replacement characters.
void set_value(Json& object, const std::string& key, std::string_view bytes);

/// Returns null if there is no value.
Json number_or_null(const std::optional<double>& value);

/// Sets seconds and rows_per_second.
void set_speed(Json& object, std::uint64_t rows, double seconds);
/// Sets these and megabytes_per_second (10^6 bytes).
void set_speed(Json& object, std::uint64_t rows, std::uint64_t bytes, double seconds);
/// "3.2 s  312,000 rows/s  98 MB/s".
std::string speed_text(std::uint64_t rows, std::uint64_t bytes, double seconds);
/// "1,000" or "1,000  (3 rejected, see out/rejected.tsv)".
std::string rows_text(std::uint64_t rows, std::uint64_t rejected_rows, const std::string& rejected_file);
/// "1-9/10 by user  (100 rows of other folds skipped)".
std::string folds_text(const Folds& folds, std::uint64_t other_fold_rows);

/// Sets the keys of the metrics that subsets of the rows have too; null for a metric that is not defined for
/// the task or the rows.
void set_figures(Json& object, const MetricsReport& metrics);
/// Sets these keys and those of metrics over all rows.
void set_metrics(Json& object, const MetricsReport& metrics);
/// The same metrics as aligned lines, followed by the tables of classes, calibration and operating points
/// that the metrics have.
std::string metrics_text(const MetricsReport& metrics);
/// For --undo-class-weights with a model that was trained without them.
std::string nothing_to_undo_text(const std::string& model);
/// "0.52, 14.8"; of many weights, only the first.
std::string class_weights_text(const std::vector<double>& weights);
/// Says that the model is worse than a constant; otherwise "".
std::string constant_text(const MetricsReport& metrics);
/// Advice for a model that does worse than one that knows nothing.
std::string advice_text();

}  // namespace widehash::tools
