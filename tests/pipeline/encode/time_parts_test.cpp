// Compares features of parts of times with the same features of fields that hold these parts as text.

#include "pipeline/pipeline_kit.hpp"

#include <widehash/lookup_table.hpp>
#include <widehash/table_set.hpp>
#include <widehash/time_format.hpp>

#include <array>
#include <chrono>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace widehash::test {
namespace {

using testing::HasSubstr;

struct PartFeature {
  std::vector<std::string> fields;
  std::vector<std::string> parts;  // one per field; "" for the value itself
  std::string keys;
};

const std::vector<PartFeature> hashed_features = {
    {{"t"}, {"hour"}, "cardinality = 24"},
    {{"t"}, {"weekday"}, "cardinality = 7\nmissing = \"skip\""},
    {{"site"}, {""}, "cardinality = 50"},
    {{"t"}, {"month"}, "encoding = \"one_hot\"\nbuckets = 5000"},
    {{"t"}, {"year"}, "encoding = \"one_hot\"\nbuckets = 300\nmissing = \"skip\""},
    {{"t", "t"}, {"weekday", "hour"}, "cardinality = 168"},
    {{"t", "site"}, {"minute", ""}, "cardinality = 3000\nmissing = \"skip\""},
    {{"t"}, {"day"}, "encoding = \"numeric\""},
    {{"t"}, {"hour"}, "encoding = \"numeric\"\ntransform = \"bucketize\"\nboundaries = [6, 12, 18]"}};
const std::vector<PartFeature> fitted_features = {
    {{"t"}, {"day"}, "encoding = \"exact\"\ncardinality = 31\nmin_count = 8"},
    {{"t"}, {"hour"}, "encoding = \"numeric\"\ntransform = \"standardize\""}};

/// Features that take parts of times or, under the same names, take fields such as "t hour".
std::string schema_of(const std::vector<PartFeature>& features, const std::string& top, bool takes_parts) {
  std::string toml = top;
  for (std::size_t i = 0; i < features.size(); ++i) {
    const auto& [fields, parts, keys] = features[i];
    std::string named;
    std::string taken;
    for (std::size_t j = 0; j < fields.size(); ++j) {
      const bool is_part = !parts[j].empty() && !takes_parts;
      named += fmt::format("{}\"{}{}\"", j == 0 ? "" : ", ", fields[j], is_part ? " " + parts[j] : "");
      taken += fmt::format("{}\"{}\"", j == 0 ? "" : ", ", parts[j]);
    }
    toml += fmt::format("[[feature]]\nname = \"f{}\"\n", i);
    toml += fields.size() == 1 ? fmt::format("field = {}\n", named) : fmt::format("cross = [{}]\n", named);
    if (takes_parts && taken != "\"\"")
      toml += fmt::format("time_part = {}\n", fields.size() == 1 ? taken : "[" + taken + "]");
    toml += keys + "\n";
  }
  return toml;
}

/// Rows of both tables: (t, site), and (the parts of t, site).
struct TwoTables {
  static constexpr std::array<const char*, 6> parts = {"year", "month", "day", "weekday", "hour", "minute"};
  std::vector<std::array<std::string, 2>> times;
  std::vector<std::array<std::string, 7>> texts;

  TwoTables(std::uint64_t seed, std::size_t num_rows) {
    std::mt19937_64 random(seed);
    for (std::size_t row = 0; row < num_rows; ++row) {
      const std::string site(random() % 14, static_cast<char>('a' + random() % 26));
      auto& written = texts.emplace_back();
      written[6] = site;
      if (random() % 7 == 0) {
        times.push_back({random() % 2 == 0 ? "" : "NA", site});
        for (std::size_t i = 0; i < parts.size(); ++i) written[i] = times.back()[0];
        continue;
      }
      const std::chrono::sys_days day{std::chrono::days(static_cast<int>(random() % 20000))};
      const std::chrono::year_month_day date(day);
      const std::uint64_t hour = random() % 24;
      const std::uint64_t minute = random() % 60;
      times.push_back(
          {fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:07", static_cast<int>(date.year()),
                       static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()), hour, minute),
           site});
      written[0] = std::to_string(static_cast<int>(date.year()));
      written[1] = std::to_string(static_cast<unsigned>(date.month()));
      written[2] = std::to_string(static_cast<unsigned>(date.day()));
      written[3] = std::to_string(std::chrono::weekday(day).iso_encoding());
      written[4] = std::to_string(hour);
      written[5] = std::to_string(minute);
    }
  }

  static std::vector<std::string> names() {
    std::vector<std::string> names;
    for (const char* part : parts) names.push_back(fmt::format("t {}", part));
    names.emplace_back("site");
    return names;
  }

  template <std::size_t n>
  static std::vector<std::string_view> values(const std::vector<std::array<std::string, n>>& rows) {
    std::vector<std::string_view> values;
    for (const auto& row : rows) values.insert(values.end(), row.begin(), row.end());
    return values;
  }

  /// The rows as a file. Quoted rows take another path through the program.
  template <std::size_t n>
  static std::string tsv(const std::vector<std::string>& header,
                         const std::vector<std::array<std::string, n>>& rows, bool is_quoted) {
    std::string text = fmt::format("{}\n", fmt::join(header, "\t"));
    for (const auto& row : rows)
      text += is_quoted ? fmt::format("\"{}\"\n", fmt::join(row, "\"\t\""))
                        : fmt::format("{}\n", fmt::join(row, "\t"));
    return text;
  }
};

