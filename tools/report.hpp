#pragma once

/// \file
/// What commands have in common when they tell their result.

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

/// Of inputs that are one file by two names: that its rows count twice. "" where there are none.
std::string repeated_inputs_text(const std::vector<std::string>& patterns);

/// Of work that left no row: why, as one sentence. "" where there are some.
std::string no_rows_text(std::string_view command, std::uint64_t rows, std::uint64_t rejected_rows,
                         const std::string& rejected_file, std::uint64_t other_fold_rows);

/// Seconds since it was made.
class Stopwatch {
 public:
  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
};

/// The most memory this process has held so far (resident set).
std::uint64_t peak_memory_bytes();

/// On one line. Numbers that are not finite become null, bytes that are not UTF-8 replacement characters.
std::string json_text(const Json& value);
/// Writes it and a line end to the standard output.
void print_json(const Json& object);

/// Sets object[key] to a value out of the data. JSON holds Unicode only: for other bytes, object[key +
/// "_hex"] holds them all, and object[key] has replacement characters.
void set_value(Json& object, const std::string& key, std::string_view bytes);

/// null for what is not there.
Json number_or_null(const std::optional<double>& value);

/// Sets seconds and rows_per_second.
void set_speed(Json& object, std::uint64_t rows, double seconds);
/// The same and megabytes_per_second (10^6 bytes).
void set_speed(Json& object, std::uint64_t rows, std::uint64_t bytes, double seconds);
/// "3.2 s  312,000 rows/s  98 MB/s".
std::string speed_text(std::uint64_t rows, std::uint64_t bytes, double seconds);
/// "1,000" or "1,000  (3 rejected, see out/rejected.tsv)".
std::string rows_text(std::uint64_t rows, std::uint64_t rejected_rows, const std::string& rejected_file);
/// "1-9/10 by user  (100 rows of others passed over)".
std::string folds_text(const Folds& folds, std::uint64_t other_fold_rows);

/// Keys of the metrics that some of the rows have, too; null where one is not defined for the task or the rows.
void set_figures(Json& object, const MetricsReport& metrics);
/// Those and the keys of all rows.
void set_metrics(Json& object, const MetricsReport& metrics);
/// The same as aligned lines, with the table of the classes or that of calibration.
std::string metrics_text(const MetricsReport& metrics);
/// "0.52, 14.8", of many the first.
std::string class_weights_text(const std::vector<double>& weights);
/// What to make of a model that is worse than a constant; otherwise empty.
std::string constant_text(const MetricsReport& metrics);
/// What to do where a model does worse than one that knows nothing.
std::string advice_text();

}  // namespace widehash::tools
