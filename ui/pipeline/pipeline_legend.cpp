// SPDX-License-Identifier: GPL-3.0-or-later
#include "pipeline_legend.h"

#include "ui/pipeline/pipeline_view.h"
#include "ui/session/format.h"
#include "ui/timeline/activity_color.h"

#include <QPainter>
#include <algorithm>

namespace tilescope::ui {
namespace {

using analyse::PipelineActivity;

void drawIdle(const QColor& line, QPainter& painter, const QRectF& box) { // as among the passes
    painter.setPen(line);
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(box.adjusted(0.5, 0.5, -0.5, -0.5));
}

} // namespace

std::vector<Legend::Entry> activityEntries(const ChartStyle& style, const PipelineData& data,
                                           const PipelineData* base) {
    const analyse::PipelineCycles all = data.update.all_stages();
    const analyse::PipelineCycles of_base =
        base != nullptr ? base->update.all_stages() : analyse::PipelineCycles();
    const auto hosted = [](const PipelineData& each) {
        return std::find(each.is_hosted.begin(), each.is_hosted.end(), true) != each.is_hosted.end();
    };
    std::vector<Legend::Entry> entries;
    for (const PipelineActivity activity : analyse::pipeline_activities) {
        if (activity == PipelineActivity::Waiting && (hosted(data) || (base != nullptr && hosted(*base))))
            entries.push_back({PipelineView::tr("host"),
                               style.host,
                               {},
                               QStringLiteral("host"),
                               PipelineView::tr("What of the passes and of the update is the host's: batches "
                                                "that come in and results that go out")});
        if (all[activity] + of_base[activity] == 0)
            continue;
        entries.push_back(
            {activityName(activity),
             QBrush(activity_color(style, activity),
                    activity == PipelineActivity::Waiting ? Qt::BDiagPattern : Qt::SolidPattern),
             {},
             activity == PipelineActivity::Idle ? QString() : text(profile::to_string(activity))});
        if (activity == PipelineActivity::Idle)
            entries.back().draw = [line = style.line](QPainter& painter, const QRectF& box) {
                drawIdle(line, painter, box);
            };
    }
    return entries;
}

} // namespace tilescope::ui
