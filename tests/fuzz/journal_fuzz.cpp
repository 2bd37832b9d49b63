// A journal with any text after its first line gives the entries before the first one that cannot be read,
// and the same entries when it is opened again.
#include "claims.hpp"
#include "fuzz_bytes.hpp"
#include "sparse/sample.hpp"
#include "transform/transform_journal.hpp"

#include <widehash/error.hpp>
#include <widehash/internal/file.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

using namespace widehash;

namespace {

/// The folder of a run that was killed, with one shard.
class KilledRun {
 public:
  KilledRun() {
    char pattern[] = "/dev/shm/widehash-fuzz-XXXXXX";
    fuzz::require(::mkdtemp(pattern) != nullptr, "a folder can be made in /dev/shm");
    folder_ = pattern;
    const test::Sample sample = test::every_kind_sample(2, 1);
    const CodeLayout layout = test::layout_of(*sample.layout, identity_.fingerprint);
    write_shard(test::as_of(sample.batch.view(), layout), folder_, "part-00000-000000.shard");
    { const TransformJournal begun(folder_, identity_); }
    first_line_ = read_text_file(TransformJournal::path_in(folder_));
  }
  ~KilledRun() { std::filesystem::remove_all(folder_); }

  std::vector<BlockReport> read() const {
    const TransformJournal journal(folder_, identity_);
    std::vector<BlockReport> entries = journal.entries();
    for (BlockReport& entry : entries)
      entry.rejected = journal.rejected_rows(entry.counts.input, entry.block);
    return entries;
  }
  void write(std::string_view text) const {
    std::ofstream(TransformJournal::path_in(folder_), std::ios::binary | std::ios::trunc)
        << first_line_ << text;
  }

 private:
  std::string folder_;
  std::string first_line_;
  TransformIdentity identity_{.fingerprint = {"s", "t"},
                              .block_bytes = 1 << 20,
                              .inputs = {{.path = "in.tsv", .size_bytes = 1234, .sample = 99}}};
};

bool equal(const BlockReport& a, const BlockReport& b) { return to_line(a) == to_line(b); }

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const KilledRun run;
  run.write({reinterpret_cast<const char*>(data), size});
  const auto entries = run.read();
  const auto again = run.read();
  fuzz::require(std::equal(entries.begin(), entries.end(), again.begin(), again.end(), equal),
                "a journal that was carried on reads back");
  return 0;
}
