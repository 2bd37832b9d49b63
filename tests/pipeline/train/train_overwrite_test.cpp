// A training that replaces a model, and is killed before it has written anything of its own.
#include "pipeline/training_kit.hpp"

namespace widehash::test {
namespace {

TEST(TrainOverwrite, AKilledRunDoesNotTakeTheOldModelForItsOwn) {
  const TempFolder folder;
  TrainOptions options =
      quick_training(make_dataset(folder, "train", shop_schema, shop_text(300, 1)), folder.file("m.model"));
  options.valid = {make_dataset(folder, "valid", shop_schema, shop_text(100, 2))};
  options.epochs = 3;
  const std::string checkpoint = options.model + ".checkpoint";
  for (const char* hidden : {"none", "5"}) {
    options.hidden = hidden;
    TrainOptions before = options;
    before.overwrite = true;
    before.valid = {};
    train(before);
    const std::string old_model = read_text_file(options.model);

    // With the same settings, the finished old model would be a training of which nothing is left to do.
    options.overwrite = true;
    struct Killed {};
    std::uint64_t steps = 0;
    const auto kill = [&](const Progress&) {
      if (++steps == 2) throw Killed();
    };
    EXPECT_THROW(train(options, kill), Killed);
    EXPECT_EQ(read_text_file(options.model), old_model);
    options.resume = true;
    const TrainReport resumed = train(options);
    EXPECT_EQ(resumed.rows, 900u);
    EXPECT_EQ(resumed.epochs.size(), 3u);
    const std::string model = read_text_file(options.model);

    options.resume = false;
    std::filesystem::remove(options.model);
    std::filesystem::remove(checkpoint);
    train(options);
    EXPECT_TRUE(read_text_file(options.model) == model);
  }
}

TEST(TrainOverwrite, WhereThereIsNoModelNothingIsWrittenBeforeTheFirstEpoch) {
  const TempFolder folder;
  TrainOptions options =
      quick_training(make_dataset(folder, "train", shop_schema, shop_text(300, 1)), folder.file("m.model"));
  options.overwrite = true;
  struct Killed {};
  EXPECT_THROW(train(options, [](const Progress&) { throw Killed(); }), Killed);
  EXPECT_FALSE(file_exists(options.model));
  EXPECT_FALSE(file_exists(options.model + ".checkpoint"));
}

}  // namespace
}  // namespace widehash::test
