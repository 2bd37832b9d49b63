#include "options.hpp"

#include "byte_size.hpp"
#include "output.hpp"

#include <widehash/error.hpp>
#include <widehash/internal/parse_all.hpp>
#include <widehash/internal/suggest.hpp>
#include <widehash/predict.hpp>
#include <widehash/threads.hpp>

#include <algorithm>
#include <cmath>
#include <functional>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

namespace widehash::tools {
namespace {

using Reader = std::function<void(const std::string& text)>;

/// Adds an option with one argument. `read` takes its text, or throws by calling fail().
CLI::Option* add_reader(CLI::App& command, const std::string& names, Reader read, const std::string& help) {
  const CLI::callback_t callback = [read = std::move(read)](const CLI::results_t& texts) {
    read(texts.front());
    return true;
  };
  return command.add_option(names, callback, help);
}

/// Returns the long name in "-o,--output", the first if there are several. Messages use it for the option.
std::string message_name(const std::string& names) {
  const std::string from_long = names.substr(names.find("--"));
  return from_long.substr(0, from_long.find(','));
}

[[noreturn]] void fail(const std::string& names, const std::string& text, const std::string& wanted) {
  throw CLI::ValidationError(fmt::format("{} '{}': {}", message_name(names), text, wanted),
                             CLI::ExitCodes::ValidationError);
}

template <class Number>
bool parse_whole(const std::string& text, Number& number) {
  const auto found = widehash::detail::parse_all<Number>(text);
  if (found) number = *found;
  return found.has_value();
}

/// A shell variable that is not set makes an empty path, and messages about that would name nothing.
void require_path(const std::string& name, const std::string& text) {
  if (!text.empty()) return;
  throw CLI::ValidationError(fmt::format("{} is empty; give the path of a file or folder", name),
                             CLI::ExitCodes::ValidationError);
}

bool is_for_paths(std::string_view placeholder) {
  return placeholder == "FILE" || placeholder == "DIR" || placeholder == "MODEL";
}

}  // namespace

Option Option::required() { return Option(option_->required()); }

Option Option::without_default() { return Option(option_->default_str("")); }

bool Option::was_given() const { return option_->count() > 0; }

std::string Option::name() const { return option_->get_name(); }

Option add_operand(CLI::App& command, const std::string& name, std::string& target, const std::string& help) {
  const Reader read = [&target, name](const std::string& text) {
    target = text.substr(1);
    require_path(name, target);
  };
  return Option(add_reader(command, name, read, help)->required());
}

Option add_operands(CLI::App& command, const std::string& name, std::vector<std::string>& target,
                    int min_count, const std::string& help) {
  const CLI::callback_t callback = [&target](const CLI::results_t& texts) {
    for (const auto& text : texts) target.push_back(text.substr(1));
    return true;
  };
  auto* option = command.add_option(name, callback, help);
  option->expected(min_count, CLI::detail::expected_max_vector_size)->allow_extra_args();
  return Option(min_count > 0 ? option->required() : option);
}

Option add_text(CLI::App& command, const std::string& names, std::string& target,
                const std::string& placeholder, const std::string& help) {
  const Reader read = [&target, names, placeholder](const std::string& text) {
    if (is_for_paths(placeholder)) require_path(message_name(names), text);
    target = text;
  };
  return Option(add_reader(command, names, read, help)->type_name(placeholder)->default_str(target));
}

namespace {

/// Takes a name of a list, up to a comma or the end, which `begin` is set to. A name that holds commas is in double
/// quotes, as messages show it.
std::string take_name(const std::string& text, std::size_t& begin) {
  const std::size_t first = begin;
  begin = std::min(text.find(',', first), text.size());
  const std::string name = text.substr(first, begin - first);
  if (!name.starts_with('"') || name.find('"', 1) != std::string::npos) return name;
  const std::size_t quote = text.find('"', first + 1);
  if (quote == std::string::npos || (quote + 1 < text.size() && text[quote + 1] != ',')) return name;
  begin = quote + 1;
  return text.substr(first + 1, quote - first - 1);
}

}  // namespace

Option add_names(CLI::App& command, const std::string& names, std::vector<std::string>& target,
                 const std::string& placeholder, const std::string& help) {
  const Reader read = [&target, names](const std::string& text) {
    target.clear();
    for (std::size_t begin = 0; begin <= text.size(); ++begin) {
      target.push_back(take_name(text, begin));
      if (target.back().empty()) fail(names, text, "a name is empty; give names as in user,time");
    }
  };
  return Option(add_reader(command, names, read, help)->type_name(placeholder));
}

Option add_folders(CLI::App& command, const std::string& names, std::vector<std::string>& target,
                   const std::string& help) {
  const CLI::callback_t callback = [&target, names](const CLI::results_t& texts) {
    for (const auto& text : texts) {
      require_path(message_name(names), text);
      target.push_back(text);
    }
    return true;
  };
  return Option(command.add_option(names, callback, help)
                    ->type_name("DIR")
                    ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll));
}

