// Where a DatasetWriter with a relative path puts its dataset.

#include "pipeline/memory_table.hpp"
#include "pipeline/pipeline_kit.hpp"

#include <widehash/dataset_writer.hpp>

#include <filesystem>
#include <optional>
#include <string>

namespace widehash::test {
namespace {

/// Changes the working directory, and restores it at the end of the scope.
class WorkingDirectory {
 public:
  explicit WorkingDirectory(const std::string& directory) : before_(std::filesystem::current_path()) {
    std::filesystem::current_path(directory);
  }
  ~WorkingDirectory() { std::filesystem::current_path(before_); }

 private:
  std::filesystem::path before_;
};

TEST(DatasetWriterPlaces, ARelativePathIsThatOfTheMomentWhenTheWriterIsMade) {
  const TempFolder folder;
  const Encoder encoder(parse_schema(memory_table_schema, "schema.toml"));
  const MemoryTable table(50);
  const MemoryTable few(20);
  for (const char* const folder_name : {"one", "two"})
    std::filesystem::create_directory(folder.file(folder_name));
  {
    // A dataset of the same name in the other folder, which has to stay as it is.
    DatasetWriter other(encoder, {.output_directory = folder.file("two/set")});
    for (const ColumnTable& batch : table.batches(50, 1)) other.append(batch);
    other.finish();
  }
  const WorkingDirectory in_one(folder.file("one"));
  for (const bool moves : {false, true}) {
    for (const bool finishes : {true, false}) {
      DatasetWriterOptions given;
      given.output_directory = "set";
      given.overwrite = true;
      {
        DatasetWriter writer(encoder, given);
        std::optional<WorkingDirectory> in_two;
        if (moves) in_two.emplace(folder.file("two"));
        for (const ColumnTable& batch : few.batches(10, 1)) writer.append(batch);
        if (finishes) {
          EXPECT_EQ(writer.finish().rows, 20U);
        }
      }
      EXPECT_EQ(verify_dataset(folder.file("one/set")).rows, 20U) << moves << finishes;
      EXPECT_EQ(verify_dataset(folder.file("two/set")).rows, 50U) << moves << finishes;
    }
  }
}

}  // namespace
}  // namespace widehash::test
