// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/basis.h"
#include "base/error.h"
#include "profile/profile.h"
#include "ui/program/program_tree.h"
#include "ui/widgets/detail_table.h"

#include <QString>
#include <cstdint>

namespace tilescope::ui {

/// How the figures of a step become those that are shown.
struct StepMeasure {
    double clock_hz = 0;
    std::int64_t ipus = 1;
    analyse::Basis basis = analyse::Basis::Execution;
    analyse::Loops loops;
};

/// All that the panel at the side says of a step; what it shares with the graph is that view's. Errors: those
/// of reading the profile.
Result<QString> stepDetails(const profile::Profile& file, const ProgramStep& step, const QString& layer,
                            const StepMeasure& measure, DetailTable table);

} // namespace tilescope::ui
