#include "transform_journal.hpp"

#include <widehash/error.hpp>
#include <widehash/file.hpp>

#include <cerrno>

#include <fcntl.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace widehash {
namespace {

using nlohmann::ordered_json;

constexpr int journal_version = 1;

std::string identity_line(const TransformJournal::Identity& identity) {
  ordered_json line{{"widehash_journal", journal_version},
                    {"schema_fingerprint", identity.fingerprint.schema},
                    {"tables_fingerprint", identity.fingerprint.tables},
                    {"block_bytes", identity.block_bytes},
                    {"inputs", ordered_json::array()}};
  for (const Input& input : identity.inputs) {
    line["inputs"].push_back({{"path", input.path}, {"size_bytes", input.size_bytes}});
  }
  return line.dump(-1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

// Text of a row is any bytes; JSON wants UTF-8. Bytes go through as hexadecimal.
std::string bytes_to_hex(const std::string& bytes) {
  std::string hex;
  for (const char c : bytes) hex += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return hex;
}

std::string hex_to_bytes(const std::string& hex) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
  }
  return bytes;
}

std::string entry_line(const JournalEntry& entry) {
  ordered_json line{{"input", entry.input}, {"block", entry.block}, {"text_checksum", entry.text_checksum}};
  if (entry.shard) {
    line["shard"] = {{"file", entry.shard->file},
                     {"rows", entry.shard->rows},
                     {"bytes", entry.shard->bytes},
                     {"checksum", entry.shard->checksum}};
  }
  line["rejected"] = ordered_json::array();
  for (const RejectedRow& row : entry.rejected) {
    line["rejected"].push_back({{"file", bytes_to_hex(row.file)},
                                {"line", row.line},
                                {"reason", bytes_to_hex(row.reason)},
                                {"text", bytes_to_hex(row.text)}});
  }
  return line.dump() + "\n";
}

JournalEntry parse_entry(const std::string& text) {
  const auto line = nlohmann::json::parse(text);
  JournalEntry entry;
  entry.input = line.at("input");
  entry.block = line.at("block");
  entry.text_checksum = line.at("text_checksum");
  if (line.contains("shard")) {
    const auto& shard = line.at("shard");
    entry.shard = ManifestShard{shard.at("file"), shard.at("rows"), shard.at("bytes"), shard.at("checksum")};
  }
  for (const auto& row : line.at("rejected")) {
    entry.rejected.push_back({hex_to_bytes(row.at("file")), row.at("line"), hex_to_bytes(row.at("reason")),
                              hex_to_bytes(row.at("text"))});
  }
  return entry;
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

TransformJournal::TransformJournal(const std::string& directory, const Identity& identity)
    : path_(path_in(directory)) {
  const std::string first_line = identity_line(identity);
  std::string kept = first_line;
  if (file_exists(path_)) {
    const std::string text = read_text_file(path_);
    if (text.find('\n') != std::string::npos) {  // otherwise the run was killed before it had begun
      if (text.compare(0, first_line.size(), first_line) != 0) {
        throw ConfigError(
            fmt::format("{}: holds an unfinished run of another schema, tables, inputs or block size; start "
                        "that one again, choose another folder, or give --overwrite",
                        directory));
      }
      read_entries(text.substr(first_line.size()), directory);
      for (const JournalEntry& entry : entries_) kept += entry_line(entry);
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
      JournalEntry entry = parse_entry(text.substr(begin, end - begin));
      if (entry.shard && !shard_is_whole(directory, *entry.shard)) return;
      entries_.push_back(std::move(entry));
    } catch (const std::exception&) {
      return;  // a damaged line ends what can be trusted
    }
    begin = end + 1;
  }
}

void TransformJournal::append(const JournalEntry& entry) {
  append_all(descriptor_, path_, entry_line(entry));
}

void TransformJournal::remove() { ::unlink(path_.c_str()); }

}  // namespace widehash
