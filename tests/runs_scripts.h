// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "build_paths.h"

#include <filesystem>

namespace tilescope::tests {

/// Whether the programs that were built run scripts, for which Python and pybind11 were there.
inline bool runs_scripts() {
    return std::filesystem::exists(TILESCOPE_BIN_DIR "/../python/modules");
}

} // namespace tilescope::tests
