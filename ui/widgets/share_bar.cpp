// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/share_bar.h"

#include "ui/session/format.h"
#include "ui/theme/theme.h"
#include "ui/widgets/chart_actions.h"
#include "ui/widgets/table_text.h"

#include <QPainter>
#include <QPainterPath>
#include <utility>

namespace tilescope::ui {
namespace {
constexpr int bar_height = 18;
}

ShareBar::ShareBar(QWidget* parent) : QWidget(parent) {
    addChartActions(this, tr("Shares"), [this](QChar separator) {
        QString lines = tableLine({tr("part"), tr("share")}, separator);
        for (const Part& part : parts_)
            lines += tableLine({part.name, part.text}, separator);
        return lines;
    });
}

void ShareBar::setParts(std::vector<Part> parts) {
    parts_ = std::move(parts);
    updateGeometry();
    update();
}

template<class Visit>
int ShareBar::eachEntry(const Visit& visit) const {
    const int line = fontMetrics().height() + 6;
    int left = 0;
    int top = bar_height + 12;
    for (const Part& part : parts_) {
        if (part.value == 0)
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

void ShareBar::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const Theme& theme = Theme::of(this);
    double total = 0;
    for (const Part& part : parts_)
        total += part.value;
    QPainterPath clip;
    clip.addRoundedRect(QRectF(0, 2, width(), bar_height), 5, 5);
    painter.fillPath(clip, theme.waiting);
    painter.setClipPath(clip);
    double x = 0;
    for (const Part& part : parts_) {
        const double w = total > 0 ? part.value / total * width() : 0;
        painter.fillRect(QRectF(x, 2, w, bar_height), part.color.in(theme));
        x += w;
    }
    painter.setClipping(false);
    eachEntry([&](const Part& part, const QString& text, int left, int top) {
        painter.setPen(Qt::NoPen);
        painter.setBrush(part.color.in(theme));
        painter.drawRoundedRect(QRectF(left, top + 4, 10, 10), 2.5, 2.5);
        painter.setPen(theme.text);
        painter.drawText(QPoint(left + 16, top + fontMetrics().ascent() + 1), text);
    });
}

} // namespace tilescope::ui
