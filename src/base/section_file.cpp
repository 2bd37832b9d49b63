#include "section_format.hpp"

#include <widehash/error.hpp>
#include <widehash/internal/json_count.hpp>
#include <widehash/internal/json_parse.hpp>
#include <widehash/internal/section_file.hpp>

#include <algorithm>
#include <cstring>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace widehash {
namespace {

using detail::FixedBlock;

[[noreturn]] void fail(const std::string& path, const std::string& what) {
  throw DataError(path, 0, what + "; restore it from a copy or write it again");
}

std::string kind_of(const std::byte* head) {
  const char* text = reinterpret_cast<const char*>(head) + 8;
  return {text, strnlen(text, 8)};
}

void check_head(const std::string& path, const std::byte* head, std::string_view kind) {
  if (std::memcmp(head, section_magic.data(), section_magic.size()) != 0) {
    throw DataError(path, 0, "not a widehash file; is it the right path?");
  }
  if (kind_of(head) != kind) {
    throw DataError(path, 0,
                    fmt::format("a widehash file of kind '{}', but a {} is needed; is it the right path?",
                                kind_of(head), kind));
  }
  std::uint32_t major = 0;
  std::memcpy(&major, head + 16, sizeof major);
  if (major != section_file_major) {
    throw DataError(path, 0,
                    fmt::format("written in {} format version {}, but this program reads version {}; use a "
                                "program that reads that version",
                                kind, major, section_file_major));
  }
  // Minor versions only add sections and metadata keys, so a newer one is accepted; everything else must be
  // exactly as we write it.
  FixedBlock expected = detail::section_head(kind);
  std::memcpy(expected.data() + 20, head + 20, 4);
  if (std::memcmp(head, expected.data(), expected.size()) != 0) fail(path, "the head is damaged");
}

detail::SectionTail check_tail(const std::string& path, std::span<const std::byte> file) {
  detail::SectionTail tail;
  const std::byte* block = file.data() + file.size() - section_alignment;
  std::memcpy(&tail, block, sizeof tail);
  const FixedBlock expected = detail::section_tail(tail);
  if (std::memcmp(block, expected.data(), expected.size()) != 0) {
    fail(path, "the end is missing or damaged: the file was cut short or not fully written");
  }
  std::uint32_t head_minor = 0;
  std::memcpy(&head_minor, file.data() + 20, sizeof head_minor);
  if (tail.minor != head_minor) fail(path, "the head is damaged");
  const std::uint64_t body_end = file.size() - section_alignment;
  if (tail.file_bytes != file.size() || tail.footer_offset % section_alignment != 0 ||
      tail.footer_offset < section_alignment || tail.footer_offset > body_end ||
      tail.footer_bytes > body_end - tail.footer_offset) {
    fail(path, "its size is not the size it was written with");
  }
  return tail;
}

std::uint64_t padded(std::uint64_t bytes) {
  return (bytes + section_alignment - 1) / section_alignment * section_alignment;
}

}  // namespace

bool begins_as_section_file(const std::string& path, std::string_view kind) {
  const FixedBlock head = detail::section_head(kind);
  constexpr std::size_t magic_and_kind = 16;
  const MappedFile file(path);
  return file.bytes().size() >= magic_and_kind &&
         std::memcmp(file.bytes().data(), head.data(), magic_and_kind) == 0;
}

SectionFile::SectionFile(std::string path, std::string_view kind) : file_(std::move(path)) {
  const auto file = file_.bytes();
  if (file.size() < 2 * section_alignment || file.size() % section_alignment != 0) {
    if (file.size() >= 8 && std::memcmp(file.data(), section_magic.data(), 8) != 0) {
      throw DataError(this->path(), 0, "not a widehash file; is it the right path?");
    }
    fail(this->path(),
         fmt::format(
             "{} bytes long, which is not a valid size: it was cut short, or something was added to it",
             file.size()));
  }
  check_head(this->path(), file.data(), kind);
  const detail::SectionTail tail = check_tail(this->path(), file);
  const auto footer = file.subspan(tail.footer_offset, file.size() - section_alignment - tail.footer_offset);
  if (checksum(footer) != tail.footer_checksum)
    fail(this->path(), "the footer is damaged (checksum differs)");
  footer_checksum_ = tail.footer_checksum;
  // The parser takes a zero byte for the end of the text, so a length that reaches into the padding would go
  // unnoticed.
  if (tail.footer_bytes == 0 || footer[tail.footer_bytes - 1] != std::byte{'}'})
    fail(this->path(), "the end is damaged");
  try {
    const auto parsed =
        detail::parse_json<nlohmann::json>({reinterpret_cast<const char*>(footer.data()), tail.footer_bytes});
    for (const auto& item : parsed.at("sections")) {
      Section section{item.at("name").get<std::string>(), detail::json_count(item, "offset"),
                      detail::json_count(item, "bytes"), from_hex(item.at("checksum").get<std::string>())};
      if (section.offset % section_alignment != 0 || section.offset > tail.footer_offset ||
          section.bytes > tail.footer_offset - section.offset) {
        fail(this->path(), fmt::format("section '{}' lies outside the file", section.name));
      }
      sections_.push_back(std::move(section));
    }
    metadata_json_ = parsed.at("metadata").dump();
  } catch (const Error&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw;  // says nothing about the file
  } catch (const std::exception& problem) {
    fail(this->path(), fmt::format("the footer cannot be read ({})", problem.what()));
  }
}

bool SectionFile::has(std::string_view name) const noexcept {
  return std::any_of(sections_.begin(), sections_.end(), [&](const Section& s) { return s.name == name; });
}

std::span<const std::byte> SectionFile::bytes(std::string_view name) const {
  for (const Section& section : sections_) {
    if (section.name == name) return file_.bytes().subspan(section.offset, section.bytes);
  }
  fail(path(), fmt::format("section '{}' is missing", name));
}

void SectionFile::throw_odd_size(std::string_view name, std::size_t item_bytes) const {
  fail(path(), fmt::format("section '{}' is not a whole number of {}-byte items", name, item_bytes));
}

void SectionFile::verify(const Look& look) const {
  for (const Section& section : sections_) verify(section, look);
}

void SectionFile::verify(const Section& section, const Look& look) const {
  const auto all = file_.bytes().subspan(section.offset, padded(section.bytes));
  ChecksumStream sum;
  for (std::size_t begin = 0; begin < all.size(); begin += verify_piece_bytes) {
    const auto piece = all.subspan(begin, std::min(verify_piece_bytes, all.size() - begin));
    sum.add(piece);
    if (look && begin < section.bytes)
      look(section.name, piece.first(std::min(piece.size(), section.bytes - begin)));
  }
  if (sum.value() != section.checksum) {
    fail(path(), fmt::format("section '{}' is damaged (checksum differs)", section.name));
  }
}

}  // namespace widehash
