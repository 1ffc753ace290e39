// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "compile/executable.h"

#include <string>

namespace tilescope::tests {

/// A compiled program of two pipeline stages on a few tiles, and its entry in a cache.
struct CachedExecutable {
    compile::Executable executable;
    std::string key;
    std::string entry;
    std::size_t header_bytes = 0; ///< of the entry: what stands before the packed program
};
const CachedExecutable& cached_executable();

} // namespace tilescope::tests
