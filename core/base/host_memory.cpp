// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/host_memory.h"

namespace tilescope {

Error host_memory_error() {
    return {ErrorKind::System,
            "the memory of this computer does not suffice",
            {},
            "close other programs, raise the limit (ulimit -v), or take a smaller batch, fewer samples or "
            "--estimate"};
}

} // namespace tilescope
