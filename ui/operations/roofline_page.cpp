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

/// nullopt: what stands for operations of several.
using PointPhase = std::optional<Phase>;

constexpr std::array phase_colors{std::pair(PointPhase(Phase::Forward), &Theme::forward),
                                  std::pair(PointPhase(Phase::Recompute), &Theme::recompute),
                                  std::pair(PointPhase(Phase::Backward), &Theme::backward),
                                  std::pair(PointPhase(Phase::Update), &Theme::update),
                                  std::pair(PointPhase(), &Theme::muted)};

QString nameOf(PointPhase phase) {
    return phase ? text(profile::to_string(*phase)) : RooflinePage::tr("several phases");
}

ThemeColor colorOf(PointPhase phase) {
    return std::find_if(phase_colors.begin(), phase_colors.end(),
                        [phase](const auto& each) { return each.first == phase; })
        ->second;
}

/// Down to what can be hit.
double radiusOf(const RooflinePoint& point, const Roofline& roofline) {
    constexpr double largest = 14, smallest = 2.5;
    return std::max(smallest, largest * roofline.radius_share(point));
}

QString tipOf(const Roofline& roofline, const RooflinePoint& point) {
    QStringList lines{text(point.name)};
    if (point.flops_per_cycle > 0)
        lines
            << RooflinePage::tr("%1 FLOPs per cycle").arg(formatAmount(point.flops_per_cycle))
            << (point.flops_per_byte
                    ? RooflinePage::tr("%1 FLOPs per exchanged byte").arg(formatAmount(*point.flops_per_byte))
                    : RooflinePage::tr("exchanges nothing"));
    else
        lines << RooflinePage::tr("no FLOPs: %1 of an execution go to moving data")
                     .arg(formatCycles(std::llround(point.cycles)));
    if (const auto room = roofline.headroom(point)) {
        const QString by =
            room->roof == analyse::Roof::Links      ? RooflinePage::tr("limited by links to other IPUs")
            : room->roof == analyse::Roof::Exchange ? RooflinePage::tr("limited by exchange")
                                                    : RooflinePage::tr("limited by the peak of its type");
        constexpr double there = 1.05;
        lines << (room->times < there
                      ? RooflinePage::tr("at its roof; %1").arg(by)
                      : RooflinePage::tr("could be %1 times as fast; %2").arg(formatAmount(room->times), by));
    }
    return lines.join(u'\n');
}

/// Up with the exchange, and with a link to another IPU; level from where a peak can be reached. `low`: the
/// least FLOPs per cycle that are drawn.
std::vector<ScatterCurve> roofsOf(const Roofline& roofline, double from, double to, double low) {
    const double half = roofline.half_flops_per_cycle, single = roofline.float_flops_per_cycle;
    const double end = std::max(to, 1.5 * roofline.ridge(half));
    const auto level = [&](const QString& name, double peak, bool name_below) {
        return ScatterCurve{RooflinePage::tr("%1, %2").arg(name, formatAmount(peak)),
                            {{roofline.ridge(peak), peak}, {end, peak}},
                            name_below};
    };
    std::vector<ScatterCurve> roofs{
        {RooflinePage::tr("exchange, %1 per cycle").arg(formatBytes(roofline.exchange_bytes_per_cycle)),
         {{from, roofline.roof(from, half)}, {roofline.ridge(half), half}}},
        level(RooflinePage::tr("peak of float"), single, single < half),
        level(RooflinePage::tr("peak of half"), half, false)};
    if (const auto peak = roofline.float_vector_flops_per_cycle)
        roofs.push_back(level(RooflinePage::tr("vectors of float"), *peak, true));
    if (const auto peak = roofline.half_vector_flops_per_cycle)
        roofs.push_back(level(RooflinePage::tr("vectors of half"), *peak, false));
    if (const auto link = roofline.link_bytes_per_cycle) {
        const QPointF first(std::max(from, low / *link), std::max(low, from * *link));
        const double last = std::min(end, half / *link);
        if (first.x() < last)
            roofs.push_back({RooflinePage::tr("link to an IPU, %1 per cycle").arg(formatBytes(*link)),
                             {first, {last, last * *link}},
                             true});
    }
    return roofs;
}

/// Places in the strip of those without FLOPs: as high as they take cycles, beside each other.
QPointF placeAside(std::size_t index, double cycles, double least, double most) {
    constexpr double golden = 0.618033988749895; // parts of any number lie apart
    const double across = std::fmod(0.5 + golden * static_cast<double>(index), 1.0);
    return {across, most > least ? std::log(cycles / least) / std::log(most / least) : 1.0};
}

} // namespace

