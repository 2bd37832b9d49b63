#include "criteo_batches.hpp"

#include <widehash/encoder.hpp>
#include <widehash/internal/row_parser.hpp>

#include <charconv>
#include <cstdlib>
#include <string>
#include <string_view>

#include <criteo_shape.hpp>

namespace widehash::bench {
namespace {

constexpr std::size_t first_category = 1 + num_count_fields;

/// Calls use(rows) with the parsed rows of batch number `batch`.
template <class Use>
void with_rows(std::size_t batch, const Use& use) {
  const CriteoRows table(1);
  std::string text;
  for (std::uint64_t row = 0; row < batch_rows; ++row) table.append_row(batch * batch_rows + row, text);
  RowParser parser(Dialect{}, num_criteo_fields);
  parser.start(text);
  RowBatch rows;
  parser.next(rows, batch_rows);
  use(rows);
}

}  // namespace

Schema criteo_schema() {
  // The program may run on a machine where the sources are in another folder.
  const char* const folder = std::getenv("WIDEHASH_SOURCE_DIR");
  return load_schema(std::string(folder == nullptr ? WIDEHASH_SOURCE_DIR : folder) +
                     "/examples/schemas/criteo26.toml");
}

const CodeBatch& criteo_batch() {
  static const std::vector<CodeBatch> first = code_batches(1);
  return first.front();
}

std::vector<CodeBatch> code_batches(std::size_t count) {
  const Encoder encoder(criteo_schema());
  std::vector<CodeBatch> batches;
  for (std::size_t b = 0; b < count; ++b) {
    with_rows(b, [&](const RowBatch& rows) {
      batches.push_back(encoder.encode({rows.fields, num_criteo_fields}));
    });
  }
  return batches;
}

std::vector<RawBatch> raw_batches(std::size_t count) {
  std::vector<RawBatch> batches;
  for (std::size_t b = 0; b < count; ++b) {
    RawBatch& batch = batches.emplace_back();
    batch.columns = cuda::PinnedBuffer<std::uint32_t>(num_category_fields * batch_rows);
    with_rows(b, [&](const RowBatch& rows) {
      for (std::size_t row = 0; row < batch_rows; ++row) {
        const auto fields = std::span(rows.fields).subspan(row * num_criteo_fields, num_criteo_fields);
        batch.targets.push_back(fields[0] == "1" ? 1.0f : 0.0f);
        for (std::size_t j = 0; j < num_category_fields; ++j) {
          const std::string_view text = fields[first_category + j];
          std::uint32_t number = 0;  // a missing value is an ordinary value
          std::from_chars(text.data(), text.data() + text.size(), number, 16);
          batch.columns[j * batch_rows + row] = number;
        }
      }
    });
  }
  return batches;
}

HashedBatch::HashedBatch(const cuda::DeviceContext& context, const Schema& schema, const CodeLayout& layout)
    : encoder_(schema, layout),
      columns_(context, num_category_fields * batch_rows, "raw columns"),
      codes_(context, layout.wide_codes * batch_rows, "codes"),
      byte_codes_(context, layout.byte_codes * batch_rows, "codes"),
      scratch_(context, encoder_.scratch_bytes(batch_rows), "scratch") {
  rows_.layout = &layout;
  rows_.num_rows = batch_rows;
  rows_.device_codes = {codes_.data(), nullptr, batch_rows, byte_codes_.data(), stream_.get()};
}

const CodeBatchView& HashedBatch::fill(const RawBatch& raw) {
  cuda::copy_to_device<std::uint32_t>(raw.columns.first(columns_.size()), columns_.data(), stream_);
  std::vector<DeviceColumn> columns(num_category_fields);
  for (std::size_t j = 0; j < columns.size(); ++j) {
    columns[j].kind = DeviceValues::uint32;
    columns[j].values = columns_.data() + j * batch_rows;
  }
  encoder_.encode(columns, batch_rows, rows_.device_codes, scratch_.data());
  rows_.targets = raw.targets;
  return rows_;
}

}  // namespace widehash::bench
