#pragma once

namespace widehash::tools {

/// Makes the allocator return the memory of large buffers to the system when they are freed. What it would
/// otherwise keep depends on which thread freed what: a `fit` of rows with a million fields took 142 MiB for
/// --memory 64M, and occasionally 192 when other processes took the cores, a thread each time with its own
/// fields in 16 MiB; it now takes 116, and occasionally 151. Buffers of that size are allocated once and
/// reused, so this costs no time. Does nothing if the C library has no such setting.
void give_back_large_buffers();

}  // namespace widehash::tools
