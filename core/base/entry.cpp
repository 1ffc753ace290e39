// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/entry.h"

#include <cstdio>
#include <cstdlib>

namespace tilescope {

void wrong_id(std::int64_t id, std::size_t entries) {
    std::fprintf(stderr, "internal error: id %lld of a table of %zu entries\n", static_cast<long long>(id),
                 entries);
    std::abort();
}

} // namespace tilescope
