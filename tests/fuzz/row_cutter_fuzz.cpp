// Where rows end does not depend on the chunks in which an input arrives.
#include "claims.hpp"
#include "row_cutter.hpp"
#include "table_shape.hpp"
#include "vector_target.hpp"

#include <widehash/error.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

using namespace widehash;

namespace {

struct Cuts {
  std::vector<std::uint64_t> numbers;
  bool refused = false;
  bool operator==(const Cuts&) const = default;

  void add(const detail::RowCut& cut) { numbers.insert(numbers.end(), {cut.position, cut.lines, cut.rows}); }
};

/// If `piece_bytes` is not 0, asks for the cuts of pieces, too.
Cuts cut(std::string_view text, const fuzz::TableShape& shape, std::uint64_t block_bytes,
         std::uint64_t piece_bytes, std::string_view chunk_sizes) {
  const auto cutter = detail::make_row_cutter({.name = "input",
                                               .dialect = shape.dialect,
                                               .has_header = shape.has_header,
                                               .blank_lines_are_rows = shape.num_fields == 1,
                                               .block_bytes = block_bytes,
                                               .piece_bytes = piece_bytes});
  Cuts cuts;
  try {
    for (std::size_t at = 0, chunk = 0; at < text.size(); ++chunk) {
      const std::size_t wanted =
          chunk_sizes.empty() ? text.size()
                              : 1 + static_cast<unsigned char>(chunk_sizes[chunk % chunk_sizes.size()]);
      const std::string piece(text.substr(at, wanted));
      cutter->add(piece);
      at += piece.size();
    }
    cutter->finish();
    while (piece_bytes != 0) {
      const auto found = cutter->take_cut();
      if (!found) break;
      cuts.add(*found);
    }
    for (std::uint64_t target = block_bytes; target <= text.size() + block_bytes; target += block_bytes) {
      const detail::RowCut* const found = cutter->first_cut_from(target);
      if (found != nullptr) cuts.add(*found);
    }
    if (cutter->header_found()) {
      cuts.add(cutter->header_begin());
      cuts.add(cutter->header_end());
    }
    cuts.add(cutter->end());
  } catch (const DataError&) {
    cuts.refused = true;
  }
  return cuts;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::FuzzBytes input(data, size);
  const fuzz::TableShape shape = fuzz::take_shape(input);
  const std::uint64_t block_bytes = 1 + input.byte();
  const auto sizes = input.take<std::uint32_t>();
  fuzz::choose_vector_target(input.byte());
  const std::uint64_t piece_bytes = sizes % 256;
  const std::string_view chunks(reinterpret_cast<const char*>(&sizes), sizeof sizes);
  const Cuts whole = cut(input.rest(), shape, block_bytes, piece_bytes, {});
  fuzz::require(cut(input.rest(), shape, block_bytes, piece_bytes, chunks) == whole,
                "rows end where they end in one chunk");
  return 0;
}
