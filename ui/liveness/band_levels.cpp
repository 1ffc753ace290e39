// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/liveness/band_levels.h"

#include "ui/liveness/liveness_curve.h"
#include "ui/theme/theme.h"

#include <QPainter>
#include <algorithm>
#include <cctype>

namespace tilescope::ui {
namespace {

using StepBand = analyse::Liveness::Band;

/// Neighbours with the same name, where `name` gives a band none it goes with the one before it.
template<class Name>
BandLevels::Bands joined(const BandLevels::Bands& bands, const Name& name) {
    BandLevels::Bands result;
    for (const StepBand& band : bands) {
        const std::string of = name(band);
        if (of.empty())
            continue;
        if (!result.empty() && result.back().name == of)
            result.back().to = band.to;
        else
            result.push_back({band.from, band.to, of, band.phase});
    }
    return result;
}

/// Of steps of no operation it is not known, and they stand as forward. Recomputation goes on by turns with
/// the backward pass that it is for. `recomputes`: whether any does.
std::string phaseOf(const StepBand& band, bool recomputes) {
    using profile::Phase;
    if (band.name.empty() && band.phase == Phase::Forward)
        return {};
    return recomputes && (band.phase == Phase::Recompute || band.phase == Phase::Backward)
               ? "recompute and backward"
               : std::string(profile::to_string(band.phase));
}

} // namespace

std::string blockOfLayer(const std::string& layer) {
    const auto digit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
    const auto first = std::find_if(layer.begin(), layer.end(), digit);
    const auto end = std::find_if_not(first, layer.end(), digit);
    const bool more = end != layer.end() && std::ispunct(static_cast<unsigned char>(*end)) != 0;
    return more ? std::string(layer.begin(), end) : layer;
}

BandLevels::BandLevels(const analyse::Liveness& live) {
    levels_.push_back({LivenessCurve::tr("Layer"), live.bands});
    levels_.push_back({LivenessCurve::tr("Block"),
                       joined(live.bands, [](const StepBand& band) { return blockOfLayer(band.name); })});
    const bool recomputes = std::any_of(live.bands.begin(), live.bands.end(), [](const StepBand& band) {
        return band.phase == profile::Phase::Recompute;
    });
    levels_.push_back({LivenessCurve::tr("Phase"),
                       joined(live.bands, [&](const StepBand& band) { return phaseOf(band, recomputes); })});
}

const BandLevels::Level& BandLevels::shown(const QFontMetrics& metrics,
                                           const std::function<double(const StepBand&)>& pixels) const {
    for (const Level& level : levels_) {
        if (&level == &levels_.back())
            break;
        double all = 0;
        double named = 0;
        const int least = metrics.horizontalAdvance(QStringLiteral("mm")); // shorter names are rare
        for (const StepBand& band : level.bands) {
            const double wide = pixels(band);
            all += wide;
            if (wide > least && !band.name.empty() &&
                metrics.horizontalAdvance(QString::fromStdString(band.name)) + around_name < wide)
                named += wide;
        }
        if (named > 0 && 2 * named >= all)
            return level;
    }
    return levels_.back();
}

void LivenessCurve::setBands(std::shared_ptr<const BandLevels> bands) {
    bands_ = std::move(bands);
    update();
}

QString LivenessCurve::bandsOf() const {
    return bands_ ? shownBands().of : QString();
}

const BandLevels::Level& LivenessCurve::shownBands() const {
    const double width = plot().width();
    return bands_->shown(fontMetrics(), [&](const StepBand& band) {
        const double from = std::max(0.0, view().x(axis_.begin(band.from)));
        const double to = std::min(width, view().x(axis_.end(band.to)));
        return std::max(0.0, to - from);
    });
}

void LivenessCurve::paintBands(QPainter& painter) const {
    if (!bands_)
        return;
    const Theme& theme = Theme::of(this);
    const QRectF area = plot();
    const int line = painter.fontMetrics().height();
    const double top = area.bottom() + 1.5 * line + 4;
    const BandLevels::Level& level = shownBands();
    if (level.bands.empty()) // of no layer, and all of them forward
        return;
    painter.setPen(theme.muted);
    painter.drawText(QRectF(0, top, left() - 8, line), Qt::AlignRight, level.of);
    bool second = false;
    for (const StepBand& band : level.bands) {
        second = !second;
        const double from = std::max(0.0, view().x(axis_.begin(band.from)));
        const double to = std::min(area.width(), view().x(axis_.end(band.to)));
        if (to <= from)
            continue;
        const QRectF box(area.left() + from, top, to - from, line + 2);
        painter.fillRect(box, second ? theme.grid : theme.window);
        const QString name = QString::fromStdString(band.name);
        if (painter.fontMetrics().horizontalAdvance(name) + BandLevels::around_name < box.width()) {
            painter.setPen(theme.text);
            painter.drawText(box, Qt::AlignCenter, name);
        }
    }
}

} // namespace tilescope::ui
