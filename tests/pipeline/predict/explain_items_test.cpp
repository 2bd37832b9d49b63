// What explain() reports for multi-valued features.

#include "pipeline/training_kit.hpp"

#include <widehash/code.hpp>
#include <widehash/explain.hpp>
#include <widehash/fit.hpp>
#include <widehash/model.hpp>

#include <cmath>
#include <map>
#include <string>

namespace widehash::test {
namespace {

TEST(ExplainItems, AreReportedAsTheirRowsAre) {
  const TempFolder folder;
  // Rows have "p", "q", both or neither, regardless of the label. Rows with an empty list have the missing value.
  const std::string toml = R"(label = "y"
[[feature]]
field = "l"
cardinality = 10
separator = ","
)";
  std::string text = "y\tl\n";
  std::map<std::string, double> rows_of;
  for (int row = 0; row < 4000; ++row) {
    const bool has_p = row % 5 < 2;
    const bool has_q = row % 3 == 0;
    const std::string list = has_p && has_q ? "p,q" : has_p ? "p" : has_q ? "q" : row % 7 < 2 ? "" : "r";
    ++rows_of[list];
    text += fmt::format("{}\t{}\n", row % 2, list);
  }
  write_text_file(folder.file("lists.tsv"), text);
  run_fit(toml, {folder.file("lists.tsv")}, folder.file("list tables"));
  run_transform(toml, {folder.file("lists.tsv")}, folder.file("lists"));
  train(quick_training(folder.file("lists"), folder.file("lists.model")));
  const Model<float> model = load_model<float>(folder.file("lists.model"));
  const auto& weights = model.network.parameters().first_weights;
  const auto part_of = [&](std::string_view item) {
    const std::uint64_t hash = hash_xxh64(item);
    double sum = 0;
    for (std::uint64_t k = 0; k < 4; ++k) sum += weights[k * 8 + ((hash >> (48 - 16 * k)) & 0xFFFF) % 8];
    return sum;
  };
  // The mean over all rows, and the shares among the rows with items, taking items as independent.
  const double none = rows_of[""] / 4000;
  const auto share_of = [&](const std::string& item) {
    double rows = 0;
    for (const auto& [list, count] : rows_of) rows += list.find(item) != std::string::npos ? count : 0;
    return rows / (4000 - rows_of[""]);
  };
  double of_items = 0;
  double variance = 0;
  for (const std::string item : {"p", "q", "r"}) {
    of_items += share_of(item) * part_of(item);
    variance += share_of(item) * (1 - share_of(item)) * part_of(item) * part_of(item);
  }
  const double mean = none * part_of("") + (1 - none) * of_items;
  const auto all = explain({folder.file("lists.model"), folder.file("list tables"), 10, 1});
  ASSERT_EQ(all.size(), 1u);
  const FeatureEffects& l = all[0];
  ASSERT_EQ(l.highest.size(), 4u);
  for (const ValueEffect& value : l.highest) {
    const double expected = value.value.empty()
                                ? part_of("") - mean
                                : part_of(value.value) * (1 - share_of(value.value)) + of_items - mean;
    EXPECT_NEAR(value.effect, expected, 1e-5) << value.value;
  }
  const double squares =
      none * std::pow(part_of("") - mean, 2) + (1 - none) * (variance + std::pow(of_items - mean, 2));
  EXPECT_NEAR(*l.spread, std::sqrt(squares), 1e-5);
}

}  // namespace
}  // namespace widehash::test
