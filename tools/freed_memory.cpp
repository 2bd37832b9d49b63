#include "freed_memory.hpp"

#include <malloc.h>

namespace widehash::tools {

void give_back_large_buffers() {
#ifdef M_MMAP_THRESHOLD
  // glibc raises its own threshold up to 32 MiB as buffers are freed. Blocks of text, 4 MiB, stay below this
  // one.
  constexpr int large_bytes = 8 << 20;
  mallopt(M_MMAP_THRESHOLD, large_bytes);
  // The first call would otherwise leave this at 128 KiB for good.
  mallopt(M_TRIM_THRESHOLD, 2 * large_bytes);
#endif
}

}  // namespace widehash::tools
