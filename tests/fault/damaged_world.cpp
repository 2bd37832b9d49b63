#include "fault/damaged_world.hpp"

#include "pipeline/training_kit.hpp"

#include <widehash/audit.hpp>
#include <widehash/evaluate.hpp>
#include <widehash/explain.hpp>
#include <widehash/export.hpp>
#include <widehash/model.hpp>
#include <widehash/predict.hpp>

#include <fmt/format.h>

namespace widehash::test {

const char* const world_schema = R"(version = 1
label = { field = "click", positive = ["1"], negative = ["0"] }
weight = "worth"
[[feature]]
field = "user"
cardinality = 1000
[[feature]]
field = "shop"
encoding = "one_hot"
buckets = 19
[[feature]]
field = "device"
encoding = "exact"
cardinality = 30
min_count = 2
[[feature]]
cross = ["shop", "device"]
name = "both"
cardinality = 90
[[feature]]
field = "tags"
separator = ","
cardinality = 50
[[feature]]
field = "price"
encoding = "numeric"
transform = "standardize"
[[feature]]
field = "price"
name = "price range"
encoding = "numeric"
transform = "bucketize"
boundaries = [10, 100]
)";

const char* const other_schema = R"(version = 1
label = { field = "click", positive = ["1"], negative = ["0"] }
[[feature]]
field = "user"
cardinality = 900
[[feature]]
field = "device"
encoding = "exact"
cardinality = 30
)";

namespace {

constexpr std::size_t num_rows = 60;

std::string world_text(unsigned seed) {
  std::mt19937 random(seed);
  std::string text = "click\tworth\tuser\tshop\tdevice\ttags\tprice\n";
  for (std::size_t i = 0; i < num_rows; ++i) {
    text +=
        fmt::format("{}\t{}\tuser{}\ts{}\td{}\tt{},t{}\t{}\n", random() % 2, 1 + random() % 3, random() % 40,
                    random() % 9, random() % 6, random() % 12, random() % 12, random() % 300);
  }
  return text;
}

}  // namespace

World::World(const std::string& toml, unsigned seed) : toml_(toml) {
  write_text_file(file("rows.tsv"), world_text(seed));
  run_fit(toml, {file("rows.tsv")}, tables());
  TransformOptions options;
  options.tables_directory = tables();
  options.block_bytes = 600;
  run_transform(toml, {file("rows.tsv")}, set(), options);
  TrainOptions training = quick_training(set(), model());
  training.hidden = "3";
  training.epochs = 1;
  train(training);
}

std::vector<Reader> World::readers_of_dataset() const {
  return {
      {"verify", [this] { verify_dataset(set()); }},
      {"train", [this] { train(quick_training(set(), file("again.model"))); }},
      {"evaluate", [this] { evaluate(model(), {set()}); }},
      {"predict",
       [this] {
         predict({model(), {set()}, {}}, [](std::span<const float>) {});
       }},
      {"export", [this] { export_libsvm(Dataset(set()), [](std::string_view) {}); }},
      {"export npz", [this] { export_npz(Dataset(set()), file("again.npz")); }},
  };
}

std::vector<Reader> World::readers_of_tables() const {
  return {
      {"verify", [this] { verify_tables(load_table_set(tables())); }},
      {"audit",
       [this] {
         const TableSet all = load_table_set(tables());
         for (std::size_t i = 0; i < all.items.size(); ++i) {
           if (!all.items[i].file.empty()) audit_table(open_table(all, i), default_memory_bytes);
         }
       }},
      {"explain",
       [this] {
         explain({model(), tables()});
       }},
  };
}

std::vector<Reader> World::readers_of_model() const {
  return {
      {"verify", [this] { verify_model(model()); }},
      {"evaluate", [this] { evaluate(model(), {set()}); }},
      {"predict",
       [this] {
         predict({model(), {file("rows.tsv")}, tables()}, [](std::span<const float>) {});
       }},
      {"explain",
       [this] {
         explain({model(), tables()});
       }},
      {"train --resume",
       [this] {
         TrainOptions options = quick_training(set(), model());
         options.hidden = "3";
         options.epochs = 1;
         options.resume = true;
         train(options);
       }},
  };
}

}  // namespace widehash::test
