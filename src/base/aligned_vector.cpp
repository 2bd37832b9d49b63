#include <widehash/internal/aligned_vector.hpp>
#include <widehash/internal/fetch_lines.hpp>

#include <new>

#include <sys/mman.h>

namespace widehash::detail {
namespace {

constexpr std::size_t huge_page_bytes = std::size_t{2} << 20;

std::align_val_t alignment_of(std::size_t bytes) noexcept {
  return std::align_val_t{bytes < huge_page_bytes ? cache_line_bytes : huge_page_bytes};
}

}  // namespace

void* allocate_aligned(std::size_t bytes) {
  void* const memory = ::operator new(bytes, alignment_of(bytes));
#ifdef MADV_HUGEPAGE
  // Only a hint: if huge pages are not available, small ones do.
  if (bytes >= huge_page_bytes) ::madvise(memory, bytes, MADV_HUGEPAGE);
#endif
  return memory;
}

void free_aligned(void* memory, std::size_t bytes) noexcept {
  ::operator delete(memory, alignment_of(bytes));
}

}  // namespace widehash::detail
