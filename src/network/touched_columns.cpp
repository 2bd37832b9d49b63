#include <widehash/internal/touched_columns.hpp>

#include <cstring>

namespace widehash {
namespace {

/// Marks that are checked together. If none of them is set, none is checked on its own.
constexpr std::size_t marks_at_once = 8;

/// Calls use(first) for marks [first, first + marks_at_once) of which at least one is set. `count` is a
/// multiple of marks_at_once.
template <class Mark, class Use>
void for_each_marked(const Mark* marks, std::size_t count, const Use& use) {
  for (std::size_t first = 0; first < count; first += marks_at_once) {
    std::uint64_t any = 0;
    static_assert(sizeof any == marks_at_once * sizeof(Mark));
    std::memcpy(&any, marks + first, sizeof any);
    if (any != 0) use(first);
  }
}

}  // namespace

TouchedColumns::TouchedColumns(ColumnRange range)
    : range_size_(range.size()),
      marks_((range.size() + group_columns - 1) / group_columns * group_columns),
      group_marks_((marks_.size() / group_columns + marks_at_once - 1) / marks_at_once * marks_at_once) {}

template <class Use>
void TouchedColumns::for_each_group(const Use& use) {
  for_each_marked(group_marks_.data(), group_marks_.size(), [&](std::size_t first) {
    for (std::size_t group = first; group < first + marks_at_once; ++group)
      if (group_marks_[group] != Mark::none) use(group);
  });
}

void TouchedColumns::clear() noexcept {
  for_each_group([&](std::size_t group) {
    group_marks_[group] = Mark::none;
    std::memset(marks_.data() + group * group_columns, 0, group_columns);
  });
  positions_.clear();
}

void TouchedColumns::list() {
  std::size_t count = 0;
  for_each_group([&](std::size_t group) {
    positions_.resize(count + group_columns);
    std::uint32_t* const to = positions_.data();
    const std::size_t begin = group * group_columns;
    for_each_marked(marks_.data() + begin, group_columns, [&](std::size_t first) {
      // Writes every position, and the next one over it unless it is marked: there is no branch that could be
      // mispredicted.
      for (std::size_t at = begin + first; at < begin + first + marks_at_once; ++at) {
        to[count] = static_cast<std::uint32_t>(at);
        count += static_cast<std::size_t>(marks_[at]);
      }
    });
  });
  positions_.resize(count);
}

}  // namespace widehash
