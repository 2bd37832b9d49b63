#pragma once

/// \file
/// Metrics per class, over rows with a target class t, a predicted class y and a weight w. The predicted
/// class is the one with the largest score, and the first of them in a tie.
///
///     support_k     sum of w where t = k                     weight of the class
///     predicted_k   sum of w where y = k
///     correct_k     sum of w where t = k and y = k
///     precision_k   correct_k / predicted_k                  how often a prediction of k is right
///     recall_k      correct_k / support_k                    how much of class k is found
///     F1_k          2 correct_k / (support_k + predicted_k)  their harmonic mean
///     C_tk          sum of w where target t, y = k           the confusion matrix
///
///     macro average   the mean over the classes that have support or were predicted. A precision or recall with
///                     denominator 0 counts as 0. Other classes do not count. Equals scikit-learn's with
///                     zero_division=0 if each class has a row of weight above 0

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace widehash {

struct ClassMetrics {
  std::string name = {};  // for display, if known
  double support = 0;
  double predicted = 0;
  double correct = 0;

  /// Whether the class is among the targets or the predictions.
  bool occurs() const noexcept { return support > 0 || predicted > 0; }
  /// From 0 to 1, like recall() and f1(). Empty if the class was never predicted.
  std::optional<double> precision() const noexcept;
  /// Empty if the class has no support.
  std::optional<double> recall() const noexcept;
  /// Empty if the class does not occur.
  std::optional<double> f1() const noexcept;
};

/// Means over the classes that occur; empty if none does.
struct MacroAverages {
  std::optional<double> precision;
  std::optional<double> recall;
  std::optional<double> f1;
};
MacroAverages macro_averages(std::span<const ClassMetrics> classes) noexcept;

/// Adds up rows one after another, in order. The sums do not depend on the number of threads or on how rows
/// are divided among calls. A call costs a few additions per row and nothing per class.
class ClassSums {
 public:
  /// `has_confusion`: keep the confusion matrix too, which takes 8 K^2 bytes for K classes.
  ClassSums(std::uint32_t num_classes, bool has_confusion);

  /// Shapes: targets, predicted [rows]; weights [rows] or empty (all 1). Requires class numbers below K.
  void add(std::span<const float> targets, std::span<const std::uint32_t> predicted,
           std::span<const float> weights) noexcept;

  /// Indexed by class number.
  const std::vector<ClassMetrics>& classes() const noexcept { return classes_; }
  /// [K x K], one row per target class; empty without a confusion matrix.
  const std::vector<double>& confusion() const noexcept { return confusion_; }

 private:
  std::vector<ClassMetrics> classes_;
  std::vector<double> confusion_;
};

}  // namespace widehash
