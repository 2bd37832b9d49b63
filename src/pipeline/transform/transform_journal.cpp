#include "transform_journal.hpp"

#include "whole_shards.hpp"

#include <widehash/checksum.hpp>
#include <widehash/error.hpp>
#include <widehash/internal/file.hpp>
#include <widehash/internal/file_names.hpp>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <span>
#include <stdexcept>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

namespace widehash {
namespace {

constexpr std::string_view checksum_key = ",\"checksum\":\"";
constexpr std::size_t hex_digits = 16;
constexpr std::string_view line_tail = "\"}";

// The checksum is over the text of the object as it is without it, which may be long: it is changed in place.
std::string with_checksum(std::string object) {
  const std::string sum = to_hex(checksum(std::as_bytes(std::span(object))));
  object.pop_back();
  object.append(checksum_key).append(sum).append(line_tail);
  return object;
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
  line = with_checksum(std::move(line));
  line += '\n';
  return line;
}

// Nothing where the line is damaged, which ends what can be trusted.
std::optional<BlockReport> read_line(std::string_view line) {
  try {
    return parse_report(without_checksum(line));
  } catch (const std::exception&) {
    return std::nullopt;
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

std::string TransformJournal::path_in(const std::string& directory) {
  return in_folder(directory, journal_name);
}

CodeBytes TransformJournal::code_bytes_in(const std::string& directory) {
  if (!file_exists(path_in(directory))) return CodeBytes::least;
  const std::string text = read_text_file(path_in(directory));
  const auto identity = parse_identity(std::string_view(text).substr(0, text.find('\n')));
  return identity ? identity->code_bytes : CodeBytes::least;
}

bool TransformJournal::can_carry_on(const TransformIdentity& identity, const std::string& directory) {
  if (!file_exists(path_in(directory))) return false;
  const std::string text = read_text_file(path_in(directory));
  const auto there = parse_identity(std::string_view(text).substr(0, text.find('\n')));
  return there && differ_in_contents_only(*there, identity);
}

TransformJournal::TransformJournal(const std::string& directory, const TransformIdentity& identity,
                                   ChangedInputs changed)
    : path_(path_in(directory)) {
  std::string kept = to_line(identity);
  if (file_exists(path_)) {
    const std::string text = read_text_file(path_);
    const std::size_t first_end = text.find('\n');
    if (first_end != std::string::npos) {  // otherwise the run was killed before it had begun
      read_entries(text.substr(first_end + 1), directory);
      if (text.substr(0, first_end + 1) != kept)
        give_up(text.substr(0, first_end), identity, directory, changed);
      for (const BlockReport& entry : entries_) kept += journal_line(entry);
    }
  }
  // What could not be used is dropped for good before anything is appended behind it.
  write_text_file(path_, kept);
  descriptor_ = ::open(path_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  if (descriptor_ < 0) throw FileError(path_, "cannot write", errno);
}

void TransformJournal::give_up(const std::string& first_line, const TransformIdentity& identity,
                               const std::string& directory, ChangedInputs changed) {
  const auto finished = std::count_if(entries_.begin(), entries_.end(),
                                      [](const BlockReport& entry) { return entry.shard.has_value(); });
  const auto there = parse_identity(first_line);
  if (there && changed == ChangedInputs::are_done_again && differ_in_contents_only(*there, identity)) {
    std::erase_if(entries_, [&](const BlockReport& entry) {
      const std::size_t input = entry.counts.input;
      return input >= identity.inputs.size() || there->inputs[input] != identity.inputs[input];
    });
    return;
  }
  entries_.clear();
  // Where the line itself is damaged, nobody knows what the folder holds.
  if (there && finished == 0) return;
  std::string difference = there ? describe_difference(*there, identity, directory) : "";
  if (difference.empty())
    difference = "the first line of progress.jsonl there is damaged or of another version";
  throw ConfigError(
      fmt::format("{}: holds an unfinished run with {} finished shard{}, but {}; start that run again as it "
                  "was, give --overwrite to begin anew, or choose another folder",
                  directory, finished, finished == 1 ? "" : "s", difference));
}

TransformJournal::~TransformJournal() { ::close(descriptor_); }

void TransformJournal::read_entries(const std::string& text, const std::string& directory) {
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin);
    if (end == std::string::npos) return;
    std::optional<BlockReport> entry = read_line(std::string_view(text).substr(begin, end - begin));
    // A cheap look is enough: the shard was synced before its line was written.
    if (!entry || (entry->shard && !shard_is_whole(directory, *entry->shard))) return;
    entries_.push_back(std::move(*entry));
    begin = end + 1;
  }
}

void TransformJournal::append(const BlockReport& entry) {
  append_all(descriptor_, path_, journal_line(entry));
}

void TransformJournal::remove() { ::unlink(path_.c_str()); }

}  // namespace widehash
