// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/liveness.h"
#include "ui/liveness/liveness_view.h"
#include "ui/widgets/data_table.h"
#include "ui/widgets/lifetime_delegate.h"

#include <QString>
#include <map>
#include <vector>

namespace tilescope::ui {

struct LivenessView::Listed {
    QString live_tab, live_caption;
    std::vector<TableRow> live;
    std::map<std::int64_t, std::int64_t> row_of =
        {}; ///< keys of the rows that stand for several, by variable
    LifetimeDelegate::Lives lives;
    bool differences = false; ///< `live` is what is more or less live than in the base
    QString change_tab, change_caption;
    std::vector<TableRow> changes; ///< what appears at the step, and what is gone
    QString details = {};          ///< of the step, for the panel at the side
};

/// "IPU 1", "IPU 1 tile 921": whose memory it is.
QString placeOf(const analyse::Liveness& live);
/// "12 MiB over all tiles" of an IPU, "12 KiB" of one tile.
QString overAllTiles(const QString& bytes, const analyse::Liveness& live);
/// Its variables, largest first; `which`: the condition on rows of `variable`.
QString sqlOfVariables(const analyse::Liveness& live, const QString& which);

/// On any thread. `base`: null unless there is one; `difference`: to it, where it has the same step. `range`:
/// what is live anywhere in these steps in the place of what is at the one.
LivenessView::Listed listStep(const LivenessView::Read& now, std::int64_t step,
                              const std::optional<LivenessCurve::Steps>& range,
                              const LivenessView::Base* base, bool difference);

/// What the panel at the side says of a step: what it is, what lives at it, and what it changes. `base`: null
/// unless there is one. Errors: those of reading the profile.
Result<QString> detailsOfStep(const profile::Profile& file, const LivenessView::Read& now, std::int64_t step,
                              const LivenessView::Base* base);

} // namespace tilescope::ui
