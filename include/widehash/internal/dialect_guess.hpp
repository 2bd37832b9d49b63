#pragma once

/// \file
/// What a table nobody has described looks like, guessed from its first bytes.

#include <widehash/dialect.hpp>
#include <widehash/internal/byte_source.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace widehash {

/// How much of an input is looked at, unless its rows are longer.
inline constexpr std::size_t sample_bytes = std::size_t{1} << 20;

/// What the caller knows; the rest is guessed.
struct DialectHints {
  std::optional<char> delimiter = std::nullopt;
  std::optional<char> quote = std::nullopt;  // '\0': quotes are ordinary bytes
  std::optional<bool> trim = std::nullopt;
  std::optional<bool> header = std::nullopt;
  /// A field that the table should have, such as its label; empty: none is known. A first line that names it
  /// is a header.
  std::string known_field = {};
};

struct DialectGuess {
  Dialect dialect;
  bool has_header = false;
  /// The header's fields, or f0, f1, ... without one; empty for an empty sample. A header that was asked for
  /// is given as it stands, even with names that are empty or come twice.
  std::vector<std::string> fields;
  /// The first name that comes twice in a header that was asked for, or in a first row that would be a header
  /// but for that.
  std::string repeated_name;
  /// Share of the sample's rows that have fields.size() fields, 0..1: below 1 something is amiss with rows or
  /// guess.
  double consistency = 1;
  /// Where rows were taken for one field each: a delimiter that they agree on, and that is not used because
  /// the first line lacks it, or one that the first line and most rows have, in numbers that do not agree;
  /// '\0' for none.
  char doubted_delimiter = '\0';

  /// Written as TSV: tabs, and quotes are ordinary bytes.
  bool is_tsv() const noexcept { return dialect.delimiter == '\t' && dialect.quote == '\0'; }
};

/// Guesses from `sample`, the beginning of the decompressed text; `is_whole` says that it is all of it (else
/// a last row without its line end is left out, for it may be cut).
///
/// Delimiter: of tab, '|', ';', ',' and space the one by which the first line and at least 98 % of the rows
/// have the same number of fields, two or more; else the one that the first line has and most rows agree on;
/// a tab (one field a row) where less than half of them do, or the first line lacks it. Where several are
/// left, the one that leaves fewer values that look like pieces of several fields ("1,A" between '|'), then
/// fewer that hold another delimiter, then the one of more fields, then the first in this order; a space
/// after all others. A known field that the first line has by one of them decides before all this. Quote: '"'
/// for ',', ';' and '|' unless that makes rows worse; for tab and space only where values are seen quoted.
/// Trim: where more than half of the values after a delimiter begin with a space. Header: the known field
/// among the names; else names all distinct, none a number, none empty but over a column without values (as
/// spreadsheets write them) and the first, where the values below it are all there and differ (row numbers that
/// pandas writes), and in some column the name differs in kind
/// from what stands below: numbers under a name, or (from eight rows on) values of one length under a name of
/// another. Cost: a few passes over the sample.
DialectGuess guess_dialect(std::string_view sample, bool is_whole, const DialectHints& hints = {});

/// The beginning of a text.
struct TextSample {
  std::string text;
  bool is_whole = false;  // all of it
};

/// The first `sample_bytes` of `source`, and more, up to max_row_bytes, where two lines have no end in them. Give them
/// back with put_back() where the source is a stream.
TextSample read_sample(ByteSource& source);
/// Whether a source with this sample has no text at all.
bool is_empty_text(std::string_view sample) noexcept;

}  // namespace widehash
