// The container of shards, tables and models. The first byte of the input decides whether the rest is a file
// as it is on disk, or a footer and the sections before it, which are given a matching tail.
#include "claims.hpp"
#include "fuzz_bytes.hpp"
#include "memory_file.hpp"
#include "sealed_file.hpp"

#include <widehash/error.hpp>
#include <widehash/internal/section_file.hpp>

#include <string>

using namespace widehash;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static fuzz::MemoryFile memory;
  fuzz::FuzzBytes input(data, size);
  if ((input.byte() & 1) != 0) {
    memory.set(input.rest());
  } else {
    const std::string_view footer = input.up_to(fuzz::section_mark);
    std::string bytes = fuzz::head_of("shard") + std::string(input.rest());
    bytes.resize((bytes.size() + section_alignment - 1) / section_alignment * section_alignment);
    memory.set(fuzz::seal(std::move(bytes), footer).bytes);
  }
  try {
    const SectionFile file(memory.path(), "shard");
    std::uint64_t sum = 0;
    for (const Section& section : file.sections()) {
      fuzz::require(file.has(section.name), "a section is found by its name");
      for (const std::byte byte : file.bytes(section.name)) sum += static_cast<std::uint64_t>(byte);
      try {
        for (const std::uint32_t item : file.as<std::uint32_t>(section.name)) sum += item;
      } catch (const DataError&) {
      }
    }
    std::uint64_t seen = 0;
    file.verify([&](std::string_view, std::span<const std::byte> piece) { seen += piece.size(); });
    fuzz::require(seen <= file.file_bytes() * file.sections().size() && sum < (seen + 1) << 32,
                  "sections lie inside the file");
  } catch (const DataError&) {
  }
  return 0;
}