RooflinePage::RooflinePage(QWidget* parent)
    : QWidget(parent), note_(new ThemedLabel), plot_(new ScatterPlot(tr("Roofline"), tr("Operation"))) {
    plot_->setObjectName(QStringLiteral("roofline"));
    setFocusProxy(plot_);
    const auto amount = [](double value, double /*apart*/) { return formatAmount(value); };
    plot_->setAxes({tr("FLOPs per exchanged byte"), amount, ScatterAxis::Kind::Decades},
                   {tr("FLOPs per cycle"), amount, ScatterAxis::Kind::Decades});
    plot_->setStrips(tr("no FLOPs"), tr("no exchange"));
    note_->setWordWrap(true);
    note_->setMargin(6);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins({});
    legend_ = new Legend([this](const ChartStyle&) {
        std::vector<Legend::Entry> entries;
        for (const auto& [phase, color] : phase_colors)
            if (has(phase))
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

bool RooflinePage::has(PointPhase phase) const {
    const auto in = [phase](const std::vector<RooflinePoint>& points) {
        return std::any_of(points.begin(), points.end(),
                           [phase](const RooflinePoint& point) { return point.phase == phase; });
    };
    return roofline_ && (in(roofline_->points) || in(roofline_->without_flops));
}

void RooflinePage::setRoofline(const std::optional<Roofline>& roofline) {
    roofline_ = roofline;
    legend_->updateGeometry(); // of the phases that there are
    legend_->update();
    showPoints();
}

void RooflinePage::showPoints() {
    constexpr std::size_t most_named = 10, most_aside = 150;
    std::vector<ScatterPoint> points;
    std::vector<ScatterCurve> roofs;
    std::size_t still = 0; // they exchange nothing
    const auto shown = [this](const RooflinePoint& point) {
        return !legend_->hidden().contains(nameOf(point.phase));
    };
    if (roofline_) {
        double from = roofline_->ridge(roofline_->float_flops_per_cycle);
        double to = roofline_->ridge(roofline_->half_flops_per_cycle);
        double low = roofline_->float_vector_flops_per_cycle.value_or(roofline_->float_flops_per_cycle);
        for (const RooflinePoint& point : roofline_->points) { // the small ones over the large
            const auto room = roofline_->headroom(point);
            low = std::min(low, point.flops_per_cycle);
            if (point.flops_per_byte) {
                from = std::min(from, *point.flops_per_byte);
                to = std::max(to, *point.flops_per_byte);
            }
            if (!shown(point))
                continue;
            still += point.flops_per_byte ? 0 : 1;
            points.push_back({point.operation, point.flops_per_byte.value_or(0), point.flops_per_cycle,
                              colorOf(point.phase), tipOf(*roofline_, point), radiusOf(point, *roofline_),
                              points.size() < most_named ? text(point.name) : QString(),
                              room ? std::optional(room->flops_per_cycle) : std::nullopt,
                              point.flops_per_byte ? ScatterPoint::Aside::No : ScatterPoint::Aside::Right});
        }
        const auto& moving = roofline_->without_flops;
        const std::size_t end = std::min(moving.size(), most_aside);
        for (std::size_t i = 0; i < end; ++i) {
            if (!shown(moving[i]))
                continue;
            const QPointF at = placeAside(i, moving[i].cycles, moving[end - 1].cycles, moving[0].cycles);
            points.push_back({moving[i].operation,
                              at.x(),
                              at.y(),
                              colorOf(moving[i].phase),
                              tipOf(*roofline_, moving[i]),
                              radiusOf(moving[i], *roofline_),
                              {},
                              {},
                              ScatterPoint::Aside::Left});
        }
        low = std::min(low, roofline_->roof(from, roofline_->half_flops_per_cycle));
        roofs = roofsOf(*roofline_, from, to, low);
    }
    plot_->setNothing(!roofline_ ? tr("The file does not say what the target could: it was recorded by an "
                                      "older version.")
                      : legend_->hidden().isEmpty() ? tr("No operation takes time.")
                                                    : tr("No operation of the phases that are shown."));
    QString note = tr("Dashed: what exchange and peaks allow. Areas are as the cycles.");
    if (roofline_ && roofline_->without_flops.size() > most_aside)
        note += tr(" At the left the %1 of %2 without FLOPs that take the most cycles.")
                    .arg(formatCount(most_aside),
                         formatCount(static_cast<std::int64_t>(roofline_->without_flops.size())));
    QString tip = tr(
        "No operation can be above the dashed lines of the exchange between tiles and of the peak of its "
        "type. What uses no units for products reaches that of vectors at most, and what comes over a link "
        "the lower slope.");
    if (roofline_ && !roofline_->without_flops.empty())
        tip += tr(" At the left are those without FLOPs, the higher up the more cycles.");
    if (still > 0)
        tip += tr(" At the right are those that exchange nothing.");
    note_->setToolTip(asHtml(tip));
    note_->setHtml(inHtml(QStringLiteral("<span style='color:@muted'>%1</span>"), {note}));
    note_->setVisible(!points.empty());
    plot_->setCurves(std::move(roofs));
    plot_->setPoints(std::move(points), {});
}

void RooflinePage::setChosen(std::int64_t operation) {
    plot_->setChosen({operation});
}

} // namespace tilescope::ui
