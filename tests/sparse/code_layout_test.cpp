#include "base/damage.hpp"
#include "sparse/sample.hpp"

#include <widehash/error.hpp>

#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace widehash {
namespace {

using test::make_feature;
using testing::ElementsAre;
using testing::HasSubstr;

Schema schema_of(std::vector<Feature> features) {
  Schema schema;
  schema.features = std::move(features);
  return schema;
}

FeatureBlock block_of(const Feature& feature, std::uint32_t head_columns = 0) {
  return make_layout(schema_of({feature}), {head_columns}).blocks.front();
}

TEST(CodeLayout, NoFeaturesTakeNoRoom) {
  const CodeLayout layout = make_layout(Schema{});
  EXPECT_EQ(layout.num_columns, 0u);
  EXPECT_EQ(layout.fixed_row_bytes(), 0u);
  EXPECT_FALSE(layout.has_targets);
}

TEST(CodeLayout, BlocksLieSideBySideInSchemaOrder) {
  const CodeLayout layout = make_layout(test::every_kind_schema(), test::every_kind_heads());
  ASSERT_EQ(layout.blocks.size(), 12u);
  std::uint64_t offset = 0;
  for (const FeatureBlock& block : layout.blocks) {
    EXPECT_EQ(block.column_offset, offset) << block.name;
    offset += block.num_columns;
  }
  EXPECT_EQ(layout.num_columns, offset);
  // user 4*32, item 4*8, day 17, price 1, shop 5+4*10, tags 4*8, age 3 boundaries: 4 intervals and missing,
  // address 4*65536, score 1, page 4*317, query 4*256
  EXPECT_EQ(offset, 128u + 32 + 17 + 1 + 45 + 32 + 0 + 5 + 262144 + 1 + 1268 + 1024);
  EXPECT_EQ(layout.wide_codes, 8u);
  EXPECT_EQ(layout.byte_codes, 8u);
  EXPECT_EQ(layout.num_codes(), 16u);
  EXPECT_EQ(layout.code_stride, 8u + 4);
  EXPECT_EQ(layout.column_stride, 1u + 1 + 4);
  EXPECT_EQ(layout.number_stride, 2u);
  EXPECT_TRUE(layout.has_ragged);
  EXPECT_TRUE(layout.may_be_absent);
  EXPECT_EQ(layout.fixed_row_bytes(), 8u * 2 + 8 + 6 * 4 + 2 * 4 + 4 + 4);
  // user and item, page and query; day, age and address; price and score
  const auto slots = [&](std::initializer_list<std::size_t> features) {
    std::vector<std::uint32_t> first;
    for (const std::size_t i : features) first.push_back(layout.blocks[i].slot);
    return first;
  };
  EXPECT_THAT(slots({0, 1}), ElementsAre(0, 4));
  EXPECT_THAT(slots({10, 11}), ElementsAre(0, 4));
  EXPECT_THAT(slots({2, 7, 8}), ElementsAre(0, 1, 2));
  EXPECT_THAT(slots({3, 9}), ElementsAre(0, 1));
}

TEST(CodeLayout, AFourSplitValueCostsEightBytes) {
  EXPECT_EQ(make_layout(schema_of({make_feature("a", Encoding::four_split, 1'000'000)})).fixed_row_bytes(),
            8u);
}

TEST(CodeLayout, AFourSplitValueOfFewBucketsCostsFour) {
  const Feature feature = make_feature("a", Encoding::four_split, 65'536);
  EXPECT_EQ(make_layout(schema_of({feature})).fixed_row_bytes(), 4u);
  EXPECT_EQ(make_layout(schema_of({feature}), {}, CodeBytes::two).fixed_row_bytes(), 8u);
}

TEST(CodeLayout, TheWidestSplitOfAByteFitsUnlessAbsenceTakesItsLastBucket) {
  Feature feature = make_feature("a", Encoding::four_split, 65'536);
  EXPECT_EQ(block_of(feature).width, 256u);
  EXPECT_EQ(block_of(feature).slot_kind, SlotKind::byte_codes);
  feature.missing = Missing::skip;
  EXPECT_EQ(block_of(feature).slot_kind, SlotKind::codes);
  feature.cardinality = 65'025;
  EXPECT_EQ(block_of(feature).width, 255u);
  EXPECT_EQ(block_of(feature).slot_kind, SlotKind::byte_codes);
  EXPECT_EQ(block_of(feature).absent_mark(), 0xFFu);
  feature.missing = Missing::value;
  feature.cardinality = 65'537;
  EXPECT_EQ(block_of(feature).width, 257u);
  EXPECT_EQ(block_of(feature).slot_kind, SlotKind::codes);
  EXPECT_EQ(block_of(feature).absent_mark(), 0xFFFFu);
}

TEST(CodeLayout, TheWidestSplitFitsCodesUnlessAbsenceTakesItsLastBucket) {
  Feature feature = make_feature("a", Encoding::four_split, std::uint64_t{1} << 32);
  EXPECT_EQ(block_of(feature).width, 65536u);
  EXPECT_EQ(block_of(feature).slot_kind, SlotKind::codes);
  feature.missing = Missing::skip;
  EXPECT_EQ(block_of(feature).slot_kind, SlotKind::columns);
  EXPECT_EQ(block_of(feature).num_slots, 4u);
  EXPECT_TRUE(block_of(feature).may_be_absent);
  feature.cardinality = std::uint64_t{65535} * 65535;
  EXPECT_EQ(block_of(feature).width, 65535u);
  EXPECT_EQ(block_of(feature).slot_kind, SlotKind::codes);
}

TEST(CodeLayout, WiderSplitsOf128BitHashesTakeColumns) {
  Schema schema = schema_of({make_feature("a", Encoding::four_split, (std::uint64_t{1} << 32) + 1)});
  schema.hash = HashKind::xxh3_128;
  const CodeLayout layout = make_layout(schema);
  EXPECT_EQ(layout.blocks.front().slot_kind, SlotKind::columns);
  EXPECT_EQ(layout.column_stride, 4u);
  EXPECT_FALSE(layout.blocks.front().may_be_absent);
  schema.features.front().cardinality = 1000;
  EXPECT_EQ(make_layout(schema).blocks.front().slot_kind, SlotKind::byte_codes);
}

TEST(CodeLayout, MultiValuedAndExactFeaturesAreRagged) {
  for (const Encoding encoding : {Encoding::four_split, Encoding::one_hot, Encoding::exact}) {
    Feature feature = make_feature("a", encoding, 100);
    feature.separator = "|";
    feature.missing = Missing::skip;
    EXPECT_EQ(block_of(feature).slot_kind, SlotKind::ragged);
    EXPECT_FALSE(block_of(feature).may_be_absent) << "an empty run says it";
    feature.fields = {"b", "c"};  // a cross of multi-valued fields
    EXPECT_EQ(block_of(feature).slot_kind, SlotKind::ragged);
  }
  EXPECT_EQ(block_of(make_feature("a", Encoding::exact, 100), 7).slot_kind, SlotKind::ragged);
  EXPECT_EQ(block_of(make_feature("a", Encoding::exact, 100), 7).num_columns, 7u + 40);
}

TEST(CodeLayout, OneHotTakesItsBucketsOrFourWidths) {
  Feature feature = make_feature("a", Encoding::one_hot, 100);
  EXPECT_EQ(block_of(feature).buckets, 40u);
  feature.buckets = 3;
  EXPECT_EQ(block_of(feature).buckets, 3u);
  EXPECT_EQ(block_of(feature).num_columns, 3u);
}

TEST(CodeLayout, TargetsFollowTheLabel) {
  Schema schema;
  schema.label.field = "y";
  EXPECT_TRUE(make_layout(schema).has_targets);
  EXPECT_EQ(make_layout(schema).num_classes, 0u);
  schema.label.kind = LabelKind::classes;
  schema.label.classes = {"cat", "dog", "cow"};
  EXPECT_EQ(make_layout(schema).num_classes, 3u);
  schema.weight = "w";
  EXPECT_EQ(make_layout(schema).fixed_row_bytes(), 8u);
}

TEST(CodeLayout, TooManyColumnsAreRefusedNamingTheHeaviest) {
  Feature heavy = make_feature("heavy", Encoding::one_hot);
  heavy.buckets = max_columns;
  const Feature light = make_feature("light", Encoding::numeric);
  EXPECT_EQ(make_layout(schema_of({heavy})).num_columns, max_columns);
  EXPECT_THAT(test::message_of<ConfigError>([&] {
                make_layout(schema_of({light, heavy}));
              }),
              HasSubstr("'heavy'"));
}

TEST(CodeLayout, SumsThatWouldWrapAroundAreRefused) {
  Feature huge = make_feature("huge", Encoding::one_hot);
  huge.buckets = std::numeric_limits<std::uint64_t>::max();
  EXPECT_THROW(make_layout(schema_of({huge})), ConfigError);
  EXPECT_THROW(make_layout(schema_of({huge, make_feature("a", Encoding::numeric)})), ConfigError);
  EXPECT_THROW(make_layout(schema_of({huge, huge})), ConfigError);
  Feature head = make_feature("head", Encoding::exact, 100);
  EXPECT_THROW(make_layout(schema_of({head}), {0xFFFFFFFF}), ConfigError);
}

TEST(CodeLayout, HeadSizesMustBeOneAFeature) {
  EXPECT_THROW(make_layout(test::every_kind_schema(), {1, 2}), ShapeError);
}

TEST(CodeLayout, SameLayoutSeesEveryDifferenceOfMeaning) {
  const Schema schema = test::every_kind_schema();
  const auto heads = test::every_kind_heads();
  const CodeLayout layout = make_layout(schema, heads);
  EXPECT_TRUE(same_layout(layout, make_layout(schema, heads)));
  const auto differs = [&](auto change) {
    Schema other = schema;
    change(other);
    return !same_layout(layout, make_layout(other, heads));
  };
  EXPECT_TRUE(differs([](Schema& s) { s.features[0].name = "visitor"; }));
  EXPECT_TRUE(differs([](Schema& s) { s.features[0].cardinality = 5000; }));
  EXPECT_TRUE(differs([](Schema& s) { s.features[1].missing = Missing::value; }));
  EXPECT_TRUE(differs([](Schema& s) { s.features[2].buckets = 18; }));
  EXPECT_TRUE(differs([](Schema& s) { s.features[5].separator = ""; }));
  EXPECT_TRUE(differs([](Schema& s) { std::swap(s.features[0], s.features[1]); }));
  EXPECT_TRUE(differs([](Schema& s) { s.label.field = ""; }));
  EXPECT_TRUE(differs([](Schema& s) { s.weight = ""; }));
  EXPECT_FALSE(same_layout(layout, make_layout(schema)));
  EXPECT_FALSE(same_layout(layout, make_layout(schema, heads, CodeBytes::two)));
}

// The slots and columns are the same, but the codes in them differ.
TEST(CodeLayout, SameLayoutSeesAnotherHashAndOtherTables) {
  const Schema schema = test::every_kind_schema();
  const auto heads = test::every_kind_heads();
  const CodeLayout layout = make_layout(schema, heads, CodeBytes::least, "tables");
  EXPECT_EQ(layout.fingerprint, (EncodingFingerprint{schema.fingerprint(), "tables"}));
  EXPECT_TRUE(same_layout(layout, make_layout(schema, heads, CodeBytes::least, "tables")));
  Schema seeded = schema;
  seeded.seed = 1;
  EXPECT_FALSE(same_layout(layout, make_layout(seeded, heads, CodeBytes::least, "tables")));
  EXPECT_FALSE(same_layout(layout, make_layout(schema, heads, CodeBytes::least, "others")));
}

}  // namespace
}  // namespace widehash
