#include "commands.hpp"
#include "json_list.hpp"
#include "options.hpp"
#include "output.hpp"
#include "report.hpp"

#include <widehash/checksum.hpp>
#include <widehash/code.hpp>
#include <widehash/code_layout.hpp>
#include <widehash/error.hpp>

#include <functional>
#include <iostream>
#include <memory>
#include <vector>

#include <fmt/format.h>

namespace widehash::tools {
namespace {

struct Options {
  std::uint64_t cardinality = 0;
  std::string encoding = "four_split";
  std::string hash = "xxh64";
  std::uint64_t buckets = 0;
  std::uint64_t seed = 0;
  bool hex = false;
  std::vector<std::string> values;
  CommonOptions common;

  bool is_one_hot() const { return encoding == "one_hot"; }
  bool is_wide() const { return hash == "xxh3_128"; }
};

struct HashedValue {
  std::string hash;  // hexadecimal: 16 digits, or 32 for XXH3-128
  std::vector<std::uint32_t> buckets;
};

void check(const Options& options) {
  const std::uint64_t largest = options.is_wide() ? max_cardinality_xxh3_128 : max_cardinality_xxh64;
  if (options.cardinality == 0 || options.cardinality > largest) {
    const char* hint = options.is_wide() || options.cardinality == 0 ? "" : "; more needs --hash xxh3_128";
    throw ConfigError(fmt::format("hash: --cardinality {} is outside 1..{} for {}{}", options.cardinality,
                                  largest, options.hash, hint));
  }
  if (options.buckets > 0 && !options.is_one_hot()) {
    throw ConfigError(
        "hash: --buckets is for --encoding one_hot; four_split takes its width from --cardinality");
  }
  if (options.buckets > max_columns) {
    throw ConfigError(fmt::format("hash: --buckets {} is above {}", options.buckets, max_columns));
  }
}

int hex_digit(char letter) {
  if (letter >= '0' && letter <= '9') return letter - '0';
  if (letter >= 'a' && letter <= 'f') return letter - 'a' + 10;
  if (letter >= 'A' && letter <= 'F') return letter - 'A' + 10;
  return -1;
}

std::string from_hex(const std::string& text) {
  std::string bytes;
  for (std::size_t i = 0; i < text.size(); i += 2) {
    const int high = hex_digit(text[i]);
    const int low = i + 1 < text.size() ? hex_digit(text[i + 1]) : -1;
    if (high < 0 || low < 0) {
      throw ConfigError(fmt::format("'{}' is not hexadecimal; --hex takes two digits a byte", text));
    }
    bytes += static_cast<char>(high * 16 + low);
  }
  return bytes;
}

/// The value's hash and buckets; for one_hot, the single bucket is the column.
HashedValue hash_value(const Options& options, const std::string& text) {
  const std::string value = options.hex ? from_hex(text) : text;
  const std::uint32_t width = split_width(options.cardinality);
  const std::uint64_t one_hot_buckets =
      options.buckets > 0 ? options.buckets : std::uint64_t{num_splits} * width;
  Hash128 wide{};
  if (options.is_wide()) {
    wide = hash_xxh3_128(value, options.seed);
  } else {
    wide.low = hash_xxh64(value, options.seed);
  }
  HashedValue hashed;
  hashed.hash = (options.is_wide() ? to_hex(wide.high) : "") + to_hex(wide.low);
  if (options.is_one_hot()) {
    hashed.buckets = {one_hot(wide.low, static_cast<std::uint32_t>(one_hot_buckets))};
  } else {
    const Buckets buckets = options.is_wide() ? four_split(wide, width) : four_split(wide.low, width);
    hashed.buckets.assign(buckets.begin(), buckets.end());
  }
  return hashed;
}

/// Calls `take` with every value: the operands or, without any, the lines of standard input (LF or CRLF).
void for_each_value(const Options& options, const std::function<void(const std::string&)>& take) {
  for (const auto& value : options.values) take(value);
  if (!options.values.empty()) return;
  std::ios::sync_with_stdio(false);
  std::string line;
  for (std::uint64_t row = 1; std::getline(std::cin, line); ++row) {
    if (line.ends_with('\r')) line.pop_back();
    try {
      take(line);
    } catch (const ConfigError& problem) {
      throw DataError("standard input", row, problem.what());
    }
  }
  if (std::cin.bad()) throw Error("standard input: cannot read");
}

void print_lines(const Options& options) {
  TextOutput output("-");
  for_each_value(options, [&](const std::string& value) {
    const HashedValue hashed = hash_value(options, value);
    std::string line = hashed.hash;
    for (const auto bucket : hashed.buckets) line += '\t' + std::to_string(bucket);
    output.write(line + '\n');
  });
  output.finish();
}

void print_object(const Options& options) {
  const Stopwatch watch;
  JsonListOutput output("values");
  std::uint64_t rows = 0;
  for_each_value(options, [&](const std::string& value) {
    const HashedValue hashed = hash_value(options, value);
    Json item;
    set_value(item, "value", value);
    item[options.hash] = hashed.hash;
    item["buckets"] = hashed.buckets;
    output.add(item);
    ++rows;
  });
  Json object;
  object["rows"] = rows;
  set_speed(object, rows, watch.seconds());
  object["hash"] = options.hash;
  object["seed"] = options.seed;
  object["encoding"] = options.encoding;
  object["cardinality"] = options.cardinality;
  object["width"] = split_width(options.cardinality);
  output.finish(object);
}

}  // namespace

void add_hash_command(Program& program) {
  auto options = std::make_shared<Options>();
  Command& command = program.add(
      "hash", "print the hash and code of single values: `hash<TAB>bucket...`, one line per value",
      "# the four buckets of two values, for a feature with a million values\n"
      "widehash hash --cardinality 1000000 berlin paris\n"
      "# bytes that a shell cannot pass, and the empty (missing) value\n"
      "widehash hash --cardinality 1000 --hex 00ff ''\n"
      "# a field of a file, one-hot over 4096 columns\n"
      "cut -f3 day1.tsv | widehash hash --cardinality 1000 --encoding one_hot --buckets 4096\n");
  CLI::App& app = command.app;
  add_operands(app, "VALUE", options->values, 0, "value to hash; without any, the lines of standard input");
  add_count(app, "--cardinality", options->cardinality, "number of distinct values the feature can take")
      .without_default()
      .required();
  add_choice(app, "--encoding", options->encoding, {"four_split", "one_hot"}, "how to encode the hash");
  add_count(app, "--buckets", options->buckets,
            "number of columns for one_hot; 0 for four times the split width");
  add_choice(app, "--hash", options->hash, {"xxh64", "xxh3_128"}, "hash function");
  add_count(app, "--seed", options->seed, "seed of the hash");
  add_switch(app, "--hex", options->hex, "values are given as hexadecimal bytes");
  add_report_options(app, options->common);
  command.run = [options] {
    check(*options);
    if (options->common.json) {
      print_object(*options);
    } else {
      print_lines(*options);
    }
  };
}

}  // namespace widehash::tools
