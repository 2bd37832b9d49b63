#pragma once

/// \file
/// The container of shards, lookup tables and models: named sections, each with a checksum, found through a
/// footer.
///
///     head      64 bytes   "widehash", kind (8 characters, zero padded), major u32, minor u32, zeros
///     section   payload, zeros up to a multiple of 64         } once per section, in the order written
///     footer    JSON text: {"sections":[{"name","offset","bytes","checksum"}...],"metadata":{...}}, zeros up to 64
///     tail      64 bytes   footer offset u64, footer text bytes u64, footer checksum u64, file bytes u64, minor
///                          u64 once more, zeros, then "shedawid" in the last 8 bytes
///
/// Little-endian. Sections start at multiples of 64, so a mapped file can be used in place. The checksum of a
/// section covers its payload and padding, the checksum of the footer covers its text and padding, and head
/// and tail are compared byte by byte: every bit of the file is covered. docs/formats.md also describes the
/// format, with examples.

#include <widehash/checksum.hpp>
#include <widehash/internal/file.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace widehash {

/// The first bytes of every such file.
inline constexpr std::string_view section_magic = "widehash";
inline constexpr std::uint32_t section_file_major = 1;
inline constexpr std::uint32_t section_file_minor = 0;
inline constexpr std::size_t section_alignment = 64;

struct Section {
  std::string name;
  std::uint64_t offset = 0;    // bytes from the start of the file
  std::uint64_t bytes = 0;     // payload, without padding
  std::uint64_t checksum = 0;  // of payload and padding
};

/// Writes a section file under a temporary name and puts it in place with finish(). Sections may be streamed,
/// so a table larger than memory can be written. Throws what AtomicFile throws.
class SectionWriter {
 public:
  /// `kind` is at most 8 characters: "shard", "table", "model".
  SectionWriter(std::string path, std::string_view kind);

  void begin_section(std::string name);
  void append(std::span<const std::byte> bytes);
  /// Writes a whole section at once.
  void add_section(std::string name, std::span<const std::byte> bytes);

  /// Ends the last section, writes the footer with `metadata_json` (one JSON object) and commits the file.
  /// Returns the checksum of the footer, which covers the checksums of all sections and thus identifies the
  /// whole file.
  std::uint64_t finish(std::string_view metadata_json, Flush flush = Flush::now);
  /// Bytes written so far; once finished, the size of the file.
  std::uint64_t file_bytes() const noexcept { return file_.bytes_written(); }

 private:
  void end_section();
  void pad(ChecksumStream* sum);

  AtomicFile file_;
  std::vector<Section> sections_;
  ChecksumStream running_;
  bool in_section_ = false;
};

/// Whether the file begins like one of this kind; what follows may be intact or damaged. Throws FileError.
bool begins_as_section_file(const std::string& path, std::string_view kind);

/// A memory-mapped section file. Opening checks head, tail and footer; verify() checks the sections. Errors:
/// FileError; DataError for a truncated, altered, foreign or too new file, with a message for each case.
class SectionFile {
 public:
  SectionFile(std::string path, std::string_view kind);

  const std::string& path() const noexcept { return file_.path(); }
  const std::vector<Section>& sections() const noexcept { return sections_; }
  const std::string& metadata_json() const noexcept { return metadata_json_; }
  /// What SectionWriter::finish() returned.
  std::uint64_t footer_checksum() const noexcept { return footer_checksum_; }
  std::uint64_t file_bytes() const noexcept { return file_.bytes().size(); }
  const MappedFile& mapping() const noexcept { return file_; }

  bool has(std::string_view name) const noexcept;
  /// The payload of a section; empty span for an empty section. Throws DataError if there is no section of
  /// that name.
  std::span<const std::byte> bytes(std::string_view name) const;

  /// The payload as an array of T. Throws DataError if its size is not a multiple of sizeof(T).
  template <class T>
  std::span<const T> as(std::string_view name) const {
    const auto raw = bytes(name);
    if (raw.size() % sizeof(T) != 0) throw_odd_size(name, sizeof(T));
    return {reinterpret_cast<const T*>(raw.data()), raw.size() / sizeof(T)};
  }

  /// Receives a section's payload in order, in pieces of `verify_piece_bytes`; the last piece may be shorter.
  using Look = std::function<void(std::string_view section, std::span<const std::byte> piece)>;
  static constexpr std::size_t verify_piece_bytes = std::size_t{256} << 10;

  /// Reads every section and compares checksums. `look`, if given, receives each piece while it is in the
  /// cache, before the section is known to be intact. Throws DataError naming the first section that differs.
  void verify(const Look& look = {}) const;
  /// The same for one section.
  void verify(const Section& section, const Look& look = {}) const;

 private:
  [[noreturn]] void throw_odd_size(std::string_view name, std::size_t item_bytes) const;

  MappedFile file_;
  std::vector<Section> sections_;
  std::string metadata_json_;
  std::uint64_t footer_checksum_ = 0;
};

}  // namespace widehash
