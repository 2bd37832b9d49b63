// From fields to codes, and from codes to CSR.

#include "criteo_batch.hpp"

#include <widehash/csr_ops.hpp>
#include <widehash/threads.hpp>

namespace widehash::bench {
namespace {

void encode(benchmark::State& state, const Schema& schema) {
  const auto rows = static_cast<std::uint64_t>(state.range(0));
  const Encoder encoder(schema);
  const FieldBinding binding = encoder.bind(encoder.field_names(), "benchmark", true);
  const ParsedCriteo parsed(rows);
  CodeBatch batch(encoder.layout());
  std::vector<EncodeIssue> issues;
  for (auto _ : state) {
    batch.clear();
    encoder.encode(parsed.rows(), binding, batch, issues);
    benchmark::DoNotOptimize(batch.codes.data());
  }
  report_rate(state, rows, parsed.text_bytes());
}
void encode_rows(benchmark::State& state) { encode(state, load_schema(criteo_schema_path)); }
BENCHMARK(encode_rows)->Apply(batch_rows);

void encode_rows_skipping_missing(benchmark::State& state) {
  Schema schema = load_schema(criteo_schema_path);
  for (Feature& feature : schema.features) feature.missing = Missing::skip;
  encode(state, schema);
}
BENCHMARK(encode_rows_skipping_missing)->Apply(batch_rows);

void encode_rows_with_own_missing(benchmark::State& state) {
  Schema schema = load_schema(criteo_schema_path);
  for (Feature& feature : schema.features) feature.missing_values = {"-1"};
  encode(state, schema);
}
BENCHMARK(encode_rows_with_own_missing)->Apply(batch_rows);

void encode_rows_with_missing_values(benchmark::State& state) {
  Schema schema = load_schema(criteo_schema_path);
  schema.missing_values = {"-1"};
  encode(state, schema);
}
BENCHMARK(encode_rows_with_missing_values)->Apply(batch_rows);

void make_csr(benchmark::State& state) {
  const auto rows = static_cast<std::uint64_t>(state.range(0));
  const CodeBatch batch = criteo_batch(rows);
  with_threads(1, [&] {
    for (auto _ : state) benchmark::DoNotOptimize(to_csr(batch.view()).columns.data());
  });
  report_rate(state, rows);
}
BENCHMARK(make_csr)->Apply(batch_rows);

}  // namespace
}  // namespace widehash::bench
