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
    return false;  // what is wrong with it is told when its turn comes
  }
}

/// Of a run whose first unusable input is `first`, an empty one.
[[noreturn]] void refuse_empty(const std::vector<Input>& inputs, std::size_t first) {
  std::vector<std::uint8_t> are_empty(inputs.size());
  parallel_for(inputs.size(), [&](std::size_t i) { are_empty[i] = is_empty(inputs[i]); });
  std::string others;
  std::size_t num_others = 0;
  for (std::size_t i = first + 1; i < inputs.size(); ++i) {
    if (!are_empty[i] || ++num_others > most_named) continue;
    others += (others.empty() ? "" : ", ") + inputs[i].name();
  }
  if (num_others > most_named) others += ", ...";
  if (num_others > 0)
    others = fmt::format(", and so {} {} more ({})", num_others == 1 ? "is" : "are", num_others, others);
  throw DataError(inputs[first].name(), 0,
                  fmt::format("is empty, where a header was expected{}; make {} again, or say --allow-empty "
                              "where that means no rows",
                              others, num_others == 0 ? "it" : "them"));
}

}  // namespace

void require_headers(const RunInputs& run) {
  const std::vector<Input>& inputs = run.inputs;
  std::atomic<std::size_t> first =
      inputs.size();  // that cannot be used: what stands behind it is not looked at
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
  std::rethrow_exception(problem);
}

}  // namespace widehash
