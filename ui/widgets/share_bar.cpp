// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/share_bar.h"

#include "ui/session/format.h"
#include "ui/theme/theme.h"
#include "ui/widgets/chart_actions.h"
#include "ui/widgets/table_text.h"

#include <QPainter>
#include <QPainterPath>
#include <algorithm>
#include <cmath>
#include <utility>

namespace tilescope::ui {
namespace {
constexpr int bar_height = 18;
constexpr int bar_gap = 4;
constexpr int most_name_width = 120;
} // namespace

ShareBar::ShareBar(QWidget* parent) : QWidget(parent) {
    addChartActions(this, tr("Shares"), [this](QChar separator) {
        QString lines = tableLine({tr("part"), tr("share")}, separator);
        for (const Part& part : parts_)
            lines += tableLine({part.name, part.text}, separator);
        return lines;
    });
}

void ShareBar::setParts(std::vector<Part> parts, const QString& now, const QString& base) {
    parts_ = std::move(parts);
    now_ = now;
    base_ = base;
    updateGeometry();
    update();
}

int ShareBar::legendTop() const {
    return bar_height + 12 + (base_.isEmpty() ? 0 : bar_height + bar_gap);
}

int ShareBar::nameWidth() const {
    if (base_.isEmpty())
        return 0;
    // Rounded up: names that take a fraction of a pixel more than there is would be shortened.
    const QFontMetricsF metrics(font());
    const double widest = std::max(metrics.horizontalAdvance(now_), metrics.horizontalAdvance(base_));
    return std::min(most_name_width, static_cast<int>(std::ceil(widest))) + 8;
}

template<class Visit>
int ShareBar::eachEntry(const Visit& visit) const {
    const int line = fontMetrics().height() + 6;
    int left = 0;
    int top = legendTop();
    for (const Part& part : parts_) {
        if (part.value == 0 && part.base == 0)
            continue;
        const QString text = QStringLiteral("%1 %2").arg(part.name, part.text);
        const int needed = fontMetrics().horizontalAdvance(text) + 34;
        if (left > 0 && left + needed > width()) {
            left = 0;
            top += line;
        }
        visit(part, text, left, top);
        left += needed;
    }
    return top + line;
}

QSize ShareBar::sizeHint() const {
    return {320, eachEntry([](const Part&, const QString&, int, int) {})};
}

void ShareBar::resizeEvent(QResizeEvent*) {
    const int end = sizeHint().height();
    if (std::exchange(legend_end_, end) != end)
        updateGeometry();
}

void ShareBar::paintBar(QPainter& painter, double top, const QString& name, double Part::*value) const {
    const Theme& theme = Theme::of(this);
    const QRectF bar(nameWidth(), top, width() - nameWidth(), bar_height);
    painter.setPen(theme.muted);
    painter.drawText(QRectF(0, top, nameWidth() - 8, bar_height), Qt::AlignLeft | Qt::AlignVCenter,
                     fontMetrics().elidedText(name, Qt::ElideMiddle, nameWidth() - 8));
    double total = 0;
    for (const Part& part : parts_)
        total += part.*value;
    QPainterPath clip;
    clip.addRoundedRect(bar, 5, 5);
    painter.fillPath(clip, theme.waiting);
    painter.setClipPath(clip);
    double x = bar.left();
    for (const Part& part : parts_) {
        const double w = total > 0 ? part.*value / total * bar.width() : 0;
        painter.fillRect(QRectF(x, top, w, bar_height), part.color.in(theme));
        x += w;
    }
    painter.setClipping(false);
}

void ShareBar::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const Theme& theme = Theme::of(this);
    paintBar(painter, 2, now_, &Part::value);
    if (!base_.isEmpty())
        paintBar(painter, 2 + bar_height + bar_gap, base_, &Part::base);
    eachEntry([&](const Part& part, const QString& text, int left, int top) {
        painter.setPen(Qt::NoPen);
        painter.setBrush(part.color.in(theme));
        painter.drawRoundedRect(QRectF(left, top + 4, 10, 10), 2.5, 2.5);
        painter.setPen(theme.text);
        painter.drawText(QPoint(left + 16, top + fontMetrics().ascent() + 1), text);
    });
}

} // namespace tilescope::ui
