// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/phases.h"
#include "ui/theme/theme.h"
#include "ui/widgets/share_bar.h"

#include <QString>
#include <array>
#include <vector>

namespace tilescope::ui {

/// How a phase of the clock is named and coloured, in every view.
struct PhaseLook {
    QString name;
    ThemeColor color = &Theme::compute;
    std::int64_t profile::PhaseCycles::*cycles = nullptr;
    QString key;          ///< its name in `analyse::phases`
    bool hatched = false; ///< waiting: nobody takes it for a kind of work
    QString title;        ///< at the head of a row or a column: "Inter-IPU"
};
/// In the order of `analyse::phases`.
const std::array<PhaseLook, analyse::phases.size()>& phaseLooks();

/// The parts of a bar of the time by phase. `base`: beside which it stands; null: beside none.
std::vector<ShareBar::Part> phaseShares(const profile::PhaseCycles& now,
                                        const profile::PhaseCycles* base = nullptr);

} // namespace tilescope::ui
