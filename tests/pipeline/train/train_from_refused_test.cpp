#include "pipeline/train_from_kit.hpp"

#include <widehash/model.hpp>

#include <filesystem>
#include <string>

namespace widehash::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST_F(TrainFrom, OtherEncodingsAreRefusedByTheModelsName) {
  const std::string other =
      make_dataset(folder_, "other", "label = \"y\"\n[[feature]]\nfield = \"shop\"\ncardinality = 401\n",
                   shop_text(100, 1));
  TrainOptions options = second_day("day2.model");
  options.datasets = {other};
  EXPECT_THAT(complaint<ConfigError>([&] { train(options); }),
              AllOf(HasSubstr("day1.model"), HasSubstr(other), HasSubstr("different schemas")));
  EXPECT_FALSE(file_exists(options.model));
}

TEST_F(TrainFrom, FilesThatAreNoModelsAreNamed) {
  TrainOptions options = second_day("day2.model");
  const std::string model = read_text_file(options.from);
  options.from = file("missing.model");
  EXPECT_THAT(complaint<FileError>([&] { train(options); }), HasSubstr("missing.model"));
  const std::string contents[] = {"", "not a model", model.substr(0, model.size() / 2),
                                  read_text_file(day1_ + "/" + Dataset(day1_).manifest().shards[0].file)};
  options.from = file("odd.model");
  for (const std::string& content : contents) {
    write_text_file(options.from, content);
    EXPECT_THAT(complaint<DataError>([&] { train(options); }), HasSubstr("odd.model"));
  }
  std::string altered = model;
  altered[altered.size() / 2] = static_cast<char>(altered[altered.size() / 2] ^ 1);
  write_text_file(options.from, altered);
  EXPECT_THAT(complaint<DataError>([&] { train(options); }), HasSubstr("odd.model"));
  EXPECT_FALSE(file_exists(options.model));
}

TEST_F(TrainFrom, AModelWhoseColumnsAreNotThoseOfItsSchemaIsRefused) {
  TrainOptions options = second_day("day2.model");
  Model<float> model = load_model<float>(options.from);
  Architecture architecture = model.network.architecture();
  architecture.num_columns -= 1;
  const Network<float> network(architecture);
  model.optimizer = Optimizer<float>(model.optimizer.settings(), network.parameters());
  model.network = network;
  model.source.column_means.clear();
  options.from = file("narrow.model");
  save_model(options.from, model);
  EXPECT_THAT(complaint<DataError>([&] { train(options); }),
              AllOf(HasSubstr("narrow.model"), HasSubstr("columns")));
}

TEST_F(TrainFrom, TheModelIsNotWrittenOver) {
  TrainOptions options = second_day("day2.model");
  const std::string before = read_text_file(options.from);
  const auto refused = [&](const std::string& from, const std::string& model, const std::string& profile) {
    TrainOptions other = options;
    other.from = from;
    other.model = model;
    other.profile = profile;
    EXPECT_THAT(complaint<ConfigError>([&] { train(other); }),
                AllOf(HasSubstr("would overwrite"), HasSubstr("started again")));
    EXPECT_EQ(read_text_file(from) == before, true);
  };
  refused(options.from, options.from, "");
  refused(options.from, options.model, options.from);
  std::filesystem::create_symlink(options.from, file("link.model"));
  refused(options.from, file("link.model"), "");
  std::filesystem::copy_file(options.from, file("x.model.checkpoint"));
  refused(file("x.model.checkpoint"), file("x.model"), "");
  // Files with such names are no obstacle as long as they are not read.
  std::filesystem::copy_file(options.from, file("y.model"));
  options.model = file("y.model");
  train(options);
  EXPECT_NE(read_text_file(options.model) == before, true);
}

TEST_F(TrainFrom, AnotherStartIsNotResumed) {
  TrainOptions options = second_day("day2.model");
  options.checkpoint_every = 1;
  train_until(3, options);
  options.resume = true;
  const std::string before = read_text_file(options.model + ".checkpoint");
  const auto refused = [&](const std::string& from) {
    TrainOptions other = options;
    other.from = from;
    EXPECT_THAT(complaint<ConfigError>([&] { train(other); }), HasSubstr("model that it started from"));
    EXPECT_EQ(read_text_file(options.model + ".checkpoint") == before, true);
  };
  refused("");
  TrainOptions another = quick_training(day1_, file("another.model"));
  another.seed = 3;
  train(another);
  refused(another.model);
  // Models are compared by content, not by path.
  std::filesystem::copy_file(options.from, file("copy.model"));
  options.from = file("copy.model");
  EXPECT_EQ(train(options).epochs.size(), 2u);

  TrainOptions fresh = quick_training(day2_, file("fresh.model"));
  fresh.checkpoint_every = 1;
  train_until(3, fresh);
  fresh.resume = true;
  fresh.from = file("day1.model");
  EXPECT_THAT(complaint<ConfigError>([&] { train(fresh); }), HasSubstr("model that it started from"));
}

}  // namespace
}  // namespace widehash::test
