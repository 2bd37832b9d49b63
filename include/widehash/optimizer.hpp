#pragma once

/// \file
/// Update rules, per coordinate. w weight, g gradient of the mean loss of the step, t step counted from 1, a
/// learning rate of the step (learning_rate_at). All state starts at 0 unless stated otherwise.
///
///     sgd       step = a;  w -= step g
///     adagrad   n += g^2;  step = a / (sqrt(n) + epsilon);  w -= step g
///               Duchi et al. 2011
///     rmsprop   n = rho n + (1 - rho) g^2;  step = a / (sqrt(n) + epsilon);  w -= step g
///               Hinton 2012
///     adam      m = beta1 m + (1 - beta1) g;  v = beta2 v + (1 - beta2) g^2
///               step = a / (sqrt(v / (1 - beta2^t)) + epsilon);  w -= step m / (1 - beta1^t)
///               Kingma & Ba 2015
///     ftrl      s = (sqrt(n + g^2) - sqrt(n)) / a;  z += g - s w;  n += g^2
///               w = 0 where |z| <= l1, else -(z - sign(z) l1) / ((beta + sqrt(n)) / a + l2)
///               McMahan et al. 2013
///
/// Regularisation. FTRL applies l1 and l2 as written, against the sum of the gradients of the steps. All
/// other rules add l2 w to g first, and then set w = sign(w) max(0, |w| - step l1) (the proximal step of l1
/// |w|): both count against the mean loss of every step. Biases are not regularised.
///
/// FTRL from weights w0 that are not 0 (hidden layers): z starts at -(beta / a + l2) w0 - sign(w0) l1, the z
/// whose weight is w0. A coordinate whose gradient is 0 does not change.
///
/// Gradients are means over a batch, so they are smaller than the single-example gradients of the FTRL paper:
/// its beta = 1 corresponds to 1 / batch size here, and likewise l1 and l2. The defaults allow for that.

#include <widehash/first_layer.hpp>
#include <widehash/loss.hpp>
#include <widehash/parameters.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace widehash {

enum class OptimizerKind { ftrl, adagrad, adam, rmsprop, sgd };

const char* to_string(OptimizerKind kind) noexcept;
/// Throws ConfigError listing the known names.
OptimizerKind parse_optimizer(std::string_view name);

struct OptimizerSettings {
  OptimizerKind kind = OptimizerKind::adagrad;
  double learning_rate = 0.1;
  /// Steps over which the learning rate falls linearly to 0; 0: it stays constant. Not for ftrl.
  double decay_steps = 0;
  /// Steps done before the learning rate begins to fall, if training continued from a model.
  double decay_start = 0;
  double l1 = 0;
  double l2 = 0;
  double beta = 0.01;     // ftrl
  double beta1 = 0.9;     // adam
  double beta2 = 0.999;   // adam
  double rho = 0.9;       // rmsprop
  double epsilon = 0.01;  // adagrad, adam, rmsprop
  /// Mean weight of the rows to train on, for gradient_normaliser(); 0: unknown.
  double mean_weight = 0;

  bool operator==(const OptimizerSettings&) const = default;
};

/// The properties of the rows and the network that the defaults depend on.
struct RowShape {
  std::uint32_t active_columns = 40;  // columns that a row sets; see active_columns() in architecture.hpp
  std::uint64_t num_rows = 0;         // to train on; 0: unknown
  /// Weights of the layers after the first (architecture.hpp); networks with such layers take smaller steps
  /// than the linear model. 0: a linear model.
  std::uint64_t dense_weights = 0;
  std::uint64_t batch_size = 512;  // rows per step
  /// Squared errors are steeper than the logistic loss, the more so the farther a first step went, and so
  /// take smaller steps.
  LossKind loss = LossKind::logistic;
  /// How many times as much as a mean step a single step may weigh, at most `heaviest_step`; 1 if rows have
  /// equal weights.
  double most_step_weight = 1;
  double mean_target = 1;        // for poisson, whose loss is as steep as its counts are high
  bool goes_on = false;          // training continues from a finished model
  double columns_per_value = 4;  // see columns_per_value() in architecture.hpp
  /// How many times as noisy the gradients are as those of rows with equal weights. Values below 1 count as
  /// 1.
  double weight_noise = 1;
};

/// Precision of the normal prior on the effect of a value. The effect is the sum of the weights of the
/// columns of the value: each of four has a quarter of the variance.
inline constexpr double prior_precision = 2;
/// The same for a training that continues from a finished model. The rows of that model had the prior
/// already, and the training must not forget them.
inline constexpr double further_prior_precision = 0.25;

