// Compiled once per instruction set (Highway's foreach_target); the best one is chosen at run time.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "byte_classes.cpp"
#include <hwy/foreach_target.h>

#include "byte_classes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace widehash::detail::HWY_NAMESPACE {

ByteClasses ClassifyBytes(const char* text, char delimiter, char quote) {
  return classify<true>(text, delimiter, quote);
}

}  // namespace widehash::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace widehash::detail {

HWY_EXPORT(ClassifyBytes);

ByteClasses classify_bytes(const char* text, char delimiter, char quote) noexcept {
  return HWY_DYNAMIC_DISPATCH(ClassifyBytes)(text, delimiter, quote);
}

}  // namespace widehash::detail
#endif
