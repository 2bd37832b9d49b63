#pragma once

/// \file
/// The error of a step that is refused, on every kind of device.

#include <widehash/error.hpp>

#include <string>
#include <string_view>

namespace widehash::detail {

/// `what`: "the loss" or "the gradient".
inline DataError not_finite(std::string_view step, std::string_view what) {
  return {std::string(step), 0,
          std::string(what) + " is not finite; a smaller learning rate or scaled numeric features may help"};
}

}  // namespace widehash::detail
