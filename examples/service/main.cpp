// The life of a model in one program: turns rows in memory into a dataset, trains a network on it, evaluates the
// network on rows that it has not seen, then answers requests and explains the answers. Ctrl-C ends the training
// at a safe point.
//
//     service WORK_FOLDER        an empty folder, for the dataset and the model

#include <widehash/column_table.hpp>
#include <widehash/dataset_writer.hpp>
#include <widehash/encoder.hpp>
#include <widehash/error.hpp>
#include <widehash/predictor.hpp>
#include <widehash/schema.hpp>
#include <widehash/stop.hpp>
#include <widehash/table_evaluator.hpp>
#include <widehash/train.hpp>
#include <widehash/train_choices.hpp>

#include <csignal>
#include <cstdint>
#include <iostream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace {

constexpr const char* schema_text = R"(
label = "bought"

[[feature]]
field = "user"
cardinality = 2_000

[[feature]]
field = "shop"
cardinality = 40

[[feature]]
field = "price"
encoding = "numeric"
)";

widehash::StopFlag stop_flag = false;

/// What an upstream system would hand over. The views refer to the texts, and the table to the views.
struct Rows {
  std::vector<std::string> users;
  std::vector<std::string> shops;
  std::vector<float> prices;
  std::vector<std::int8_t> bought;
  std::vector<std::string_view> user_views;
  std::vector<std::string_view> shop_views;
  widehash::ColumnTable table;
};

/// Some shops sell more than others, and expensive things are bought less.
Rows make_rows(std::size_t count, std::uint32_t seed) {
  Rows rows;
  std::uint32_t random = seed;
  const auto next = [&random](std::uint32_t below) {
    random = random * 1664525 + 1013904223;
    return (random >> 8) % below;
  };
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t shop = next(40);
    const std::uint32_t price = next(100);
    rows.users.push_back("user-" + std::to_string(next(2000)));
    rows.shops.push_back("shop-" + std::to_string(shop));
    rows.prices.push_back(static_cast<float>(price) / 100);
    rows.bought.push_back(next(100) < 20 + 2 * (shop % 20) + (100 - price) / 3 ? 1 : 0);
  }
  rows.user_views.assign(rows.users.begin(), rows.users.end());
  rows.shop_views.assign(rows.shops.begin(), rows.shops.end());
  rows.table.add("user", widehash::text_column(rows.user_views));
  rows.table.add("shop", widehash::text_column(rows.shop_views));
  rows.table.add("price", widehash::number_column(std::span<const float>(rows.prices)));
  rows.table.add("bought", widehash::number_column(std::span<const std::int8_t>(rows.bought)));
  return rows;
}

void make_dataset(const std::string& folder) {
  const widehash::Encoder encoder(widehash::parse_schema(schema_text, "service"));
  widehash::DatasetWriter writer(encoder, {.output_directory = folder});
  for (std::uint32_t batch = 0; batch < 20; ++batch) writer.append(make_rows(1000, batch).table);
  writer.finish();  // the dataset is not visible before this
}

void train_model(const std::string& dataset, const std::string& model) {
  widehash::TrainOptions options;
  options.datasets = {dataset};
  options.model = model;
  options.epochs = 5;
  options.stop = &stop_flag;
  // Chooses the optimizer and the batch size that suit these rows, as the program `widehash` does.
  widehash::train(widehash::with_defaults(options, {}), {}, [](const widehash::EpochReport& epoch) {
    std::cout << "epoch " << epoch.epoch << ": loss " << epoch.train_loss << '\n';
  });
}

/// Prints the probability for one request and the effect of each feature on it.
void answer(const widehash::Predictor& predictor, std::string_view user, std::string_view shop, float price) {
  widehash::ColumnTable request;
  request.add("user", widehash::text_column(std::span(&user, 1)));
  request.add("shop", widehash::text_column(std::span(&shop, 1)));
  request.add("price", widehash::number_column(std::span<const float>(&price, 1)));
  std::vector<widehash::EncodeIssue> issues;
  const widehash::ExplainedRows found = predictor.explain(request, issues);
  std::cout << user << " in " << shop << ": " << found.predictions.front();
  const std::vector<std::size_t>& features = predictor.effects().features();
  for (std::size_t i = 0; i < features.size(); ++i)
    std::cout << "  " << predictor.encoder().schema().features[features[i]].name << ' ' << found.effects[i];
  std::cout << '\n';
}

void run(const std::string& work) {
  make_dataset(work + "/rows");
  train_model(work + "/rows", work + "/bought.model");

  const widehash::Predictor predictor(work + "/bought.model");  // immutable, so threads can share it
  widehash::TableEvaluator evaluator(predictor);
  for (std::uint32_t batch = 100; batch < 105; ++batch) evaluator.append(make_rows(1000, batch).table);
  const double auc = evaluator.report().metrics.auc.value();
  std::cout << "AUC of rows that it has not seen: " << auc << '\n';
  if (auc < 0.6) throw widehash::DataError(work, 0, "the model has learnt nothing");

  answer(predictor, "user-7", "shop-19", 0.1F);
  answer(predictor, "user-7", "shop-0", 0.9F);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: service WORK_FOLDER\n";
    return 2;
  }
  std::signal(SIGINT, [](int) { stop_flag = true; });
  try {
    run(argv[1]);
    return 0;
  } catch (const widehash::Error& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
