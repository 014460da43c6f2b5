#ifndef CCachedRead_h
#define CCachedRead_h

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/// Reads of a file what the system has in memory, and waits for no disk (preadv2 with RWF_NOWAIT, which Swift's Glibc
/// does not have).
///
/// Returns how many bytes were read; 0 at the end of the file, and elsewhere on Linux 5.9 and 5.10; -1, with `errno`, if it
/// would have to wait.
ssize_t read_cached(int descriptor, void *bytes, size_t count, int64_t offset);

#endif
