// SPDX-License-Identifier: GPL-3.0-or-later
#include "tile_histogram.h"

#include "ui/session/format.h"
#include "ui/widgets/chart_actions.h"

#include <algorithm>
#include <utility>

namespace tilescope::ui {
namespace {

constexpr std::size_t class_count = 20;

/// The cycles at which a class begins.
std::int64_t begin_of(std::size_t index, std::int64_t slowest) {
    return static_cast<std::int64_t>(index) * slowest / static_cast<std::int64_t>(class_count) + 1;
}

std::size_t class_of(std::int64_t cycles, std::int64_t slowest) {
    const auto index =
        static_cast<std::size_t>((cycles - 1) * static_cast<std::int64_t>(class_count) / slowest);
    return std::min(index, class_count - 1);
}

} // namespace

TileHistogram::TileHistogram(QWidget* parent) : ClassBars(&Theme::compute, parent) {
    setAccessibleName(tr("Tiles by cycles"));
    addChartActions(this, tr("Tiles by cycles"), [this](QChar separator) {
        QString text = QStringLiteral("from%1to%1tiles\n").arg(separator);
        for (std::size_t i = 0; i < counts_.size(); ++i)
            text += QStringLiteral("%2%1%3%1%4\n")
                        .arg(separator)
                        .arg(begin_of(i, slowest_))
                        .arg(begin_of(i + 1, slowest_) - 1)
                        .arg(counts_[i]);
        return text;
    });
    connect(this, &ClassBars::classChosen, this, [this](std::size_t i) { Q_EMIT chosen(tilesOf(i)); });
    connect(this, &ClassBars::classActivated, this, [this](std::size_t i) { Q_EMIT activated(tilesOf(i)); });
}

void TileHistogram::setCycles(std::vector<std::int64_t> cycles, const QString& why) {
    counts_.clear();
    Classes classes;
    const auto most = std::max_element(cycles.begin(), cycles.end());
    slowest_ = most == cycles.end() ? 0 : *most;
    if (slowest_ > 0) {
        counts_.resize(class_count);
        for (const std::int64_t of_tile : cycles)
            if (of_tile > 0)
                ++counts_[class_of(of_tile, slowest_)];
        for (std::size_t i = 0; i < class_count; ++i) {
            classes.texts << tr("%1 %2 to %3 cycles")
                                 .arg(formatCounted(counts_[i], tr("tile takes"), tr("tiles take")),
                                      formatCount(begin_of(i, slowest_)),
                                      formatCount(begin_of(i + 1, slowest_) - 1));
            classes.edges << formatCount(begin_of(i, slowest_));
        }
        classes.edges << formatCycles(slowest_);
        classes.heading = tr("Slowest: tile %1, %2").arg(most - cycles.begin()).arg(formatCycles(slowest_));
        if (const auto idle = std::count(cycles.begin(), cycles.end(), 0); idle > 0)
            classes.heading +=
                QStringLiteral("  ·  ") + tr("%1 idle").arg(formatCounted(idle, tr("tile"), tr("tiles")));
        classes.leads = tr("; Enter shows them in Memory");
        classes.counts = counts_;
    }
    cycles_ = std::move(cycles);
    setClasses(std::move(classes), why);
}

std::vector<std::int64_t> TileHistogram::tilesOf(std::size_t index) const {
    std::vector<std::int64_t> tiles;
    for (std::size_t tile = 0; tile < cycles_.size(); ++tile)
        if (cycles_[tile] > 0 && class_of(cycles_[tile], slowest_) == index)
            tiles.push_back(static_cast<std::int64_t>(tile));
    return tiles;
}

} // namespace tilescope::ui
