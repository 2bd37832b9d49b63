#pragma once

/// \file
/// Folds in JSON files. There is no key if all rows are taken, as in files older than folds.

#include <widehash/folds.hpp>

#include <string>

namespace widehash::detail {

template <class Json>
void set_folds(Json& json, const Folds& folds) {
  if (folds.take_all()) return;
  json["folds"] = to_text(folds);
  if (!folds.by.empty()) json["fold_by"] = folds.by;
}

/// Throws std::exception if `json` does not hold what set_folds() sets.
template <class Json>
Folds read_folds(const Json& json) {
  if (!json.contains("folds")) return {};
  Folds folds = parse_folds(json.at("folds").template get<std::string>());
  if (json.contains("fold_by")) json.at("fold_by").get_to(folds.by);
  check_folds(folds);
  return folds;
}

}  // namespace widehash::detail
