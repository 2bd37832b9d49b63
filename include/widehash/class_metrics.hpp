#pragma once

/// \file
/// What predictions do per class, of rows with a target class t, a predicted class y and a weight w: the class of
/// the largest score, of equal ones the first.
///
///     support_k     sum of w where t = k                     weight of the class
///     predicted_k   sum of w where y = k
///     correct_k     sum of w where t = k and y = k
///     precision_k   correct_k / predicted_k                  how often it is right where it says k
///     recall_k      correct_k / support_k                    how much of k it finds
///     F1_k          2 correct_k / (support_k + predicted_k)  their harmonic mean
///     C_tk          sum of w where t and y = k               the confusion matrix
///
///     macro average   the mean over the classes that have support or were predicted, in which a precision or a
///                     recall without a denominator counts as 0. Classes with neither do not count. scikit-learn
///                     has the same with zero_division=0, where each class has a row of weight above 0

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace widehash {

struct ClassMetrics {
  std::string name = {};  // where it was told, for whoever shows it
  double support = 0;
  double predicted = 0;
  double correct = 0;

  /// Among the targets or among the predictions.
  bool occurs() const noexcept { return support > 0 || predicted > 0; }
  /// All are from 0 to 1. Empty where the class was never predicted.
  std::optional<double> precision() const noexcept;
  /// Empty where it has no support.
  std::optional<double> recall() const noexcept;
  /// Empty where it does not occur.
  std::optional<double> f1() const noexcept;
};

/// Means over the classes that occur; empty where none does.
struct MacroAverages {
  std::optional<double> precision;
  std::optional<double> recall;
  std::optional<double> f1;
};
MacroAverages macro_averages(std::span<const ClassMetrics> classes) noexcept;

/// Adds rows up in their order, one after another: whatever the threads and the cut into calls, the sums are the
/// same, and a call costs a few additions a row and nothing for each class.
class ClassSums {
 public:
  /// With the matrix, 8 K^2 bytes for K classes, or without.
  ClassSums(std::uint32_t num_classes, bool has_confusion);

  /// Shapes: targets, predicted [rows]; weights [rows] or empty (all 1). Requires: class numbers below K.
  void add(std::span<const float> targets, std::span<const std::uint32_t> predicted,
           std::span<const float> weights) noexcept;

  /// By class number.
  const std::vector<ClassMetrics>& classes() const noexcept { return classes_; }
  /// [K x K], a row for each target; empty without.
  const std::vector<double>& confusion() const noexcept { return confusion_; }

 private:
  std::vector<ClassMetrics> classes_;
  std::vector<double> confusion_;
};

}  // namespace widehash
