#include <widehash/code.hpp>
#include <widehash/error.hpp>
#include <widehash/folds.hpp>
#include <widehash/internal/parse_all.hpp>
#include <widehash/internal/utf8.hpp>

#include <algorithm>
#include <optional>

#include <fmt/format.h>

namespace widehash {
namespace {

/// Parses "4" or "4-7".
std::optional<FoldRange> read_range(std::string_view text) {
  const std::size_t dash = text.find('-');
  const auto first = detail::parse_all<std::uint32_t>(text.substr(0, dash));
  const auto last =
      dash == std::string_view::npos ? first : detail::parse_all<std::uint32_t>(text.substr(dash + 1));
  if (!first || !last) return std::nullopt;
  return FoldRange{*first, *last};
}

}  // namespace

bool Folds::take(std::uint32_t fold) const noexcept {
  return std::ranges::any_of(
      taken, [fold](const FoldRange& range) { return range.first <= fold && fold <= range.last; });
}

std::uint32_t fold_of(std::string_view bytes, std::uint32_t count) noexcept {
  return 1 + static_cast<std::uint32_t>(hash_xxh64(bytes, fold_seed) % count);
}

Folds parse_folds(std::string_view text) {
  const auto fail = [&] {
    throw ConfigError(fmt::format(
        "'{}' does not name folds; write 1-9/10 for nine of ten, and 10/10 for the one that is left", text));
  };
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) fail();
  const auto count = detail::parse_all<std::uint32_t>(text.substr(slash + 1));
  if (!count) fail();
  Folds folds{.count = *count, .taken = {}};
  for (std::string_view rest = text.substr(0, slash);;) {
    const std::size_t comma = rest.find(',');
    const auto range = read_range(rest.substr(0, comma));
    if (!range) fail();
    folds.taken.push_back(*range);
    if (comma == std::string_view::npos) break;
    rest.remove_prefix(comma + 1);
  }
  check_folds(folds);
  return folds.take_all() ? Folds{} : folds;
}

std::string to_text(const Folds& folds) {
  if (folds.take_all()) return "1/1";
  std::string text;
  for (const FoldRange& range : folds.taken) {
    if (!text.empty()) text += ',';
    text += range.first == range.last ? fmt::to_string(range.first)
                                      : fmt::format("{}-{}", range.first, range.last);
  }
  return fmt::format("{}/{}", text, folds.count);
}

std::string rows_of(const Folds& folds) {
  if (folds.take_all()) return "all rows";
  return fmt::format("folds {}{}", to_text(folds), folds.by.empty() ? "" : fmt::format(" by '{}'", folds.by));
}

void check_folds(const Folds& folds) {
  if (folds.taken.empty() && !folds.take_all())
    throw ConfigError("no fold is chosen, so there would be no rows");
  std::uint32_t before = 0;
  for (const FoldRange& range : folds.taken) {
    if (range.first == 0)
      throw ConfigError(fmt::format("'{}' names fold 0; folds are numbered from 1", to_text(folds)));
    if (range.first <= before || range.last < range.first) {
      throw ConfigError(fmt::format("'{}' names folds out of order or twice", to_text(folds)));
    }
    before = range.last;
  }
  if (before > folds.count) {
    throw ConfigError(
        fmt::format("'{}' names fold {}, but there are only {}", to_text(folds), before, folds.count));
  }
  if (!is_utf8(folds.by)) {
    throw ConfigError(
        "the name of the field that assigns rows to folds is not UTF-8, so a manifest cannot store it");
  }
  if (folds.take_all() && !folds.by.empty()) {
    throw ConfigError(
        fmt::format("all rows are in one fold, so field '{}' would decide nothing; choose folds, for example "
                    "--folds 1-9/10",
                    folds.by));
  }
}

}  // namespace widehash
