// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <cstdint>

namespace tilescope::ui {

/// The executables that runs have kept in a folder.
struct KeptExecutables {
    std::int64_t count = 0;
    std::int64_t bytes = 0;
};

KeptExecutables keptExecutables(const QString& folder);
/// Removes them, and nothing else of the folder. How many are left, which cannot be removed.
KeptExecutables removeExecutables(const QString& folder);

} // namespace tilescope::ui