Option add_output_text(CLI::App& command, std::string& target, const std::string& help) {
  const Reader read = [&target](const std::string& text) {
    require_path("--output", text);
    target = own_descriptor(text) == STDOUT_FILENO ? "-" : text;
  };
  return Option(add_reader(command, "-o,--output", read, help)->type_name("FILE")->default_str(target));
}

Option add_count(CLI::App& command, const std::string& names, std::uint64_t& target,
                 const std::string& help) {
  const Reader read = [&target, names](const std::string& text) {
    if (!parse_whole(text, target)) fail(names, text, "not a whole number from 0 to 2^64 - 1");
  };
  return Option(add_reader(command, names, read, help)->type_name("N")->default_str(std::to_string(target)));
}

void add_allow_empty(CLI::App& command, bool& target) {
  add_switch(command, "--allow-empty", target,
             "accept an empty input as one without rows; otherwise an empty input is an error if the schema "
             "has a header");
}

void add_undo_class_weights(CLI::App& command, bool& target) {
  add_switch(
      command, "--undo-class-weights", target,
      "for a model trained with class weights, give the probabilities for the rows as they are, not for "
      "rows weighted by class");
}

void add_text_form(CLI::App& command, TextForm& target) {
  add_character(command, "--delimiter", target.delimiter, "",
                "field delimiter of text inputs, if not the one in the schema");
  add_character(command, "--quote", target.quote, "none",
                "quote character of text inputs, or none, if not the one in the schema");
  const Reader read = [&target](const std::string& text) {
    if (text != "yes" && text != "no") fail("--header", text, "not one of yes, no");
    target.header = text == "yes";
  };
  add_reader(command, "--header", read,
             "whether the first line of text inputs names the fields, if not as in the schema")
      ->type_name("yes|no");
}

void add_fold_options(CLI::App& command, Folds& target) {
  const Reader read = [&target](const std::string& text) {
    try {
      std::string by = std::move(target.by);
      target = parse_folds(text);
      target.by = std::move(by);
    } catch (const ConfigError& error) {
      fail("--folds", text, error.what());
    }
  };
  add_reader(command, "--folds", read,
             "take only the rows of these folds, chosen by a hash of the row: 1-9/10 is nine folds out of "
             "ten, 10/10 the remaining one")
      ->type_name("FOLDS");
  add_text(command, "--fold-by", target.by, "FIELD",
           "assign rows to folds by this field, so that all rows of a user, for example, land in one fold");
}

Option add_count(CLI::App& command, const std::string& names, std::optional<std::uint64_t>& target,
                 const std::string& help) {
  const Reader read = [&target, names](const std::string& text) {
    std::uint64_t number = 0;
    if (!parse_whole(text, number)) fail(names, text, "not a whole number from 0 to 2^64 - 1");
    target = number;
  };
  return Option(add_reader(command, names, read, help)->type_name("N"));
}

