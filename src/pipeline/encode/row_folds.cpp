#include "row_folds.hpp"

namespace widehash {
namespace {

// The joint is the same for every delimiter, so that a row falls in the same fold as CSV and as TSV.
constexpr char joint = '\t';

template <class Rows>
void join_values(const Rows& rows, std::size_t row, std::string& text) {
  text.clear();
  for (std::size_t field = 0; field < rows.num_fields; ++field) {
    if (field > 0) text += joint;
    text += rows.value(row, field);
  }
}

void join(const RowsView& rows, std::size_t row, std::string& text) { join_values(rows, row, text); }

/// Without quotes, the text of the row already has the values, so only its delimiters are replaced.
void join(const PlacedRows& rows, std::size_t row, std::string& text) {
  if (rows.quote != '\0') return join_values(rows, row, text);
  text = rows.row_text(row);
  const PlacedFields fields = rows.fields(0, rows.num_fields);
  const std::uint32_t* const ends = fields.ends + row * fields.stride;
  const std::uint32_t begin = fields.before[row * fields.stride] + 1;
  for (std::size_t field = 0; field + 1 < rows.num_fields; ++field) text[ends[field] - begin] = joint;
}

}  // namespace

template <class Rows>
bool is_in_taken_fold(const Rows& rows, std::size_t row, const FieldBinding& binding, std::string& text) {
  const Folds& folds = binding.folds;
  if (binding.fold_field != FieldBinding::absent) {
    return folds.take(fold_of(rows.value(row, binding.fold_field), folds.count));
  }
  join(rows, row, text);
  return folds.take(fold_of(text, folds.count));
}

template bool is_in_taken_fold(const RowsView&, std::size_t, const FieldBinding&, std::string&);
template bool is_in_taken_fold(const PlacedRows&, std::size_t, const FieldBinding&, std::string&);

}  // namespace widehash
