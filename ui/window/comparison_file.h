// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/comparison_file.h"
#include "base/error.h"

#include <QString>

namespace tilescope::ui {

/// As analyse::parse_comparison. Errors name the file, the place in it and the remedy.
Result<analyse::SavedComparison> readComparison(const QString& path);
Result<void> writeComparison(const QString& path, const analyse::SavedComparison& comparison);

} // namespace tilescope::ui
