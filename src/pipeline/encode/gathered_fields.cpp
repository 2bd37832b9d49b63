#include "gathered_fields.hpp"

namespace widehash {
namespace {

// Readers of PlacedFields may read this many places past the last one.
constexpr std::size_t places_slack = 8;

}  // namespace

PlacedFields GatheredFields::gather(const PlacedRows& rows, std::span<const std::size_t> sources,
                                    std::span<const std::size_t> fields) {
  const std::size_t num_places = sources.size() * fields.size();
  before_.resize(num_places + places_slack);
  ends_.resize(num_places + places_slack);
  std::uint32_t* before = before_.data();
  std::uint32_t* end = ends_.data();
  for (const std::size_t source : sources) {
    const std::uint32_t* const row_before = rows.before + source * rows.stride;
    const std::uint32_t* const row_ends = rows.ends + source * rows.stride;
    for (const std::size_t field : fields) {
      const bool is_there = field != no_field;
      *before = row_before[is_there ? field : 0];
      *end++ = is_there ? row_ends[field] : *before + 1;
      ++before;
    }
  }
  return {.text = rows.text,
          .before = before_.data(),
          .ends = ends_.data(),
          .num_fields = fields.size(),
          .num_rows = sources.size(),
          .stride = fields.size()};
}

}  // namespace widehash
