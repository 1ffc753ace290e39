// SPDX-License-Identifier: GPL-3.0-or-later
#include "roofline_page.h"

#include "ui/session/format.h"
#include "ui/theme/theme.h"
#include "ui/theme/themed_label.h"
#include "ui/widgets/legend.h"
#include "ui/widgets/scatter_plot.h"

#include <QVBoxLayout>
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace tilescope::ui {

using analyse::Roofline;
using analyse::RooflinePoint;

namespace {

using profile::Phase;

constexpr std::array phase_colors{
    std::pair(Phase::Forward, &Theme::forward), std::pair(Phase::Recompute, &Theme::recompute),
    std::pair(Phase::Backward, &Theme::backward), std::pair(Phase::Update, &Theme::update)};

QString nameOf(Phase phase) {
    return text(profile::to_string(phase));
}

ThemeColor colorOf(Phase phase) {
    return std::find_if(phase_colors.begin(), phase_colors.end(),
                        [phase](const auto& each) { return each.first == phase; })
        ->second;
}

/// Areas are as the cycles, down to what can be hit.
double radiusOf(double cycles, double most) {
    constexpr double largest = 14, smallest = 2.5;
    return std::max(smallest, largest * std::sqrt(cycles / most));
}

QString tipOf(const RooflinePoint& point) {
    return QStringLiteral("%1\n%2\n%3")
        .arg(text(point.name),
             RooflinePage::tr("%1 FLOPs per cycle").arg(formatAmount(point.flops_per_cycle)),
             RooflinePage::tr("%1 FLOPs per exchanged byte")
                 .arg(formatAmount(point.flops_per_byte.value_or(0))));
}

/// Up with the exchange to the peak, and level from there.
ScatterCurve roofOf(const Roofline& roofline, const QString& name, double peak, double from, double to) {
    const double ridge = roofline.ridge(peak);
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
    legend_ = new Legend([this](const ChartStyle&) {
        std::vector<Legend::Entry> entries;
        for (const auto& [phase, color] : phase_colors)
            if (roofline_ && std::any_of(roofline_->points.begin(), roofline_->points.end(),
                                         [phase = phase](const auto& point) { return point.phase == phase; }))
                entries.push_back({nameOf(phase), ThemeColor(color).in(Theme::current()), {}, nameOf(phase)});
        return entries;
    });
    legend_->setObjectName(QStringLiteral("rooflineLegend"));
    legend_->setContentsMargins(6, 0, 6, 0);
    legend_->setControlling();
    connect(legend_, &Legend::hiddenChanged, this, &RooflinePage::showPoints);
    column->addWidget(note_);
    column->addWidget(legend_);
    column->addWidget(plot_, 1);
    connect(plot_, &ScatterPlot::chosen, this, [this](const std::set<std::int64_t>& keys) {
        if (keys.size() == 1)
            Q_EMIT chosen(*keys.begin());
    });
}

void RooflinePage::setRoofline(const std::optional<Roofline>& roofline) {
    roofline_ = roofline;
    legend_->updateGeometry(); // of the phases that there are
    legend_->update();
    showPoints();
}

void RooflinePage::showPoints() {
    std::vector<ScatterPoint> points;
    std::vector<ScatterCurve> roofs;
    std::int64_t apart = 0; // they exchange nothing
    if (roofline_) {
        double from = roofline_->ridge(roofline_->float_flops_per_cycle);
        double to = roofline_->ridge(roofline_->half_flops_per_cycle);
        const double most = roofline_->points.empty() ? 1 : roofline_->points.front().cycles;
        for (const RooflinePoint& point : roofline_->points) { // the small ones over the large
            if (!point.flops_per_byte) {
                ++apart;
                continue;
            }
            from = std::min(from, *point.flops_per_byte);
            to = std::max(to, *point.flops_per_byte);
            if (!legend_->hidden().contains(nameOf(point.phase)))
                points.push_back({point.operation, *point.flops_per_byte, point.flops_per_cycle,
                                  colorOf(point.phase), tipOf(point), radiusOf(point.cycles, most)});
        }
        roofs = {roofOf(*roofline_, tr("peak of float"), roofline_->float_flops_per_cycle, from, to),
                 roofOf(*roofline_, tr("peak of half"), roofline_->half_flops_per_cycle, from, to)};
    }
    plot_->setNothing(!roofline_ ? tr("The file does not say what the target could: it was recorded by an "
                                      "older version.")
                      : legend_->hidden().isEmpty() ? tr("No operation that computes exchanges anything.")
                                                    : tr("No operation of the phases that are shown."));
    note_->setHtml(
        tr("<span style='color:@muted'>No operation can be above the dashed line: its slope is the "
           "exchange between tiles, its level arithmetic. Areas are as the cycles.%1</span>")
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
