// The inner loop of an ETL job: turns batches of strings in memory into sparse matrices, on several threads and
// without files.
//
// One Encoder is made from a schema and shared. It is immutable, so no thread needs a lock. All matrices are
// made with 1, 2, 3 and 8 threads. Their checksum must be the same each time; the exit code says whether it was.

#include <widehash/checksum.hpp>
#include <widehash/csr_ops.hpp>
#include <widehash/encoder.hpp>
#include <widehash/error.hpp>
#include <widehash/schema.hpp>

#include <array>
#include <cstdint>
#include <iostream>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace {

constexpr std::size_t num_batches = 24;
constexpr std::size_t rows_per_batch = 1000;
constexpr std::size_t num_fields = 3;

constexpr const char* schema_text = R"(
[[feature]]
field = "user"
cardinality = 50_000

[[feature]]
field = "country"
cardinality = 200

[[feature]]
field = "tags"
cardinality = 1_000
separator = "|"
)";

/// What an upstream system would hand over: the values of batch `number`, row by row.
std::vector<std::string> make_rows(std::size_t number) {
  std::vector<std::string> values;
  values.reserve(rows_per_batch * num_fields);
  for (std::size_t row = 0; row < rows_per_batch; ++row) {
    const std::size_t id = number * rows_per_batch + row;
    values.push_back("user-" + std::to_string(id * 7919 % 50'000));
    values.push_back(id % 11 == 0 ? "" : "country-" + std::to_string(id % 200));
    values.push_back("tag" + std::to_string(id % 31) + "|tag" + std::to_string(id % 17));
  }
  return values;
}

/// Encodes one batch and returns the checksum of its matrix. Called from many threads with one encoder.
std::uint64_t encode_batch(const widehash::Encoder& encoder, std::size_t number) {
  const std::vector<std::string> values = make_rows(number);
  const std::vector<std::string_view> views(values.begin(), values.end());
  const widehash::CodeBatch batch = encoder.encode({.values = views, .num_fields = num_fields});
  const widehash::Csr matrix = widehash::to_csr(batch.view());

  widehash::ChecksumStream sum;
  sum.add(std::as_bytes(std::span(matrix.row_offsets)));
  sum.add(std::as_bytes(std::span(matrix.columns)));
  sum.add(std::as_bytes(std::span(matrix.values)));
  return sum.value();
}

/// Thread t takes batches t, t + num_threads, ...; the checksums are combined in batch order.
std::uint64_t encode_all(const widehash::Encoder& encoder, std::size_t num_threads) {
  std::array<std::uint64_t, num_batches> sums{};
  {
    std::vector<std::jthread> threads;
    for (std::size_t thread = 0; thread < num_threads; ++thread) {
      threads.emplace_back([&, thread] {
        for (std::size_t b = thread; b < num_batches; b += num_threads) sums[b] = encode_batch(encoder, b);
      });
    }
  }
  return widehash::checksum(std::as_bytes(std::span(sums)));
}

}  // namespace

int main() {
  try {
    const widehash::Encoder encoder(widehash::parse_schema(schema_text, "the schema in main.cpp"));
    const std::uint64_t expected = encode_all(encoder, 1);
    bool same = true;
    for (const std::size_t num_threads : {1, 2, 3, 8}) {
      const std::uint64_t sum = encode_all(encoder, num_threads);
      std::cout << num_batches * rows_per_batch << " rows, " << num_threads
                << " threads: " << widehash::to_hex(sum) << '\n';
      same = same && sum == expected;
    }
    return same ? 0 : 1;
  } catch (const widehash::Error& error) {
    std::cerr << "etl: " << error.what() << '\n';
    return 1;
  }
}
