#include "batch_check.hpp"

#include "code_check.hpp"
#include "packed_runs.hpp"

#include <widehash/code_batch.hpp>
#include <widehash/error.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace widehash {
namespace {

bool has_items(std::size_t actual, std::size_t num_rows, std::size_t per_row) noexcept {
  std::size_t wanted = 0;
  return !__builtin_mul_overflow(num_rows, per_row, &wanted) && wanted == actual;
}

// What one slot may hold: low..high, or the absent mark. Where a value may not be absent, `mark` repeats
// `high`, so that the test in the loop stays the same.
template <class T>
struct SlotRange {
  T low;
  T high;
  T mark;

  bool holds(T value) const noexcept { return (value >= low && value <= high) || value == mark; }
};

class BatchCheck {
 public:
  /// `codes_are_good`: the codes are known to be within their ranges. `advice` ends every message.
  BatchCheck(const CodeBatchView& batch, const std::string& source, const char* advice, bool codes_are_good)
      : batch_(batch),
        layout_(*batch.layout),
        source_(source),
        advice_(advice),
        codes_are_good_(codes_are_good) {
    for (const FeatureBlock& block : layout_.blocks) add_ranges(block);
  }

  void run() const {
    // A value that is only partly there is within the range of each slot, so only the loop finds it.
    if (!codes_are_good_ || layout_.may_be_absent) {
      check_slots(SlotKind::codes, code_ranges_, absent_code, "code",
                  [&](std::size_t row) { return batch_.row_codes(row); });
      check_slots(SlotKind::byte_codes, byte_code_ranges_, absent_byte_code, "code",
                  [&](std::size_t row) { return batch_.row_byte_codes(row); });
    }
    check_slots(SlotKind::columns, column_ranges_, absent_column, "column",
                [&](std::size_t row) { return batch_.columns.data() + row * layout_.column_stride; });
    check_numbers();
    if (layout_.has_ragged) check_ragged();
    check_targets();
    for (std::size_t row = 0; row < batch_.weights.size(); ++row) {
      const float weight = batch_.weights[row];
      if (!(std::isfinite(weight) && weight >= 0))
        fail(row, fmt::format("weight {} is not a finite number >= 0", weight));
    }
  }

 private:
  [[noreturn]] void fail(std::size_t row, const std::string& what) const {
    throw DataError(source_, row + 1, what + advice_);
  }

  void add_ranges(const FeatureBlock& block) {
    const bool skips = block.may_be_absent;
    if (block.slot_kind == SlotKind::codes) {
      const auto high = static_cast<std::uint16_t>(block.width - 1);
      code_ranges_.insert(code_ranges_.end(), block.num_slots, {0, high, skips ? absent_code : high});
    } else if (block.slot_kind == SlotKind::byte_codes) {
      const auto high = static_cast<std::uint8_t>(block.width - 1);
      byte_code_ranges_.insert(byte_code_ranges_.end(), block.num_slots,
                               {0, high, skips ? absent_byte_code : high});
    } else if (block.slot_kind == SlotKind::columns) {
      for (std::uint32_t k = 0; k < block.num_slots; ++k) {
        const bool split = block.encoding == Encoding::four_split;
        const std::uint32_t low = split ? k * block.width : 0;
        const std::uint32_t high = split ? low + block.width - 1 : block.buckets - 1;
        column_ranges_.push_back({low, high, skips ? absent_column : high});
      }
    }
  }

  template <class T, class SlotsOf>
  void check_slots(SlotKind kind, const std::vector<SlotRange<T>>& ranges, T absent, const char* what,
                   const SlotsOf& slots_of) const {
    if (ranges.empty()) return;
    for (std::size_t row = 0; row < batch_.num_rows; ++row) {
      const T* slots = slots_of(row);
      bool good = true;
      for (std::size_t i = 0; i < ranges.size(); ++i) good &= ranges[i].holds(slots[i]);
      if (!good) fail_slot(kind, row, slots, ranges, what);
      if (layout_.may_be_absent) check_absence(kind, row, slots, absent);
    }
  }

  template <class T>
  [[noreturn]] void fail_slot(SlotKind kind, std::size_t row, const T* slots,
                              const std::vector<SlotRange<T>>& ranges, const char* what) const {
    std::size_t i = 0;
    while (ranges[i].holds(slots[i])) ++i;
    for (const FeatureBlock& block : layout_.blocks) {
      if (block.slot_kind == kind && i >= block.slot && i < block.slot + block.num_slots) {
        fail(row, fmt::format("feature '{}': {} {} is not within {} to {}", block.name, what, slots[i],
                              ranges[i].low, ranges[i].high));
      }
    }
    fail(row, fmt::format("{} {} of no feature is out of range", what, slots[i]));
  }

  // A value is there or absent as a whole: the four slots of a code are absent together.
  template <class T>
  void check_absence(SlotKind kind, std::size_t row, const T* slots, T absent) const {
    for (const FeatureBlock& block : layout_.blocks) {
      if (block.slot_kind != kind || !block.may_be_absent) continue;
      const auto missing = std::count(slots + block.slot, slots + block.slot + block.num_slots, absent);
      if (missing != 0 && missing != static_cast<std::ptrdiff_t>(block.num_slots)) {
        fail(row, fmt::format("feature '{}': a value is only partly present", block.name));
      }
    }
  }

