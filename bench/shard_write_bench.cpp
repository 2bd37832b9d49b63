// Writing and verifying a shard, including checksums, fsync and rename, in the folder for temporary files.

#include "criteo_batch.hpp"

#include <widehash/shard.hpp>

#include <filesystem>

namespace widehash::bench {
namespace {

class ScratchFolder {
 public:
  ScratchFolder() : path_(std::filesystem::temp_directory_path() / "widehash-shard-write-bench") {
    std::filesystem::create_directories(path_);
  }
  ~ScratchFolder() { std::filesystem::remove_all(path_); }
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

void write_one_shard(benchmark::State& state) {
  const auto rows = static_cast<std::uint64_t>(state.range(0));
  const CodeBatch batch = criteo_batch(rows);
  const ScratchFolder folder;
  std::uint64_t bytes = 0;
  for (auto _ : state) bytes = write_shard(batch.view(), folder.path(), "part.shard").bytes;
  report_rate(state, rows, bytes);
}
BENCHMARK(write_one_shard)->Apply(batch_rows);

void verify_one_shard(benchmark::State& state) {
  const auto rows = static_cast<std::uint64_t>(state.range(0));
  const CodeBatch batch = criteo_batch(rows);
  const ScratchFolder folder;
  const ManifestShard shard = write_shard(batch.view(), folder.path(), "part.shard");
  for (auto _ : state) {
    benchmark::DoNotOptimize(Shard(folder.path(), shard, batch.shared_layout(), true).view().num_rows);
  }
  report_rate(state, rows, shard.bytes);
}
BENCHMARK(verify_one_shard)->Apply(batch_rows);

}  // namespace
}  // namespace widehash::bench
