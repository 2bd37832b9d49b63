#include "pipeline/pipeline_kit.hpp"

#include <widehash/internal/value_list.hpp>

namespace widehash::test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

const std::string binary_schema = R"(label = { field = "y", positive = ["1"], negative = ["0"] }
weight = "w"
[[feature]]
field = "price"
encoding = "numeric"
[[feature]]
field = "tags"
separator = ","
cardinality = 10
)";

Encoder make(const std::string& toml) { return Encoder(parse_schema(toml, "schema.toml")); }

std::string problem_of(const std::vector<std::string_view>& values) {
  return complaint<DataError>([&] { make(binary_schema).encode({values, 4}); });
}

TEST(EncoderErrors, TheFirstBadRowIsNamed) {
  EXPECT_THAT(problem_of({"1", "1", "2", "a", "2", "1", "2", "a", "3", "1", "2", "a"}),
              AllOf(HasSubstr("rows in memory"), HasSubstr("2"), HasSubstr("label 'y' is '2'")));
  EXPECT_THAT(problem_of({"1", "-1", "2", "a"}), HasSubstr("weight 'w' is '-1'"));
  EXPECT_THAT(problem_of({"1", "nan", "2", "a"}), HasSubstr("weight 'w' is 'nan'"));
  EXPECT_THAT(problem_of({"1", "", "2", "a"}), HasSubstr("weight 'w' is ''"));
  EXPECT_THAT(problem_of({"1", "1e39", "2", "a"}), HasSubstr("weight 'w' is '1e39'"));
  for (const char* bad : {"x", "inf", "nan", "1 ", " 1", "1e39", "1e400", "0x1", "1,5", "--1"}) {
    EXPECT_THAT(problem_of({"1", "1", bad, "a"}), HasSubstr("numeric feature 'price'")) << bad;
  }
}

TEST(EncoderErrors, TheRowOfAnErrorIsCountedFromOne) {
  const std::vector<std::string_view> values = {"1", "1", "2", "a", "x", "1", "2", "a"};
  try {
    make(binary_schema).encode({values, 4});
    FAIL();
  } catch (const DataError& error) {
    EXPECT_EQ(error.row(), 2u);
  }
}

TEST(EncoderErrors, GoodRowsAreKeptAroundBadOnes) {
  const Encoder encoder = make(binary_schema);
  const std::vector<std::string_view> values = {"9", "1", "2", "a", "1", "1", "2", "b,c", "0", "x",
                                                "2", "d", "0", "1", "z", "e", "0", "2",   "",  "f,f"};
  const FieldBinding binding = encoder.bind(encoder.field_names(), "rows", true);
  CodeBatch batch(encoder.layout());
  std::vector<EncodeIssue> issues;
  encoder.encode({values, 4}, binding, batch, issues);
  ASSERT_EQ(issues.size(), 3u);
  EXPECT_EQ(issues[0].row, 0u);
  EXPECT_EQ(issues[1].row, 2u);
  EXPECT_EQ(issues[2].row, 3u);
  const std::vector<std::string_view> good = {"1", "1", "2", "b,c", "0", "2", "", "f,f"};
  EXPECT_EQ(matrix_rows(batch.view()), matrix_rows(encoder.encode({good, 4}).view()));
  EXPECT_THAT(batch.targets, ElementsAre(1.0F, 0.0F));
  EXPECT_THAT(batch.weights, ElementsAre(1.0F, 2.0F));
}

TEST(EncoderErrors, AnEmptyBatchOfRowsIsCheckedToo) {
  const Encoder encoder = make(binary_schema);
  CodeBatch without_layout;
  std::vector<EncodeIssue> issues;
  const FieldBinding binding = encoder.bind(encoder.field_names(), "rows", true);
  EXPECT_THROW(encoder.encode(RowsView{}, binding, without_layout, issues), ShapeError);
}

TEST(EncoderErrors, AFoldFieldThatIsNotThereIsAShapeError) {
  const Encoder encoder = make(binary_schema);
  FieldBinding binding = encoder.bind(encoder.field_names(), "rows", true);
  binding.folds = parse_folds("1/5");
  binding.fold_field = 99;
  const std::vector<std::string_view> values = {"1", "1", "2", "b"};
  CodeBatch batch(encoder.layout());
  std::vector<EncodeIssue> issues;
  EXPECT_THROW(encoder.encode({values, 4}, binding, batch, issues), ShapeError);
}

