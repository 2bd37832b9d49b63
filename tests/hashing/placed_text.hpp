#pragma once

#include <widehash/placed_rows.hpp>

#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace widehash {

/// Rows of text and the places of their values as a scanner would give them. `line_end` is LF or CR LF.
class PlacedText {
 public:
  PlacedText(std::size_t num_fields, const std::vector<std::string>& values, std::string_view line_end = "\n")
      : num_fields_(num_fields), stride_(num_fields + line_end.size() - 1) {
    places_.push_back(static_cast<std::uint32_t>(-1));
    for (std::size_t i = 0; i < values.size(); ++i) {
      text_ += values[i];
      for (const char byte : (i + 1) % num_fields == 0 ? line_end : "\t") {
        places_.push_back(static_cast<std::uint32_t>(text_.size()));
        text_ += byte;
      }
    }
    num_rows_ = values.size() / num_fields;
    text_ += "12345678";
    // The places after the last one may hold anything.
    places_.resize(places_.size() + 8, 0xDEADBEEF);
  }
  PlacedRows rows() const {
    return {text_.data(), places_.data(), places_.data() + 1, num_fields_, num_rows_, stride_};
  }

 private:
  std::size_t num_fields_;
  std::size_t stride_;
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
