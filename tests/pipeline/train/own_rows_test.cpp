// Whether validation rows that were also trained on are recognized.

#include "pipeline/training_kit.hpp"

namespace widehash::test {
namespace {

class OwnRows : public testing::Test {
 protected:
  OwnRows() {
    write_text_file(folder_.file("a.tsv"), shop_text(200, 1));
    write_text_file(folder_.file("b.tsv"), shop_text(200, 2));
  }
  std::string dataset(const std::string& name, const std::string& input, const std::string& folds = "1/1",
                      const std::string& by = "") {
    TransformOptions options;
    options.folds = parse_folds(folds);
    options.folds.by = by;
    run_transform(shop_schema, {folder_.file(input)}, folder_.file(name), options);
    return folder_.file(name);
  }
  std::string found(const std::vector<std::string>& trained, const std::vector<std::string>& judged) {
    TrainOptions options = quick_training(trained.front(), folder_.file("m.model"));
    options.datasets = trained;
    options.valid = judged;
    options.epochs = 1;
    options.overwrite = true;
    return train(options).own_rows;
  }
  std::string repeated(const std::vector<std::string>& trained) {
    TrainOptions options = quick_training(trained.front(), folder_.file("m.model"));
    options.datasets = trained;
    options.epochs = 1;
    options.overwrite = true;
    return train(options).repeated_rows;
  }

  TempFolder folder_;
};

TEST_F(OwnRows, AreThoseOfOneDatasetOrOfOneInput) {
  const std::string a = dataset("a", "a.tsv"), b = dataset("b", "b.tsv"), again = dataset("again", "a.tsv");
  EXPECT_EQ(found({a}, {}), "");
  EXPECT_EQ(found({a}, {b}), "");
  EXPECT_EQ(found({b, a}, {folder_.path() + "/./a"}), folder_.path() + "/./a");
  EXPECT_EQ(found({a}, {b, again}), folder_.file("a.tsv"));
}

TEST_F(OwnRows, RowsOfTwoDatasetsAreReportedAsCountedTwice) {
  const std::string a = dataset("a", "a.tsv"), b = dataset("b", "b.tsv");
  EXPECT_EQ(repeated({a}), "");
  EXPECT_EQ(repeated({a, b}), "");
  EXPECT_EQ(repeated({b, a, dataset("again", "a.tsv")}), folder_.file("a.tsv"));
  EXPECT_EQ(repeated({dataset("most", "a.tsv", "1-4/5"), dataset("last", "a.tsv", "5/5")}), "");
  EXPECT_EQ(repeated({dataset("first", "a.tsv", "1/5"), a}), folder_.file("a.tsv"));
}

TEST_F(OwnRows, FoldsOfOneDealAreApart) {
  const std::string most = dataset("most", "a.tsv", "1-4/5"), last = dataset("last", "a.tsv", "5/5");
  EXPECT_EQ(found({most}, {last}), "");
  EXPECT_EQ(found({most}, {dataset("fourth", "a.tsv", "4-5/5")}), folder_.file("a.tsv"));
  EXPECT_EQ(found({most}, {dataset("tenth", "a.tsv", "10/10")}), folder_.file("a.tsv"));
  EXPECT_EQ(found({most}, {dataset("by shop", "a.tsv", "5/5", "shop")}), folder_.file("a.tsv"));
}

}  // namespace
}  // namespace widehash::test
