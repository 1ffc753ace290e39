// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/share_bar.h"

#include "ui/session/format.h"
#include "ui/theme/chart_style.h"
#include "ui/theme/theme.h"
#include "ui/widgets/chart_actions.h"
#include "ui/widgets/hatched_box.h"
#include "ui/widgets/table_text.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <QToolTip>
#include <algorithm>
#include <cmath>
#include <utility>

namespace tilescope::ui {
namespace {
constexpr int bar_height = 16;
constexpr int bar_gap = 12;    ///< room for joints
constexpr double gap_from = 3; ///< pixels: narrower parts have none beside them
constexpr int most_name_width = 120;
constexpr int swatch_gap = 6; ///< between the colour of a part and its name

void paintPart(QPainter& painter, const QRectF& box, const ShareBar::Part& part, const Theme& theme) {
    if (part.hatched)
        paintHatchedBox(painter, box, part.color.in(theme), theme);
    else
        painter.fillRect(box, part.color.in(theme));
}

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

void ShareBar::setChoosing(const QString& tip) {
    tip_ = tip;
    setFocusPolicy(Qt::TabFocus);
    setMouseTracking(true);
    setAccessibleName(tr("Shares"));
    setAccessibleDescription(tip);
}

int ShareBar::legendTop() const {
    return bar_height + 10 + (base_.isEmpty() ? 0 : bar_height + bar_gap);
}

int ShareBar::nameWidth() const {
    if (base_.isEmpty())
        return 0;
    // Rounded up: names that take a fraction of a pixel more than there is would be shortened.
    const QFontMetricsF metrics(font());
    const double widest = std::max(metrics.horizontalAdvance(now_), metrics.horizontalAdvance(base_));
    return std::min(most_name_width, static_cast<int>(std::ceil(widest))) + 8;
}

/// As those of Legend.
int ShareBar::swatchSide() const {
    return fontMetrics().height() * 5 / 8;
}

std::vector<ShareBar::Entry> ShareBar::entries() const {
    const int line = fontMetrics().height() + 6;
    std::vector<Entry> all;
    int left = 0;
    int top = legendTop();
    for (std::size_t i = 0; i < parts_.size(); ++i) {
        const Part& part = parts_[i];
        if (part.value == 0 && part.base == 0)
            continue;
        const QString text = QStringLiteral("%1 %2").arg(part.name, part.text);
        const int needed = fontMetrics().horizontalAdvance(text) + swatchSide() + swatch_gap;
        if (left > 0 && left + needed > width()) {
            left = 0;
            top += line;
        }
        all.push_back({i, text, {left, top, needed, line}});
        left += needed + 18;
    }
    return all;
}

QSize ShareBar::sizeHint() const {
    const auto all = entries();
    return {320, all.empty() ? legendTop() : all.back().place.bottom() + 1};
}

void ShareBar::resizeEvent(QResizeEvent*) {
    const int end = sizeHint().height();
    if (std::exchange(legend_end_, end) != end)
        updateGeometry();
}

double ShareBar::whole(double Part::*value) const {
    double sum = 0;
    for (const Part& part : parts_)
        sum += part.*value;
    return sum;
}

QRectF ShareBar::barOf(double Part::*value) const {
    const double top = value == &Part::value ? 2 : 2 + bar_height + bar_gap;
    return {static_cast<double>(nameWidth()), top, static_cast<double>(width() - nameWidth()), bar_height};
}

/// Each is as wide as its share; the room between two is taken from those that have it.
std::vector<QRectF> ShareBar::boxes(double Part::*value) const {
    const QRectF bar = barOf(value);
    const double all = whole(value);
    std::vector<QRectF> found;
    double x = bar.left();
    for (const Part& part : parts_) {
        const double wide = all > 0 ? part.*value / all * bar.width() : 0;
        found.emplace_back(x, bar.top(), wide, bar_height);
        x += wide;
    }
    return found;
}

void ShareBar::paintBar(QPainter& painter, const QString& name, double Part::*value) const {
    const Theme& theme = Theme::of(this);
    const QRectF bar = barOf(value);
    painter.setPen(theme.muted);
    painter.drawText(QRectF(0, bar.top(), nameWidth() - 8, bar_height), Qt::AlignLeft | Qt::AlignVCenter,
                     fontMetrics().elidedText(name, Qt::ElideMiddle, nameWidth() - 8));
    QPainterPath clip;
    clip.addRoundedRect(bar, 4, 4);
    painter.save();
    painter.setClipPath(clip);
    if (whole(value) <= 0)
        painter.fillRect(bar, theme.waiting);
    const auto all = boxes(value);
    for (std::size_t i = 0; i < all.size(); ++i) {
        QRectF box = all[i];
        if (parts_[i].*value <= 0)
            continue;
        if (box.width() >= gap_from && box.right() < bar.right() - 0.5)
            box.setWidth(box.width() - 1);
        else if (box.width() < 1) // it is there
            box.setWidth(1);
        paintPart(painter, box, parts_[i], theme);
    }
    painter.restore();
}

/// Between the two bars: what is more or less than a point more or less.
void ShareBar::paintJoints(QPainter& painter) const {
    constexpr double point = 0.01;
    const double now_whole = whole(&Part::value);
    const double base_whole = whole(&Part::base);
    if (now_whole <= 0 || base_whole <= 0)
        return;
    const Theme& theme = Theme::of(this);
    const auto now = boxes(&Part::value);
    const auto base = boxes(&Part::base);
    painter.setPen(Qt::NoPen);
    for (std::size_t i = 0; i < parts_.size(); ++i) {
        if (std::abs(parts_[i].value / now_whole - parts_[i].base / base_whole) <= point)
            continue;
        QColor pale = parts_[i].color.in(theme);
        constexpr double faint = 0.4;
        pale.setAlphaF(static_cast<float>(faint));
        painter.setBrush(pale);
        const QPointF corners[] = {now[i].bottomLeft() + QPointF(0, 1), now[i].bottomRight() + QPointF(0, 1),
                                   base[i].topRight() - QPointF(0, 1), base[i].topLeft() - QPointF(0, 1)};
        painter.drawPolygon(corners, 4);
    }
}

void ShareBar::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const Theme& theme = Theme::of(this);
    if (!base_.isEmpty())
        paintJoints(painter);
    paintBar(painter, now_, &Part::value);
    if (!base_.isEmpty())
        paintBar(painter, base_, &Part::base);
    const auto all = entries();
    for (std::size_t i = 0; i < all.size(); ++i) {
        const QRect& place = all[i].place;
        QPainterPath swatch;
        const int side = swatchSide();
        const double above = (fontMetrics().height() + 2 - side) / 2.0;
        swatch.addRoundedRect(QRectF(place.left(), place.top() + above, side, side), 2.5, 2.5);
        painter.save();
        painter.setClipPath(swatch);
        paintPart(painter, swatch.boundingRect(), parts_[all[i].part], theme);
        painter.restore();
        painter.setPen(theme.text);
        QFont words = font();
        words.setUnderline(static_cast<int>(i) == hovered_);
        painter.setFont(words);
        painter.drawText(QPoint(place.left() + side + swatch_gap, place.top() + fontMetrics().ascent() + 1),
                         all[i].text);
        if (hasFocus() && static_cast<int>(i) == focused_) {
            painter.setPen(QPen(theme.accent, 2));
            painter.setBrush(Qt::NoBrush);
            painter.drawRoundedRect(QRectF(place).adjusted(-3, 0, 3, -2), 3, 3);
        }
    }
}

int ShareBar::partCount() const {
    return static_cast<int>(entries().size());
}

PaintedParts::Part ShareBar::part(int index) const {
    const Entry entry = entries()[static_cast<std::size_t>(index)];
    const ShareBar::Part& part = parts_[entry.part];
    return {part.name, part.text, entry.place, tip_.isEmpty() ? QAccessible::ListItem : QAccessible::Link,
            false};
}

/// In the legend or in a bar.
int ShareBar::partAt(const QPoint& at) const {
    const auto all = entries();
    const auto now = boxes(&Part::value);
    const auto base = base_.isEmpty() ? std::vector<QRectF>() : boxes(&Part::base);
    for (std::size_t i = 0; i < all.size(); ++i)
        if (all[i].place.contains(at) || now[all[i].part].contains(at) ||
            (!base.empty() && base[all[i].part].contains(at)))
            return static_cast<int>(i);
    return -1;
}

bool ShareBar::event(QEvent* event) {
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        const int at = partAt(help->pos());
        QString text;
        if (at >= 0) {
            const Entry entry = entries()[static_cast<std::size_t>(at)];
            text = tip_.isEmpty() ? entry.text : entry.text + QLatin1Char('\n') + tip_;
        }
        QToolTip::showText(help->globalPos(), text, this);
        return true;
    }
    return QWidget::event(event);
}

