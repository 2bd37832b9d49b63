#pragma once

/// \file
/// A dataset, its tables and a model trained on it, with every command that reads them, so that tests can
/// damage a file and check what each command reports.

#include "base/temp_folder.hpp"

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace widehash::test {

/// A way of reading the world. Throws what the library throws.
struct Reader {
  std::string name;
  std::function<void()> read;
};

class World {
 public:
  /// Worlds of one schema differ only in their rows, which depend on `seed`.
  World(const std::string& toml, unsigned seed);

  std::string file(const std::string& name) const { return folder_.file(name); }
  std::string set(const std::string& name = "") const { return folder_.file("set/" + name); }
  std::string tables(const std::string& name = "") const { return folder_.file("tables/" + name); }
  std::string model() const { return folder_.file("m.model"); }

  /// The commands that read a file of the named folder, or the model.
  std::vector<Reader> readers_of_dataset() const;
  std::vector<Reader> readers_of_tables() const;
  std::vector<Reader> readers_of_model() const;

  const std::string& toml() const { return toml_; }

 private:
  TempFolder folder_;
  std::string toml_;
};

/// Every kind of slot: four-split, one-hot, exact, cross, multi-valued, numeric, bucketized, weights.
extern const char* const world_schema;
/// The same fields, read with other settings.
extern const char* const other_schema;

}  // namespace widehash::test
