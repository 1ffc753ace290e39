// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/host_memory.h"

#include <malloc.h>

namespace tilescope {

Error host_memory_error() {
    return {
        ErrorKind::System,
        "the memory of this computer does not suffice",
        {},
        "close other programs, raise the limit (ulimit -v), take a smaller batch or fewer samples, or only "
        "estimate (--estimate) where values are computed"};
}

void return_freed_memory() {
    constexpr int large_bytes = 1 << 20;
    mallopt(M_ARENA_MAX, 1);
    mallopt(M_MMAP_THRESHOLD, large_bytes);
}

} // namespace tilescope
