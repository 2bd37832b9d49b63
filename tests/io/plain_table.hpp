#pragma once

/// \file
/// The oracle of rows and fields: applies the rules of dialect.hpp to a whole text, one byte at a time. Also
/// makes tables of hostile text to test with.

#include <widehash/dialect.hpp>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace widehash::test {

struct PlainRow {
  std::size_t begin = 0;   // offset in the text
  std::size_t end = 0;     // past its line end
  std::uint64_t line = 0;  // from 0
  std::string text;        // without its line end
  std::vector<std::string> values;
  bool sound = true;  // no text after a closing quote
  bool blank = false;
};

struct PlainTable {
  std::vector<PlainRow> rows;  // including blank lines
  std::uint64_t num_lines = 0;
  bool quote_left_open = false;
};

inline std::string without_spaces(std::string value) {
  while (!value.empty() && value.back() == ' ') value.pop_back();
  while (!value.empty() && value.front() == ' ') value.erase(value.begin());
  return value;
}

inline PlainTable parse_plainly(const std::string& text, const Dialect& dialect) {
  PlainTable table;
  std::size_t at = 0;
  while (at < text.size()) {
    // Finds where the row ends and which of its bytes are inside quotes; the quotes themselves are marked 'q'.
    PlainRow row;
    row.begin = at;
    row.line = table.num_lines;
    std::string kinds;
    bool at_start = true;
    bool inside = false;
    while (at < text.size()) {
      const char byte = text[at];
      if (byte == '\n') ++table.num_lines;
      if (inside) {
        if (byte == dialect.quote && at + 1 < text.size() && text[at + 1] == dialect.quote) {
          kinds += "xi";  // the first of the two quotes is dropped
          at += 2;
          continue;
        }
        if (byte == dialect.quote) inside = false;
        kinds += byte == dialect.quote ? 'q' : 'i';
      } else if (byte == '\n') {
        break;
      } else if (dialect.quote != '\0' && byte == dialect.quote && at_start) {
        inside = true;
        at_start = false;
        kinds += 'q';
      } else {
        if (byte == dialect.delimiter) {
          at_start = true;
        } else if (!(dialect.trim && byte == ' ')) {
          at_start = false;
        }
        kinds += byte == dialect.delimiter ? 'd' : 'o';
      }
      ++at;
    }
    table.quote_left_open = inside;
    if (at < text.size()) {
      ++at;
    } else {
      ++table.num_lines;
    }
    row.end = at;
    row.text = text.substr(row.begin, kinds.size());
    if (!row.text.empty() && row.text.back() == '\r' && kinds.back() == 'o') {
      row.text.pop_back();
      kinds.pop_back();
    }
    row.blank = row.text.empty();

    std::string outside, quoted;
    bool is_quoted = false;
    for (std::size_t i = 0; i <= kinds.size(); ++i) {
      if (i == kinds.size() || kinds[i] == 'd') {
        if (dialect.trim) outside = without_spaces(outside);
        if (is_quoted && !outside.empty()) row.sound = false;
        row.values.push_back(is_quoted ? quoted : outside);
        outside.clear();
        quoted.clear();
        is_quoted = false;
      } else if (kinds[i] == 'q') {
        is_quoted = true;
      } else if (kinds[i] == 'i') {
        quoted += row.text[i];
      } else if (kinds[i] == 'o') {
        outside += row.text[i];
      }
    }
    table.rows.push_back(row);
  }
  return table;
}

/// Random text of about `num_pieces` pieces, each something that parsers stumble over.
inline std::string hostile_text(std::mt19937_64& random, const Dialect& dialect, std::size_t num_pieces,
                                std::size_t num_fields) {
  const std::string delimiter(1, dialect.delimiter);
  const std::string quote(1, '"');
  const std::vector<std::string> values{"",
                                        "a",
                                        "value",
                                        " padded ",
                                        "\r",
                                        "mid\rdle",
                                        std::string("\0nul", 4),
                                        "\xff\xfe",
                                        "1234567",
                                        "12345678",
                                        "\xEF\xBB\xBF",
                                        std::string(40, 'x'),
                                        "it's 5\" wide",
                                        " "};
  const std::vector<std::string> quoted{"",     "a",    "b,c",  "two\nlines", "cr\r\nlf",
                                        "\"\"", "\t;|", "\n\n", " \"\"x\"\" "};
  std::string text;
  for (std::size_t piece = 0; piece < num_pieces; ++piece) {
    if (random() % 8 == 0) text += random() % 2 ? "\n" : "\r\n";
    const std::size_t count = random() % 10 == 0 ? random() % (num_fields + 2) : num_fields;
    for (std::size_t i = 0; i < count; ++i) {
      if (i > 0) text += delimiter;
      if (random() % 4 == 0) text += ' ';
      if (dialect.quote != '\0' && random() % 3 == 0) {
        text += quote + quoted[random() % quoted.size()] + quote;
        if (random() % 12 == 0) text += values[random() % values.size()];
      } else {
        text += values[random() % values.size()];
      }
    }
    text += random() % 3 == 0 ? "\r\n" : "\n";
  }
  // The last row may lack its line end, or half of it.
  const auto cut = random() % 3;
  for (std::size_t i = 0; i < cut && !text.empty(); ++i) text.pop_back();
  return text;
}

}  // namespace widehash::test
