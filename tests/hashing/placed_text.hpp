#pragma once

#include <widehash/placed_rows.hpp>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace widehash {

/// Rows of text and the places in it, as a scanner would give them.
class PlacedText {
 public:
  PlacedText(std::size_t num_fields, const std::vector<std::string>& values) : num_fields_(num_fields) {
    places_.push_back(static_cast<std::uint32_t>(-1));
    for (std::size_t i = 0; i < values.size(); ++i) {
      text_ += values[i];
      places_.push_back(static_cast<std::uint32_t>(text_.size()));
      text_ += (i + 1) % num_fields == 0 ? '\n' : '\t';
    }
    num_rows_ = values.size() / num_fields;
    text_ += "12345678";
    // What stands behind the last place may be anything.
    places_.resize(places_.size() + 8, 0xDEADBEEF);
  }
  PlacedRows rows() const { return {text_.data(), places_.data() + 1, num_fields_, num_rows_}; }

 private:
  std::size_t num_fields_;
  std::size_t num_rows_ = 0;
  std::string text_;
  std::vector<std::uint32_t> places_;
};

inline std::vector<std::string> random_values(std::mt19937_64& random, std::size_t count,
                                              std::size_t longest) {
  std::vector<std::string> values(count);
  for (std::string& value : values) {
    value.resize(random() % (longest + 1));
    for (char& byte : value) byte = static_cast<char>(random());
  }
  return values;
}

}  // namespace widehash
