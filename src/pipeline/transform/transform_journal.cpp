#include "transform_journal.hpp"

#include "whole_shards.hpp"

#include <widehash/checksum.hpp>
#include <widehash/error.hpp>
#include <widehash/internal/file.hpp>
#include <widehash/internal/file_names.hpp>
#include <widehash/internal/write_all.hpp>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <span>
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
// While a journal is read, pages are released after this many bytes.
constexpr std::size_t release_bytes = std::size_t{16} << 20;

// The checksum covers the text of the object without the checksum. The text may be long, so it is changed in place.
std::string with_checksum(std::string object) {
  const std::string sum = to_hex(checksum(std::as_bytes(std::span(object))));
  object.pop_back();
  object.append(checksum_key).append(sum).append(line_tail);
  return object;
}

bool has_its_checksum(std::string_view line) {
  const std::size_t added = checksum_key.size() + hex_digits + line_tail.size();
  if (line.size() <= added) return false;
  const std::string_view object = line.substr(0, line.size() - added);
  ChecksumStream sum;
  sum.add(std::as_bytes(std::span(object)));
  sum.add(std::as_bytes(std::span(line_tail.substr(1))));
  return line.substr(object.size()) == fmt::format("{}{}{}", checksum_key, to_hex(sum.value()), line_tail);
}

std::string journal_line(const BlockReport& entry) {
  std::string line = to_line(entry);
  line.pop_back();  // the line end
  line = with_checksum(std::move(line));
  line += '\n';
  return line;
}

struct Line {
  BlockReport entry;  // without its rejected rows
  bool has_rejected = false;
  std::string_view text;  // with its line end
};

