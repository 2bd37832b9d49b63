#include "section_format.hpp"

#include <widehash/internal/section_file.hpp>

#include <array>
#include <cstring>

#include <nlohmann/json.hpp>

namespace widehash {

SectionWriter::SectionWriter(std::string path, std::string_view kind) : file_(std::move(path)) {
  const detail::FixedBlock head = detail::section_head(kind);
  file_.write(std::as_bytes(std::span(head)));
}

void SectionWriter::begin_section(std::string name) {
  end_section();
  sections_.push_back({.name = std::move(name), .offset = file_.bytes_written()});
  running_ = ChecksumStream();
  in_section_ = true;
}

void SectionWriter::append(std::span<const std::byte> bytes) {
  running_.add(bytes);
  file_.write(bytes);
}

void SectionWriter::add_section(std::string name, std::span<const std::byte> bytes) {
  begin_section(std::move(name));
  append(bytes);
}

void SectionWriter::pad(ChecksumStream* sum) {
  static constexpr std::array<std::byte, section_alignment> zeros{};
  const std::size_t over = file_.bytes_written() % section_alignment;
  if (over == 0) return;
  const auto padding = std::span(zeros).first(section_alignment - over);
  if (sum != nullptr) sum->add(padding);
  file_.write(padding);
}

void SectionWriter::end_section() {
  if (!in_section_) return;
  Section& section = sections_.back();
  section.bytes = file_.bytes_written() - section.offset;
  pad(&running_);
  section.checksum = running_.value();
  in_section_ = false;
}

std::uint64_t SectionWriter::finish(std::string_view metadata_json, Flush flush) {
  end_section();
  nlohmann::ordered_json footer;
  footer["sections"] = nlohmann::ordered_json::array();
  for (const Section& section : sections_) {
    footer["sections"].push_back({{"name", section.name},
                                  {"offset", section.offset},
                                  {"bytes", section.bytes},
                                  {"checksum", to_hex(section.checksum)}});
  }
  footer["metadata"] = nlohmann::ordered_json::parse(metadata_json);
  const std::string text = footer.dump();

  const std::uint64_t offset = file_.bytes_written();
  ChecksumStream sum;
  sum.add(std::as_bytes(std::span(text)));
  file_.write(text);
  pad(&sum);
  const std::uint64_t footer_checksum = sum.value();
  const detail::FixedBlock tail =
      detail::section_tail({offset, text.size(), footer_checksum, file_.bytes_written() + section_alignment});
  file_.write(std::as_bytes(std::span(tail)));
  file_.commit(flush);
  return footer_checksum;
}

}  // namespace widehash
