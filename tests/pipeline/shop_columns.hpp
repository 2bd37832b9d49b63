#pragma once

#include <widehash/column_table.hpp>
#include <widehash/value_column.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace widehash::test {

/// A table of training_kit.hpp as columns.
struct ShopColumns {
  std::vector<std::vector<std::string>> texts;
  std::vector<std::vector<std::string_view>> views;
  ColumnTable table;

  /// Leaves out the columns named in `left_out`.
  explicit ShopColumns(const std::string& text, const std::vector<std::string>& left_out = {}) {
    std::vector<std::string> names;
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = text.find('\n', begin);
      std::vector<std::string> fields{""};
      for (const char c : text.substr(begin, end - begin)) {
        if (c == '\t') {
          fields.emplace_back();
        } else {
          fields.back() += c;
        }
      }
      if (names.empty()) {
        names = fields;
        texts.resize(names.size());
      } else {
        for (std::size_t i = 0; i < fields.size(); ++i) texts[i].push_back(fields[i]);
      }
      begin = end + 1;
    }
    views.resize(names.size());
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (std::find(left_out.begin(), left_out.end(), names[i]) != left_out.end()) continue;
      views[i].assign(texts[i].begin(), texts[i].end());
      table.add(names[i], text_column(views[i]));
    }
  }
};

}  // namespace widehash::test
