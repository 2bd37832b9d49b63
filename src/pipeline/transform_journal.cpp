#include "transform_journal.hpp"

#include <widehash/checksum.hpp>
#include <widehash/error.hpp>
#include <widehash/file.hpp>

#include <cerrno>
#include <cstdlib>
#include <span>
#include <stdexcept>
#include <string_view>

#include <fcntl.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace widehash {
namespace {

using nlohmann::ordered_json;

constexpr const char* version_key = "widehash_journal";
constexpr int journal_of_two_bytes = 2;
constexpr int journal_version = 3;
// Told twice: the line has no checksum, and one bit makes version 2 of 3.
constexpr const char* code_bytes_key = "code_bytes";
constexpr const char* least_bytes = "least";

constexpr std::string_view checksum_key = ",\"checksum\":\"";
constexpr std::size_t hex_digits = 16;
constexpr std::string_view line_tail = "\"}";

// The checksum is over the text of the object as it is without it.
std::string with_checksum(std::string_view object) {
  const std::string sum = to_hex(checksum(std::as_bytes(std::span(object))));
  std::string line(object.substr(0, object.size() - 1));
  return line.append(checksum_key).append(sum).append(line_tail);
}

std::string without_checksum(std::string_view line) {
  const std::size_t added = checksum_key.size() + hex_digits + line_tail.size() - 1;
  if (line.size() <= added) throw std::invalid_argument("a line without a checksum");
  std::string object = std::string(line.substr(0, line.size() - added - 1)) + "}";
  if (with_checksum(object) != line) throw std::invalid_argument("the checksum differs");
  return object;
}

std::string journal_line(const BlockReport& entry) {
  std::string line = to_line(entry);
  line.pop_back();  // the line end
  return with_checksum(line) + "\n";
}

// The first input whose content alone keeps a run from being carried on; empty where something else does.
std::string changed_input(const std::string& first_line, const TransformJournal::Identity& identity) {
  const auto there = ordered_json::parse(first_line, nullptr, false);
  if (!there.contains("inputs") || !there["inputs"].is_array() ||
      there["inputs"].size() != identity.inputs.size())
    return "";
  TransformJournal::Identity as_before = identity;
  std::string changed;
  for (std::size_t i = 0; i < identity.inputs.size(); ++i) {
    const auto& input = there["inputs"][i];
    if (!input.contains("sample") || !input["sample"].is_string()) return "";
    as_before.samples[i] = std::strtoull(input["sample"].get<std::string>().c_str(), nullptr, 16);
    if (changed.empty() && as_before.samples[i] != identity.samples[i]) changed = identity.inputs[i].path;
  }
  return TransformJournal::identity_line(as_before) == first_line + "\n" ? changed : "";
}

// A cheap look (head, footer and size, not every byte): the shard was synced before its line was written.
bool shard_is_whole(const std::string& directory, const ManifestShard& shard) {
  try {
    const SectionFile file(directory + "/" + shard.file, "shard");
    return file.file_bytes() == shard.bytes && file.footer_checksum() == shard.checksum;
  } catch (const Error&) {
    return false;
  }
}

void append_all(int descriptor, const std::string& path, std::string_view text) {
  while (!text.empty()) {
    const auto count = ::write(descriptor, text.data(), text.size());
    if (count < 0) {
      if (errno == EINTR) continue;
      throw FileError(path, "cannot write", errno);
    }
    text.remove_prefix(static_cast<std::size_t>(count));
  }
}

}  // namespace

std::string TransformJournal::path_in(const std::string& directory) { return directory + "/progress.jsonl"; }

CodeBytes TransformJournal::code_bytes_in(const std::string& directory) {
  if (!file_exists(path_in(directory))) return CodeBytes::least;
  const std::string text = read_text_file(path_in(directory));
  const auto first_line = ordered_json::parse(text.substr(0, text.find('\n')), nullptr, false);
  const bool is_of_two_bytes = first_line.is_object() &&
                               first_line.value(version_key, ordered_json()) == journal_of_two_bytes &&
                               !first_line.contains(code_bytes_key);
  return is_of_two_bytes ? CodeBytes::two : CodeBytes::least;
}

std::string TransformJournal::identity_line(const Identity& identity) {
  ordered_json line;
  if (identity.code_bytes == CodeBytes::two) {
    line[version_key] = journal_of_two_bytes;
  } else {
    line[version_key] = journal_version;
    line[code_bytes_key] = least_bytes;
  }
  line["schema_fingerprint"] = identity.fingerprint.schema;
  line["tables_fingerprint"] = identity.fingerprint.tables;
  line["block_bytes"] = identity.block_bytes;
  line["inputs"] = ordered_json::array();
  for (std::size_t i = 0; i < identity.inputs.size(); ++i) {
    const Input& input = identity.inputs[i];
    line["inputs"].push_back(
        {{"path", input.path}, {"size_bytes", input.size_bytes}, {"sample", to_hex(identity.samples[i])}});
  }
  return line.dump(-1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

TransformJournal::TransformJournal(const std::string& directory, const Identity& identity)
    : path_(path_in(directory)) {
  const std::string first_line = identity_line(identity);
  std::string kept = first_line;
  if (file_exists(path_)) {
    const std::string text = read_text_file(path_);
    if (text.find('\n') != std::string::npos) {  // otherwise the run was killed before it had begun
      if (!text.starts_with(first_line)) {
        const std::string changed = changed_input(text.substr(0, text.find('\n')), identity);
        if (!changed.empty()) {
          throw ConfigError(
              fmt::format("{}: has changed since the run that is being carried on in {}; give --overwrite to "
                          "start anew",
                          changed, directory));
        }
        throw ConfigError(
            fmt::format("{}: holds an unfinished run of another schema, tables, inputs or block size; start "
                        "that one again, choose another folder, or give --overwrite",
                        directory));
      }
      read_entries(text.substr(first_line.size()), directory);
      for (const BlockReport& entry : entries_) kept += journal_line(entry);
    }
  }
  // What could not be used is dropped for good before anything is appended behind it.
  write_text_file(path_, kept);
  descriptor_ = ::open(path_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  if (descriptor_ < 0) throw FileError(path_, "cannot write", errno);
}

TransformJournal::~TransformJournal() { ::close(descriptor_); }

void TransformJournal::read_entries(const std::string& text, const std::string& directory) {
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin);
    if (end == std::string::npos) return;
    try {
      BlockReport entry = parse_report(without_checksum(std::string_view(text).substr(begin, end - begin)));
      if (entry.shard && !shard_is_whole(directory, *entry.shard)) return;
      entries_.push_back(std::move(entry));
    } catch (const std::exception&) {
      return;  // a damaged line ends what can be trusted
    }
    begin = end + 1;
  }
}

void TransformJournal::append(const BlockReport& entry) {
  append_all(descriptor_, path_, journal_line(entry));
}

void TransformJournal::remove() { ::unlink(path_.c_str()); }

}  // namespace widehash
