// Writes the seeds of targets whose files only the library can make: fuzz_seeds FOLDER, with FOLDER
// tests/fuzz/seeds. To be run where a format changes; what is there under other names is left alone.
#include "hashing/make_table.hpp"
#include "sealed_file.hpp"
#include "sparse/sample.hpp"
#include "transform/transform_journal.hpp"

#include <widehash/internal/file.hpp>
#include <widehash/model.hpp>

#include <filesystem>
#include <string>

using namespace widehash;
namespace fs = std::filesystem;

namespace {

void put(const std::string& folder, const std::string& name, const std::string& bytes) {
  make_directories(folder);
  write_text_file(folder + "/" + name, bytes);
}

void write_shards(const std::string& seeds, const std::string& work, CodeBytes code_bytes,
                  const std::string& kind) {
  const CodeLayout layout = test::layout_of(*test::every_kind_sample(0, 1, code_bytes).layout, {"s", "t"});
  for (const std::size_t num_rows : {0u, 1u, 3u}) {
    const auto sample = test::every_kind_sample(num_rows, 1, code_bytes);
    write_shard(test::as_of(sample.batch.view(), layout), work, "seed.shard");
    const std::string name = kind + "-" + std::to_string(num_rows);
    put(seeds + "/shard", name, fuzz::input_of(SectionFile(work + "/seed.shard", "shard")));
    if (num_rows == 1 && kind == "rows")
      put(seeds + "/section_file", "whole", "\x01" + read_text_file(work + "/seed.shard"));
  }
}

void write_tables(const std::string& seeds, const std::string& work) {
  const testing::Counts values{{"", 2}, {"a", 1}, {"some value", 5}};
  for (const HashKind hash : {HashKind::xxh64, HashKind::xxh3_128}) {
    for (const Encoding encoding : {Encoding::four_split, Encoding::one_hot}) {
      const auto schema = testing::schema_of({testing::hashed_feature("shop", 100, encoding)}, hash);
      const LookupTable table = testing::make_table(work, schema, values);
      put(seeds + "/lookup_table", std::string(to_string(hash)) + "-" + to_string(encoding),
          fuzz::input_of(table.file()));
      put(seeds + "/manifest", "tables-" + std::string(to_string(hash)),
          "\x02" + read_text_file(work + "/tables.json"));
    }
  }
}

void write_models(const std::string& seeds, const std::string& work) {
  for (const OptimizerKind kind : {OptimizerKind::ftrl, OptimizerKind::adam, OptimizerKind::sgd}) {
    for (const bool is_deep : {false, true}) {
      Architecture architecture;
      architecture.num_columns = 6;
      if (is_deep) architecture.hidden = {3, 2};
      Network<float> network(architecture);
      Optimizer<float> optimizer(default_settings(kind), network.parameters());
      const std::string path = work + "/seed.model";
      save_model<float>(
          path, {{std::move(network), {}, {"# schema\n", "s", "t", {0}, 0}}, std::move(optimizer), {}});
      put(seeds + "/model", std::string(to_string(kind)) + (is_deep ? "-deep" : "-wide"),
          fuzz::input_of(SectionFile(path, "model")));
    }
  }
}

void write_manifests(const std::string& seeds, const std::string& work) {
  const auto sample = test::every_kind_sample(5, 1);
  test::write_dataset(test::every_kind_schema(), test::every_kind_heads(), sample.batch.view(), 3, work);
  const std::string text = read_text_file(work + "/manifest.json");
  put(seeds + "/manifest", "whole", "\x01" + text);
  put(seeds + "/manifest", "sealed", std::string(1, '\0') + text);
  put(seeds + "/schema", "every-kind", to_toml(test::every_kind_schema()));
}

void write_journal(const std::string& seeds, const std::string& work) {
  const TransformIdentity identity{
      {"s", "t"}, 1 << 20, {{.path = "in.tsv", .size_bytes = 1234, .sample = 99}}};
  const std::string path = TransformJournal::path_in(work);
  TransformJournal journal(work, identity);
  const std::size_t first_line = read_text_file(path).size();
  // The shard that the target finds in its folder.
  const test::Sample sample = test::every_kind_sample(2, 1);
  const CodeLayout layout = test::layout_of(*sample.layout, identity.fingerprint);
  const ManifestShard shard =
      write_shard(test::as_of(sample.batch.view(), layout), work, "part-00000-000000.shard");
  BlockReport good;
  good.counts = {0, 1, 2, 2, 2};
  good.text_checksum = 7;
  good.shard = shard;
  journal.append(good);
  BlockReport bad;
  bad.block = 1;
  bad.counts = {0, 1, 1, 1, 1};
  bad.text_checksum = 8;
  bad.rejected = {{.file = "in.tsv", .line = 0, .reason = "2 fields", .text = "a\tb"}};
  journal.append(bad);
  put(seeds + "/journal", "two-blocks", read_text_file(path).substr(first_line));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const std::string seeds = argv[1];
  const std::string work = (fs::temp_directory_path() / "widehash-seeds").string();
  fs::remove_all(work);
  make_directories(work);
  write_shards(seeds, work, CodeBytes::least_in_runs, "rows");
  write_shards(seeds, work, CodeBytes::least, "rows-of-columns");
  write_tables(seeds, work);
  write_models(seeds, work);
  write_manifests(seeds, work);
  write_journal(seeds, work);
  fs::remove_all(work);
  return 0;
}
