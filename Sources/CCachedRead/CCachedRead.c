#define _GNU_SOURCE
#include "CCachedRead.h"

#include <errno.h>
#include <sys/uio.h>

ssize_t read_cached(int descriptor, void *bytes, size_t count, int64_t offset) {
#ifdef RWF_NOWAIT
    struct iovec piece = {bytes, count};
    return preadv2(descriptor, &piece, 1, offset, RWF_NOWAIT);
#else
    errno = ENOSYS;
    return -1;
#endif
}
