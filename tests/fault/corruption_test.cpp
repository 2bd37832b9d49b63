// Every way in which a file can be damaged, reported by every command that reads it: an error that names the
// file and says what to do, never a crash and never a result.

#include "base/damage.hpp"
#include "fault/damaged_world.hpp"
#include "fault/figures.hpp"
#include "pipeline/pipeline_kit.hpp"

#include <widehash/model.hpp>
#include <widehash/threads.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>

#include <fmt/format.h>

namespace widehash::test {
namespace {

namespace fs = std::filesystem;

// How many damages of each kind to try per file, unless all are tried.
constexpr std::size_t affordable_bits = 60;
constexpr std::size_t affordable_lengths = 25;
constexpr std::size_t bits_between_all_readers = 17;

struct Tried {
  std::size_t bits = 0;
  std::size_t lengths = 0;
  std::size_t others = 0;
  std::size_t readings = 0;
};

class Corruption : public testing::Test {
 protected:
  /// Calls every reader, and expects each to refuse the file by name and to say what to do.
  void expect_refused(const std::vector<Reader>& readers, const std::string& path, const std::string& harm) {
    const std::string name = fs::path(path).filename().string();
    for (const Reader& reader : readers) {
      ++tried_.readings;
      std::string message;
      try {
        reader.read();
      } catch (const Error& error) {
        message = error.what();
      } catch (const std::exception& problem) {
        ADD_FAILURE() << name << ", " << harm << ", " << reader.name << ": " << problem.what();
        continue;
      }
      ASSERT_FALSE(message.empty()) << name << ", " << harm << ": unnoticed by " << reader.name;
      ASSERT_NE(message.find(name), std::string::npos) << harm << ", " << reader.name << ": " << message;
      const bool says_what_to_do = message.find("; ") != std::string::npos || message.ends_with("?");
      ASSERT_TRUE(says_what_to_do) << harm << ", " << reader.name << ": " << message;
    }
  }

  /// Tries flipped bits, shorter and greater lengths, an empty file, a folder, and no file at all. Restores
  /// the file at the end.
  void sweep(const std::string& path, const std::vector<Reader>& readers) {
    for (const Reader& reader : readers) ASSERT_NO_THROW(reader.read()) << reader.name;
    const std::string whole = read_text_file(path);
    const std::size_t bits = whole.size() * 8;
    // The step is odd, so that a sample covers every position in a byte.
    const std::size_t bit_step = step_for(bits, affordable_bits) | 1u;
    for (std::size_t bit = 0; bit < bits && !HasFatalFailure(); bit += bit_step) {
      const std::size_t at = bit / 8;
      overwrite_byte(path, at, static_cast<char>(whole[at] ^ (1 << bit % 8)));
      // All readers share one check. If every bit is tried, one reader is asked each time, and all of them
      // now and then.
      const bool asks_all = !tries_everything() || tried_.bits % bits_between_all_readers == 0;
      expect_refused(asks_all ? readers : std::vector<Reader>{readers.front()}, path,
                     fmt::format("byte {}, bit {}", at, bit % 8));
      overwrite_byte(path, at, whole[at]);
      ++tried_.bits;
    }
    const std::size_t length_step = step_for(whole.size(), affordable_lengths);
    for (std::size_t cut = 1; cut <= whole.size() && !HasFatalFailure(); cut += length_step) {
      fs::resize_file(path, whole.size() - cut);
      const bool asks_all = !tries_everything() || tried_.lengths % bits_between_all_readers == 0;
      expect_refused(asks_all ? readers : std::vector<Reader>{readers.front()}, path,
                     fmt::format("cut by {} bytes", cut));
      ++tried_.lengths;
    }
    for (const std::size_t extra : {1, 64, 4096}) {
      for (const char fill : {'\0', ' ', '\n'}) {
        overwrite(path, whole + std::string(extra, fill));
        expect_refused(readers, path, fmt::format("{} bytes longer", extra));
        ++tried_.lengths;
      }
    }
    overwrite(path, "");
    expect_refused(readers, path, "empty");
    fs::remove(path);
    // Without a model to continue from, --resume starts anew.
    std::vector<Reader> missed = readers;
    std::erase_if(missed, [](const Reader& reader) { return reader.name == "train --resume"; });
    expect_refused(missed, path, "gone");
    fs::create_directory(path);
    expect_refused(readers, path, "a folder");
    fs::remove(path);
    tried_.others += 3;
    overwrite(path, whole);
    for (const Reader& reader : readers) ASSERT_NO_THROW(reader.read()) << reader.name;
  }

