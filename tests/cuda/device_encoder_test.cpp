#include "cuda_test.hpp"
#include "on_device.hpp"

#include <widehash/code.hpp>
#include <widehash/device_encoder.hpp>
#include <widehash/error.hpp>

#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>

namespace widehash::cuda {
namespace {

Feature make_feature(const std::string& name, Encoding encoding, std::uint64_t cardinality, Missing missing) {
  Feature feature;
  feature.name = name;
  feature.fields = {name};
  feature.encoding = encoding;
  feature.cardinality = cardinality;
  feature.missing = missing;
  return feature;
}

/// Every width next to a boundary, with and without skipped values, and one-hot features in between.
Schema every_width_schema() {
  Schema schema;
  schema.seed = 17;
  for (const std::uint64_t cardinality :
       {1ull, 64ull, 255ull * 255ull, 256ull * 256ull, 100'000ull, 65535ull * 65535ull, 1ull << 32}) {
    for (const Missing missing : {Missing::value, Missing::skip}) {
      schema.features.push_back(make_feature("f" + std::to_string(schema.features.size()),
                                             Encoding::four_split, cardinality, missing));
    }
    schema.features.push_back(make_feature("f" + std::to_string(schema.features.size()), Encoding::one_hot,
                                           cardinality, Missing::skip));
  }
  return schema;
}

/// What the definition in code.hpp gives, slot by slot.
struct Expected {
  std::vector<std::uint16_t> codes;
  std::vector<std::uint32_t> columns;
  std::vector<std::uint8_t> byte_codes;  // in the slot-by-slot layout only
};

Expected encode_by_definition(const Schema& schema, const CodeLayout& layout,
                              const std::vector<std::string>& values) {
  const std::size_t num_rows = values.size() / schema.features.size();
  Expected out{std::vector<std::uint16_t>(num_rows * layout.code_stride),
               std::vector<std::uint32_t>(num_rows * layout.column_stride),
               {}};
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t row = i / schema.features.size();
    const FeatureBlock& block = layout.blocks[i % schema.features.size()];
    const bool is_absent = values[i].empty() && block.may_be_absent;
    const std::uint64_t hash = hash_xxh64(values[i], schema.seed);
    auto* const words = out.codes.data() + row * layout.code_stride;
    auto* const bytes = reinterpret_cast<std::uint8_t*>(words + layout.wide_codes);
    auto* const columns = out.columns.data() + row * layout.column_stride + block.slot;
    if (block.encoding == Encoding::one_hot) {
      *columns = is_absent ? absent_column : one_hot(hash, block.buckets);
      continue;
    }
    const Buckets buckets = four_split(hash, block.width);
    for (std::uint32_t k = 0; k < num_splits; ++k) {
      if (block.slot_kind == SlotKind::codes) {
        words[block.slot + k] = is_absent ? absent_code : static_cast<std::uint16_t>(buckets[k]);
      } else if (block.slot_kind == SlotKind::byte_codes) {
        bytes[block.slot + k] = is_absent ? absent_byte_code : static_cast<std::uint8_t>(buckets[k]);
      } else {
        columns[k] = is_absent ? absent_column : k * block.width + buckets[k];
      }
    }
  }
  return out;
}

class DeviceEncoderTest : public CudaTest {
 protected:
  /// values[row * features + j]
  static Expected encode(const Schema& schema, const CodeLayout& layout,
                         const std::vector<std::string>& values, std::uint64_t slot_stride = 0) {
    const DeviceContext context(0);
    const DeviceEncoder encoder(schema, layout);
    const std::size_t num_features = encoder.features().size();
    const std::size_t num_rows = values.size() / num_features;
    std::vector<DeviceBuffer<std::uint8_t>> bytes;
    std::vector<DeviceBuffer<std::uint64_t>> offsets;
    std::vector<DeviceColumn> columns(num_features);
    for (std::size_t j = 0; j < num_features; ++j) {
      std::vector<std::uint8_t> text;
      std::vector<std::uint64_t> ends{0};
      for (std::size_t row = 0; row < num_rows; ++row) {
        const std::string& value = values[row * num_features + j];
        text.insert(text.end(), value.begin(), value.end());
        ends.push_back(text.size());
      }
      bytes.push_back(on_device(context, text));
      offsets.push_back(on_device(context, ends));
      columns[j].values = bytes.back().data();
      columns[j].num_bytes = text.size();
      columns[j].offsets = offsets.back().data();
    }
    const std::size_t places = slot_stride == 0 ? num_rows : slot_stride;
    const std::uint32_t code_slots = slot_stride == 0 ? layout.code_stride : layout.wide_codes;
    const DeviceBuffer<std::uint16_t> codes(context, places * code_slots, "codes");
    const std::size_t num_bytes = slot_stride == 0 ? 0 : places * layout.byte_codes;
    const DeviceBuffer<std::uint8_t> byte_codes(context, num_bytes, "codes of a byte");
    const DeviceBuffer<std::uint32_t> column_slots(context, places * layout.column_stride, "columns");
    codes.clear(context.stream());
    byte_codes.clear(context.stream());
    column_slots.clear(context.stream());
    const DeviceBuffer<std::uint64_t> scratch(context, (encoder.scratch_bytes(num_rows) + 7) / 8, "scratch");
    const DeviceCodes out{codes.data(), column_slots.data(), slot_stride, byte_codes.data(),
                          context.stream().get()};
    encoder.encode(columns, num_rows, out, scratch.data());
    return {on_host(context, codes), on_host(context, column_slots), on_host(context, byte_codes)};
  }
};

std::vector<std::string> random_values(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::string> values(count);
  for (std::string& value : values) {
    if (random() % 5 != 0) value = std::to_string(random() % 100000);
  }
  return values;
}

TEST_F(DeviceEncoderTest, CodesAreThoseOfTheDefinition) {
  const Schema schema = every_width_schema();
  const CodeLayout layout = make_layout(schema);
  for (const std::size_t num_rows : {1, 31, 32, 33, 300}) {
    const auto values = random_values(num_rows * schema.features.size(), num_rows);
    const Expected expected = encode_by_definition(schema, layout, values);
    const Expected found = encode(schema, layout, values);
    EXPECT_EQ(found.codes, expected.codes) << num_rows;
    EXPECT_EQ(found.columns, expected.columns) << num_rows;
  }
}

/// to[slot * stride + row] is from[row * row_size + slot]; the gaps are 0.
template <class T>
std::vector<T> slot_by_slot(const T* from, std::size_t num_rows, std::size_t num_slots, std::size_t row_size,
                            std::size_t stride) {
  std::vector<T> turned(num_slots * stride);
  for (std::size_t row = 0; row < num_rows; ++row) {
    for (std::size_t slot = 0; slot < num_slots; ++slot)
      turned[slot * stride + row] = from[row * row_size + slot];
  }
  return turned;
}

TEST_F(DeviceEncoderTest, SlotBySlotTheyAreTheSame) {
  const Schema schema = every_width_schema();
  const CodeLayout layout = make_layout(schema);
  for (const std::size_t num_rows : {1, 33, 300}) {
    const auto values = random_values(num_rows * schema.features.size(), num_rows);
    const Expected expected = encode_by_definition(schema, layout, values);
    const Expected found = encode(schema, layout, values, num_rows + 7);
    const std::size_t stride = num_rows + 7;
    const auto* const bytes =
        reinterpret_cast<const std::uint8_t*>(expected.codes.data() + layout.wide_codes);
    EXPECT_EQ(found.codes,
              slot_by_slot(expected.codes.data(), num_rows, layout.wide_codes, layout.code_stride, stride))
        << num_rows;
    EXPECT_EQ(found.byte_codes,
              slot_by_slot(bytes, num_rows, layout.byte_codes, 2 * layout.code_stride, stride))
        << num_rows;
    EXPECT_EQ(found.columns, slot_by_slot(expected.columns.data(), num_rows, layout.column_stride,
                                          layout.column_stride, stride))
        << num_rows;
  }
}

TEST_F(DeviceEncoderTest, MoreFeaturesThanOneLaunchTakes) {
  Schema schema;
  for (int j = 0; j < 75; ++j) {
    schema.features.push_back(make_feature("f" + std::to_string(j), Encoding::four_split,
                                           static_cast<std::uint64_t>(100 + 3700 * j), Missing::value));
  }
  const CodeLayout layout = make_layout(schema);
  const auto values = random_values(40 * schema.features.size(), 9);
  EXPECT_EQ(encode(schema, layout, values).codes, encode_by_definition(schema, layout, values).codes);
}

TEST_F(DeviceEncoderTest, OneHotValueOverAllLanesIsEncodedAlike) {
  Schema schema;
  schema.features.push_back(make_feature("hot", Encoding::four_split, 5000, Missing::value));
  const CodeLayout layout = make_layout(schema);
  const std::vector<std::string> values(1000, "hot");
  EXPECT_EQ(encode(schema, layout, values).codes, encode_by_definition(schema, layout, values).codes);
}

TEST(DeviceEncoderSchema, FeaturesADeviceDoesNotEncodeAreNamed) {
  const auto refusal = [](const Schema& schema) -> std::string {
    try {
      const DeviceEncoder encoder(schema, make_layout(schema));
    } catch (const ConfigError& error) {
      return error.what();
    }
    return "";
  };
  Schema schema;
  schema.features = {make_feature("pair", Encoding::four_split, 100, Missing::value)};
  EXPECT_EQ(refusal(schema), "");
  schema.features[0].fields = {"a", "b"};
  EXPECT_THAT(refusal(schema), ::testing::HasSubstr("'pair' is not encoded on a device: it is a cross"));
  schema.features[0].fields = {"a"};
  schema.features[0].separator = "|";
  EXPECT_THAT(refusal(schema), ::testing::HasSubstr("varying number"));
  schema.features[0] = make_feature("age", Encoding::numeric, 0, Missing::value);
  EXPECT_THAT(refusal(schema), ::testing::HasSubstr("numeric"));
  schema.features[0] = make_feature("wide", Encoding::four_split, 100, Missing::value);
  schema.trim = true;
  EXPECT_THAT(refusal(schema), ::testing::HasSubstr("trim = true"));
  schema.trim = false;
  schema.hash = HashKind::xxh3_128;
  EXPECT_THAT(refusal(schema), ::testing::HasSubstr("xxh64 only"));
}

}  // namespace
}  // namespace widehash::cuda
