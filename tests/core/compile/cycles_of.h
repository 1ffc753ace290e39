// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "compile/executable.h"

#include <algorithm>
#include <cstdint>
#include <string>

namespace tilescope::compile {

/// Cycles of the compute set whose name ends so; -1 where there is none.
inline std::int64_t cycles_of(const Executable& executable, const std::string& name) {
    const auto& sets = executable.program.compute_sets;
    const auto found = std::find_if(sets.begin(), sets.end(),
                                    [&](const auto& set) { return set.name.ends_with("/" + name); });
    return found == sets.end() ? -1 : found->cycles();
}

} // namespace tilescope::compile