  void exchange(const std::string& path, const std::string& other, const std::vector<Reader>& readers) {
    const std::string whole = read_text_file(path);
    const std::string bytes = read_text_file(other);
    ASSERT_NE(whole, bytes);
    overwrite(path, bytes);
    expect_refused(readers, path, "exchanged with " + other);
    overwrite(path, whole);
    ++tried_.others;
  }

  void TearDown() override {
    std::cout << fmt::format(
        "{} bits flipped, {} lengths, {} files exchanged, emptied or gone: {} readings refused\n",
        tried_.bits, tried_.lengths, tried_.others, tried_.readings);
  }

  static std::vector<std::string> names_in(const std::string& folder, const std::string& ending) {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder)) {
      const std::string name = entry.path().filename().string();
      if (name.ends_with(ending)) names.push_back(name);
    }
    std::sort(names.begin(), names.end());
    return names;
  }

  static World& world() {
    static World only(world_schema, 1);
    return only;
  }
  /// A world of the same schema with other rows.
  static World& sister() {
    static World only(world_schema, 2);
    return only;
  }
  static World& stranger() {
    static World only(other_schema, 1);
    return only;
  }

  Tried tried_;
};

TEST_F(Corruption, OfAShardIsRefusedByAllWhoReadDatasets) {
  const auto shards = names_in(world().set(), ".shard");
  ASSERT_GT(shards.size(), 2u);
  for (const std::string& name : {shards.front(), shards.back()}) {
    sweep(world().set(name), world().readers_of_dataset());
    exchange(world().set(name), sister().set(name), world().readers_of_dataset());
  }
  exchange(world().set(shards[0]), world().set(shards[1]), world().readers_of_dataset());
  exchange(world().set(shards[0]), stranger().set(shards[0]), world().readers_of_dataset());
}

TEST_F(Corruption, OfAManifestIsRefusedByAllWhoReadDatasets) {
  sweep(world().set("manifest.json"), world().readers_of_dataset());
}

TEST_F(Corruption, OfASchemaIsRefusedByAllWhoReadDatasets) {
  sweep(world().set("schema.toml"), world().readers_of_dataset());
  exchange(world().set("schema.toml"), stranger().set("schema.toml"), world().readers_of_dataset());
}

// The manifest then names shards that do not exist, so the error reports these.
TEST_F(Corruption, OfExchangedManifestsIsFoundByTheShards) {
  const std::string path = world().set("manifest.json");
  const std::string whole = read_text_file(path);
  overwrite(path, read_text_file(sister().set("manifest.json")));
  for (const Reader& reader : world().readers_of_dataset()) EXPECT_THROW(reader.read(), Error) << reader.name;
  overwrite(path, read_text_file(stranger().set("manifest.json")));
  for (const Reader& reader : world().readers_of_dataset()) EXPECT_THROW(reader.read(), Error) << reader.name;
  overwrite(path, whole);
}

TEST_F(Corruption, OfATableIsRefusedByAllWhoReadTables) {
  const auto tables = names_in(world().tables(), ".table");
  ASSERT_EQ(tables.size(), 5u);
  for (const std::string& name : tables) {
    sweep(world().tables(name), world().readers_of_tables());
    exchange(world().tables(name), sister().tables(name), world().readers_of_tables());
  }
}

TEST_F(Corruption, OfTheListOfTablesIsRefused) {
  sweep(world().tables("tables.json"), world().readers_of_tables());
}

// An exact feature takes its columns from the table's counts.
TEST_F(Corruption, OfAnExactTableKeepsTransformFromEncoding) {
  const auto encode = [&] {
    TransformOptions options;
    options.tables_directory = world().tables();
    const TempFolder folder;
    run_transform(world().toml(), {world().file("rows.tsv")}, folder.file("set"), options);
  };
  for (const std::string& name : names_in(world().tables(), ".table")) {
    if (name.find("device") != std::string::npos && name.find("both") == std::string::npos)
      sweep(world().tables(name), {{"transform", encode}});
  }
}

