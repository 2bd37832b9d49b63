#include "toml_reader.hpp"

#include <widehash/internal/quoted_text.hpp>
#include <widehash/internal/suggest.hpp>

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace widehash::detail {
namespace {

const char* type_name(const toml::node& node) {
  switch (node.type()) {
    case toml::node_type::table:
      return "a table";
    case toml::node_type::array:
      return "a list";
    case toml::node_type::string:
      return "a text";
    case toml::node_type::integer:
      return "an integer";
    case toml::node_type::floating_point:
      return "a floating-point number";
    case toml::node_type::boolean:
      return "a boolean";
    default:
      return "a date or time";
  }
}

}  // namespace

TomlReader::TomlReader(const toml::table& table, std::string path, std::string shown, SchemaPlace& place)
    : table_(table), path_(std::move(path)), shown_(std::move(shown)), place_(place) {
  for (const auto& [key, value] : table_) place.remember(this->path(key.str()), key.source().begin.line);
}

std::string TomlReader::path(std::string_view key) const {
  return path_.empty() ? std::string(key) : fmt::format("{}.{}", path_, key);
}

void TomlReader::fail(std::string_view key, const std::string& what) const {
  place_.fail(path(key), shown_.empty() ? what : fmt::format("{}: {}", shown_, what));
}

void TomlReader::fail_type(std::string_view key, const toml::node& found, std::string_view wanted) const {
  fail(key, fmt::format("'{}' must be {}, not {}", key, wanted, type_name(found)));
}

void TomlReader::fail_choice(std::string_view key, const std::string& word,
                             std::span<const std::string_view> names) const {
  std::vector<std::string> shown;
  for (const std::string_view name : names) shown.push_back(name.empty() ? "\"\"" : std::string(name));
  place_.fail(path(key),
              fmt::format("{} is not a valid {}{} One of: {}", quoted_start(word), key,
                          names.empty() || nearest(word, names).empty() ? "." : did_you_mean(word, names),
                          fmt::join(shown, ", ")));
}

void TomlReader::reject_unknown_keys(std::span<const std::string_view> known,
                                     std::span<const std::string_view> known_above) const {
  const auto contains = [](std::span<const std::string_view> words, std::string_view word) {
    return std::find(words.begin(), words.end(), word) != words.end();
  };
  for (const auto& [key, value] : table_) {
    const std::string_view word = key.str();
    if (contains(known, word)) continue;
    place_.fail(path(word),
                fmt::format("unknown key '{}'{}{}", word, shown_.empty() ? "" : " in " + shown_,
                            contains(known_above, word)
                                ? "; it is a key of the whole schema: write it above the first table"
                                : did_you_mean(word, known)));
  }
}

std::optional<std::string> TomlReader::text(std::string_view key) const {
  const auto* found = node(key);
  if (found == nullptr) return std::nullopt;
  if (const auto* value = found->as_string()) return value->get();
  fail_type(key, *found, "a text");
}

std::optional<bool> TomlReader::flag(std::string_view key) const {
  const auto* found = node(key);
  if (found == nullptr) return std::nullopt;
  if (const auto* value = found->as_boolean()) return value->get();
  fail_type(key, *found, "true or false");
}

std::optional<std::uint64_t> TomlReader::count(std::string_view key, std::uint64_t least,
                                               std::uint64_t most) const {
  const auto* found = node(key);
  if (found == nullptr) return std::nullopt;
  const auto* value = found->as_integer();
  if (value == nullptr) fail_type(key, *found, "an integer");
  const std::int64_t number = value->get();
  if (number < 0 || static_cast<std::uint64_t>(number) < least)
    fail(key, fmt::format("'{}' is {}, but must be at least {}", key, number, least));
  if (static_cast<std::uint64_t>(number) > most)
    fail(key, fmt::format("'{}' is {}, but must be at most {}", key, number, most));
  return static_cast<std::uint64_t>(number);
}

std::optional<std::vector<std::string>> TomlReader::texts(std::string_view key) const {
  const auto* found = node(key);
  if (found == nullptr) return std::nullopt;
  const auto* list = found->as_array();
  if (list == nullptr) fail_type(key, *found, "a list of texts");
  std::vector<std::string> values;
  for (const auto& item : *list) {
    const auto* value = item.as_string();
    if (value == nullptr) {
      place_.fail_at_line(
          item.source().begin.line,
          fmt::format("'{}' must be a list of texts, but item {} is {}{}", key, values.size() + 1,
                      type_name(item), item.is_number() ? ": put it in quotes" : ""));
    }
    values.push_back(value->get());
  }
  return values;
}

std::optional<std::vector<std::string>> TomlReader::text_or_texts(std::string_view key) const {
  const auto* found = node(key);
  if (found != nullptr && found->is_string()) return std::vector<std::string>{*text(key)};
  if (found != nullptr && !found->is_array()) fail_type(key, *found, "a text or a list of texts");
  return texts(key);
}

std::optional<std::vector<double>> TomlReader::numbers(std::string_view key) const {
  const auto* found = node(key);
  if (found == nullptr) return std::nullopt;
  const auto* list = found->as_array();
  if (list == nullptr) fail_type(key, *found, "a list of numbers");
  std::vector<double> values;
  for (const auto& item : *list) {
    if (!item.is_number()) {
      place_.fail_at_line(item.source().begin.line,
                          fmt::format("'{}' must be a list of numbers, but item {} is {}", key,
                                      values.size() + 1, type_name(item)));
    }
    // Not value<double>(), which is empty for integers that a double cannot hold exactly: the nearest double
    // is good enough.
    values.push_back(item.is_integer() ? static_cast<double>(item.as_integer()->get())
                                       : item.as_floating_point()->get());
  }
  return values;
}

std::optional<std::string> TomlReader::byte(std::string_view key, bool may_be_empty) const {
  auto value = text(key);
  if (!value || (value->empty() && may_be_empty)) return value;
  if (value->size() != 1 || static_cast<unsigned char>(value->front()) >= 0x80) {
    fail(key, fmt::format("'{}' must be one ASCII character{}, not {}", key, may_be_empty ? " or \"\"" : "",
                          quoted(*value)));
  }
  return value;
}

}  // namespace widehash::detail
