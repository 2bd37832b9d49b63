#include "input_blocks.hpp"

#include <widehash/threads.hpp>

#include <algorithm>
#include <utility>

namespace widehash {
namespace {

// More inputs at a time would seldom find as many threads to encode what they give.
constexpr std::size_t most_inputs_ahead = 3;
// One that is being read and one that waits.
constexpr std::size_t fewest_blocks_ahead = 2;

// Inputs to read beyond the one whose turn it is. One thread or two have enough to do with that one. A stream
// may give nothing for ever, and a run that fails must not wait for it.
std::size_t inputs_to_read_ahead(const std::vector<Input>& inputs, std::size_t blocks) noexcept {
  const std::size_t threads = current_threads();
  const std::size_t num_inputs = inputs.size();
  if (threads < 3 || num_inputs < 2) return 0;
  if (std::any_of(inputs.begin(), inputs.end(), [](const Input& input) { return input.is_stream; })) return 0;
  const std::size_t fitting = blocks / fewest_blocks_ahead;
  return fitting < 2 ? 0 : std::min({num_inputs - 1, threads - 2, fitting - 1, most_inputs_ahead});
}

}  // namespace

InputBlocks::InputBlocks(const Schema& schema, const RowRules& rules, std::vector<Input> inputs,
                         std::uint64_t block_bytes, bool needs_label, std::uint64_t ahead_bytes,
                         RankShare share)
    : schema_(schema),
      rules_(rules),
      inputs_(std::move(inputs)),
      block_bytes_(block_bytes),
      needs_label_(needs_label),
      share_(share),
      // Several ranks decompress several inputs as it is.
      inputs_ahead_(share.size > 1 ? 0 : inputs_to_read_ahead(inputs_, ahead_bytes / block_bytes)),
      blocks_ahead_(ahead_bytes / block_bytes / (inputs_ahead_ + 1)) {}

InputReader InputBlocks::open(std::size_t input) const {
  return {schema_, rules_, inputs_[input], block_bytes_, needs_label_};
}

void InputBlocks::open_next() {
  if (inputs_ahead_ == 0) {
    reader_ = std::make_unique<InputReader>(open(current_));
    start_ = &reader_->start();
  } else {
    while (num_started_ < std::min(inputs_.size(), current_ + 1 + inputs_ahead_)) {
      const std::size_t input = num_started_++;
      ahead_.push_back(
          std::make_unique<InputAhead>([this, input] { return open(input); }, blocks_ahead_ - 1));
    }
    start_ = &ahead_.front()->start();
  }
  num_blocks_ = position_ = 0;
}

bool InputBlocks::read_next(Block& block, std::uint64_t& position) {
  const bool is_block = reader_ != nullptr ? reader_->next(block) : ahead_.front()->next(block);
  position = reader_ != nullptr ? reader_->position() : ahead_.front()->position();
  return is_block;
}

void InputBlocks::finish_input(bool is_own) {
  if (is_own) ends_.push_back({current_, num_blocks_});
  start_ = nullptr;
  reader_.reset();
  if (!ahead_.empty()) ahead_.pop_front();
  ++current_;
}

bool InputBlocks::next(InputBlock& out) {
  while (current_ < inputs_.size()) {
    if (start_ == nullptr) {
      open_next();
      if (!start_->dealt_by_block && inputs_dealt_++ % share_.size != share_.rank) {
        finish_input(false);
        continue;
      }
    }
    const std::uint64_t before = position_;
    if (!read_next(out.block, position_)) {
      finish_input(!start_->dealt_by_block || share_.rank == 0);
      continue;
    }
    ++num_blocks_;
    if (start_->dealt_by_block && blocks_dealt_++ % share_.size != share_.rank) continue;
    out.input = current_;
    out.binding = start_->binding;
    out.header_lines = start_->header_lines;
    out.disk_bytes = position_ - before;
    return true;
  }
  return false;
}

}  // namespace widehash