std::vector<RowEntries> encoded(const Encoder& encoder, const std::vector<std::string>& names,
                                const std::vector<std::string_view>& values) {
  const FieldBinding binding = encoder.bind(names, "rows in memory", true);
  CodeBatch batch(encoder.layout());
  std::vector<EncodeIssue> issues;
  encoder.encode({values, names.size()}, binding, batch, issues);
  EXPECT_TRUE(issues.empty());
  return matrix_rows(batch.view());
}

TEST(TimeParts, AreEncodedAsFieldsThatHoldThem) {
  const TwoTables tables(1, 3000);
  for (const char* top :
       {"missing_values = [\"NA\"]\n", "missing_values = [\"NA\"]\nmissing = \"skip\"\nseed = 5\n",
        "missing_values = [\"NA\"]\nhash = \"xxh3_128\"\n"}) {
    const Encoder of_times(parse_schema(schema_of(hashed_features, top, true), "times"));
    const Encoder of_texts(parse_schema(schema_of(hashed_features, top, false), "texts"));
    EXPECT_EQ(encoded(of_times, {"t", "site"}, TwoTables::values(tables.times)),
              encoded(of_texts, TwoTables::names(), TwoTables::values(tables.texts)))
        << top;
  }
}

TEST(TimeParts, OfFilesAreCountedAndEncodedAsFieldsThatHoldThem) {
  const TwoTables tables(2, 3000);
  std::vector<PartFeature> features = hashed_features;
  features.insert(features.end(), fitted_features.begin(), fitted_features.end());
  for (const bool is_quoted : {false, true}) {
    for (const std::string& top : {std::string(), std::string("hash = \"xxh3_128\"\n")}) {
      SCOPED_TRACE(fmt::format("{} {}", is_quoted, top));
      const std::string head = top + "quote = \"\\\"\"\nmissing_values = [\"NA\"]\n";
      const std::string of_times = schema_of(features, head, true);
      const std::string of_texts = schema_of(features, head, false);
      TempFolder folder;
      write_text_file(folder.file("times.tsv"), TwoTables::tsv({"t", "site"}, tables.times, is_quoted));
      write_text_file(folder.file("texts.tsv"), TwoTables::tsv(TwoTables::names(), tables.texts, is_quoted));
      run_fit(of_times, {folder.file("times.tsv")}, folder.file("times"));
      run_fit(of_texts, {folder.file("texts.tsv")}, folder.file("texts"));
      const TableSet times = load_table_set(folder.file("times"));
      const TableSet texts = load_table_set(folder.file("texts"));
      for (std::size_t i = 0; i < features.size(); ++i) {
        EXPECT_EQ(times.items[i].moments.mean, texts.items[i].moments.mean);
        EXPECT_EQ(times.items[i].moments.standard_deviation, texts.items[i].moments.standard_deviation);
        if (features[i].keys.find("numeric") != std::string::npos) continue;
        const LookupTable a = open_table(times, i);
        const LookupTable b = open_table(texts, i);
        ASSERT_EQ(a.num_values(), b.num_values()) << i;
        for (std::uint64_t at = 0; at < a.num_values(); ++at) {
          EXPECT_EQ(a.entry(at).value, b.entry(at).value);
          EXPECT_EQ(a.entry(at).count, b.entry(at).count);
        }
      }
      TransformOptions options;
      options.tables_directory = folder.file("times");
      run_transform(of_times, {folder.file("times.tsv")}, folder.file("dt"), options);
      options.tables_directory = folder.file("texts");
      run_transform(of_texts, {folder.file("texts.tsv")}, folder.file("dx"), options);
      EXPECT_EQ(matrix_rows(all_rows(Dataset(folder.file("dt"))).view()),
                matrix_rows(all_rows(Dataset(folder.file("dx"))).view()));
    }
  }
}

TEST(TimeParts, WhatIsNoTimeMakesABadRow) {
  const auto reason = [](const std::string& keys, std::string_view text) {
    const Encoder encoder(parse_schema("[[feature]]\nfield = \"t\"\n" + keys, "schema"));
    const std::vector<std::string_view> values{text};
    return complaint<DataError>([&] { encoder.encode({values, 1}); });
  };
  const std::string hour = "time_part = \"hour\"\ncardinality = 24\n";
  EXPECT_THAT(reason(hour, "yesterday"),
              HasSubstr("field 't' is 'yesterday', which does not match time_format = \"iso\""));
  EXPECT_THAT(reason(hour, "NULL"), HasSubstr("list it in missing_values"));
  EXPECT_THAT(reason(hour + "time_format = \"unix\"\n", "2026-11-28"), HasSubstr("time_format = \"unix\""));
  EXPECT_THAT(reason("time_part = \"day\"\nencoding = \"numeric\"\n", "12"), HasSubstr("field 't' is '12'"));
}

TEST(TimeParts, SeveralFormatsOfOneFieldAreAllChecked) {
  const Encoder encoder(
      parse_schema("[[feature]]\nfield = \"t\"\ntime_part = \"hour\"\ncardinality = 24\n"
                   "[[feature]]\nfield = \"t\"\ntime_part = \"day\"\ncardinality = 31\n"
                   "time_format = \"%Y-%m-%d\"\n",
                   "schema"));
  EXPECT_EQ(matrix_rows(encoder.encode({std::vector<std::string_view>{"2026-11-28"}, 1}).view()).size(), 1u);
  EXPECT_THAT(complaint<DataError>([&] {
                encoder.encode({std::vector<std::string_view>{"2026-11-28 13:05"}, 1});
              }),
              HasSubstr("time_format = \"%Y-%m-%d\""));
}

}  // namespace
}  // namespace widehash::test
