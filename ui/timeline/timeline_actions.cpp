// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/timeline_actions.h"

#include "ui/timeline/timeline_widget.h"
#include "ui/widgets/view_action.h"

namespace tilescope::ui {

void addTimelineActions(QWidget* view, TimelineWidget* timeline) {
    constexpr double zoom_step = 1.5;
    constexpr double pan_step = 0.15;
    const auto tr = [](const char* text) { return TimelineWidget::tr(text); };
    addViewAction(view, tr("Zoom in"), QStringLiteral("zoom-in"), Qt::Key_W,
                  tr("Show less time in more detail (W)"), [timeline] { timeline->zoomBy(zoom_step); });
    addViewAction(view, tr("Zoom out"), QStringLiteral("zoom-out"), Qt::Key_S, tr("Show more time (S)"),
                  [timeline] { timeline->zoomBy(1 / zoom_step); });
    addViewAction(view, tr("Earlier"), QStringLiteral("earlier"), Qt::Key_A, tr("Move to earlier cycles (A)"),
                  [timeline] { timeline->panBy(-pan_step); });
    addViewAction(view, tr("Later"), QStringLiteral("later"), Qt::Key_D, tr("Move to later cycles (D)"),
                  [timeline] { timeline->panBy(pan_step); });
    const auto edge = [&](const QString& text, Qt::Key shortcut, bool end) {
        addKeyAction(timeline, text, shortcut, [timeline, end] { // the tool bar is long enough
            const auto [from, to] = timeline->view().limits();
            const double span = timeline->view().span();
            const double begin = end ? static_cast<double>(to) - span : static_cast<double>(from);
            timeline->show(begin, begin + span);
        });
    };
    edge(tr("To the beginning"), Qt::Key_Home, false);
    edge(tr("To the end"), Qt::Key_End, true);
    addViewAction(view, tr("Whole time line"), QStringLiteral("whole"), Qt::Key_0, tr("Show everything (0)"),
                  [timeline] {
                      const auto [from, to] = timeline->view().limits();
                      timeline->show(static_cast<double>(from), static_cast<double>(to));
                  });
}

} // namespace tilescope::ui