Option add_number(CLI::App& command, const std::string& names, std::optional<double>& target,
                  const std::string& help) {
  const Reader read = [&target, names](const std::string& text) {
    double number = 0;
    if (!parse_whole(text, number) || !std::isfinite(number)) fail(names, text, "not a finite number");
    target = number;
  };
  return Option(add_reader(command, names, read, help)->type_name("X"));
}

Option add_bytes(CLI::App& command, const std::string& names, std::uint64_t& target,
                 const std::string& help) {
  const Reader read = [&target, names](const std::string& text) {
    const auto bytes = parse_byte_size(text);
    if (!bytes)
      fail(names, text, "not a size of at least 1 byte; give bytes or a unit, for example 2GiB, 512M or 1e9");
    target = *bytes;
  };
  return Option(
      add_reader(command, names, read, help)->type_name("SIZE")->default_str(byte_size_text(target)));
}

Option add_bytes_or_none(CLI::App& command, const std::string& names, std::uint64_t& target,
                         const std::string& help) {
  const Reader read = [&target, names](const std::string& text) {
    const auto bytes = text == "0" ? 0 : parse_byte_size(text);
    if (!bytes) fail(names, text, "not a size; give bytes or a unit, for example 2GiB, or 0");
    target = *bytes;
  };
  return Option(
      add_reader(command, names, read, help)->type_name("SIZE")->default_str(byte_size_text(target)));
}

Option add_choice(CLI::App& command, const std::string& names, std::string& target,
                  const std::vector<std::string_view>& choices, const std::string& help) {
  const Reader read = [&target, names, choices](const std::string& text) {
    if (std::find(choices.begin(), choices.end(), text) == choices.end()) {
      fail(names, text,
           fmt::format("not one of {}{}", fmt::join(choices, ", "), did_you_mean(text, choices)));
    }
    target = text;
  };
  return Option(add_reader(command, names, read, help)
                    ->type_name(fmt::format("{}", fmt::join(choices, "|")))
                    ->default_str(target));
}

Option add_character(CLI::App& command, const std::string& names, std::optional<char>& target,
                     std::string_view none, const std::string& help) {
  const Reader read = [&target, names, none](const std::string& text) {
    if (text == "tab" || text == "\\t") {
      target = '\t';
    } else if (text == "space") {
      target = ' ';
    } else if (!none.empty() && (text == none || text.empty())) {
      target = '\0';
    } else if (text.size() == 1 && static_cast<unsigned char>(text[0]) < 0x80 && text[0] != '\n' &&
               text[0] != '\r') {
      target = text[0];
    } else {
      fail(names, text,
           fmt::format("not one ASCII character, tab, space{}{}", none.empty() ? "" : " or ", none));
    }
  };
  return Option(add_reader(command, names, read, help)->type_name("CHAR"));
}

Option add_switch(CLI::App& command, const std::string& names, bool& target, const std::string& help) {
  return Option(command.add_flag_callback(
      names, [&target] { target = true; }, help));
}

void add_report_options(CLI::App& command, CommonOptions& common) {
  add_switch(command, "--json", common.json, "print the result as one JSON object on standard output");
  add_switch(command, "--quiet", common.quiet, "do not show progress or a summary of what was written");
}

void add_work_options(CLI::App& command, CommonOptions& common) {
  const Reader read = [&common](const std::string& text) {
    if (!parse_whole(text, common.threads) || common.threads > max_threads) {
      fail("--threads", text, fmt::format("not a whole number from 0 to {}", max_threads));
    }
  };
  add_reader(command, "--threads", read,
             "number of threads at most; 0 for all. The result never depends on it")
      ->type_name("N")
      ->default_str("0");
  add_report_options(command, common);
}

}  // namespace widehash::tools
