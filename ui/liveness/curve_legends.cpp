// SPDX-License-Identifier: GPL-3.0-or-later
#include "curve_legends.h"

#include "ui/liveness/liveness_curve.h"
#include "ui/theme/chart_style.h"
#include "ui/theme/theme.h"
#include "ui/widgets/legend.h"

#include <QPainter>
#include <vector>

namespace tilescope::ui {
namespace {

std::vector<Legend::Entry> entries(const LivenessCurve& curve) {
    const Theme& theme = Theme::current();
    std::vector<Legend::Entry> all{
        {LivenessCurve::tr("always live"), liveBrush(theme, true), {}, QStringLiteral("always")},
        {LivenessCurve::tr("not always live"), liveBrush(theme, false), {}, QStringLiteral("not always")}};
    if (curve.hasFullest())
        all.push_back(
            {LivenessCurve::tr("fullest tile, axis at the right"),
             {},
             [pen = LivenessCurve::fullestPen(theme, false)](QPainter& painter, const QRectF& box) {
                 painter.setPen(pen);
                 painter.drawLine(QPointF(box.left(), box.center().y()),
                                  QPointF(box.right(), box.center().y()));
             },
             QStringLiteral("fullest"),
             LivenessCurve::tr("live bytes of the tile on which most is live at the step; at another "
                               "step it may be another tile")});
    return all;
}

std::vector<Legend::Entry> differenceEntries(const ChartStyle&) {
    const Theme& theme = Theme::current();
    return {{LivenessCurve::tr("more than in the base"), theme.more(), {}, QStringLiteral("more")},
            {LivenessCurve::tr("less"), theme.less(), {}, QStringLiteral("less")},
            {LivenessCurve::tr("the base has no such step"), theme.grid}};
}

} // namespace

std::pair<QWidget*, QWidget*> makeLegends(LivenessCurve* curve) {
    auto* live = new Legend([curve](const ChartStyle&) { return entries(*curve); });
    auto* differences = new Legend(differenceEntries);
    const auto hide = [curve, live, differences] {
        hideKinds(curve, live->hidden() + differences->hidden());
        curve->measure();
    };
    for (Legend* legend : {live, differences}) {
        legend->controls(curve);
        QObject::connect(legend, &Legend::hiddenChanged, curve, hide);
    }
    return {live, differences};
}

} // namespace tilescope::ui
