// adagrad_loop SCHEMA FILE: the obvious training loop, to compare `train` and `predict` with in the same run.
// One thread, a linear model, log loss, and a step of Adagrad after every row: adds up four weights per
// feature, then updates each. Reads 16-bit codes from memory, prepared from the tab-separated FILE according
// to SCHEMA (the label first, then features of one field each in the order of the fields). No shuffling,
// batches or files. Prints one JSON object.

#include <widehash/code.hpp>
#include <widehash/error.hpp>
#include <widehash/internal/file.hpp>
#include <widehash/schema.hpp>

#include <chrono>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace {

constexpr float learning_rate = 0.05F;
constexpr float epsilon = 1e-8F;

struct Weight {
  float value = 0;
  float squares = 0;  // the sum of its squared gradients
};

struct Rows {
  std::size_t codes_per_row = 0;
  std::vector<std::uint32_t> begins;  // first weight of each split
  std::size_t num_weights = 0;
  std::vector<std::uint16_t> codes;
  std::vector<float> labels;
};

Rows read_rows(std::string_view text, const widehash::Schema& schema) {
  Rows rows;
  std::vector<std::uint32_t> widths;  // 0 for ignored fields
  for (const auto& feature : schema.features) {
    const bool is_ignored = feature.encoding == widehash::Encoding::ignore;
    widths.push_back(is_ignored ? 0 : widehash::split_width(feature.cardinality));
    if (is_ignored) continue;
    rows.codes_per_row += widehash::num_splits;
    for (std::size_t split = 0; split < widehash::num_splits; ++split) {
      rows.begins.push_back(static_cast<std::uint32_t>(rows.num_weights));
      rows.num_weights += widths.back();
    }
  }
  std::size_t field = 0;
  const char* begin = text.data();
  for (const char* at = text.data(); at != text.data() + text.size(); ++at) {
    if (*at != '\t' && *at != '\n') continue;
    const std::string_view value(begin, static_cast<std::size_t>(at - begin));
    if (field == 0) {
      rows.labels.push_back(value == "1" ? 1.0F : 0.0F);
    } else if (field <= widths.size() && widths[field - 1] != 0) {
      for (const auto bucket : widehash::four_split(widehash::hash_xxh64(value), widths[field - 1])) {
        rows.codes.push_back(static_cast<std::uint16_t>(bucket));
      }
    }
    begin = at + 1;
    field = *at == '\n' ? 0 : field + 1;
  }
  if (rows.labels.empty() || rows.codes.size() != rows.labels.size() * rows.codes_per_row) {
    throw widehash::ConfigError("these are not rows of the schema: a value for each feature, behind a label");
  }
  return rows;
}

float logit(const Rows& rows, const std::vector<Weight>& weights, const std::uint16_t* codes) {
  float sum = 0;
  for (std::size_t i = 0; i < rows.codes_per_row; ++i) sum += weights[rows.begins[i] + codes[i]].value;
  return sum;
}

float probability(float logit) { return 1.0F / (1.0F + std::exp(-logit)); }

double loss(float probability, float label) {
  return -std::log(static_cast<double>(label > 0 ? probability : 1.0F - probability) + 1e-12);
}

double train(const Rows& rows, std::vector<Weight>& weights) {
  double total = 0;
  const std::uint16_t* codes = rows.codes.data();
  for (const float label : rows.labels) {
    const float p = probability(logit(rows, weights, codes));
    total += loss(p, label);
    const float gradient = p - label;
    for (std::size_t i = 0; i < rows.codes_per_row; ++i) {
      Weight& weight = weights[rows.begins[i] + codes[i]];
      weight.squares += gradient * gradient;
      weight.value -= learning_rate * gradient / (std::sqrt(weight.squares) + epsilon);
    }
    codes += rows.codes_per_row;
  }
  return total / static_cast<double>(rows.labels.size());
}

double predict(const Rows& rows, const std::vector<Weight>& weights) {
  double sum = 0;
  const std::uint16_t* codes = rows.codes.data();
  for (std::size_t row = 0; row < rows.labels.size(); ++row, codes += rows.codes_per_row) {
    sum += static_cast<double>(probability(logit(rows, weights, codes)));
  }
  return sum / static_cast<double>(rows.labels.size());
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    fmt::print(stderr, "usage: adagrad_loop SCHEMA FILE\n");
    return 2;
  }
  try {
    const auto schema = widehash::load_schema(argv[1]);
    const widehash::MappedFile file(argv[2]);
    const Rows rows =
        read_rows({reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()}, schema);
    const auto num_rows = static_cast<double>(rows.labels.size());
    std::vector<Weight> weights(rows.num_weights);
    auto start = std::chrono::steady_clock::now();
    const double mean_loss = train(rows, weights);
    const double train_seconds = seconds_since(start);
    start = std::chrono::steady_clock::now();
    const double mean = predict(rows, weights);
    const double predict_seconds = seconds_since(start);
    fmt::print(
        "{{\"rows\": {}, \"train\": {{\"rows_per_second\": {:.0f}, \"progressive_log_loss\": {:.5f}}}, "
        "\"predict\": {{\"rows_per_second\": {:.0f}, \"mean\": {:.5f}}}}}\n",
        rows.labels.size(), num_rows / train_seconds, mean_loss, num_rows / predict_seconds, mean);
    return 0;
  } catch (const widehash::Error& error) {
    fmt::print(stderr, "adagrad_loop: {}\n", error.what());
    return 1;
  }
}
