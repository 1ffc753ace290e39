// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <cstdint>
#include <vector>

namespace tilescope::ui {

/// What stands behind the name of the first of several IPUs of which all do the same: " (also 5, 9, 13)",
/// " (also 15 more)" where they are many; "" where it is the only one.
QString alsoText(const std::vector<std::int64_t>& alike);
/// Of an IPU with those that do the same, itself the first of them: "IPU 1 (also 5, 9, 13)", and with what it
/// does "IPU 1, stage 2 (also 5, 9, 13)".
QString ipuName(std::int64_t ipu, const std::vector<std::int64_t>& alike, const QString& does = {});

} // namespace tilescope::ui
