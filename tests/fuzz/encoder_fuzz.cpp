// Rows of any bytes get the columns that the contract states, computed here one value at a time and with divisions.
#include "claims.hpp"
#include "encode/target_parser.hpp"
#include "fuzz_bytes.hpp"
#include "vector_target.hpp"

#include <widehash/code.hpp>
#include <widehash/csr_ops.hpp>
#include <widehash/encoder.hpp>

#include <cmath>
#include <map>
#include <string>
#include <string_view>
#include <vector>

using namespace widehash;

namespace {

constexpr const char* schema_text = R"(missing_values = ["NA"]
[[feature]]
field = "a"
cardinality = 1000
[[feature]]
field = "b"
encoding = "one_hot"
buckets = 17
missing = "skip"
[[feature]]
cross = ["a", "b"]
cardinality = 1000000
[[feature]]
field = "c"
separator = "|"
cardinality = 100
missing = "skip"
[[feature]]
field = "d"
encoding = "numeric"
[[feature]]
field = "e"
cardinality = 4294967296
missing = "skip"
)";
constexpr std::size_t num_fields = 5;
constexpr std::uint64_t offset_b = 4 * 32;
constexpr std::uint64_t offset_cross = offset_b + 17;
constexpr std::uint64_t offset_c = offset_cross + 4 * 1000;
constexpr std::uint64_t offset_d = offset_c + 4 * 10;
constexpr std::uint64_t offset_e = offset_d + 1;

using Row = std::map<SparseIndex, float>;

std::string_view known(std::string_view value) { return value == "NA" ? std::string_view() : value; }

void add_four_split(Row& row, std::string_view value, std::uint64_t width, std::uint64_t offset) {
  const std::uint64_t hash = hash_xxh64(value);
  for (std::uint64_t k = 0; k < 4; ++k) {
    const std::uint64_t split = (hash >> (48 - 16 * k)) % 65536;
    row[static_cast<SparseIndex>(offset + k * width + split % width)] += 1;
  }
}

std::string crossed(std::string_view first, std::string_view second) {
  std::string value;
  for (const std::string_view part : {first, second}) {
    for (int byte = 0; byte < 4; ++byte) value += static_cast<char>((part.size() >> (8 * byte)) & 0xFF);
    value += part;
  }
  return value;
}

/// Returns false if the row has a number that is none.
bool encode_plainly(const std::string_view* values, Row& row) {
  const std::string_view a = known(values[0]);
  const std::string_view b = known(values[1]);
  add_four_split(row, a, 32, 0);
  if (!b.empty()) row[static_cast<SparseIndex>(offset_b + hash_xxh64(b) % 17)] += 1;
  add_four_split(row, crossed(a, b), 1000, offset_cross);
  for (std::size_t begin = 0; begin <= values[2].size();) {
    const std::size_t end = std::min(values[2].find('|', begin), values[2].size());
    const std::string_view item = known(values[2].substr(begin, end - begin));
    if (!item.empty()) add_four_split(row, item, 10, offset_c);
    begin = end + 1;
  }
  if (const std::string_view d = known(values[3]); !d.empty()) {
    const auto number = parse_number(d);
    if (!number || std::abs(*number) > std::numeric_limits<float>::max()) return false;
    if (static_cast<float>(*number) != 0) row[offset_d] = static_cast<float>(*number);
  }
  if (const std::string_view e = known(values[4]); !e.empty()) add_four_split(row, e, 65536, offset_e);
  return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Encoder encoder(parse_schema(schema_text, "schema.toml"));
  static const FieldBinding binding = encoder.bind(encoder.field_names(), "rows", true);
  fuzz::FuzzBytes input(data, size);
  fuzz::choose_vector_target(input.byte());
  const std::string text(input.rest());
  std::vector<std::string_view> values;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('\t', begin), text.size());
    values.push_back(std::string_view(text).substr(begin, end - begin));
    begin = end + 1;
  }
  while (values.size() % num_fields != 0) values.emplace_back();

  CodeBatch batch(encoder.layout());
  std::vector<EncodeIssue> issues;
  encoder.encode({values, num_fields}, binding, batch, issues);
  const Csr x = to_csr(batch.view());
  std::size_t good = 0;
  std::size_t bad = 0;
  for (std::size_t at = 0; at < values.size(); at += num_fields) {
    Row expected;
    if (!encode_plainly(&values[at], expected)) {
      fuzz::require(bad < issues.size() && issues[bad++].row == at / num_fields, "a bad number is told");
      continue;
    }
    fuzz::require(good < batch.num_rows(), "no row is left out");
    Row seen;
    for (SparseIndex i = x.row_offsets[good]; i < x.row_offsets[good + 1]; ++i) {
      seen[x.columns[static_cast<std::size_t>(i)]] += x.values[static_cast<std::size_t>(i)];
    }
    fuzz::require(seen == expected, "a row has the columns of the contract");
    ++good;
  }
  fuzz::require(good == batch.num_rows() && bad == issues.size(), "there are no more rows");
  return 0;
}
