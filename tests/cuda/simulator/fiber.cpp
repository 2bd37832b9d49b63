#include "fiber.hpp"

#include <new>
#include <utility>

#include <sys/mman.h>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#endif

namespace simulator {
namespace {

constexpr std::size_t stack_bytes = std::size_t{256} << 10;

void before_switch([[maybe_unused]] void** fake, [[maybe_unused]] const void* stack,
                   [[maybe_unused]] std::size_t bytes, [[maybe_unused]] void* tsan_fiber) {
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_start_switch_fiber(fake, stack, bytes);
#endif
#if defined(__SANITIZE_THREAD__)
  __tsan_switch_to_fiber(tsan_fiber, 0);
#endif
}

void after_switch([[maybe_unused]] void* fake, [[maybe_unused]] const void** stack,
                  [[maybe_unused]] std::size_t* bytes) {
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(fake, stack, bytes);
#endif
}

/// The fiber whose first turn begins, for start(), which takes no argument.
thread_local Fiber* starting = nullptr;

void* new_stack() {
  void* const stack = ::mmap(nullptr, stack_bytes, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (stack == MAP_FAILED) throw std::bad_alloc();
  return stack;
}

}  // namespace

Fiber::Fiber(std::function<void()> body)
    : body_(std::move(body)), stack_(new_stack()), own_(stack_, stack_bytes, &Fiber::start) {
#if defined(__SANITIZE_THREAD__)
  tsan_fiber_ = __tsan_create_fiber(0);
#endif
}

Fiber::~Fiber() {
#if defined(__SANITIZE_THREAD__)
  __tsan_destroy_fiber(tsan_fiber_);
#endif
#if defined(__SANITIZE_ADDRESS__)
  // A fiber abandoned in the middle of a function leaves marks, so that whatever the system maps here next,
  // another stack or a file, would seem out of bounds.
  __asan_unpoison_memory_region(stack_, stack_bytes);
#endif
  ::munmap(stack_, stack_bytes);
}

void Fiber::start() {
  Fiber* const self = starting;
  after_switch(nullptr, &self->caller_stack_, &self->caller_stack_bytes_);
  self->body_();
}

void Fiber::resume() {
  void* fake = nullptr;
#if defined(__SANITIZE_THREAD__)
  tsan_caller_ = __tsan_get_current_fiber();
#endif
  before_switch(&fake, stack_, stack_bytes, tsan_fiber_);
  starting = this;
  caller_.switch_to(own_);
  after_switch(fake, nullptr, nullptr);
}

void Fiber::give_way() {
  void* fake = nullptr;
  before_switch(&fake, caller_stack_, caller_stack_bytes_, tsan_caller_);
  own_.switch_to(caller_);
  after_switch(fake, &caller_stack_, &caller_stack_bytes_);
}

}  // namespace simulator
