#include "criteo_shape.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace widehash::bench {

// Fitted to the public sample of 10,000 rows: medians, maxima and shares of missing values.
const std::array<CountField, num_count_fields> count_fields = {{{214, 2.95, 0.45, 0},
                                                                {18522, 2.83, 0.0, -1},
                                                                {65535, 2.42, 0.20, 0},
                                                                {280, 1.81, 0.20, 0},
                                                                {1618112, 0.87, 0.05, 0},
                                                                {12167, 1.34, 0.25, 0},
                                                                {1658, 2.42, 0.05, 0},
                                                                {682, 1.65, 0.0, 0},
                                                                {7335, 1.25, 0.05, 0},
                                                                {6, 2.05, 0.45, 0},
                                                                {79, 2.66, 0.05, 0},
                                                                {98, 3.29, 0.77, 0},
                                                                {770, 1.89, 0.20, 0}}};

// Cardinalities as published for the data of the Kaggle challenge, exponents that give the sample's share of
// the most frequent value, and the sample's shares of missing values.
const std::array<CategoryField, num_category_fields> category_fields = {
    {{1460, 2.00, 0.0},     {583, 1.05, 0.0},    {10131227, 1.02, 0.04}, {2202608, 1.07, 0.04},
     {305, 2.58, 0.0},      {24, 2.03, 0.13},    {12517, 0.65, 0.0},     {633, 2.28, 0.0},
     {3, 3.97, 0.0},        {93145, 1.46, 0.0},  {5683, 0.71, 0.0},      {8351593, 1.02, 0.04},
     {3194, 0.70, 0.0},     {27, 1.51, 0.0},     {14992, 0.76, 0.0},     {5461306, 1.01, 0.04},
     {10, 1.54, 0.0},       {5652, 0.89, 0.0},   {2173, 2.33, 0.45},     {4, 0.64, 0.45},
     {7046547, 1.01, 0.04}, {18, 1.99, 0.82},    {15, 1.71, 0.0},        {286181, 1.06, 0.04},
     {105, 1.51, 0.45},     {142572, 1.07, 0.45}}};

namespace {

// The model of the labels. It gives a share of positives of 0.256 and a best possible log loss of about 0.42.
constexpr double intercept = -1.75;
constexpr double count_slope = 0.50;      // log odds between the smallest and the largest draw of a count
constexpr double category_spread = 0.60;  // half-width of the uniform effect of a category's value

/// splitmix64: the state advances by a constant, and the output is mixed. Good enough for drawing tables.
class Random {
 public:
  explicit Random(std::uint64_t state) : state_(state) {}

  std::uint64_t next() noexcept {
    std::uint64_t z = (state_ += 0x9E3779B97F4A7C15ull);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return z ^ (z >> 31);
  }
  /// Uniform in [0, 1).
  double uniform() noexcept { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

 private:
  std::uint64_t state_;
};

/// A bijective scramble of 32 bits (the finalizer of MurmurHash3): different ranks stay different values.
std::uint32_t scramble(std::uint32_t value) noexcept {
  value = (value ^ (value >> 16)) * 0x85EBCA6Bu;
  value = (value ^ (value >> 13)) * 0xC2B2AE35u;
  return value ^ (value >> 16);
}

void append_hex8(std::uint32_t value, std::string& text) {
  constexpr char digits[] = "0123456789abcdef";
  char out[8];
  for (int i = 7; i >= 0; --i, value >>= 4) out[i] = digits[value & 15];
  text.append(out, sizeof out);
}

void append_integer(long long value, std::string& text) {
  char out[24];
  const auto end = std::to_chars(out, out + sizeof out, value).ptr;
  text.append(out, end);
}

}  // namespace

CriteoRows::CriteoRows(std::uint64_t seed) : seed_(Random(seed).next()) {
  for (std::size_t f = 0; f < num_count_fields; ++f) log_largest_[f] = std::log1p(count_fields[f].largest);
  for (std::size_t f = 0; f < num_category_fields; ++f) {
    // The density x^-s on [1, N + 1) has the inverse distribution
    // (1 + u ((N + 1)^(1 - s) - 1))^(1 / (1 - s)).
    const double power = 1.0 - category_fields[f].exponent;
    draws_[f] = {std::pow(category_fields[f].cardinality + 1.0, power) - 1.0, 1.0 / power};
  }
}

void CriteoRows::append_row(std::uint64_t index, std::string& text) const {
  Random random(seed_ ^ (index * 0xD1342543DE82EF95ull));
  const std::size_t label_at = text.size();
  text += "0\t";
  double log_odds = intercept;

  for (std::size_t f = 0; f < num_count_fields; ++f) {
    const CountField& field = count_fields[f];
    if (random.uniform() >= field.missing) {
      const double u = random.uniform();
      const double grown = std::exp(std::pow(u, field.skew) * log_largest_[f]);
      append_integer(static_cast<long long>(grown) - 1 + field.smallest, text);
      log_odds += (f % 2 == 0 ? count_slope : -count_slope) * (u - 0.5);
    }
    text += '\t';
  }
  for (std::size_t f = 0; f < num_category_fields; ++f) {
    const CategoryField& field = category_fields[f];
    if (field.missing == 0.0 || random.uniform() >= field.missing) {
      const double x = std::pow(1.0 + random.uniform() * draws_[f].base, draws_[f].exponent);
      const auto rank = static_cast<std::uint32_t>(std::clamp(x, 1.0, field.cardinality));
      const std::uint32_t value = scramble(rank + static_cast<std::uint32_t>(f) * 0x9E3779B9u);
      append_hex8(value, text);
      // A different scramble, so that the effect cannot be derived from the digits.
      log_odds += category_spread * (static_cast<double>(scramble(~value)) * 0x1.0p-31 - 1.0);
    }
    text += '\t';
  }
  text.back() = '\n';
  if (random.uniform() * (1.0 + std::exp(-log_odds)) < 1.0) text[label_at] = '1';
}

}  // namespace widehash::bench
