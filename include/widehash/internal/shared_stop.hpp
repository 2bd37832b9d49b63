#pragma once

/// \file
/// Whether a run was asked to stop, in this process or in any process that takes part in it.

#include <widehash/communicator.hpp>
#include <widehash/stop.hpp>

namespace widehash {

/// Whether any rank was asked. Collective.
inline bool stop_is_asked(Communicator& communicator, const StopFlag* stop) {
  double asked = stop_is_asked(stop) ? 1 : 0;
  if (communicator.size() > 1) communicator.all_reduce(std::span<double>(&asked, 1));
  return asked > 0;
}

}  // namespace widehash
