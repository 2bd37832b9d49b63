#include <widehash/checksum.hpp>
#include <widehash/error.hpp>
#include <widehash/internal/shared_text.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

#include <fmt/format.h>

namespace widehash {
namespace {

std::vector<std::uint64_t> gather_numbers(Communicator& communicator, std::uint64_t own) {
  const auto size = static_cast<std::size_t>(communicator.size());
  std::vector<std::uint64_t> all(size);
  communicator.all_gather<std::uint64_t>(std::span<const std::uint64_t>(&own, 1), even_offsets(size, size),
                                         all);
  return all;
}

}  // namespace

void share_text(Communicator& communicator, std::string& text) {
  std::uint64_t size = text.size();
  communicator.broadcast(std::span(&size, 1), 0);
  text.resize(size);
  communicator.broadcast(std::span(text), 0);
}

std::vector<std::string> gather_texts(Communicator& communicator, std::string_view own) {
  std::vector<std::size_t> offsets{0};
  for (const std::uint64_t size : gather_numbers(communicator, own.size()))
    offsets.push_back(offsets.back() + size);
  const bool is_root = communicator.rank() == 0;
  std::string whole(is_root ? offsets.back() : 0, '\0');
  if (offsets.back() > 0)
    communicator.gather<char>(std::span<const char>(own), offsets, 0, std::span<char>(whole));
  std::vector<std::string> texts;
  for (std::size_t r = 0; is_root && r + 1 < offsets.size(); ++r)
    texts.push_back(whole.substr(offsets[r], offsets[r + 1] - offsets[r]));
  return texts;
}

void require_same(Communicator& communicator, std::string_view text, std::string_view what,
                  std::string_view hint) {
  ChecksumStream sum;
  sum.add(std::as_bytes(std::span(text)));
  const std::vector<std::uint64_t> all = gather_numbers(communicator, sum.value());
  for (std::size_t rank = 1; rank < all.size(); ++rank) {
    if (all[rank] == all[0]) continue;
    throw ConfigError(fmt::format(
        "rank {} and rank 0 differ: {} must be the same for all processes of a run{}", rank, what, hint));
  }
}

}  // namespace widehash