/// Networks with hidden layers can learn every row by heart: their prior is four times as strong, but as if
/// there were hidden_prior_rows more rows, since few rows are learned by weights that have hardly moved from
/// where they began.
inline constexpr double hidden_prior = 4;
inline constexpr double hidden_prior_rows = 1500;

/// Above this number of rows the default prior is too weak to matter, and l2 costs an update of every column
/// at every step.
inline constexpr std::uint64_t max_rows_with_prior = 500'000;

/// With fewer rows, adagrad's rate for the linear model falls with the cube root of their number.
inline constexpr double rows_at_full_rate = 8000;

/// Counts with a mean below this are rare: their gradients are so small that anything added to them weighs
/// too much.
inline constexpr double rare_count = 0.1;

/// The first step moves the input of a unit of the first layer by the rate times the columns of a row. If it
/// moves much more than this, units die for whole groups of rows, by chance: at a rate of 0.1 and with the
/// columns that `inspect` plans for adult, the log loss is 0.288 or 0.314, depending on the seed.
inline constexpr double first_move_of_units = 3;

/// The first step moves every weight by the rate, so outputs move the more, the more weights there are after
/// the first layer. With squared errors and counts, networks with more than this many weights take smaller
/// steps: the largest rate falls with the root of their number. (The losses of probabilities have no slope
/// beyond 1.)
inline constexpr double dense_weights_at_full_rate = 200;

/// Returns settings to start from. With `active` = active_columns, the learning rates of the linear model are
///
///              logistic, softmax        mse                                poisson
///     ftrl     4 / active, <= 0.4       as logistic                        1 / active, <= 0.2
///     adagrad  16 / active, <= 1.6      4 / active, <= 0.8                 2 / active, <= 0.4
///     adam     0.15 / active, <= 0.01   as logistic                        as logistic
///     rmsprop  as adam                  as adam                            as adam
///     sgd      20 / active, <= 1        1 / (active + 1) / step weight     the same / max(0.1, mean_target), <= 1
///
/// where the step weight is most_step_weight, and targets of mse have about unit deviation. Beyond 1 /
/// (active + 1), sgd with mse need not converge. The rate of adagrad is then multiplied by two factors. The
/// first is the fourth root of batch_size / 512 for batches beyond 512: the mean of more rows is less noisy.
/// With poisson, where a step multiplies, the result is at most 4 / active for any batch. The second, for the
/// linear model with the logistic and softmax losses and fewer rows than rows_at_full_rate, is the cube root
/// of num_rows / rows_at_full_rate: a first step is as long as the rate, and few others follow.
///
/// With hidden layers, adagrad starts from 2 / active for mse and 1 / active for poisson, with the same
/// bounds as above, and all rates are at most 0.1. That of adagrad is at most first_move_of_units / active,
/// clamped to [0.03, 0.1]; with mse and poisson it is at most 0.1 min(1, sqrt(dense_weights_at_full_rate /
/// dense_weights)) instead. The epsilon of adagrad is 0.001 in place of 0.01.
///
/// l2 is prior_precision * columns_per_value / num_rows, with further_prior_precision instead if goes_on, for
/// 1 to max_rows_with_prior rows, otherwise 0; it is always 0 for ftrl. With hidden layers it is hidden_prior
/// times as much, over hidden_prior_rows more rows. If rows have unequal weights, it is multiplied by
/// weight_noise, at least 1. With poisson, l2, epsilon and beta are multiplied by mean_target / rare_count if
/// that is below 1. How these values were found: docs/benchmarks.md, "Defaults".
OptimizerSettings default_settings(OptimizerKind kind, const RowShape& shape = {}) noexcept;

/// A step that weighs more than this many steps of mean weight moves no farther than they do: otherwise, a
/// row that weighs as much as many batches would move the model to where no other row brings it back.
inline constexpr double heaviest_step = 4;

/// Returns the divisor of the gradient of a step whose rows weigh `weight` together. It is the number of rows
/// times the mean weight of all rows, so that the steps of an epoch add up to the gradient of the whole, but
/// at least a quarter of `weight` (heaviest_step). Dividing by the weight of the step itself would make a
/// heavy row count for less, the fewer such rows are in a step; this is done only if the mean weight is
/// unknown. Without weights, both are the number of rows. Returns 0, and the step changes nothing, if
/// `weight` is 0.
double gradient_normaliser(const OptimizerSettings& settings, double weight, std::uint64_t num_rows) noexcept;

/// Returns the learning rate of a step, counted from 1: learning_rate * (1 - (step - 1 - decay_start) /
/// decay_steps). Up to step decay_start + 1 it is learning_rate; from step decay_start + decay_steps on it
/// stays at its value there. Without decay_steps it is always learning_rate.
double learning_rate_at(const OptimizerSettings& settings, std::uint64_t step) noexcept;

