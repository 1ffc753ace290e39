// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/legend.h"

#include <QPainter>
#include <algorithm>

namespace tilescope::ui {
namespace {

constexpr int gap = 5; // between a box and its name

} // namespace

Legend::Legend(std::vector<Entry> (*entries)(const ChartStyle&), QWidget* parent)
    : QWidget(parent), entries_(entries) {
    QSizePolicy policy(QSizePolicy::Maximum, QSizePolicy::Preferred);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
}

int Legend::swatchWidth(const Entry& entry) const {
    const int box = fontMetrics().height() * 5 / 8;
    return entry.draw ? 2 * box : box;
}

/// Where each entry stands, its name included.
std::vector<QRect> Legend::places(const std::vector<Entry>& entries, int width) const {
    const int line = fontMetrics().height() + 4;
    std::vector<QRect> found;
    int x = 0;
    int y = 0;
    for (const Entry& entry : entries) {
        const int needed = swatchWidth(entry) + gap + fontMetrics().horizontalAdvance(entry.name);
        if (x > 0 && x + needed > width) {
            x = 0;
            y += line;
        }
        found.emplace_back(x, y, needed, line);
        x += needed + fontMetrics().height();
    }
    return found;
}

QSize Legend::sizeHint() const {
    constexpr int unlimited = 1 << 20;
    const auto all = places(entries_(ChartStyle(this)), unlimited);
    return all.empty() ? QSize() : QSize(all.back().right() + 1, all.back().bottom() + 1);
}

QSize Legend::minimumSizeHint() const {
    const auto entries = entries_(ChartStyle(this));
    int widest = 0;
    for (const QRect& place : places(entries, 0))
        widest = std::max(widest, place.width());
    return {widest, fontMetrics().height() + 4};
}

int Legend::heightForWidth(int width) const {
    const auto all = places(entries_(ChartStyle(this)), width);
    return all.empty() ? 0 : all.back().bottom() + 1;
}

void Legend::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const ChartStyle style(this);
    const auto entries = entries_(style);
    const auto all = places(entries, width());
    const int box = fontMetrics().height() * 5 / 8;
    const int top = all.empty() ? 0 : std::max(0, (height() - all.back().bottom() - 1) / 2);
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const QRect place = all[i].translated(0, top);
        const int wide = swatchWidth(entries[i]);
        const QRect swatch(place.left(), place.center().y() - box / 2, wide, box);
        if (entries[i].draw)
            entries[i].draw(painter, swatch);
        else
            painter.fillRect(swatch, entries[i].brush);
        if (!entries[i].draw && entries[i].brush.style() != Qt::SolidPattern) {
            painter.setPen(style.line);
            painter.drawRect(swatch.adjusted(0, 0, -1, -1));
        }
        painter.setPen(style.muted);
        painter.drawText(place.adjusted(wide + gap, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter,
                         entries[i].name);
    }
}

std::vector<Legend::Entry> phaseEntries(const ChartStyle& style) {
    return {{Legend::tr("compute"), style.compute},
            {Legend::tr("exchange"), style.exchange},
            {Legend::tr("inter-IPU"), style.inter_ipu},
            {Legend::tr("sync"), style.sync},
            {Legend::tr("host"), style.host}};
}

} // namespace tilescope::ui
