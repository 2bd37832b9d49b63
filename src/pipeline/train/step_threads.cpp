#include "step_threads.hpp"

#include <algorithm>

namespace widehash {
namespace {

// A piece is measured as a whole: long enough that reading ahead, which takes turns with the steps, is in it.
constexpr std::size_t fewest_steps_of_piece = 4;
constexpr double fewest_seconds_of_piece = 2e-3;
// Pieces between two trials. A lost trial costs one piece or three; the more were lost in a row, the rarer they are.
constexpr std::size_t shortest_hold = 64;
constexpr std::size_t longest_hold = 512;
// Another number must be faster than noise to be taken.
constexpr double faster_by = 0.95;
// The first piece of a trial ends it if it is so much slower.
constexpr double plainly_slower_by = 1.15;

}  // namespace

std::size_t StepThreads::begin() noexcept {
  if (next_ != count_) num_pieces_ = 0;
  count_ = next_;
  is_to_change_ = false;
  last_end_.reset();
  piece_seconds_ = 0;
  piece_rows_ = 0;
  piece_steps_ = 0;
  return count_;
}

void StepThreads::end_step(std::uint64_t rows, Time now) noexcept {
  rows_ += static_cast<double>(rows);
  thread_rows_ += static_cast<double>(rows) * static_cast<double>(count_);
  if (!tries_ || rows == 0) return;
  // The first step waited for its rows.
  if (last_end_) {
    piece_seconds_ += std::chrono::duration<double>(now - *last_end_).count();
    piece_rows_ += rows;
    ++piece_steps_;
  }
  last_end_ = now;
  if (piece_steps_ < fewest_steps_of_piece || piece_seconds_ < fewest_seconds_of_piece) return;
  paces_[num_pieces_ % pieces_of_trial] = piece_seconds_ / static_cast<double>(piece_rows_);
  ++num_pieces_;
  piece_seconds_ = 0;
  piece_rows_ = 0;
  piece_steps_ = 0;
  if (!is_to_change()) decide();
}

double StepThreads::mean() const noexcept {
  return rows_ > 0 ? thread_rows_ / rows_ : static_cast<double>(most_);
}

void StepThreads::decide() noexcept {
  if (count_ != settled_) return decide_trial();
  if (num_pieces_ < std::max(hold_, pieces_of_trial)) return;
  settled_pace_ = median_pace();
  next_ = candidate();
  is_to_change_ = true;
}

void StepThreads::decide_trial() noexcept {
  const bool is_plain = num_pieces_ == 1 && paces_[0] > plainly_slower_by * settled_pace_;
  if (num_pieces_ < pieces_of_trial && !is_plain) return;
  const bool is_won = !is_plain && median_pace() < faster_by * settled_pace_;
  if (!is_won) {
    goes_down_ = !goes_down_;
    hold_ = std::clamp(2 * hold_, shortest_hold, longest_hold);
    next_ = settled_;
    is_to_change_ = true;
    return;
  }
  // What made this number better may make the one beyond it better still.
  const bool went_down = count_ < settled_;
  settled_ = count_;
  settled_pace_ = median_pace();
  hold_ = shortest_hold;
  goes_down_ = went_down;
  num_pieces_ = 0;
  if ((candidate() < settled_) != went_down) return;
  next_ = candidate();
  is_to_change_ = true;
}

double StepThreads::median_pace() const noexcept {
  auto sorted = paces_;
  std::ranges::sort(sorted);
  return sorted[sorted.size() / 2];
}

std::size_t StepThreads::candidate() const noexcept {
  const bool down = settled_ == most_ || (goes_down_ && settled_ > 1);
  return down ? settled_ / 2 : std::min(2 * settled_, most_);
}

}  // namespace widehash
