#pragma once

/// \file
/// Why a model predicts what it predicts for a row: the effect of each feature.
///
/// The first layer adds up one part per feature, e_f = sum over the columns c of f that the row sets of x_c
/// W[c, :]. The effect of f is the change in a raw output z when that part replaces its mean over the
/// training rows,
///
///     effect_f = z(e_1, ..., e_F) - z(e_1, ..., m_f, ..., e_F)
///     m_f = sum over the columns c of f of mean_c W[c, :]
///
/// with the means of ModelSource::column_means. For a linear model effect_f = e_f - m_f and
///
///     z = base + sum over f of effect_f                              base = z(m_1, ..., m_F)
///
/// which are also the features' Shapley values (Lundberg and Lee 2017, "A unified approach to interpreting
/// model predictions", for independent features). With hidden layers, each effect is computed with all other
/// features as they are in the row, and effects need not add up. Raw outputs are log odds for logistic and
/// numbers in the units of the targets for mse. For softmax, where a number added to all outputs changes
/// nothing, z is an output minus the mean of all outputs.

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
  /// Buffers of one thread, reused from call to call.
  struct Work {
    Workspace<float> network;
    std::vector<float> sums;    // [rows x first units]
    std::vector<float> part;    // [rows x first units], of one feature
    std::vector<double> whole;  // [rows]
  };

  /// Keeps a reference to `model`, whose rows have `layout`. `path` is for messages. Throws ConfigError if
  /// the model has no column means. Cost: O(columns * units).
  RowEffects(const Ensemble<float>& model, std::shared_ptr<const CodeLayout> layout, const std::string& path);
  RowEffects(const Ensemble<float>&&, std::shared_ptr<const CodeLayout>,
             const std::string&) = delete;  // the reference would dangle

  /// The features that have columns, as positions in the schema.
  const std::vector<std::size_t>& features() const noexcept { return features_; }
  /// For each output, z with every feature at its mean. Like all effects, the mean over the towers if there
  /// are several.
  const std::vector<double>& base() const noexcept { return base_; }

  /// Computes effects [rows x features()], for each row on output outputs[row]. Throws ShapeError if the
  /// sizes differ. Cost: one pass through the first layer, and one through all further layers per feature.
  /// Thread-safe.
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

/// The likeliest output of each row of `predictions` [rows x outputs]; the first one among equals.
std::vector<std::uint32_t> likeliest_outputs(std::span<const float> predictions, std::size_t outputs);

}  // namespace widehash
