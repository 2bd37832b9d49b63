#include "input_blocks.hpp"

namespace widehash {

InputBlocks::InputBlocks(const RunInputs& run, std::size_t input)
    : run_(run), input_(input), reader_(run, run.inputs[input]) {}

bool InputBlocks::is_dealt(std::uint64_t block) const noexcept {
  return run_.share.has(input_, reader_.start().dealt_by_block ? block : 0);
}

bool InputBlocks::next(InputBlock& out) {
  if (!reader_.start().dealt_by_block && !is_dealt(0)) return false;
  std::uint64_t before = 0;
  do {
    before = position_;
    const bool is_block = reader_.next(out.block);
    position_ = reader_.position();
    if (!is_block) return false;
    ++num_blocks_;
  } while (!is_dealt(num_blocks_ - 1));
  out.input = input_;
  out.binding = reader_.start().binding;
  out.header_lines = reader_.start().header_lines;
  out.disk_bytes = position_ - before;
  return true;
}

std::optional<InputEnd> InputBlocks::end() const noexcept {
  if (!run_.share.has(input_, 0)) return std::nullopt;
  return InputEnd{input_, num_blocks_};
}

}  // namespace widehash
