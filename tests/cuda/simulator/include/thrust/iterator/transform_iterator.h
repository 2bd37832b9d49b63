#pragma once

#include <cstdint>

namespace thrust {

template <class Function, class Iterator>
struct transform_iterator {
  auto operator[](std::uint64_t i) const { return function(base[i]); }
  Iterator base;
  Function function;
};

template <class Function, class Iterator>
transform_iterator<Function, Iterator> make_transform_iterator(Iterator base, Function function) {
  return {base, function};
}

}  // namespace thrust
