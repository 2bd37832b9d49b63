#include <widehash/cardinality.hpp>
#include <widehash/error.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numbers>

#include <fmt/format.h>

namespace widehash {
namespace {

/// x + sum_k x^(2^k) 2^(k-1): corrects for the share of registers never touched (Ertl 2017, eq. 26).
double sigma(double x) {
  if (x == 1) return std::numeric_limits<double>::infinity();
  double power = 1;
  double sum = x;
  for (double before = -1; before != sum; power += power) {
    x *= x;
    before = sum;
    sum += x * power;
  }
  return sum;
}

/// (1 - x - sum_k (1 - x^(2^-k))^2 2^-k) / 3: corrects for the share of saturated registers
/// (Ertl 2017, eq. 27).
double tau(double x) {
  if (x == 0 || x == 1) return 0;
  double power = 1;
  double sum = 1 - x;
  for (double before = -1; before != sum;) {
    x = std::sqrt(x);
    before = sum;
    power *= 0.5;
    sum -= (1 - x) * (1 - x) * power;
  }
  return sum / 3;
}

}  // namespace

HyperLogLog::HyperLogLog(int precision) : precision_(precision) {
  if (precision < 4 || precision > 18) {
    throw ConfigError(fmt::format("HyperLogLog precision {} is outside 4..18", precision));
  }
  registers_.assign(std::size_t{1} << precision, 0);
}

void HyperLogLog::add(std::uint64_t hash) noexcept {
  const auto index = static_cast<std::size_t>(hash >> (64 - precision_));
  // The guard bit ends the run of zeros, so the rank is at most 64 - precision + 1.
  const std::uint64_t rest = (hash << precision_) | (std::uint64_t{1} << (precision_ - 1));
  const auto rank = static_cast<std::uint8_t>(std::countl_zero(rest) + 1);
  registers_[index] = std::max(registers_[index], rank);
}

void HyperLogLog::merge(const HyperLogLog& other) {
  if (other.precision_ != precision_) {
    throw ShapeError(
        fmt::format("cannot merge HyperLogLogs of precision {} and {}", precision_, other.precision_));
  }
  std::transform(registers_.begin(), registers_.end(), other.registers_.begin(), registers_.begin(),
                 [](std::uint8_t a, std::uint8_t b) { return std::max(a, b); });
}

double HyperLogLog::estimate() const noexcept {
  const int max_rank = 64 - precision_ + 1;
  std::uint64_t histogram[64] = {};
  for (const std::uint8_t rank : registers_) ++histogram[rank];

  const auto num_registers = static_cast<double>(registers_.size());
  double z = num_registers * tau(1 - static_cast<double>(histogram[max_rank]) / num_registers);
  for (int rank = max_rank - 1; rank >= 1; --rank) z = 0.5 * (z + static_cast<double>(histogram[rank]));
  z += num_registers * sigma(static_cast<double>(histogram[0]) / num_registers);
  return num_registers * num_registers / (2 * std::numbers::ln2 * z);
}

double HyperLogLog::standard_error() const noexcept {
  return 1.04 / std::sqrt(static_cast<double>(registers_.size()));
}

}  // namespace widehash
