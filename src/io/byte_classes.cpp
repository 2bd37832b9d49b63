// Compiled once for every instruction set (Highway's foreach_target); the best is chosen when the program
// runs.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "byte_classes.cpp"
#include <hwy/foreach_target.h>

#include "byte_classes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace widehash::detail::HWY_NAMESPACE {

void ClassifyBytes(const char* text, std::size_t num_steps, char delimiter, char quote,
                   ByteClasses* classes) {
  for (std::size_t step = 0; step < num_steps; ++step) {
    classes[step] = classify<true>(text + step * class_bytes, delimiter, quote);
  }
}

}  // namespace widehash::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace widehash::detail {

HWY_EXPORT(ClassifyBytes);

void classify_bytes(const char* text, std::size_t num_steps, char delimiter, char quote,
                    ByteClasses* classes) noexcept {
  HWY_DYNAMIC_DISPATCH(ClassifyBytes)(text, num_steps, delimiter, quote, classes);
}

}  // namespace widehash::detail
#endif
