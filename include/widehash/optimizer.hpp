#pragma once

/// \file
/// Update rules, per coordinate. w weight, g gradient of the mean loss of the step, t step counted from 1,
/// a learning rate of the step (learning_rate_at). All state starts at 0 except where stated.
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
/// Regularisation. FTRL: l1 and l2 as written, against the sum of the steps' gradients. All others: l2 w is
/// added to g before the rule, and after it w = sign(w) max(0, |w| - step l1) (the proximal step of l1 |w|):
/// both against the mean loss of every step. Biases are not regularised.
///
/// FTRL from weights w0 that are not 0 (hidden layers): z starts at -(beta / a + l2) w0 - sign(w0) l1, the z
/// whose weight is w0. A coordinate whose gradient is 0 is left as it is.
///
/// Gradients are means over a batch, so they are smaller than the single-example gradients of the FTRL paper:
/// its beta = 1 corresponds to 1 / batch size here, and l1, l2 likewise. The defaults allow for that.

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
  double decay_steps = 0;  // over which the learning rate falls linearly to 0; 0: it stays. Not for ftrl
  double decay_start = 0;  // steps done before it begins to fall: of a training that went on from a model
  double l1 = 0;
  double l2 = 0;
  double beta = 0.01;      // ftrl
  double beta1 = 0.9;      // adam
  double beta2 = 0.999;    // adam
  double rho = 0.9;        // rmsprop
  double epsilon = 0.01;   // adagrad, adam, rmsprop
  double mean_weight = 0;  // of the rows that are trained on, for gradient_normaliser(); 0: not known

  bool operator==(const OptimizerSettings&) const = default;
};

/// What the defaults depend on.
struct RowShape {
  std::uint32_t active_columns = 40;  // columns a row sets; see active_columns() in architecture.hpp
  std::uint64_t num_rows = 0;         // to train on; 0: unknown
  /// Of the layers behind the first (architecture.hpp), which take smaller steps than the linear model; 0: it is one.
  std::uint64_t dense_weights = 0;
  std::uint64_t batch_size = 512;  // rows to a step
  /// Squared errors are steeper than the logistic loss, the more so the farther a first step went, and take
  /// smaller steps.
  LossKind loss = LossKind::logistic;
  /// How many times as much as a mean step one may weigh, up to `heaviest_step`: 1 where rows weigh alike.
  double most_step_weight = 1;
  double mean_target = 1;        // of poisson, whose loss is as steep as its counts are high
  bool goes_on = false;          // from a finished model
  double columns_per_value = 4;  // see columns_per_value() in architecture.hpp
  /// How many times as noisy gradients are as those of rows that weigh alike, where it is more.
  double weight_noise = 1;
};

/// Of the normal prior on the effect of a value, which is the sum of the weights of its columns: each of four has a
/// fourth of the variance.
inline constexpr double prior_precision = 2;
/// Of a training that goes on from a finished model, whose rows had the prior already: it must not forget them.
inline constexpr double further_prior_precision = 0.25;

/// Of networks with hidden layers, which can learn every row by heart: four times as much, but as if there were so
/// many rows more, for few rows are learnt by weights that have hardly moved from where they began.
inline constexpr double hidden_prior = 4;
inline constexpr double hidden_prior_rows = 1500;

/// Beyond this the default prior is too weak to matter, and l2 costs an update of every column at every step.
inline constexpr std::uint64_t max_rows_with_prior = 500'000;

/// Of fewer rows adagrad's rate for the linear model falls with their cube root.
inline constexpr double rows_at_full_rate = 8000;

/// Counts of a mean below this are rare: their gradients are so small that what is added to them counts for too
/// much.
inline constexpr double rare_count = 0.1;

/// A first step moves what a unit of the first layer sees by the rate times the columns of a row. By much more than
/// this units die for whole groups of rows, as luck will have it: at a rate of 0.1 and the columns that `inspect` plans
/// for adult the log loss is 0.288 or 0.314, by the seed.
inline constexpr double first_move_of_units = 3;

