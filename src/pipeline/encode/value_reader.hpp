#pragma once

/// \file
/// Defines the values of a feature in a row. Missing values, parts of times, crosses and several values in
/// one field are handled once, in for_each_value(), for every encoding and for the counting of `fit`.

#include "missing_values.hpp"

#include <widehash/cross.hpp>
#include <widehash/encoder.hpp>
#include <widehash/internal/value_list.hpp>
#include <widehash/placed_rows.hpp>
#include <widehash/schema.hpp>
#include <widehash/time_format.hpp>

#include <array>
#include <charconv>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace widehash {

inline bool is_list(const RowsView& rows, std::size_t field) noexcept { return rows.is_list(field); }
inline bool is_list(const PlacedRows&, std::size_t) noexcept { return false; }

/// Reads the values of a feature: splits multi-valued fields and recognises its missing texts.
class ValueReader {
 public:
  ValueReader(const Schema& schema, const Feature& feature)
      : missing_values_(schema.missing_values_of(feature)),
        skip_missing_(feature.missing == Missing::skip),
        separator_(feature.separator.empty() ? std::nullopt : std::optional<char>(feature.separator[0])),
        time_parts_(feature.time_parts.empty() ? std::vector(feature.fields.size(), TimePart::none)
                                               : feature.time_parts),
        time_format_(feature.encoding == Encoding::ignore ? TimeFormat() : TimeFormat(feature.time_format)) {}

  bool is_missing(std::string_view value) const noexcept { return is_missing_value(value, missing_values_); }
  /// Returns the empty value for a missing text, and other values unchanged.
  std::string_view normalised(std::string_view value) const noexcept {
    return is_missing(value) ? std::string_view() : value;
  }
  bool skips_missing() const noexcept { return skip_missing_; }

  /// Calls use(value) for every value of the feature in a row: usually one, none where a missing value is
  /// skipped, several where the field is multi-valued. The values of a cross are those of cross.hpp, over all
  /// combinations of its parts' values. `scratch` is any string to build them in. Rows is RowsView or
  /// PlacedRows.
  template <class Rows, class Use>
  void for_each_value(const Rows& rows, std::size_t row, std::span<const std::size_t> fields,
                      std::string& scratch, Use&& use) const {
    if (fields.size() == 1) {
      for_each_item(rows, row, fields[0], time_parts_[0], use);
    } else {
      scratch.clear();
      combine(rows, row, fields, scratch, use);
    }
  }

 private:
  template <class Rows, class Use>
  void for_each_item(const Rows& rows, std::size_t row, std::size_t field, TimePart part, Use&& use) const {
    const std::string_view text = rows.value(row, field);
    if (part != TimePart::none) {
      use_part(text, part, use);
    } else if (!separator_) {
      use_item(text, use);
    } else if (text.empty() || (!is_list(rows, field) && is_missing(text))) {
      use_item({}, use);
    } else if (is_list(rows, field)) {
      for_each_listed(text, [&](std::string_view item) { use_item(item, use); });
    } else {
      for_each_separated(text, use);
    }
  }

  template <class Use>
  void for_each_separated(std::string_view field, Use&& use) const {
    for (;;) {
      const std::size_t end = field.find(*separator_);
      use_item(field.substr(0, end), use);
      if (end == std::string_view::npos) return;
      field.remove_prefix(end + 1);
    }
  }

  template <class Use>
  void use_item(std::string_view item, Use&& use) const {
    const std::string_view value = normalised(item);
    if (value.empty() && skip_missing_) return;
    use(value);
  }

  /// RowRules reject rows whose time cannot be read.
  template <class Use>
  void use_part(std::string_view item, TimePart part, Use&& use) const {
    std::array<char, 4> digits{};
    std::string_view value;
    if (const auto time = time_format_.parse(normalised(item))) {
      const auto end = std::to_chars(digits.begin(), digits.end(), part_of(*time, part)).ptr;
      value = {digits.begin(), static_cast<std::size_t>(end - digits.begin())};
    }
    if (value.empty() && skip_missing_) return;
    use(value);
  }

  // Appends each value of the first field to the contents of `scratch` and continues with the other fields.
  template <class Rows, class Use>
  void combine(const Rows& rows, std::size_t row, std::span<const std::size_t> fields, std::string& scratch,
               Use&& use) const {
    const TimePart part = time_parts_[time_parts_.size() - fields.size()];
    for_each_item(rows, row, fields[0], part, [&](std::string_view item) {
      const std::size_t length = scratch.size();
      append_cross_part(scratch, item);
      if (fields.size() == 1) {
        use(std::string_view(scratch));
      } else {
        combine(rows, row, fields.subspan(1), scratch, use);
      }
      scratch.resize(length);
    });
  }

  std::vector<std::string> missing_values_;
  bool skip_missing_;
  std::optional<char> separator_;
  std::vector<TimePart> time_parts_;  // one per field
  TimeFormat time_format_;
};

}  // namespace widehash
