#pragma once

#include <widehash/optimizer.hpp>

#include <array>

namespace widehash::test {

inline constexpr std::array optimizer_kinds{OptimizerKind::ftrl, OptimizerKind::adagrad, OptimizerKind::adam,
                                            OptimizerKind::rmsprop, OptimizerKind::sgd};

}  // namespace widehash::test
