// SPDX-License-Identifier: GPL-3.0-or-later
#include "roofline_page.h"

#include "ui/session/format.h"
#include "ui/theme/themed_label.h"
#include "ui/widgets/scatter_plot.h"

#include <QVBoxLayout>
#include <algorithm>

namespace tilescope::ui {

using analyse::Roofline;
using analyse::RooflinePoint;

namespace {

QString tipOf(const RooflinePoint& point) {
    return QStringLiteral("%1\n%2\n%3")
        .arg(text(point.name),
             RooflinePage::tr("%1 FLOPs per cycle").arg(formatAmount(point.flops_per_cycle)),
             RooflinePage::tr("%1 FLOPs per exchanged byte")
                 .arg(formatAmount(point.flops_per_byte.value_or(0))));
}

/// Up with the exchange to the peak, and level from there.
ScatterCurve roofOf(const Roofline& roofline, const QString& name, double peak, double from, double to) {
    const double ridge = peak / roofline.exchange_bytes_per_cycle;
    return {name,
            {{from, roofline.roof(from, peak)}, {ridge, peak}, {std::max(to, ridge), peak}},
            peak < roofline.half_flops_per_cycle};
}

} // namespace

RooflinePage::RooflinePage(QWidget* parent)
    : QWidget(parent), note_(new ThemedLabel), plot_(new ScatterPlot(tr("Roofline"), tr("Operation"))) {
    plot_->setObjectName(QStringLiteral("roofline"));
    const auto amount = [](double value, double /*apart*/) { return formatAmount(value); };
    plot_->setAxes({tr("FLOPs per exchanged byte"), amount, ScatterAxis::Kind::Decades},
                   {tr("FLOPs per cycle"), amount, ScatterAxis::Kind::Decades});
    note_->setWordWrap(true);
    note_->setMargin(6);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins({});
    column->addWidget(note_);
    column->addWidget(plot_, 1);
    connect(plot_, &ScatterPlot::chosen, this, [this](const std::set<std::int64_t>& keys) {
        if (keys.size() == 1)
            Q_EMIT chosen(*keys.begin());
    });
}

void RooflinePage::setRoofline(const std::optional<Roofline>& roofline) {
    std::vector<ScatterPoint> points;
    std::vector<ScatterCurve> roofs;
    std::int64_t apart = 0; // they exchange nothing
    if (roofline) {
        double from = roofline->float_flops_per_cycle / roofline->exchange_bytes_per_cycle;
        double to = roofline->half_flops_per_cycle / roofline->exchange_bytes_per_cycle;
        for (const RooflinePoint& point : roofline->points) {
            if (!point.flops_per_byte) {
                ++apart;
                continue;
            }
            from = std::min(from, *point.flops_per_byte);
            to = std::max(to, *point.flops_per_byte);
            points.push_back({point.operation, *point.flops_per_byte, point.flops_per_cycle, &Theme::compute,
                              tipOf(point)});
        }
        roofs = {roofOf(*roofline, tr("peak of float"), roofline->float_flops_per_cycle, from, to),
                 roofOf(*roofline, tr("peak of half"), roofline->half_flops_per_cycle, from, to)};
    }
    plot_->setNothing(roofline ? tr("No operation that computes exchanges anything.")
                               : tr("The file does not say what the target could: it was recorded by an "
                                    "older version."));
    note_->setHtml(
        tr("<span style='color:@muted'>No operation can be above the dashed line: its slope is the "
           "exchange between tiles, its level arithmetic.%1</span>")
            .arg(apart == 0
                     ? QString()
                     : tr(" %1 exchange nothing, and stand in the table only.").arg(formatCount(apart))));
    note_->setVisible(!points.empty());
    plot_->setCurves(std::move(roofs));
    plot_->setPoints(std::move(points), {});
}

void RooflinePage::setChosen(std::int64_t operation) {
    plot_->setChosen({operation});
}

} // namespace tilescope::ui
