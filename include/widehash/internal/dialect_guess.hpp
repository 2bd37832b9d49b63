#pragma once

/// \file
/// Guesses from the first bytes of a table what it looks like, if nobody has described it.

#include <widehash/dialect.hpp>
#include <widehash/internal/byte_source.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace widehash {

/// How much of an input is sampled, unless its rows are longer.
inline constexpr std::size_t sample_bytes = std::size_t{1} << 20;

/// What the caller knows; the rest is guessed.
struct DialectHints {
  std::optional<char> delimiter = std::nullopt;
  std::optional<char> quote = std::nullopt;  // '\0': quotes are ordinary bytes
  std::optional<bool> trim = std::nullopt;
  std::optional<bool> header = std::nullopt;
  /// A field that the table should have, such as its label; empty: none is known. A first line that contains
  /// it is a header.
  std::string known_field = {};
};

struct DialectGuess {
  Dialect dialect;
  bool has_header = false;
  /// The header's fields, or f0, f1, ... without a header; empty for an empty sample. If the caller asked for
  /// a header, it is returned as it stands, even with empty or repeated names.
  std::vector<std::string> fields;
  /// The first repeated name in a header that the caller asked for, or in a first row that would otherwise be
  /// a header.
  std::string repeated_name;
  /// Share of the sample's rows that have fields.size() fields, 0..1. Below 1, something is wrong with the
  /// rows or the guess.
  double consistency = 1;
  /// If rows were taken to have one field each: a delimiter that the rows agree on and that is not used
  /// because the first line lacks it, or one that the first line and most rows have, but in differing
  /// numbers. '\0' for none.
  char doubted_delimiter = '\0';

  /// Whether the first row was taken as data, but may just as well name the fields.
  bool is_header_unsure = false;

  /// Whether the table is written as TSV: tabs, and quotes are ordinary bytes.
  bool is_tsv() const noexcept { return dialect.delimiter == '\t' && dialect.quote == '\0'; }
};

/// Guesses from `sample`, the beginning of the decompressed text. `is_whole` says that it is the whole text;
/// otherwise a last row without its line end is ignored, because it may be cut.
///
/// Delimiter: the one of tab, '|', ';', ',' and space by which the first line and at least 98 % of the rows
/// have the same number of fields, two or more; otherwise the one that the first line has and most rows agree
/// on; a tab (one field per row) if less than half of the rows agree or the first line lacks it. If several
/// remain, the one that leaves fewer values that look like pieces of several fields ("1,A" between '|'), then
/// fewer that hold another delimiter, then the one with more fields, then the first in this order; a space
/// comes after all others. If by one of them the first line has the known field, that decides before all of
/// this.
///
/// Quote: '"' for ',', ';' and '|' unless that makes rows worse; for tab and space only if quoted values
/// occur.
///
/// Trim: if more than half of the values after a delimiter begin with a space.
///
/// Header: if the known field is among the names; otherwise all names must be distinct, and one of these must hold.
/// - No name is a number or empty (except over a column without values, as spreadsheets write them, and except the
///   first over row numbers, as pandas writes them), and some column has numbers under its name, or from eight rows on
///   values of one length under a name of another length.
/// - A name is a text over eight or more numbers, occurs nowhere else in its column and means no missing value, and
///   the names that are numbers are ascending integers (years, or the columns that pandas numbers).
/// - No name is a number or empty, none occurs in its column, and by the values that occur once a row has new values in
///   all columns less than once in a thousand rows.
///
/// Cost: a few passes over the sample.
DialectGuess guess_dialect(std::string_view sample, bool is_whole, const DialectHints& hints = {});

/// The beginning of a text.
struct TextSample {
  std::string text;
  bool is_whole = false;  // whether `text` is all of it
};

/// Reads the first `sample_bytes` of `source`, and more, up to max_row_bytes, until they hold the ends of two
/// lines. If the source is a stream, return them to it with put_back().
TextSample read_sample(ByteSource& source);
/// Whether a source with this sample has no text at all.
bool is_empty_text(std::string_view sample) noexcept;

}  // namespace widehash
