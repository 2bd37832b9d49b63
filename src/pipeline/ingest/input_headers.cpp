#include "input_headers.hpp"

#include "input_reader.hpp"

#include <widehash/error.hpp>
#include <widehash/internal/byte_source.hpp>
#include <widehash/internal/dialect_guess.hpp>
#include <widehash/threads.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace widehash {
namespace {

constexpr std::size_t most_named = 3;

bool is_empty(const Input& input) {
  if (input.is_stream) return false;
  try {
    return is_empty_text(read_sample(*open_text(input)).text);
  } catch (const Error&) {
    return false;  // reported when its turn comes
  }
}

/// Inputs behind `first` for which is(i) holds: their number, and the names of a few.
struct Others {
  template <class Is>
  Others(const std::vector<Input>& inputs, std::size_t first, const Is& is) {
    std::vector<std::uint8_t> are(inputs.size());
    parallel_for(inputs.size() - first - 1,
                 [&](std::size_t i) { are[first + 1 + i] = is(inputs[first + 1 + i]); });
    for (std::size_t i = first + 1; i < inputs.size(); ++i) {
      if (are[i] == 0 || ++count > most_named) continue;
      names += (names.empty() ? "" : ", ") + inputs[i].name();
    }
    if (count > most_named) names += ", ...";
  }

  std::size_t count = 0;
  std::string names;
};

/// Reports that `first`, the first unusable input of a run, is empty.
[[noreturn]] void refuse_empty(const std::vector<Input>& inputs, std::size_t first) {
  const Others found(inputs, first, is_empty);
  const std::size_t num_others = found.count;
  const std::string others =
      num_others == 0
          ? ""
          : fmt::format(", as {} {} more ({})", num_others == 1 ? "is" : "are", num_others, found.names);
  throw DataError(
      inputs[first].name(), 0,
      fmt::format(
          "is empty and has no header line{}; make {} again, or use --allow-empty if empty means no rows",
          others, num_others == 0 ? "it" : "them"));
}

/// Whether this input's header, too, lacks a field that the schema names.
bool lacks_fields(const RunInputs& run, const Input& input) {
  if (input.is_stream) return false;
  try {
    const InputReader opened(run, input);
  } catch (const ConfigError&) {
    return true;
  } catch (const Error&) {
    return false;  // reported when its turn comes
  }
  return false;
}

/// Reports that the header of `first`, the first unusable input of a run, does not fit, and how many others
/// do not, so that all of them can be fixed together.
[[noreturn]] void refuse_header(const RunInputs& run, std::size_t first, const std::string& problem) {
  const Others found(run.inputs, first, [&](const Input& input) { return lacks_fields(run, input); });
  if (found.count == 0) throw ConfigError(problem);
  throw ConfigError(fmt::format("{}; {} more do{} not fit either ({})", problem, found.count,
                                found.count == 1 ? "es" : "", found.names));
}

}  // namespace

void require_headers(const RunInputs& run) {
  const std::vector<Input>& inputs = run.inputs;
  std::atomic<std::size_t> first =
      inputs.size();  // the first unusable input; those behind it are not examined
  std::mutex mutex;
  std::exception_ptr problem;
  parallel_for(inputs.size(), [&](std::size_t i) {
    if (inputs[i].is_stream || i > first) return;
    try {
      const InputReader opened(run, inputs[i]);
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (i > first) return;
      first = i;
      problem = std::current_exception();
    }
  });
  if (problem == nullptr) return;
  if (run.schema.header && is_empty(inputs[first])) refuse_empty(inputs, first);
  try {
    std::rethrow_exception(problem);
  } catch (const ConfigError& error) {
    refuse_header(run, first, error.what());
  }
}

}  // namespace widehash