/// A first step moves every weight by the rate, so that outputs move the more, the more weights there are behind the
/// first layer. Squared errors and counts of networks with more than so many take smaller ones: the largest rate falls
/// with their root. (Losses of chances have no slope beyond 1.)
inline constexpr double dense_weights_at_full_rate = 200;

/// Settings to start from. For the linear model learning rates fall with the columns a row sets: 16 / active, at
/// most 1.6, for adagrad; 4 / active, at most 0.4, for ftrl; 0.15 / active, at most 0.01, for adam and rmsprop; 20
/// / active, at most 1, for sgd. That of adagrad then grows with the fourth root of batch_size / 512, for batches
/// beyond 512: the mean of more rows is less noisy; and of fewer rows than rows_at_full_rate it falls with their
/// cube root, but for mse: a first step is as long as the rate, and few others follow. With hidden layers rates are
/// at most 0.1; of adagrad first_move_of_units / active, at least 0.03, and with the losses mse and poisson as much
/// less than 0.1 as the root of the dense weights is above that of dense_weights_at_full_rate. Epsilon of adagrad
/// is 0.001 in place of 0.01. With the loss mse, of targets of about unit deviation, that of adagrad is 4 / active,
/// at most 0.8, and with hidden layers 2 / active; of sgd 1 / (active + 1), beyond which it need not converge, and
/// this divided by most_step_weight; so is that of sgd with the loss poisson, at most 1, divided by mean_target
/// too, or by 0.1 where that is less. With poisson a step multiplies: the rate of adagrad is 2 / active, at most
/// 0.4, with hidden layers 1 / active, and for no batch more than 4 / active, and that of ftrl is 1 / active, at
/// most 0.2.
/// l2 is prior_precision * columns_per_value / rows, with goes_on that of further_prior_precision, up to
/// max_rows_with_prior, else 0; always 0 for ftrl. With hidden layers it is hidden_prior times as much, over
/// hidden_prior_rows more. Where rows weigh unlike it is multiplied by weight_noise, at least 1. With poisson l2,
/// epsilon and beta are multiplied by mean_target / rare_count where that is below 1. How they were found:
/// docs/benchmarks.md, "Defaults".
OptimizerSettings default_settings(OptimizerKind kind, const RowShape& shape = {}) noexcept;

/// A step that weighs more than so many of mean weight makes no longer a step than they: a row that weighs as
/// much as many batches would throw the model where no other brings it back.
inline constexpr double heaviest_step = 4;

/// What the gradient of a step is divided by, whose rows weigh `weight` together: rows times the mean weight
/// of all rows, so that the steps of an epoch add up to the gradient of the whole, and a quarter of `weight`
/// at least (heaviest_step). By the weight of the step itself a row that weighs much would count for less, the
/// fewer such rows are in a step; it is taken where the mean is not known, and without weights both are the
/// number of rows. 0, and the step moves nothing, where `weight` is 0.
double gradient_normaliser(const OptimizerSettings& settings, double weight, std::uint64_t num_rows) noexcept;

/// The learning rate of a step, counted from 1: learning_rate * (1 - (step - 1 - decay_start) / decay_steps);
/// up to step decay_start + 1 learning_rate, and from decay_start + decay_steps on what it is there. Without
/// decay_steps the learning rate itself.
double learning_rate_at(const OptimizerSettings& settings, std::uint64_t step) noexcept;

/// Throws ConfigError naming the setting that is out of range.
void check_settings(const OptimizerSettings& settings);

/// One JSON object; reading it back gives equal settings, bit for bit. A decay_start or a mean_weight of 0
/// goes without saying, for programs that do not know it: so `train` writes the latter into no model.
std::string to_json(const OptimizerSettings& settings);
/// Throws ConfigError for text that is not such an object, and for unknown keys. Keys that are not there have
/// the values of default_settings().
OptimizerSettings parse_optimizer_settings(const std::string& json_text);