void ShareBar::mousePressEvent(QMouseEvent* event) {
    const int at = tip_.isEmpty() ? -1 : partAt(event->pos());
    if (at < 0 || event->button() != Qt::LeftButton)
        return QWidget::mousePressEvent(event);
    focused_ = at;
    Q_EMIT partChosen(parts_[entries()[static_cast<std::size_t>(at)].part].key);
}

void ShareBar::mouseMoveEvent(QMouseEvent* event) {
    const int at = tip_.isEmpty() ? -1 : partAt(event->pos());
    if (std::exchange(hovered_, at) == at)
        return;
    setCursor(at < 0 ? Qt::ArrowCursor : Qt::PointingHandCursor);
    update();
}

void ShareBar::leaveEvent(QEvent*) {
    hovered_ = -1;
    update();
}

void ShareBar::keyPressEvent(QKeyEvent* event) {
    const PartKey does = tip_.isEmpty()
                             ? PartKey::Other
                             : takePartKey(*event, Qt::Key_Left, Qt::Key_Right, partCount(), focused_);
    switch (does) {
    case PartKey::Moves:
        tellFocusedPart(*this);
        return update();
    case PartKey::Chooses:
        Q_EMIT partChosen(parts_[entries()[static_cast<std::size_t>(focused_)].part].key);
        return;
    case PartKey::Other:
        QWidget::keyPressEvent(event);
    }
}

void ShareBar::focusInEvent(QFocusEvent* event) {
    QWidget::focusInEvent(event);
    tellFocusedPart(*this);
    update();
}

void ShareBar::focusOutEvent(QFocusEvent* event) {
    QWidget::focusOutEvent(event);
    update();
}

} // namespace tilescope::ui
