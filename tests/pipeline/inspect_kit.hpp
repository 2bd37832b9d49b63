#pragma once

/// \file
/// Tables to inspect, and what every proposal has to satisfy.

#include "pipeline/pipeline_kit.hpp"

#include <widehash/inspect.hpp>

#include <string>
#include <vector>

#include <fmt/format.h>

namespace widehash::test {

/// Flights as in public samples: month, carrier, distance, delayed.
inline std::string flights(std::size_t rows, bool header = true) {
  static const char* const carriers[] = {"AA", "UA", "WN", "DL"};
  std::string text = header ? "month\tcarrier\tdistance\tdelayed\n" : "";
  for (std::size_t i = 0; i < rows; ++i) {
    text += fmt::format("c-{}\t{}\t{}\t{}\n", 1 + i % 12, i % 7 == 0 ? "" : carriers[i % 4],
                        100.5 + static_cast<double>(i % 300), i % 5 == 0 ? "Y" : "N");
  }
  return text;
}

class InspectTest : public testing::Test {
 protected:
  InspectReport run(const std::vector<std::string>& texts, const std::string& label = "",
                    HeaderChoice header = HeaderChoice::automatic, std::uint64_t max_rows = 0) {
    InspectOptions options;
    for (std::size_t i = 0; i < texts.size(); ++i) {
      options.inputs.push_back(folder_.file(fmt::format("in{}.tsv", i)));
      write_text_file(options.inputs.back(), texts[i]);
    }
    options.label = label;
    options.header = header;
    options.max_rows = max_rows;
    return inspect(options);
  }
  /// Checks that the proposal reads back to the same schema.
  void expect_usable(const InspectReport& report) {
    const Schema back = parse_schema(report.schema_toml, "proposed.toml");
    EXPECT_EQ(back.fingerprint(), report.schema.fingerprint()) << report.schema_toml;
  }

  TempFolder folder_;
};

}  // namespace widehash::test
