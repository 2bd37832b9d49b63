#pragma once

/// \file
/// Keeps the first, in the order of the inputs, of the problems that threads meet in the blocks of a run: the
/// one that a single thread would have met.

#include <cstddef>
#include <cstdint>
#include <exception>
#include <limits>
#include <utility>

namespace widehash {

/// The position of a block in the order of the inputs.
struct BlockPlace {
  std::size_t input = 0;
  std::uint64_t block = 0;
  auto operator<=>(const BlockPlace&) const = default;
};

class FirstProblem {
 public:
  /// Keeps `problem` if it comes before the one that is kept.
  void hold(std::exception_ptr problem, const BlockPlace& place) {
    if (is_behind(place)) return;
    problem_ = std::move(problem);
    place_ = place;
  }
  /// Whether `place` is at or behind the problem that is kept.
  bool is_behind(const BlockPlace& place) const noexcept { return place >= place_; }
  void rethrow() const {
    if (problem_) std::rethrow_exception(problem_);
  }

 private:
  std::exception_ptr problem_;
  BlockPlace place_{std::numeric_limits<std::size_t>::max(), 0};  // behind all blocks
};

}  // namespace widehash