TEST_F(Corruption, OfAModelIsRefusedByAllWhoReadModels) {
  sweep(world().model(), world().readers_of_model());
}

TEST_F(Corruption, OfAnExchangedModelIsFoundWhereItsColumnsDiffer) {
  const std::string whole = read_text_file(world().model());
  overwrite(world().model(), read_text_file(stranger().model()));
  for (const Reader& reader : world().readers_of_model()) {
    if (reader.name != "verify") {
      EXPECT_THROW(reader.read(), Error) << reader.name;
    }
  }
  overwrite(world().model(), whole);
}

/// A transform that was stopped after a few blocks.
class JournalCorruption : public Corruption {
 protected:
  JournalCorruption() {
    options_.inputs = {world().file("rows.tsv")};
    options_.tables_directory = world().tables();
    options_.block_bytes = 300;
    options_.output_directory = folder_.file("whole");
    transform(source(world_schema), options_);
    whole_ = folder_bytes(options_.output_directory);
    options_.output_directory = folder_.file("stopped");
    StopFlag stop = false;
    options_.stop = &stop;
    std::size_t blocks = 0;
    with_threads(1, [&] {
      EXPECT_THROW(transform(source(world_schema), options_, [&](const Progress&) { stop = ++blocks == 4; }),
                   Stopped);
    });
    options_.stop = nullptr;
    stopped_ = folder_bytes(options_.output_directory);
  }

  /// Restores the stopped run with `name` changed, and continues it.
  void expect_whole(const std::string& name, const std::string& bytes, const std::string& harm) {
    fs::remove_all(options_.output_directory);
    fs::create_directories(options_.output_directory);
    for (const auto& [file, content] : stopped_) {
      overwrite(options_.output_directory + "/" + file, file == name ? bytes : content);
    }
    ++tried_.readings;
    try {
      transform(source(world_schema), options_);
    } catch (const ConfigError& error) {
      // The first line says what the run is. If it is damaged, it is that of another run.
      ASSERT_EQ(name, "progress.jsonl") << error.what();
      ASSERT_NE(std::string(error.what()).find("--overwrite"), std::string::npos) << error.what();
      return;
    }
    ASSERT_EQ(difference(folder_bytes(options_.output_directory), whole_), "") << name << ", " << harm;
  }

  TempFolder folder_;
  TransformOptions options_;
  std::map<std::string, std::string> whole_;
  std::map<std::string, std::string> stopped_;
};

TEST_F(JournalCorruption, NeverChangesWhatTheRunEndsWith) {
  ASSERT_TRUE(stopped_.contains("progress.jsonl"));
  const std::string journal = stopped_.at("progress.jsonl");
  const std::size_t step = step_for(journal.size() * 8, 80) | 1u;
  for (std::size_t bit = 0; bit < journal.size() * 8 && !HasFatalFailure(); bit += step) {
    std::string bytes = journal;
    bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << bit % 8));
    expect_whole("progress.jsonl", bytes, fmt::format("bit {}", bit));
    ++tried_.bits;
  }
  for (std::size_t length = 0; length <= journal.size(); length += step_for(journal.size(), 40)) {
    expect_whole("progress.jsonl", journal.substr(0, length), fmt::format("cut to {}", length));
    ++tried_.lengths;
  }
  expect_whole("progress.jsonl", journal + journal, "twice");
}

TEST_F(JournalCorruption, OfAFinishedShardIsRepaired) {
  for (const auto& [name, bytes] : stopped_) {
    if (!name.ends_with(".shard")) continue;
    const std::size_t step = step_for(bytes.size() * 8, 15) | 1u;
    for (std::size_t bit = 0; bit < bytes.size() * 8 && !HasFatalFailure(); bit += step) {
      std::string harmed = bytes;
      harmed[bit / 8] = static_cast<char>(harmed[bit / 8] ^ (1 << bit % 8));
      expect_whole(name, harmed, fmt::format("bit {}", bit));
      ++tried_.bits;
    }
    expect_whole(name, "", "empty");
    expect_whole(name, bytes.substr(0, bytes.size() / 2), "half");
  }
}

}  // namespace
}  // namespace widehash::test
