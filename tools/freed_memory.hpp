#pragma once

namespace widehash::tools {

/// Has the allocator give the memory of large buffers back when they are freed. What it would keep depends on
/// which thread freed what: a `fit` of rows of a million fields took 142 MiB for --memory 64M, and 192 now and
/// then where others took the cores, a thread each time with its own fields in 16 MiB; it takes 116, and 151
/// now and then. Buffers of that size are made once and used again, so it costs no time. Does nothing where
/// the C library has no such setting.
void give_back_large_buffers();

}  // namespace widehash::tools
