#include "zeroed_memory.hpp"

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>

#include <sys/mman.h>

namespace widehash::detail {
namespace {

constexpr std::size_t alignment = 64;
constexpr std::size_t huge_page_bytes = std::size_t{2} << 20;

bool is_mapped(std::size_t bytes) noexcept { return bytes >= huge_page_bytes; }

// Huge pages must begin at a multiple of their size, so this maps one huge page more and unmaps both ends.
void* map_aligned(std::size_t bytes) {
  const std::size_t asked = bytes + huge_page_bytes;
  void* const mapped = ::mmap(nullptr, asked, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) throw std::bad_alloc();
  auto* const begin = static_cast<char*>(mapped);
  const std::size_t before =
      (huge_page_bytes - reinterpret_cast<std::uintptr_t>(begin) % huge_page_bytes) % huge_page_bytes;
  if (before > 0) ::munmap(begin, before);
  ::munmap(begin + before + bytes, asked - before - bytes);
#ifdef MADV_HUGEPAGE
  ::madvise(begin + before, bytes, MADV_HUGEPAGE);  // only a hint: without huge pages it is slower
#endif
  return begin + before;
}

}  // namespace

ZeroedMemory::ZeroedMemory(std::size_t bytes) : bytes_(bytes) {
  if (bytes == 0) return;
  if (is_mapped(bytes)) {
    data_ = map_aligned(bytes);
    return;
  }
  data_ = std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  if (data_ == nullptr) throw std::bad_alloc();
  std::memset(data_, 0, bytes);
}

ZeroedMemory::~ZeroedMemory() {
  if (data_ == nullptr) return;
  if (is_mapped(bytes_)) {
    ::munmap(data_, bytes_);
  } else {
    std::free(data_);
  }
}

}  // namespace widehash::detail
