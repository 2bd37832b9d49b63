#include "pulse.hpp"

#include <widehash/code.hpp>
#include <widehash/error.hpp>
#include <widehash/internal/json_count.hpp>
#include <widehash/internal/json_parse.hpp>
#include <widehash/lookup_table.hpp>

#include <algorithm>
#include <cstddef>
#include <span>
#include <stdexcept>
#include <string_view>
#include <tuple>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace widehash {
namespace {

Encoding encoding_of(const std::string& name) {
  for (const Encoding encoding : {Encoding::four_split, Encoding::one_hot, Encoding::exact}) {
    if (name == to_string(encoding)) return encoding;
  }
  throw std::invalid_argument("unknown encoding " + name);
}

HashKind hash_of(const std::string& name) {
  for (const HashKind kind : {HashKind::xxh64, HashKind::xxh3_128}) {
    if (name == to_string(kind)) return kind;
  }
  throw std::invalid_argument("unknown hash " + name);
}

}  // namespace

LookupTable::LookupTable(std::string path) : file_(std::move(path), "table") {
  read_metadata();
  hashes_ = file_.as<std::uint64_t>("hashes");
  if (hash_kind_ == HashKind::xxh3_128) hashes_low_ = file_.as<std::uint64_t>("hashes_low");
  counts_ = file_.as<std::uint64_t>("counts");
  codes_ = file_.as<std::uint32_t>("codes");
  value_offsets_ = file_.as<std::uint64_t>("value_offsets");
  const auto values = file_.bytes("values");
  values_ = {reinterpret_cast<const char*>(values.data()), values.size()};

  const auto check_size = [this](const char* section, std::size_t items, std::size_t expected) {
    if (items == expected) return;
    throw DataError(file_.path(), 0,
                    fmt::format("section '{}' has {} items, but should have {}; rebuild the tables", section,
                                items, expected));
  };
  const std::size_t n = hashes_.size();
  if (hash_kind_ == HashKind::xxh3_128) check_size("hashes_low", hashes_low_.size(), n);
  check_size("counts", counts_.size(), n);
  check_size("codes", codes_.size(), n * num_splits);
  check_size("value_offsets", value_offsets_.size(), n + 1);
  if (value_offsets_.front() != 0 || value_offsets_.back() != values_.size()) {
    throw DataError(file_.path(), 0, "the value offsets do not span the values; rebuild the tables");
  }
}

void LookupTable::read_metadata() {
  std::uint64_t num_values = 0;
  try {
    const auto metadata = detail::parse_json<nlohmann::json>(file_.metadata_json());
    feature_ = metadata.at("feature").get<std::string>();
    schema_fingerprint_ = metadata.at("schema_fingerprint").get<std::string>();
    encoding_ = encoding_of(metadata.at("encoding").get<std::string>());
    hash_kind_ = hash_of(metadata.at("hash").get<std::string>());
    seed_ = detail::json_count(metadata, "seed");
    cardinality_ = detail::json_count(metadata, "cardinality");
    buckets_ = detail::json_count(metadata, "buckets");
    width_ = detail::json_count<std::uint32_t>(metadata, "width");
    num_values = detail::json_count(metadata, "num_values");
    total_count_ = detail::json_count(metadata, "total_count");
  } catch (const std::bad_alloc&) {
    throw;  // says nothing about the file
  } catch (const std::exception& error) {
    throw DataError(
        file_.path(), 0,
        fmt::format("the table's metadata cannot be read ({}); rebuild the tables", error.what()));
  }
  if (encoding_ == Encoding::one_hot && buckets_ == 0) buckets_ = std::uint64_t{num_splits} * width_;
  const std::uint32_t widest = hash_kind_ == HashKind::xxh64 ? 1u << 16 : 1u << 29;
  if (width_ < min_split_width || width_ > widest || buckets_ > max_columns) {
    throw DataError(
        file_.path(), 0,
        fmt::format("width {} or buckets {} is out of range; rebuild the tables", width_, buckets_));
  }
  if (num_values != file_.bytes("hashes").size() / sizeof(std::uint64_t)) {
    throw DataError(
        file_.path(), 0,
        fmt::format("the metadata says {} values, but the table holds a different number; rebuild the tables",
                    num_values));
  }
}

TableEntry LookupTable::entry(std::uint64_t index) const noexcept {
  const std::uint64_t begin = std::min<std::uint64_t>(value_offsets_[index], values_.size());
  const std::uint64_t end = std::clamp<std::uint64_t>(value_offsets_[index + 1], begin, values_.size());
  TableEntry entry;
  entry.value = {values_.data() + begin, static_cast<std::size_t>(end - begin)};
  entry.hash = hashes_[index];
  for (std::size_t k = 0; k < num_splits; ++k) entry.code[k] = codes_[index * num_splits + k];
  entry.count = counts_[index];
  return entry;
}

void LookupTable::verify(const std::function<void()>& pulse) const {
  file_.verify([&](std::string_view, std::span<const std::byte>) {
    if (pulse) pulse();
  });
  const bool wide = hash_kind_ == HashKind::xxh3_128;
  const auto low_half = [&](std::uint64_t index) { return wide ? hashes_low_[index] : 0; };
  std::uint64_t total_count = 0;
  std::string_view before;
  for (std::uint64_t i = 0; i < num_values(); ++i) {
    detail::pulse_at(i, pulse);
    const auto fail = [&](const char* what) {
      throw DataError(file_.path(), i + 1, std::string(what) + "; rebuild the tables");
    };
    if (value_offsets_[i] > value_offsets_[i + 1] || value_offsets_[i + 1] > values_.size()) {
      fail("the value's bytes do not follow those of the value before");
    }
    const TableEntry here = entry(i);
    const Hash128 hash = wide ? hash_xxh3_128(here.value, seed_) : Hash128{hash_xxh64(here.value, seed_), 0};
    if (hash.high != here.hash || hash.low != low_half(i)) fail("the hash does not match the value");
    if (here.code != (wide ? four_split(hash, width_) : four_split(hash.high, width_))) {
      fail("the code does not match the value");
    }
    if (here.count == 0) fail("the value has a count of 0");
    if (i > 0) {
      const auto key_before = std::tuple(hashes_[i - 1], low_half(i - 1), before);
      if (key_before >= std::tuple(hash.high, hash.low, here.value)) fail("the value is out of order");
    }
    before = here.value;
    total_count += here.count;
  }
  if (total_count != total_count_) {
    throw DataError(
        file_.path(), 0,
        fmt::format("the counts add up to {}, not {}; rebuild the tables", total_count, total_count_));
  }
}

}  // namespace widehash