/// Throws ConfigError naming the setting that is out of range.
void check_settings(const OptimizerSettings& settings);

/// Returns one JSON object; parsing it gives equal settings, bit for bit. Omits decay_start and mean_weight
/// if they are 0, for programs that do not know these keys. `train` writes models with a mean_weight of 0.
std::string to_json(const OptimizerSettings& settings);
/// Throws ConfigError for text that is not such an object, and for unknown keys. Missing keys have the values
/// of default_settings().
OptimizerSettings parse_optimizer_settings(const std::string& json_text);

/// Number of state arrays per parameter: 0 (sgd), 1 (adagrad, rmsprop: n), 2 (adam: m, v; ftrl: z, n).
int num_states(OptimizerKind kind) noexcept;

/// Whether a coordinate with gradient 0 can still change, so that every coordinate must be updated at every
/// step. True for adam and rmsprop (their averages decay), and with l1 or l2 for all others but ftrl.
/// Otherwise, updating only the touched columns gives exactly the same result as updating all.
bool needs_dense_update(const OptimizerSettings& settings) noexcept;

/// State arrays of one tensor. Those that the kind does not have are empty.
template <class Real>
struct StateSpans {
  std::span<Real> first;
  std::span<Real> second;
};

/// Does one step of every coordinate. Shapes: all spans have the same size. `regularise` is false for biases.
/// Runs on the calling thread. Cost: O(size).
template <class Real>
void update_dense(const OptimizerSettings& settings, std::uint64_t step, bool regularise,
                  std::span<Real> weights, std::span<const Real> gradient, StateSpans<Real> states) noexcept;

/// Does one step of the rows at `positions` of matrices [rows x units]. Cost: O(positions * units).
template <class Real>
void update_rows(const OptimizerSettings& settings, std::uint64_t step, bool regularise, std::uint32_t units,
                 std::span<const std::uint32_t> positions, std::span<Real> weights,
                 std::span<const Real> gradient, StateSpans<Real> states) noexcept;

/// Settings, state and step count of a whole set of parameters.
template <class Real>
class Optimizer {
 public:
  /// Makes fresh state for `parameters`, which may hold only a range of the columns. Throws ConfigError.
  Optimizer(const OptimizerSettings& settings, const Parameters<Real>& parameters);
  /// Takes saved state. Throws ShapeError if the number of states is wrong.
  Optimizer(const OptimizerSettings& settings, std::vector<Parameters<Real>> states, std::uint64_t step);

  /// Does one step of all parameters. In the first layer, it updates only the touched columns if `touched` is
  /// given and the rule allows it. Throws ShapeError.
  void update(Parameters<Real>& parameters, const Parameters<Real>& gradient, const TouchedColumns* touched) {
    update(parameters, gradient, touched, parameters.columns);
  }
  /// The same, but updates only `columns` of the first layer, which must be those of the states, and all
  /// columns if `touched` is given.
  void update(Parameters<Real>& parameters, const Parameters<Real>& gradient, const TouchedColumns* touched,
              ColumnRange columns);
  /// Like update(), but also zeroes the gradient while it is in the cache. `touched`, if given, must include
  /// every column whose gradient is not 0.
  void update_and_clear(Parameters<Real>& parameters, Parameters<Real>& gradient,
                        const TouchedColumns* touched);

  const OptimizerSettings& settings() const noexcept { return settings_; }
  /// Number of steps done.
  std::uint64_t step() const noexcept { return step_; }
  /// num_states(kind) arrays in the shape of the parameters.
  const std::vector<Parameters<Real>>& states() const noexcept { return states_; }

  /// For merging replicas: their states are averaged and their steps made equal.
  std::vector<Parameters<Real>>& states() noexcept { return states_; }
  void set_step(std::uint64_t step) noexcept { step_ = step; }

  /// For ftrl only: sets z so that it gives the present weight under the present n and settings; if the
  /// weight is 0, to the nearest such value to the present z. `parameters` may hold more columns of the first
  /// layer than the states. Throws ShapeError.
  void anchor_ftrl(const Parameters<Real>& parameters);

 private:
  /// Clears the gradient unless it is const.
  template <class Gradient>
  void step_over(Parameters<Real>& parameters, Gradient& gradient, const TouchedColumns* touched,
                 ColumnRange columns);

  OptimizerSettings settings_;
  std::vector<Parameters<Real>> states_;
  std::uint64_t step_ = 0;
};

}  // namespace widehash
