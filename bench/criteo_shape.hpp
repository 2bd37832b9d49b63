#pragma once

/// \file
/// Rows shaped like the Criteo display-ad data, made from a seed: a label, 13 counts and 26 hexadecimal
/// categories, separated by tabs, without a header; missing values are empty. The real rows may not be
/// redistributed; only shares rounded to two digits are taken from them.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace widehash::bench {

/// A count: floor(exp(u^skew * ln(1 + largest))) - 1 + smallest for u uniform in [0, 1).
struct CountField {
  double largest;
  double skew;
  double missing;  // share of missing values
  int smallest;
};

/// A category: rank r of `cardinality` values with probability about r^-exponent (Zipf's law).
struct CategoryField {
  double cardinality;
  double exponent;
  double missing;
};

inline constexpr std::size_t num_count_fields = 13;
inline constexpr std::size_t num_category_fields = 26;
inline constexpr std::size_t num_criteo_fields = 1 + num_count_fields + num_category_fields;

extern const std::array<CountField, num_count_fields> count_fields;
extern const std::array<CategoryField, num_category_fields> category_fields;

/// Draws rows. Row i depends only on the seed and on i. The values and the model of the labels do not depend
/// on the seed, so another seed gives another sample of the same distribution: a validation set.
class CriteoRows {
 public:
  explicit CriteoRows(std::uint64_t seed);

  /// Appends row `index` with its line end. The label is drawn from a logistic model of the row's values,
  /// with a share of positives of about 0.26. Cost: about 0.7 us.
  void append_row(std::uint64_t index, std::string& text) const;

 private:
  struct Draw {
    double base;      // of the power that turns a uniform number into a rank
    double exponent;  // of that power
  };
  std::uint64_t seed_;
  std::array<double, num_count_fields> log_largest_{};
  std::array<Draw, num_category_fields> draws_{};
};

}  // namespace widehash::bench