  void check_numbers() const {
    const auto bad = std::find_if(batch_.numbers.begin(), batch_.numbers.end(),
                                  [](float number) { return !std::isfinite(number); });
    if (bad == batch_.numbers.end()) return;
    const auto row = static_cast<std::size_t>(bad - batch_.numbers.begin()) / layout_.number_stride;
    fail(row, fmt::format("number {} is not finite", *bad));
  }

  void check_ragged() const {
    std::vector<std::uint32_t> unpacked;
    for (std::size_t row = 0; row < batch_.num_rows; ++row) {
      const std::uint64_t begin = batch_.ragged_offsets[row];
      const std::uint64_t end = batch_.ragged_offsets[row + 1];
      if (begin > end || end > detail::run_items(batch_)) {
        fail(row, fmt::format("ragged {} {} to {} lie outside the {} there are",
                              batch_.has_packed_runs() ? "bytes" : "columns", begin, end,
                              detail::run_items(batch_)));
      }
      if (batch_.has_packed_runs()) {
        unpacked.clear();
        if (!detail::unpack_run(layout_, batch_.packed_runs.subspan(begin, end - begin), unpacked))
          fail(row, "its packed run does not hold values of the ragged features");
      } else {
        const std::string problem = detail::run_problem(layout_, batch_.ragged.subspan(begin, end - begin));
        if (!problem.empty()) fail(row, problem);
      }
    }
  }

  void check_targets() const {
    for (std::size_t row = 0; row < batch_.targets.size(); ++row) {
      const float target = batch_.targets[row];
      if (!std::isfinite(target)) fail(row, fmt::format("target {} is not finite", target));
      if (layout_.num_classes == 0) continue;
      if (target < 0 || target >= static_cast<float>(layout_.num_classes) || target != std::floor(target)) {
        fail(row, fmt::format("target {} is not a class from 0 to {}", target, layout_.num_classes - 1));
      }
    }
  }

  const CodeBatchView& batch_;
  const CodeLayout& layout_;
  const std::string& source_;
  const char* advice_;
  bool codes_are_good_;
  std::vector<SlotRange<std::uint16_t>> code_ranges_;
  std::vector<SlotRange<std::uint8_t>> byte_code_ranges_;
  std::vector<SlotRange<std::uint32_t>> column_ranges_;
};

}  // namespace

std::size_t detail::run_items(const CodeBatchView& batch) noexcept {
  return batch.has_packed_runs() ? batch.packed_runs.size() : batch.ragged.size();
}

std::string detail::size_problem(const CodeBatchView& batch) {
  const CodeLayout& layout = *batch.layout;
  const std::size_t rows = batch.num_rows;
  const auto wrong = [&](const char* what, std::size_t items) {
    return fmt::format("{} {} do not fit {} rows", items, what, rows);
  };
  if (!has_items(batch.codes.size(), rows, layout.code_stride)) return wrong("codes", batch.codes.size());
  if (!has_items(batch.columns.size(), rows, layout.column_stride))
    return wrong("columns", batch.columns.size());
  if (!has_items(batch.numbers.size(), rows, layout.number_stride))
    return wrong("numbers", batch.numbers.size());
  if (!has_items(batch.targets.size(), rows, layout.has_targets ? 1 : 0))
    return wrong("targets", batch.targets.size());
  if (!has_items(batch.weights.size(), rows, layout.has_weights ? 1 : 0))
    return wrong("weights", batch.weights.size());
  if (!layout.has_ragged) {
    return batch.ragged_offsets.empty() ? "" : "ragged columns, but no feature has any";
  }
  // Written so that hostile row counts cannot wrap around.
  if (batch.ragged_offsets.empty() || batch.ragged_offsets.size() - 1 != rows) {
    return wrong("ragged offsets", batch.ragged_offsets.size());
  }
  if (batch.ragged_offsets.front() > batch.ragged_offsets.back() ||
      batch.ragged_offsets.back() > run_items(batch)) {
    return "ragged offsets lie outside the ragged runs";
  }
  return "";
}

void check_batch(const CodeBatchView& batch, const std::string& source) {
  constexpr const char* advice = "; no encoder makes such rows: encode them again";
  if (batch.layout == nullptr) throw ShapeError(source + ": rows without a layout cannot be checked");
  if (const std::string problem = detail::size_problem(batch); !problem.empty())
    throw DataError(source, 0, problem + advice);
  detail::CodeCheck codes(*batch.layout);
  codes.add(batch.codes);
  BatchCheck(batch, source, advice, codes.all_good()).run();
}

void detail::check_rows_of_file(const CodeBatchView& batch, const std::string& path, bool codes_are_good) {
  BatchCheck(batch, path, "; the file was altered or written wrongly: write it again", codes_are_good).run();
}

}  // namespace widehash
