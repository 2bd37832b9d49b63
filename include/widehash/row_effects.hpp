#pragma once

/// \file
/// Why a model says of a row what it says: the effect of each feature.
///
/// The first layer adds up a part of each feature, e_f = sum over the columns c of f that the row sets of x_c W[c, :].
/// The effect of f is how a raw output z changes when that part comes in place of its mean over the rows of the
/// training,
///
///     effect_f = z(e_1, ..., e_F) - z(e_1, ..., m_f, ..., e_F)
///     m_f = sum over the columns c of f of mean_c W[c, :]
///
/// with the means of ModelSource::column_means. For a linear model effect_f = e_f - m_f and
///
///     z = base + sum over f of effect_f                              base = z(m_1, ..., m_F)
///
/// which is what game theory gives each of them, too (Lundberg and Lee 2017, "A unified approach to interpreting model
/// predictions", for features that are independent). With hidden layers each effect is told beside all others as they
/// are, and they need not add up. Raw outputs are log odds for logistic and numbers in the units of the targets for
/// mse; of softmax, where what all outputs have in common changes nothing, z is an output less the mean of all.

#include <widehash/code_batch.hpp>
#include <widehash/code_layout.hpp>
#include <widehash/model.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace widehash {

class RowEffects {
 public:
  /// What a thread needs, used again and again.
  struct Work {
    Workspace<float> network;
    std::vector<float> sums;    // [rows x first units]
    std::vector<float> part;    // likewise, of one feature
    std::vector<double> whole;  // [rows]
  };

  /// Keeps a reference to `model`, whose rows are of `layout`. `path` is for messages. Throws ConfigError where the
  /// model has no column means. Cost: O(columns * units).
  RowEffects(const Ensemble<float>& model, std::shared_ptr<const CodeLayout> layout, const std::string& path);
  RowEffects(const Ensemble<float>&&, std::shared_ptr<const CodeLayout>,
             const std::string&) = delete;  // it would be gone

  /// The features that have columns, by position in the schema.
  const std::vector<std::size_t>& features() const noexcept { return features_; }
  /// By output: z where every feature is at its mean. Of several towers the mean, as all effects.
  const std::vector<double>& base() const noexcept { return base_; }

  /// effects [rows x features()], on output outputs[row] of each. Throws ShapeError where the sizes are others. Cost: a
  /// pass through the first layer, and one through all further layers for each feature. Thread-safe.
  void find(const CodeBatchView& rows, std::span<const std::uint32_t> outputs, Work& work,
            std::span<float> effects) const;

 private:
  using Means = std::vector<std::vector<float>>;  // m_f [units] of each feature

  Means means_of(const Network<float>& tower) const;
  void add_base(const Network<float>& tower, const Means& means);
  void add_effects(const Network<float>& tower, const Means& means, const CodeBatchView& rows,
                   std::span<const std::uint32_t> outputs, Work& work, std::span<float> effects) const;
  /// z of one row.
  double chosen(std::span<const float> raw, std::uint32_t output) const noexcept;
  template <class Use>
  void for_each_tower(const Use& use) const;

  const Ensemble<float>& model_;
  std::shared_ptr<const CodeLayout> layout_;
  std::vector<std::size_t> features_;
  std::vector<Means> means_;  // of each tower
  std::vector<double> base_;
};

/// The likeliest output of each row of `predictions` [rows x outputs], of equal ones the first.
std::vector<std::uint32_t> likeliest_outputs(std::span<const float> predictions, std::size_t outputs);

}  // namespace widehash