// Returns nothing where the line is damaged: what can be trusted ends there.
std::optional<Line> read_line(std::string_view text) {
  const std::string_view object = text.substr(0, text.size() - 1);
  if (!has_its_checksum(object)) return std::nullopt;
  try {
    Line line{parse_report(object), false, text};
    line.has_rejected = !line.entry.rejected.empty();
    line.entry.rejected = {};
    return line;
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

std::string_view text_of(const MappedFile& file) noexcept {
  return {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()};
}

// Reads the lines after the first one, which ends at `begin` and names `num_inputs` inputs.
std::vector<Line> read_lines(const MappedFile& file, std::size_t begin, std::size_t num_inputs,
                             const std::string& directory) {
  const std::string_view text = text_of(file);
  std::vector<Line> lines;
  std::size_t released = begin;
  while (begin < text.size()) {
    const std::size_t end = text.find('\n', begin);
    if (end == std::string_view::npos) break;
    std::optional<Line> line = read_line(text.substr(begin, end + 1 - begin));
    // A cheap check is enough, since the shard was synced before its line was written.
    if (!line || line->entry.counts.input >= num_inputs ||
        (line->entry.shard && !shard_is_whole(directory, *line->entry.shard)))
      break;
    lines.push_back(std::move(*line));
    begin = end + 1;
    // release_pages() walks over the whole file, so it is called rarely.
    if (begin - released < release_bytes) continue;
    file.release_pages();
    released = begin;
  }
  return lines;
}

// Drops the entries of another run, or only those of changed inputs. Throws where there is something to lose.
void give_up(std::vector<Line>& lines, std::string_view first_line, const TransformIdentity& identity,
             const std::string& directory, ChangedInputs changed) {
  const auto finished =
      std::ranges::count_if(lines, [](const Line& line) { return line.entry.shard.has_value(); });
  const auto there = parse_identity(first_line);
  if (there && changed == ChangedInputs::are_done_again && differ_in_contents_only(*there, identity)) {
    std::erase_if(lines, [&](const Line& line) {
      const std::size_t input = line.entry.counts.input;
      return input >= identity.inputs.size() || there->inputs[input] != identity.inputs[input];
    });
    return;
  }
  lines.clear();
  // Where the first line itself is damaged, nobody knows what the folder holds.
  if (there && finished == 0) return;
  std::string difference = there ? describe_difference(*there, identity, directory) : "";
  if (difference.empty())
    difference = "the first line of progress.jsonl there is damaged or of another version";
  throw ConfigError(
      fmt::format("{}: holds an unfinished run with {} finished shard{}, but {}; start that run again "
                  "unchanged, give --overwrite to start over, or choose another folder",
                  directory, finished, finished == 1 ? "" : "s", difference));
}

// Returns the identity that a journal begins with; nothing where there is no journal, or its first line is damaged.
std::optional<TransformIdentity> identity_in(const std::string& path) {
  if (!file_exists(path)) return std::nullopt;
  const MappedFile file(path);
  return parse_identity(text_of(file).substr(0, text_of(file).find('\n')));
}

}  // namespace

std::string TransformJournal::path_in(const std::string& directory) {
  return in_folder(directory, journal_name);
}

CodeBytes TransformJournal::code_bytes_in(const std::string& directory) {
  const auto identity = identity_in(path_in(directory));
  return identity ? identity->code_bytes : CodeBytes::least_in_runs;
}

bool TransformJournal::can_carry_on(const TransformIdentity& identity, const std::string& directory) {
  const auto there = identity_in(path_in(directory));
  return there && differ_in_contents_only(*there, identity);
}

TransformJournal::TransformJournal(const std::string& directory, const TransformIdentity& identity,
                                   ChangedInputs changed)
    : path_(path_in(directory)) {
  std::optional<MappedFile> found;
  std::vector<Line> lines;
  const std::string own_first_line = to_line(identity);
  if (file_exists(path_)) {
    found.emplace(path_);
    const std::string_view text = text_of(*found);
    const std::size_t first_end = text.find('\n');
    if (first_end != std::string_view::npos) {  // otherwise the run was killed before it began
      const auto there = parse_identity(text.substr(0, first_end));
      lines = read_lines(*found, first_end + 1, there ? there->inputs.size() : 0, directory);
      if (text.substr(0, first_end + 1) != own_first_line)
        give_up(lines, text.substr(0, first_end), identity, directory, changed);
    }
  }
  // What could not be used is dropped for good before anything is appended after it.
  AtomicFile kept(path_);
  kept.write(own_first_line);
  std::uint64_t released = 0;
  for (Line& line : lines) {
    if (line.has_rejected) {
      rejects_at_.emplace(std::pair(line.entry.counts.input, line.entry.block),
                          Place{kept.bytes_written(), line.text.size()});
    }
    kept.write(line.text);
    if (kept.bytes_written() - released >= release_bytes) {
      found->release_pages();
      released = kept.bytes_written();
    }
    entries_.push_back(std::move(line.entry));
  }
  kept.commit();
  if (!rejects_at_.empty()) earlier_.emplace(path_);
  descriptor_ = ::open(path_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  if (descriptor_ < 0) throw FileError(path_, "cannot write", errno);
}

TransformJournal::~TransformJournal() { ::close(descriptor_); }

std::vector<RejectedRow> TransformJournal::rejected_rows(std::size_t input, std::uint64_t block) const {
  const auto found = rejects_at_.find(std::pair(input, block));
  if (found == rejects_at_.end()) return {};
  const std::string_view line = text_of(*earlier_).substr(found->second.begin, found->second.size);
  std::vector<RejectedRow> rows = parse_report(line).rejected;
  earlier_->release_pages();
  return rows;
}

void TransformJournal::append(const BlockReport& entry) {
  const std::string line = journal_line(entry);
  if (const int code = write_all(descriptor_, std::as_bytes(std::span(line))); code != 0)
    throw FileError(path_, "cannot write", code);
}

void TransformJournal::remove() {
  earlier_.reset();  // some file systems keep a mapped file under another name
  ::unlink(path_.c_str());
}

}  // namespace widehash
