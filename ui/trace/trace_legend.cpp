// SPDX-License-Identifier: GPL-3.0-or-later
// The colours of the time line.
#include "ui/timeline/activity_color.h"
#include "ui/trace/trace_feed.h"
#include "ui/trace/trace_view.h"
#include "ui/widgets/legend.h"

#include <algorithm>
#include <array>
#include <utility>

namespace tilescope::ui {
namespace {

const QString inter_ipu = QStringLiteral("inter-IPU"), waiting = QStringLiteral("waiting"),
              copy = QStringLiteral("copy");

/// Kinds of time in phases and overview, then what the named lanes are done for.
std::vector<Legend::Entry> entries(const ChartStyle& style) {
    std::vector<Legend::Entry> all = phaseEntries(style);
    all.push_back({TraceView::tr("waiting"), QBrush(style.waiting), {}, waiting});
    using Activity = analyse::PipelineActivity;
    for (const auto& [name, activity] : {std::pair{"forward", Activity::Forward},
                                         {"recompute", Activity::Recompute},
                                         {"backward", Activity::Backward},
                                         {"update", Activity::Update},
                                         {"copy", Activity::Copy}})
        all.push_back({TraceView::tr(name), activity_color(style, activity), {}, QLatin1String(name)});
    return all;
}

} // namespace

Legend* TraceView::legend(QWidget* parent) {
    return new Legend(entries, parent);
}

/// One IPU neither sends to others nor waits for them, and stages copy only where there are some.
bool TraceView::isAbsent(const QString& kind) const {
    const auto any = [this](const auto& has) {
        return std::ranges::any_of(std::array{feed_, base_}, [&](const TraceFeed* feed) {
            return feed != nullptr && (!feed->tables() || has(*feed->tables()));
        });
    };
    if (feed_ == nullptr)
        return false;
    if (kind == inter_ipu || kind == waiting)
        return !any([](const TraceTables& tables) { return tables.ipus.size() > 1; });
    return kind == copy && !any([](const TraceTables& tables) { return !tables.pipelines.empty(); });
}

Legend* TraceView::ownLegend() {
    return new Legend(
        [this](const ChartStyle& style) {
            std::vector<Legend::Entry> all = entries(style);
            std::erase_if(all, [this](const Legend::Entry& entry) { return isAbsent(entry.kind); });
            return all;
        },
        this);
}

} // namespace tilescope::ui