/// State arrays per parameter: 0 (sgd), 1 (adagrad, rmsprop: n), 2 (adam: m, v; ftrl: z, n).
int num_states(OptimizerKind kind) noexcept;

/// Whether a coordinate with gradient 0 can still change, so that every coordinate must be updated at every
/// step: adam and rmsprop (their averages decay), and l1 or l2 on any but ftrl. Otherwise updating the
/// touched columns alone gives exactly what updating all gives.
bool needs_dense_update(const OptimizerSettings& settings) noexcept;

/// State arrays of one tensor; those that the kind does not have are empty.
template <class Real>
struct StateSpans {
  std::span<Real> first;
  std::span<Real> second;
};

/// One step of every coordinate. Shapes: all spans of one size. `regularise` is false for biases.
/// Threads: the calling one. Cost: O(size).
template <class Real>
void update_dense(const OptimizerSettings& settings, std::uint64_t step, bool regularise,
                  std::span<Real> weights, std::span<const Real> gradient, StateSpans<Real> states) noexcept;

/// One step of the rows at `positions` of matrices [rows x units]. Cost: O(positions * units).
template <class Real>
void update_rows(const OptimizerSettings& settings, std::uint64_t step, bool regularise, std::uint32_t units,
                 std::span<const std::uint32_t> positions, std::span<Real> weights,
                 std::span<const Real> gradient, StateSpans<Real> states) noexcept;

/// Settings, state and step of a whole set of parameters.
template <class Real>
class Optimizer {
 public:
  /// Fresh state for `parameters`, which may hold only a range of the columns. Throws ConfigError.
  Optimizer(const OptimizerSettings& settings, const Parameters<Real>& parameters);
  /// State that was saved. Throws ShapeError where the number of states is wrong.
  Optimizer(const OptimizerSettings& settings, std::vector<Parameters<Real>> states, std::uint64_t step);

  /// One step of all parameters; of the first layer only the touched columns where `touched` is given and the
  /// rule allows. Throws ShapeError.
  void update(Parameters<Real>& parameters, const Parameters<Real>& gradient, const TouchedColumns* touched) {
    update(parameters, gradient, touched, parameters.columns);
  }
  /// The same for only some of the first layer's columns, those that the states are of; all of them where
  /// `touched` is given.
  void update(Parameters<Real>& parameters, const Parameters<Real>& gradient, const TouchedColumns* touched,
              ColumnRange columns);
  /// As update(), and makes the gradient 0 again where it is at hand in a cache. `touched`, where given, has
  /// all columns of which it is not 0.
  void update_and_clear(Parameters<Real>& parameters, Parameters<Real>& gradient,
                        const TouchedColumns* touched);

  const OptimizerSettings& settings() const noexcept { return settings_; }
  /// Steps done.
  std::uint64_t step() const noexcept { return step_; }
  /// num_states(kind) arrays in the shape of the parameters.
  const std::vector<Parameters<Real>>& states() const noexcept { return states_; }

  /// For replicas that are brought together: their states are averaged, and their steps made equal.
  std::vector<Parameters<Real>>& states() noexcept { return states_; }
  void set_step(std::uint64_t step) noexcept { step_ = step; }

  /// Of ftrl: sets z to the one whose weight is the weight, under the present n and settings; where that is 0
  /// to the nearest to z. `parameters` may hold more of the first layer's columns than the states are of.
  /// Throws ShapeError.
  void anchor_ftrl(const Parameters<Real>& parameters);

 private:
  /// A gradient that is not const is cleared.
  template <class Gradient>
  void step_over(Parameters<Real>& parameters, Gradient& gradient, const TouchedColumns* touched,
                 ColumnRange columns);

  OptimizerSettings settings_;
  std::vector<Parameters<Real>> states_;
  std::uint64_t step_ = 0;
};

}  // namespace widehash
