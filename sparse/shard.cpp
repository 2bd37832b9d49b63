#include "batch_check.hpp"
#include "code_check.hpp"

#include <widehash/class_weights.hpp>
#include <widehash/error.hpp>
#include <widehash/internal/file_names.hpp>
#include <widehash/internal/json_count.hpp>
#include <widehash/internal/json_parse.hpp>
#include <widehash/shard.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace widehash {
namespace {

struct ShardMetadata {
  std::uint64_t rows = 0;
  EncodingFingerprint fingerprint;
};

ShardMetadata read_metadata(const SectionFile& file) {
  try {
    const auto json = detail::parse_json<nlohmann::json>(file.metadata_json());
    return {
        detail::json_count(json, "rows"),
        {json.at("schema_fingerprint").get<std::string>(), json.at("tables_fingerprint").get<std::string>()}};
  } catch (const std::bad_alloc&) {
    throw;  // says nothing about the file
  } catch (const std::exception& problem) {
    throw DataError(file.path(), 0,
                    fmt::format("its metadata cannot be read ({}); write it again", problem.what()));
  }
}

void check_fingerprint(const std::string& path, const EncodingFingerprint& there,
                       const EncodingFingerprint& here) {
  if (there == here) return;
  const bool schemas_differ = there.schema != here.schema;
  const auto or_none = [](const std::string& text) { return text.empty() ? "none" : text; };
  throw ConfigError(
      fmt::format("{}: encoded with a different {} ({} there, {} here); rows of two encodings cannot be read "
                  "together: transform them with the same one",
                  path, schemas_differ ? "schema" : "set of lookup tables",
                  or_none(schemas_differ ? there.schema : there.tables),
                  or_none(schemas_differ ? here.schema : here.tables)));
}

template <class T>
std::span<const T> section(const SectionFile& file, const char* name, bool wanted) {
  if (wanted) return file.as<T>(name);
  if (file.has(name)) {
    throw DataError(
        file.path(), 0,
        fmt::format("section '{}' is there, but the schema has no use for it; write it again", name));
  }
  return {};
}

}  // namespace

Shard::Shard(const std::string& directory, const ManifestShard& expected,
             std::shared_ptr<const CodeLayout> layout, bool verify)
    : file_(in_folder(directory, expected.file), shard_kind), layout_(std::move(layout)) {
  if (layout_ == nullptr) throw ShapeError("a shard needs the layout of its rows");
  const ShardMetadata metadata = read_metadata(file_);
  check_fingerprint(file_.path(), metadata.fingerprint, layout_->fingerprint);
  if (file_.file_bytes() != expected.bytes || file_.footer_checksum() != expected.checksum ||
      metadata.rows != expected.rows) {
    throw DataError(
        file_.path(), 0,
        fmt::format("not the file the manifest names ({} rows, {} bytes, checksum {} there; {} rows, {} "
                    "bytes, checksum {} in the manifest); restore it from a copy or transform again",
                    metadata.rows, file_.file_bytes(), to_hex(file_.footer_checksum()), expected.rows,
                    expected.bytes, to_hex(expected.checksum)));
  }
  view_.layout = layout_.get();
  view_.num_rows = metadata.rows;
  view_.codes = section<std::uint16_t>(file_, "codes", layout_->code_stride > 0);
  view_.columns = section<std::uint32_t>(file_, "columns", layout_->column_stride > 0);
  view_.numbers = section<float>(file_, "numbers", layout_->number_stride > 0);
  view_.ragged_offsets = section<std::uint64_t>(file_, "ragged_offsets", layout_->has_ragged);
  const bool are_packed = layout_->has_ragged && file_.has("runs");
  view_.packed_runs = section<std::byte>(file_, "runs", are_packed);
  view_.ragged = section<std::uint32_t>(file_, "ragged", layout_->has_ragged && !are_packed);
  view_.targets = section<float>(file_, "targets", layout_->has_targets);
  view_.weights = section<float>(file_, "weights", layout_->has_weights);
  std::string problem = detail::size_problem(view_);
  if (problem.empty() && layout_->has_ragged &&
      (view_.ragged_offsets.front() != 0 || view_.ragged_offsets.back() != detail::run_items(view_))) {
    problem = "ragged offsets do not span the ragged runs";
  }
  if (!problem.empty()) throw DataError(file_.path(), 0, problem + "; write it again");
  if (!verify) return;
  detail::CodeCheck codes(*layout_);
  file_.verify([&](std::string_view section, std::span<const std::byte> piece) {
    if (section != "codes") return;
    codes.add({reinterpret_cast<const std::uint16_t*>(piece.data()), piece.size() / sizeof(std::uint16_t)});
  });
  detail::check_rows_of_file(view_, file_.path(), codes.all_good());
}

void Shard::weigh_classes(std::span<const double> of_class, std::shared_ptr<const CodeLayout> weighted) {
  std::vector<float> weights(view_.num_rows);
  for (std::size_t row = 0; row < weights.size(); ++row) {
    const double own = view_.weights.empty() ? 1.0 : double{view_.weights[row]};
    const double weight = own * class_weight(of_class, view_.targets[row]);
    if (weight > std::numeric_limits<float>::max()) {
      throw DataError(file_.path(), row + 1,
                      fmt::format("its weight {} times that of its class is too large; lower --class-weights",
                                  static_cast<float>(own)));
    }
    weights[row] = static_cast<float>(weight);
  }
  weights_ = std::move(weights);
  layout_ = std::move(weighted);
  view_.layout = layout_.get();
  view_.weights = weights_;
}

}  // namespace widehash
