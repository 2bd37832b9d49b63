#pragma once

/// \file
/// Reads one table of a TOML document strictly. Each key is read once, with its type and range checked, and
/// any key left over is reported by name as an error. Every error includes the line.

#include "schema_place.hpp"
#include "tomlplusplus.hpp"

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace widehash::detail {

class TomlReader {
 public:
  /// `path` is the table's path in `place` ("" for the document). `shown` is its name in messages
  /// ("[[feature]]").
  TomlReader(const toml::table& table, std::string path, std::string shown, SchemaPlace& place);

  bool has(std::string_view key) const { return table_.contains(key); }
  const toml::node* node(std::string_view key) const { return table_.get(key); }
  std::string path(std::string_view key) const;
  [[noreturn]] void fail(std::string_view key, const std::string& what) const;

  /// Throws if a key is not among `known`, suggesting the closest one. If the key is among `known_above`, the
  /// message states where it belongs: in TOML, keys after a [[table]] belong to that table, which is easily
  /// overlooked.
  void reject_unknown_keys(std::span<const std::string_view> known,
                           std::span<const std::string_view> known_above = {}) const;

  // These functions return nothing if the key is absent.
  std::optional<std::string> text(std::string_view key) const;
  std::optional<bool> flag(std::string_view key) const;
  std::optional<std::uint64_t> count(std::string_view key, std::uint64_t least, std::uint64_t most) const;
  std::optional<std::vector<std::string>> texts(std::string_view key) const;
  /// A list of texts, or a single text as a list of one.
  std::optional<std::vector<std::string>> text_or_texts(std::string_view key) const;
  std::optional<std::vector<double>> numbers(std::string_view key) const;
  /// A text of one ASCII byte, or an empty text if `may_be_empty`.
  std::optional<std::string> byte(std::string_view key, bool may_be_empty) const;

  /// One of the named values.
  template <class T>
  std::optional<T> choice(std::string_view key,
                          std::initializer_list<std::pair<std::string_view, T>> values) const {
    const auto word = text(key);
    if (!word) return std::nullopt;
    return chosen(key, *word, values);
  }
  /// A list of the named values, or a single one as a list of one.
  template <class T>
  std::optional<std::vector<T>> choices(std::string_view key,
                                        std::initializer_list<std::pair<std::string_view, T>> values) const {
    const auto words = text_or_texts(key);
    if (!words) return std::nullopt;
    std::vector<T> result;
    for (const std::string& word : *words) result.push_back(chosen(key, word, values));
    return result;
  }

 private:
  template <class T>
  T chosen(std::string_view key, const std::string& word,
           std::initializer_list<std::pair<std::string_view, T>> values) const {
    std::vector<std::string_view> names;
    for (const auto& [name, value] : values) {
      if (word == name) return value;
      names.push_back(name);
    }
    fail_choice(key, word, names);
  }
  [[noreturn]] void fail_type(std::string_view key, const toml::node& found, std::string_view wanted) const;
  [[noreturn]] void fail_choice(std::string_view key, const std::string& word,
                                std::span<const std::string_view> names) const;

  const toml::table& table_;
  std::string path_;
  std::string shown_;
  const SchemaPlace& place_;
};

}  // namespace widehash::detail
