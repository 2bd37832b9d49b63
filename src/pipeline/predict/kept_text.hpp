#pragma once

/// \file
/// Fields of the rows of a block that accompany their predictions, as they appear in the input.

#include "ingest/rejected_rows.hpp"

#include <widehash/cross.hpp>
#include <widehash/internal/escaped_text.hpp>
#include <widehash/schema.hpp>
#include <widehash/time_format.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace widehash {

/// The fields of a feature, and what it takes of times in them.
struct FeatureFields {
  FeatureFields(std::span<const std::size_t> places, const Feature& of_feature)
      : fields(places),
        feature(&of_feature),
        time_format(of_feature.encoding == Encoding::ignore ? TimeFormat()
                                                            : TimeFormat(of_feature.time_format)) {}

  std::span<const std::size_t> fields;
  const Feature* feature;
  TimeFormat time_format;
};

/// Buffers of one thread, reused from block to block.
class KeptText {
 public:
  void clear() noexcept {
    text_.clear();
    ends_.clear();
  }

  /// Adds the rows of a tile, whether or not they can be encoded. Rows is RowsView or PlacedRows.
  template <class Rows>
  void add(const Rows& rows, std::size_t num_rows, std::span<const std::size_t> fields) {
    for (std::size_t row = 0; row < num_rows; ++row) {
      for (const std::size_t field : fields) {
        append_escaped(text_, rows.value(row, field));
        text_ += '\t';
      }
      ends_.push_back(text_.size());
    }
  }

  /// The same for the fields of features, joined as "a × b", with parts of times as the feature takes them.
  template <class Rows>
  void add_features(const Rows& rows, std::size_t num_rows, std::span<const FeatureFields> features) {
    for (std::size_t row = 0; row < num_rows; ++row) {
      for (const FeatureFields& of_feature : features) {
        for (std::size_t i = 0; i < of_feature.fields.size(); ++i) {
          if (i > 0) text_ += cross_between;
          append_part(rows.value(row, of_feature.fields[i]), of_feature.feature->time_part(i),
                      of_feature.time_format);
        }
        text_ += '\t';
      }
      ends_.push_back(text_.size());
    }
  }

  /// Returns one text for each of the `num_rows` rows of the block. Rows that were not cut into fields have empty
  /// fields. `rejected` lists the bad rows among them, in order. The texts are valid until the next add() or clear().
  std::vector<std::string_view> lines(std::uint64_t num_rows, std::span<const RejectedRow> rejected,
                                      std::size_t num_fields);

 private:
  void append_part(std::string_view value, TimePart part, const TimeFormat& format);

  std::string text_;
  std::vector<std::size_t> ends_;  // in text_, for each row that was added
  std::string empty_;              // the text of a row without fields
};

}  // namespace widehash
