#pragma once

/// \file
/// Section files around fuzzed contents, with valid checksums, so that the code after the checks is reached.
/// An input is text that a fuzzer can cut and join:
///
///     <metadata, JSON> "\n%%" <name> "\n" <payload> "\n%%" <name> "\n" <payload> ...

#include "fuzz_bytes.hpp"
#include "section_format.hpp"

#include <widehash/checksum.hpp>
#include <widehash/internal/section_file.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace widehash::fuzz {

inline constexpr std::string_view section_mark = "\n%%";

struct SealedFile {
  std::string bytes;
  std::uint64_t footer_checksum = 0;
};

inline std::uint64_t sum_of(std::string_view bytes) { return checksum(std::as_bytes(std::span(bytes))); }

/// `bytes` holds the head and the sections; appends the rest of the file.
inline SealedFile seal(std::string bytes, std::string_view footer) {
  detail::SectionTail tail;
  tail.footer_offset = bytes.size();
  tail.footer_bytes = footer.size();
  bytes += footer;
  bytes.resize((bytes.size() + section_alignment - 1) / section_alignment * section_alignment);
  tail.footer_checksum = sum_of(std::string_view(bytes).substr(tail.footer_offset));
  tail.file_bytes = bytes.size() + section_alignment;
  const detail::FixedBlock block = detail::section_tail(tail);
  bytes.append(block.data(), block.size());
  return {std::move(bytes), tail.footer_checksum};
}

inline std::string head_of(std::string_view kind) {
  const detail::FixedBlock head = detail::section_head(kind);
  return {head.data(), head.size()};
}

/// The file of an input as described above, and its metadata.
inline SealedFile seal_input(FuzzBytes& input, std::string_view kind, std::string_view& metadata) {
  metadata = input.up_to(section_mark);
  std::string bytes = head_of(kind);
  std::string footer = "{\"sections\":[";
  while (!input.empty()) {
    const std::string_view name = input.up_to("\n");
    const std::string_view payload = input.up_to(section_mark);
    const std::size_t offset = bytes.size();
    bytes += payload;
    bytes.resize((bytes.size() + section_alignment - 1) / section_alignment * section_alignment);
    if (footer.back() == '}') footer += ',';
    footer += "{\"name\":\"";
    footer += name;
    footer += "\",\"offset\":" + std::to_string(offset) + ",\"bytes\":" + std::to_string(payload.size()) +
              ",\"checksum\":\"" + to_hex(sum_of(std::string_view(bytes).substr(offset))) + "\"}";
  }
  footer += "],\"metadata\":";
  footer += metadata;
  footer += '}';
  return seal(std::move(bytes), footer);
}

/// The input that gives `file` again.
inline std::string input_of(const SectionFile& file) {
  std::string input = file.metadata_json();
  for (const Section& section : file.sections()) {
    const auto payload = file.bytes(section.name);
    input += section_mark;
    input += section.name + "\n";
    input.append(reinterpret_cast<const char*>(payload.data()), payload.size());
  }
  return input;
}

}  // namespace widehash::fuzz
