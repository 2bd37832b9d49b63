#include "options.hpp"

#include "byte_size.hpp"
#include "output.hpp"

#include <widehash/suggest.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

namespace widehash::tools {
namespace {

// More would take minutes to start and help nobody.
constexpr std::uint64_t max_threads = 4096;

using Reader = std::function<void(const std::string& text)>;

/// An option with one argument; `read` takes its text, or throws with fail().
CLI::Option* add_reader(CLI::App& command, const std::string& names, Reader read, const std::string& help) {
  const CLI::callback_t callback = [read = std::move(read)](const CLI::results_t& texts) {
    read(texts.front());
    return true;
  };
  return command.add_option(names, callback, help);
}

/// The last of "-o,--output": what messages call the option.
std::string message_name(const std::string& names) { return names.substr(names.rfind(',') + 1); }

[[noreturn]] void fail(const std::string& names, const std::string& text, const std::string& wanted) {
  throw CLI::ValidationError(fmt::format("{} '{}': {}", message_name(names), text, wanted),
                             CLI::ExitCodes::ValidationError);
}

template <class Number>
bool parse_whole(const std::string& text, Number& number) {
  const char* end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, number);
  return result.ec == std::errc() && result.ptr == end;
}

}  // namespace

CLI::Option* add_operand(CLI::App& command, const std::string& name, std::string& target,
                         const std::string& help) {
  const Reader read = [&target](const std::string& text) { target = text.substr(1); };
  return add_reader(command, name, read, help)->required();
}

CLI::Option* add_operands(CLI::App& command, const std::string& name, std::vector<std::string>& target,
                          int min_count, const std::string& help) {
  const CLI::callback_t callback = [&target](const CLI::results_t& texts) {
    for (const auto& text : texts) target.push_back(text.substr(1));
    return true;
  };
  auto* option = command.add_option(name, callback, help);
  option->expected(min_count, CLI::detail::expected_max_vector_size)->allow_extra_args();
  return min_count > 0 ? option->required() : option;
}

CLI::Option* add_text(CLI::App& command, const std::string& names, std::string& target,
                      const std::string& placeholder, const std::string& help) {
  const Reader read = [&target](const std::string& text) { target = text; };
  return add_reader(command, names, read, help)->type_name(placeholder)->default_str(target);
}

CLI::Option* add_output_text(CLI::App& command, std::string& target, const std::string& help) {
  const Reader read = [&target](const std::string& text) {
    target = own_descriptor(text) == STDOUT_FILENO ? "-" : text;
  };
  return add_reader(command, "-o,--output", read, help)->type_name("FILE")->default_str(target);
}

CLI::Option* add_count(CLI::App& command, const std::string& names, std::uint64_t& target,
                       const std::string& help) {
  const Reader read = [&target, names](const std::string& text) {
    if (!parse_whole(text, target)) fail(names, text, "not a whole number from 0 to 2^64 - 1");
  };
  return add_reader(command, names, read, help)->type_name("N")->default_str(std::to_string(target));
}

CLI::Option* add_count(CLI::App& command, const std::string& names, std::optional<std::uint64_t>& target,
                       const std::string& help) {
  const Reader read = [&target, names](const std::string& text) {
    std::uint64_t number = 0;
    if (!parse_whole(text, number)) fail(names, text, "not a whole number from 0 to 2^64 - 1");
    target = number;
  };
  return add_reader(command, names, read, help)->type_name("N");
}

CLI::Option* add_number(CLI::App& command, const std::string& names, std::optional<double>& target,
                        const std::string& help) {
  const Reader read = [&target, names](const std::string& text) {
    double number = 0;
    if (!parse_whole(text, number) || !std::isfinite(number)) fail(names, text, "not a number");
    target = number;
  };
  return add_reader(command, names, read, help)->type_name("X");
}

CLI::Option* add_bytes(CLI::App& command, const std::string& names, std::uint64_t& target,
                       const std::string& help) {
  const Reader read = [&target, names](const std::string& text) {
    const auto bytes = parse_byte_size(text);
    if (!bytes) fail(names, text, "not a size; give bytes or a unit, for example 2GiB, 512M or 1e9");
    target = *bytes;
  };
  return add_reader(command, names, read, help)->type_name("SIZE")->default_str(byte_size_text(target));
}

CLI::Option* add_bytes_or_none(CLI::App& command, const std::string& names, std::uint64_t& target,
                               const std::string& help) {
  const Reader read = [&target, names](const std::string& text) {
    const auto bytes = text == "0" ? 0 : parse_byte_size(text);
    if (!bytes) fail(names, text, "not a size; give bytes or a unit, for example 2GiB, or 0");
    target = *bytes;
  };
  return add_reader(command, names, read, help)->type_name("SIZE")->default_str(byte_size_text(target));
}

CLI::Option* add_choice(CLI::App& command, const std::string& names, std::string& target,
                        const std::vector<std::string_view>& choices, const std::string& help) {
  const Reader read = [&target, names, choices](const std::string& text) {
    if (std::find(choices.begin(), choices.end(), text) == choices.end()) {
      fail(names, text,
           fmt::format("not one of {}{}", fmt::join(choices, ", "), did_you_mean(text, choices)));
    }
    target = text;
  };
  return add_reader(command, names, read, help)
      ->type_name(fmt::format("{}", fmt::join(choices, "|")))
      ->default_str(target);
}

CLI::Option* add_switch(CLI::App& command, const std::string& names, bool& target, const std::string& help) {
  return command.add_flag_callback(
      names, [&target] { target = true; }, help);
}

void add_report_options(CLI::App& command, CommonOptions& common) {
  add_switch(command, "--json", common.json, "the result as one JSON object on the standard output");
  add_switch(command, "--quiet", common.quiet, "no progress, and no summary of what was written");
}

void add_work_options(CLI::App& command, CommonOptions& common) {
  const Reader read = [&common](const std::string& text) {
    if (!parse_whole(text, common.threads) || common.threads > max_threads) {
      fail("--threads", text, fmt::format("not a whole number from 0 to {}", max_threads));
    }
  };
  add_reader(command, "--threads", read, "threads to use; 0 for all. The result never depends on it")
      ->type_name("N")
      ->default_str("0");
  add_report_options(command, common);
}

}  // namespace widehash::tools
