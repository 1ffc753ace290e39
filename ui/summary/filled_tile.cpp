// SPDX-License-Identifier: GPL-3.0-or-later
#include "filled_tile.h"

#include "ui/session/format.h"
#include "ui/theme/chart_style.h"
#include "ui/widgets/chart_actions.h"
#include "ui/widgets/table_text.h"

#include <QPainter>
#include <QStringList>
#include <algorithm>
#include <utility>

namespace tilescope::ui {

FilledTile::FilledTile(QWidget* parent) : QWidget(parent) {
    setObjectName(QStringLiteral("filledTile"));
    setAccessibleName(tr("What fills the tile"));
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setFocusPolicy(Qt::TabFocus);
    addChartActions(this, tr("What fills the tile"), [this](QChar separator) {
        QString lines = tableLine({tr("what"), tr("bytes")}, separator);
        for (const Part& part : parts_)
            lines += tableLine({part.name, QString::number(part.bytes)}, separator);
        return lines + tableLine({tr("limit"), QString::number(limit_)}, separator);
    });
}

void FilledTile::setParts(std::vector<Part> parts, std::int64_t limit) {
    std::erase_if(parts, [](const Part& part) { return part.bytes <= 0; });
    parts_ = std::move(parts);
    limit_ = limit;
    QStringList told;
    for (const Part& part : parts_)
        told << tr("%1 %2").arg(part.name, formatBytes(part.bytes));
    setAccessibleDescription(tr("%1; limit %2").arg(told.join(QStringLiteral(", ")), formatBytes(limit_)));
    update();
}

QSize FilledTile::sizeHint() const {
    return {240, 2 * fontMetrics().height() + 26};
}

std::int64_t FilledTile::all() const {
    std::int64_t sum = 0;
    for (const Part& part : parts_)
        sum += part.bytes;
    return std::max<std::int64_t>({1, sum, limit_});
}

QRectF FilledTile::bar() const {
    return QRectF(rect()).adjusted(0, fontMetrics().height() + 4, 0, -2);
}

QString FilledTile::textAt(const QPoint& at) const {
    const QRectF area = bar();
    double left = area.left();
    for (const Part& part : parts_) {
        const double width = area.width() * static_cast<double>(part.bytes) / static_cast<double>(all());
        if (QRectF(left, area.top(), width, area.height()).contains(at))
            return QStringLiteral("%1\n%2").arg(part.name, formatBytes(part.bytes));
        left += width;
    }
    return {};
}

void FilledTile::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const Theme& theme = Theme::of(this);
    const QRectF area = bar();
    const auto across = [&](std::int64_t bytes) {
        return area.width() * static_cast<double>(bytes) / static_cast<double>(all());
    };
    constexpr double small_text = 0.88; // of labels in charts
    QFont small = font();
    small.setPointSizeF(font().pointSizeF() * small_text);
    double left = area.left();
    for (const Part& part : parts_) {
        const QRectF place(left, area.top(), across(part.bytes), area.height());
        const QColor fill = part.color.in(theme);
        painter.fillRect(place.adjusted(0, 0, place.width() > 3 ? -1 : 0, 0), fill);
        const QString bytes = formatBytes(part.bytes);
        const auto fits = [room = static_cast<int>(place.width()) - 9](const QFontMetrics& metrics,
                                                                       const QString& words) {
            return metrics.horizontalAdvance(words) <= room;
        };
        painter.setPen(ChartStyle::textOn(fill));
        const QRectF inside = place.adjusted(4, 2, -4, -2);
        if (fits(fontMetrics(), part.name) && fits(fontMetrics(), bytes)) {
            painter.drawText(inside, Qt::AlignLeft | Qt::AlignTop, part.name);
            painter.drawText(inside, Qt::AlignLeft | Qt::AlignBottom, bytes);
        } else if (fits(QFontMetrics(small), bytes)) { // the list below has the names, in the same order
            painter.setFont(small);
            painter.drawText(inside, Qt::AlignLeft | Qt::AlignVCenter, bytes);
            painter.setFont(font());
        }
        left += place.width();
    }
    const double at = area.left() + across(limit_);
    painter.setPen(QPen(theme.bad, 2));
    painter.drawLine(QPointF(at, 2), QPointF(at, area.bottom()));
    const QString limit = tr("limit %1").arg(formatBytes(limit_));
    const double wide = fontMetrics().horizontalAdvance(limit) + 2;
    const bool before = at + wide + 6 > width();
    painter.drawText(QRectF(before ? at - wide - 5 : at + 5, 0, wide, fontMetrics().height()), Qt::AlignLeft,
                     limit);
    if (hasFocus()) {
        painter.setPen(QPen(theme.accent, 2));
        painter.drawRect(area.adjusted(1, 1, -1, -1));
    }
}

bool FilledTile::event(QEvent* event) {
    return showTip(event, this, [this](const QPoint& point) { return textAt(point); }) ||
           QWidget::event(event);
}

} // namespace tilescope::ui