TEST(EncoderErrors, FoldsAreBoundWithTheirField) {
  const Encoder encoder = make(binary_schema);
  Folds folds = parse_folds("1/2");
  folds.by = "nobody";
  EXPECT_THROW(encoder.bind(encoder.field_names(), "rows", true, folds), ConfigError);
  folds.by = encoder.field_names().back();
  const FieldBinding binding = encoder.bind(encoder.field_names(), "rows", true, folds);
  EXPECT_EQ(binding.fold_field, encoder.field_names().size() - 1);
  std::vector<std::string_view> values;
  const std::size_t num_rows = 100;
  const std::vector<std::string_view> others = {"1", "2"};  // so that whole rows are in both folds
  for (std::size_t row = 0; row < num_rows; ++row) {
    for (const std::string_view value :
         {std::string_view("1"), others[row % 2], others[row / 2 % 2], std::string_view("b")})
      values.push_back(value);
  }
  CodeBatch batch(encoder.layout());
  std::vector<EncodeIssue> issues;
  encoder.encode({values, 4}, binding, batch, issues);
  EXPECT_TRUE(batch.num_rows() == 0 || batch.num_rows() == num_rows) << batch.num_rows();

  FieldBinding by_hand = binding;
  by_hand.fold_field = FieldBinding::absent;
  EXPECT_THROW(encoder.encode({values, 4}, by_hand, batch, issues), ConfigError);
  by_hand.folds = Folds{.count = 0};
  EXPECT_THROW(encoder.encode({values, 4}, by_hand, batch, issues), ConfigError);
}

TEST(EncoderErrors, ARowWithTooManyCombinationsIsBad) {
  const Encoder encoder = make(R"([[feature]]
cross = ["a", "b", "c"]
separator = ","
cardinality = 10
)");
  std::string many = "x";
  for (int i = 1; i < 256; ++i) many += ",x";
  const std::vector<std::string_view> fits = {many, many, "x"};
  EXPECT_EQ(encoder.encode({fits, 3}).ragged.size(), 4u * 65536u);
  const std::vector<std::string_view> too_many = {many, many, "x,x"};
  EXPECT_THAT(complaint<DataError>([&] { encoder.encode({too_many, 3}); }), HasSubstr("65536 combinations"));
}

TEST(EncoderErrors, AWholeBatchOfBadRowsIsEmpty) {
  const Encoder encoder = make(binary_schema);
  const std::vector<std::string_view> values = {"9", "1", "2", "a", "9", "1", "2", "b"};
  CodeBatch batch(encoder.layout());
  std::vector<EncodeIssue> issues;
  encoder.encode({values, 4}, encoder.bind(encoder.field_names(), "rows", true), batch, issues);
  EXPECT_EQ(issues.size(), 2u);
  EXPECT_EQ(batch.num_rows(), 0u);
  EXPECT_TRUE(matrix_rows(batch.view()).empty());
}

TEST(EncoderErrors, BindNamesTheFieldAndTheSource) {
  const Encoder encoder = make(binary_schema);
  const auto bind = [&](std::vector<std::string> names, bool needs_label) {
    return complaint<ConfigError>([&] { encoder.bind(names, "day_3.tsv", needs_label); });
  };
  EXPECT_THAT(bind({"y", "w", "tags"}, true), AllOf(HasSubstr("day_3.tsv"), HasSubstr("'price'")));
  EXPECT_THAT(bind({"w", "price", "tags"}, true), AllOf(HasSubstr("day_3.tsv"), HasSubstr("'y'")));
  EXPECT_THAT(bind({"y", "price", "tags"}, true), AllOf(HasSubstr("day_3.tsv"), HasSubstr("'w'")));
  EXPECT_THAT(bind({"y", "w", "price", "tags", "price"}, true),
              AllOf(HasSubstr("two fields"), HasSubstr("'price'")));
}

TEST(EncoderErrors, LabelAndWeightMayBeAbsentWhereNotNeeded) {
  const Encoder encoder = make(binary_schema);
  const std::vector<std::string> names = {"tags", "extra", "price"};
  const FieldBinding binding = encoder.bind(names, "rows", false);
  EXPECT_EQ(binding.label, FieldBinding::absent);
  EXPECT_EQ(binding.weight, FieldBinding::absent);
  EXPECT_EQ(binding.num_fields, 3u);
  const std::vector<std::string_view> values = {"a", "!", "2"};
  CodeBatch batch(encoder.layout());
  std::vector<EncodeIssue> issues;
  encoder.encode({values, 3}, binding, batch, issues);
  EXPECT_THAT(batch.targets, ElementsAre(0.0F));
  EXPECT_THAT(batch.weights, ElementsAre(1.0F));
}

TEST(EncoderErrors, RowsOfAnotherShapeAreRefused) {
  const Encoder encoder = make(binary_schema);
  const std::vector<std::string_view> values(12, "1");
  EXPECT_THROW(encoder.encode({values, 3}), ShapeError);
  EXPECT_THROW(encoder.encode({values, 5}), ShapeError);
  EXPECT_THROW(encoder.encode({std::span(values).first(11), 4}), ShapeError);
}

