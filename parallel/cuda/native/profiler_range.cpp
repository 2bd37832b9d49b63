#include "profiler_range.hpp"

#include <nvtx3/nvtx3.hpp>

namespace widehash::detail {
namespace {

struct Domain {
  static constexpr const char* name = "widehash";
};

}  // namespace

std::uint64_t begin_profiler_range(const char* name) noexcept {
  return nvtx3::start_range_in<Domain>(name).get_value();
}

void end_profiler_range(std::uint64_t range) noexcept {
  nvtx3::end_range_in<Domain>(nvtx3::range_handle(range));
}

}  // namespace widehash::detail
