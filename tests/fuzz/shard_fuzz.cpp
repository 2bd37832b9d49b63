// A shard with valid checksums is refused, or its rows make a valid matrix.
#include "claims.hpp"
#include "memory_file.hpp"
#include "sealed_file.hpp"
#include "sparse/sample.hpp"

#include <widehash/csr_ops.hpp>
#include <widehash/error.hpp>
#include <widehash/shard.hpp>

#include <memory>

#include <nlohmann/json.hpp>

using namespace widehash;

namespace {

std::uint64_t rows_said(std::string_view metadata) {
  const auto json = nlohmann::json::parse(metadata, nullptr, false);
  if (!json.is_object() || !json.contains("rows") || !json["rows"].is_number_unsigned()) return 0;
  return json["rows"].get<std::uint64_t>();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static fuzz::MemoryFile memory;
  // The layout has the encoding that the seeds name.
  static const auto layout = std::make_shared<const CodeLayout>(
      test::layout_of(make_layout(test::every_kind_schema(), test::every_kind_heads()), {"s", "t"}));
  fuzz::FuzzBytes input(data, size);
  std::string_view metadata;
  const fuzz::SealedFile file = fuzz::seal_input(input, shard_kind, metadata);
  memory.set(file.bytes);
  const ManifestShard line{.file = memory.name(),
                           .rows = rows_said(metadata),
                           .bytes = file.bytes.size(),
                           .checksum = file.footer_checksum};
  try {
    const Shard shard(fuzz::MemoryFile::folder, line, layout, true);
    const Csr x = to_csr(shard.view());
    check_csr(x.view());
    fuzz::require(static_cast<std::uint64_t>(x.num_rows) == line.rows, "a shard holds the rows it names");
  } catch (const DataError&) {
  } catch (const ConfigError&) {
  }
  return 0;
}
