#pragma once

/// \file
/// Datasets that a small network can learn, and training on them.

#include "pipeline_kit.hpp"

#include <widehash/train.hpp>

#include <random>
#include <string>

#include <fmt/format.h>

namespace widehash::test {

inline constexpr const char* shop_schema = R"(label = "y"
[[feature]]
field = "shop"
cardinality = 400
[[feature]]
field = "tags"
separator = ","
cardinality = 20
[[feature]]
field = "price"
encoding = "numeric"
)";

/// Clicks that depend on the shop (even ones are liked) and on one tag, with some noise.
inline std::string shop_text(std::size_t rows, unsigned seed) {
  std::mt19937 random(seed);
  std::string text = "y\tshop\ttags\tprice\n";
  for (std::size_t i = 0; i < rows; ++i) {
    const auto shop = random() % 40;
    const auto tag = random() % 10;
    const bool likes = (shop % 2 == 0) != (tag == 3);
    const bool noise = random() % 10 == 0;
    text += fmt::format("{}\tshop{}\tt{},t{}\t{}\n", likes != noise ? 1 : 0, shop, tag, random() % 10,
                        static_cast<double>(random() % 100) / 100);
  }
  return text;
}

/// The same rows with every label inverted.
inline std::string opposite_text(std::size_t rows, unsigned seed) {
  std::string text = shop_text(rows, seed);
  for (std::size_t at = text.find('\n') + 1; at < text.size(); at = text.find('\n', at) + 1) {
    text[at] = text[at] == '1' ? '0' : '1';
  }
  return text;
}

/// Writes a table and encodes it to shards of about `block_bytes` of text. Returns the folder.
inline std::string make_dataset(const TempFolder& folder, const std::string& name, const std::string& toml,
                                const std::string& text, std::uint64_t block_bytes = 2000) {
  write_text_file(folder.file(name + ".tsv"), text);
  TransformOptions options;
  options.block_bytes = block_bytes;
  run_transform(toml, {folder.file(name + ".tsv")}, folder.file(name), options);
  return folder.file(name);
}

/// A training that ends soon and learns something.
inline TrainOptions quick_training(const std::string& dataset, const std::string& model) {
  TrainOptions options;
  options.datasets = {dataset};
  options.model = model;
  options.overwrite = true;
  options.batch_size = 64;
  options.epochs = 2;
  options.optimizer = default_settings(OptimizerKind::adagrad);
  options.optimizer.learning_rate = 0.1;
  return options;
}

/// Tests that train in a folder of their own.
class TrainTest : public testing::Test {
 protected:
  std::string file(const std::string& name) const { return folder_.file(name); }
  std::string data(const std::string& name, std::size_t rows, unsigned seed) {
    return make_dataset(folder_, name, shop_schema, shop_text(rows, seed));
  }

  TempFolder folder_;
};

}  // namespace widehash::test
