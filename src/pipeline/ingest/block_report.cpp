#include "block_report.hpp"

#include <widehash/internal/json_count.hpp>
#include <widehash/internal/json_parse.hpp>

#include <stdexcept>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace widehash {
namespace {

using detail::json_count;
using nlohmann::json;
using nlohmann::ordered_json;

// The text of a row may be any bytes, and JSON requires UTF-8, so bytes are written in hexadecimal.
void append_hex(std::string_view bytes, std::string& text) {
  constexpr std::string_view digits = "0123456789abcdef";
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    text += digits[byte >> 4];
    text += digits[byte & 0xF];
  }
}

int value_of_digit(char digit) {
  if (digit >= '0' && digit <= '9') return digit - '0';
  if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
  throw std::invalid_argument("a text that is not hexadecimal");
}

std::string hex_to_bytes(const std::string& hex) {
  std::string bytes(hex.size() / 2, '\0');
  for (std::size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = static_cast<char>(value_of_digit(hex[2 * i]) << 4 | value_of_digit(hex[2 * i + 1]));
  return bytes;
}

/// Reads a list of rejected rows.
class RejectedReader {
 public:
  RejectedRow next(const json& row) {
    return {files_.next(hex_to_bytes(row.at("file"))), json_count(row, "line"),
            reasons_.next(hex_to_bytes(row.at("reason"))), hex_to_bytes(row.at("text"))};
  }

 private:
  RunOfText files_;
  RunOfText reasons_;
};

struct Line {
  json object;                        // without its rejected rows
  std::vector<RejectedRow> rejected;  // moved here during parsing: a tree of millions takes ten times as much
};

Line parse_line(std::string_view text) {
  Line line;
  bool are_rejected = false;
  RejectedReader reader;
  line.object = detail::parse_json<json>(text, [&](int depth, json::parse_event_t event, json& parsed) {
    if (event == json::parse_event_t::key && depth == 1) are_rejected = parsed == "rejected";
    if (event != json::parse_event_t::object_end || depth != 2 || !are_rejected) return true;
    line.rejected.push_back(reader.next(parsed));
    return false;
  });
  return line;
}

BlockReport report_of(Line parsed) {
  const json& line = parsed.object;
  BlockReport report;
  report.counts = {json_count<std::size_t>(line, "input"), json_count(line, "header_lines"),
                   json_count(line, "lines"), json_count(line, "rows_counted"),
                   json_count(line, "rows_read")};
  report.block = json_count(line, "block");
  report.text_bytes = json_count(line, "text_bytes");
  report.disk_bytes = json_count(line, "disk_bytes");
  report.text_checksum = json_count(line, "text_checksum");
  if (line.contains("fields_checksum")) report.fields_checksum = json_count(line, "fields_checksum");
  report.resumed = line.contains("resumed");
  if (line.contains("other_fold_rows")) report.other_fold_rows = json_count(line, "other_fold_rows");
  if (line.contains("shard")) {
    const auto& shard = line.at("shard");
    report.shard = ManifestShard{shard.at("file"), json_count(shard, "rows"), json_count(shard, "bytes"),
                                 json_count(shard, "checksum")};
  }
  if (!line.at("rejected").empty()) throw std::invalid_argument("what was rejected is no list of rows");
  report.rejected = std::move(parsed.rejected);
  if (!line.contains("moments")) return report;
  for (const auto& moments : line.at("moments"))
    report.moments.push_back(
        {detail::count_from<std::uint64_t>(moments.at(0), "moments"), moments.at(1), moments.at(2)});
  return report;
}

/// Millions of rows may be bad. Their JSON is written directly as text, because a tree of it takes 700 bytes
/// per row.
void append_rejected(const std::vector<RejectedRow>& rejected, std::string& text) {
  text += ",\"rejected\":[";
  for (const RejectedRow& row : rejected) {
    if (&row != &rejected.front()) text += ',';
    text += "{\"file\":\"";
    append_hex(row.file.str(), text);
    text += fmt::format("\",\"line\":{},\"reason\":\"", row.line);
    append_hex(row.reason.str(), text);
    text += "\",\"text\":\"";
    append_hex(row.text, text);
    text += "\"}";
  }
  text += ']';
}

}  // namespace

std::string to_line(const BlockReport& report) {
  ordered_json line{{"input", report.counts.input},          {"block", report.block},
                    {"text_checksum", report.text_checksum}, {"text_bytes", report.text_bytes},
                    {"disk_bytes", report.disk_bytes},       {"header_lines", report.counts.header_lines},
                    {"lines", report.counts.num_lines},      {"rows_counted", report.counts.rows_counted},
                    {"rows_read", report.counts.rows_read}};
  if (report.fields_checksum != 0) line["fields_checksum"] = report.fields_checksum;
  if (report.resumed) line["resumed"] = true;
  if (report.other_fold_rows > 0) line["other_fold_rows"] = report.other_fold_rows;
  if (report.shard) {
    line["shard"] = {{"file", report.shard->file},
                     {"rows", report.shard->rows},
                     {"bytes", report.shard->bytes},
                     {"checksum", report.shard->checksum}};
  }
  std::string text = line.dump();
  text.pop_back();  // the closing brace of the object
  append_rejected(report.rejected, text);
  if (!report.moments.empty()) {
    // Numbers are written so that they read back bit for bit.
    ordered_json all = ordered_json::array();
    for (const RunningMoments& moments : report.moments)
      all.push_back({moments.count, moments.mean, moments.squares});
    text += ",\"moments\":" + all.dump();
  }
  return text += "}\n";
}

BlockReport parse_report(std::string_view line) { return report_of(parse_line(line)); }

std::string to_text(const RunNews& news) {
  std::string text;
  for (const BlockReport& block : news.blocks) text += to_line(block);
  for (const InputEnd& end : news.ends)
    text += ordered_json{{"end_of", end.input}, {"blocks", end.num_blocks}}.dump() + "\n";
  return text;
}

RunNews parse_news(std::string_view text) {
  RunNews news;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    Line line = parse_line(text.substr(0, end));
    text.remove_prefix(end + 1);
    if (line.object.contains("end_of")) {
      news.ends.push_back(
          {json_count<std::size_t>(line.object, "end_of"), json_count(line.object, "blocks")});
    } else {
      news.blocks.push_back(report_of(std::move(line)));
    }
  }
  return news;
}

}  // namespace widehash
