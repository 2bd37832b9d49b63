#include "block_pipeline.hpp"

#include "buffer_pool.hpp"
#include "shared_stop.hpp"

#include <widehash/threads.hpp>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace widehash {
namespace {

struct BlockInFlight {
  InputBlock input;
  std::vector<InputEnd> ends;  // passed on the way to it
  BlockReport report;
};

}  // namespace

void for_each_block(InputBlocks& blocks, std::size_t in_flight, const StopFlag* stop, const BlockWork& work,
                    const TellNews& tell) {
  BufferPool<std::string> texts;
  ordered_pipeline<BlockInFlight>(
      in_flight,
      [&]() -> std::shared_ptr<BlockInFlight> {
        auto item = std::make_shared<BlockInFlight>();
        if (auto text = texts.take()) item->input.block.bytes = std::move(*text);
        if (stop_is_asked(stop) || !blocks.next(item->input)) return nullptr;
        // The signal may have ended a program that writes to us too: what we read then is not all that was to
        // come.
        if (stop_is_asked(stop)) return nullptr;
        item->ends = blocks.take_ends();
        return item;
      },
      [&](BlockInFlight& item) { item.report = work(item.input); },
      [&](BlockInFlight& item) {
        texts.give(std::make_unique<std::string>(std::move(item.input.block.bytes)));
        RunNews news{{}, std::move(item.ends)};
        news.blocks.push_back(std::move(item.report));
        tell(std::move(news));
      });
  tell({{}, blocks.take_ends()});
}

}  // namespace widehash