TEST(EncoderErrors, EncodingsThatNeedTablesSaySo) {
  const std::string exact = "[[feature]]\nfield = \"shop\"\nencoding = \"exact\"\ncardinality = 10\n";
  const std::string standardize =
      "[[feature]]\nfield = \"price\"\nencoding = \"numeric\"\ntransform = \"standardize\"\n";
  EXPECT_THAT(complaint<ConfigError>([&] { make(exact); }), AllOf(HasSubstr("'shop'"), HasSubstr("fit")));
  EXPECT_THAT(complaint<ConfigError>([&] { make(standardize); }),
              AllOf(HasSubstr("'price'"), HasSubstr("--tables")));
}

TEST(EncoderErrors, ABatchOfAnotherEncodingTakesNoRows) {
  const std::string toml = "[[feature]]\nfield = \"a\"\ncardinality = 1000\n";
  const Encoder encoder = make(toml);
  const Encoder other = make("seed = 1\n" + toml);
  const std::vector<std::string_view> values{"x"};
  const std::vector<std::string> names{"a"};
  ColumnTable table;
  table.add("a", text_column(values));
  for (CodeBatch batch : {CodeBatch(), CodeBatch(other.layout())}) {
    std::vector<EncodeIssue> issues;
    EXPECT_THROW(encoder.encode({values, 1}, encoder.bind(names, "rows", false), batch, issues), ShapeError);
    EXPECT_THROW(encoder.encode(table, encoder.bind(table, false), batch, issues), ShapeError);
    EXPECT_EQ(batch.num_rows(), 0u);
  }
}

TEST(EncoderErrors, ABindingOfAnotherEncoderIsRefused) {
  const Encoder encoder = make(binary_schema);
  const FieldBinding good = encoder.bind(encoder.field_names(), "rows", true);
  const auto changed = [&](const auto& change) {
    FieldBinding binding = good;
    change(binding);
    return binding;
  };
  const FieldBinding wrong[] = {
      changed([](FieldBinding& binding) { binding.features.pop_back(); }),
      changed([](FieldBinding& binding) { binding.features[1].clear(); }),
      changed([](FieldBinding& binding) {
        binding.features[1] = {3, 3};
      }),
      changed([](FieldBinding& binding) { binding.features[1] = {4}; }),
      changed([](FieldBinding& binding) { binding.label = 4; }),
      changed([](FieldBinding& binding) { binding.weight = 99; }),
  };
  const std::vector<std::string_view> values{"1", "1", "2", "a"};
  ColumnTable table;
  for (std::size_t i = 0; i < 4; ++i) {
    table.add(encoder.field_names()[i], text_column(std::span(values).subspan(i, 1)));
  }
  CodeBatch batch(encoder.layout());
  std::vector<EncodeIssue> issues;
  for (const FieldBinding& binding : wrong) {
    EXPECT_THROW(encoder.encode({values, 4}, binding, batch, issues), ShapeError);
    EXPECT_THROW(encoder.encode(table, binding, batch, issues), ShapeError);
  }
  const Encoder without_label = make("[[feature]]\nfield = \"price\"\ncardinality = 9\n");
  const std::vector<std::string> names{"price"};
  FieldBinding labelled = without_label.bind(names, "rows", true);
  labelled.label = 0;
  CodeBatch other(without_label.layout());
  EXPECT_THROW(without_label.encode({values, 1}, labelled, other, issues), ShapeError);
  encoder.encode({values, 4}, good, batch, issues);
  EXPECT_EQ(batch.num_rows(), 1u);
}

TEST(EncoderErrors, ListsAreOfMultiValuedFeaturesAndOfAllFields) {
  const Encoder encoder = make(binary_schema);
  std::string list(listed_bytes(1), '\0');
  write_listed("a", list.data());
  const std::vector<std::string_view> values{"1", "1", "2", list};
  const auto encode = [&](std::vector<std::uint8_t> lists) { return encoder.encode({values, 4, lists}); };
  EXPECT_EQ(encode({0, 0, 0, 1}).num_rows(), 1u);
  EXPECT_THROW(encode({1}), ShapeError);
  EXPECT_THROW(encode({0, 0, 0, 0, 1}), ShapeError);
  EXPECT_THAT(complaint<ConfigError>([&] {
                encode({0, 0, 1, 1});
              }),
              HasSubstr("feature 'price' takes one value a row, but field 3 holds lists"));
  EXPECT_THAT(complaint<ConfigError>([&] { encode({1, 0, 0, 1}); }), HasSubstr("the label takes one value"));
  EXPECT_THAT(complaint<ConfigError>([&] { encode({0, 1, 0, 1}); }), HasSubstr("the weight takes one value"));
}

}  // namespace
}  // namespace widehash::test
