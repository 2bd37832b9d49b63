/// Fits 5 x^2 + 3 with Adam on two devices. Each step splits the points over the devices, computes the gradient
/// of each half, and concatenates the results.

#include <widehash/optimizer.hpp>
#include <widehash/split_apply_concat.hpp>

#include <array>
#include <cmath>
#include <cstdio>
#include <span>
#include <vector>

namespace {

struct Point {
  double x;
  double y;
};

using Coefficients = std::array<double, 2>;  // of x^2, and of 1

/// d/dw of sum (w0 x^2 + w1 - y)^2 over the points of a slice, divided by the number of all points.
Coefficients gradient(std::span<const Point> slice, const Coefficients& w, std::size_t num_points) {
  Coefficients sum{};
  for (const Point& p : slice) {
    const double error = 2 * (w[0] * p.x * p.x + w[1] - p.y) / static_cast<double>(num_points);
    sum[0] += error * p.x * p.x;
    sum[1] += error;
  }
  return sum;
}

}  // namespace

int main() {
  std::vector<Point> points;
  for (int i = -50; i <= 50; ++i) {
    const double x = i / 50.0;
    points.push_back({x, 5 * x * x + 3});
  }
  const std::vector<widehash::Device> devices = widehash::parse_devices("cpu,cpu");

  widehash::OptimizerSettings adam = widehash::default_settings(widehash::OptimizerKind::adam);
  adam.learning_rate = 0.1;
  Coefficients w{}, mean{}, square{};
  for (std::uint64_t step = 1; step <= 600; ++step) {
    const auto parts = widehash::split_apply_concat(
        devices, std::span<const Point>(points),
        [&](std::span<const Point> slice) { return gradient(slice, w, points.size()); });
    // [gradient of the first half, gradient of the second half]: the gradient of all points is their sum.
    Coefficients sum{};
    for (std::size_t i = 0; i < parts.size(); ++i) sum[i % sum.size()] += parts[i];
    widehash::update_dense<double>(adam, step, false, w, sum, {mean, square});
    if (step % 100 == 0) std::printf("step %3d   %.4f x^2 + %.4f\n", static_cast<int>(step), w[0], w[1]);
  }
  return std::abs(w[0] - 5) < 0.01 && std::abs(w[1] - 3) < 0.01 ? 0 : 1;
}
