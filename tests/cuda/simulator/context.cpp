#include "context.hpp"

#include <cstdint>

#if defined(__x86_64__)

// Saves what a call preserves by the System V convention: six registers and the stack. The compiler has saved
// the rest.
asm(R"(
.text
.type widehash_simulator_switch, @function
widehash_simulator_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size widehash_simulator_switch, . - widehash_simulator_switch
)");

extern "C" void widehash_simulator_switch(void** from, void* to);

namespace simulator {

Context::Context(void* stack, std::size_t bytes, void (*entry)()) {
  // The stack as a function finds it right after a call: its return address, nothing to return to, aligned to
  // a multiple of 16.
  auto* const end = reinterpret_cast<std::uintptr_t*>(reinterpret_cast<std::uintptr_t>(stack) + bytes);
  auto* const top = end - 10;
  for (auto* word = top; word != end; ++word) *word = 0;
  top[6] = reinterpret_cast<std::uintptr_t>(entry);
  top_ = top;
}

void Context::switch_to(Context& other) { widehash_simulator_switch(&top_, other.top_); }

}  // namespace simulator

#else

namespace simulator {

Context::Context(void* stack, std::size_t bytes, void (*entry)()) {
  ::getcontext(&context_);
  context_.uc_stack.ss_sp = stack;
  context_.uc_stack.ss_size = bytes;
  context_.uc_link = nullptr;
  ::makecontext(&context_, entry, 0);
}

void Context::switch_to(Context& other) { ::swapcontext(&context_, &other.context_); }

}  // namespace simulator

#endif
