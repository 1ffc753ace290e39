// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/class_bars.h"

#include "ui/widgets/chart_actions.h"

#include <QAction>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <algorithm>
#include <utility>

namespace tilescope::ui {

ClassBars::ClassBars(QColor Theme::*color, QWidget* parent) : QWidget(parent), color_(color) {
    setMinimumHeight(120);
    setFocusPolicy(Qt::StrongFocus);
}

void ClassBars::setClasses(Classes classes, const QString& why) {
    classes_ = std::move(classes);
    why_ = why;
    chosen_.reset();
    setAccessibleDescription(classes_.counts.empty() ? why_ : classes_.heading);
    update();
}

void ClassBars::choose(std::size_t index) {
    chosen_ = index;
    setAccessibleDescription(classes_.texts[static_cast<qsizetype>(index)]);
    update();
    Q_EMIT classChosen(index);
}

void ClassBars::mousePressEvent(QMouseEvent* event) {
    if (const auto index = classAt(event->pos()); index && classes_.counts[*index] > 0)
        choose(*index);
}

void ClassBars::mouseDoubleClickEvent(QMouseEvent*) {
    if (chosen_)
        Q_EMIT classActivated(*chosen_);
}

void ClassBars::keyPressEvent(QKeyEvent* event) {
    if (QAction* copy = copyAt(*event))
        return copy->trigger();
    const int key = event->key();
    if ((key == Qt::Key_Return || key == Qt::Key_Enter) && chosen_)
        return Q_EMIT classActivated(*chosen_);
    const auto count = static_cast<int>(classes_.counts.size());
    const bool forward = key == Qt::Key_Right || key == Qt::Key_Home;
    if (count == 0 || !(forward || key == Qt::Key_Left || key == Qt::Key_End))
        return QWidget::keyPressEvent(event);
    const int step = forward ? 1 : -1;
    const bool on = chosen_ && (key == Qt::Key_Right || key == Qt::Key_Left);
    int at = on ? static_cast<int>(*chosen_) + step : forward ? 0 : count - 1;
    while (at >= 0 && at < count && classes_.counts[static_cast<std::size_t>(at)] == 0)
        at += step;
    if (at >= 0 && at < count)
        choose(static_cast<std::size_t>(at));
}

void ClassBars::focusInEvent(QFocusEvent* event) {
    QWidget::focusInEvent(event);
    update();
}

void ClassBars::focusOutEvent(QFocusEvent* event) {
    QWidget::focusOutEvent(event);
    update();
}

QSize ClassBars::sizeHint() const {
    return {480, 180};
}

QRectF ClassBars::plot() const {
    const QFontMetrics metrics(font());
    return QRectF(rect()).adjusted(16, 8 + metrics.height() + 6, -16, -(metrics.height() + 10));
}

double ClassBars::edgeAt(std::size_t index) const {
    const QRectF area = plot();
    return area.left() +
           area.width() * static_cast<double>(index) / static_cast<double>(classes_.counts.size());
}

std::optional<std::size_t> ClassBars::classAt(const QPoint& at) const {
    const QRectF area = plot();
    const std::size_t count = classes_.counts.size();
    if (count == 0 || !area.contains(at))
        return std::nullopt;
    return std::min(count - 1, static_cast<std::size_t>((at.x() - area.left()) / area.width() *
                                                        static_cast<double>(count)));
}

QString ClassBars::textAt(const QPoint& at) const {
    const auto index = classAt(at);
    return index ? classes_.texts[static_cast<qsizetype>(*index)] : QString();
}

void ClassBars::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const Theme& theme = Theme::of(this);
    painter.fillRect(rect(), theme.panel);
    painter.setPen(theme.muted);
    if (classes_.counts.empty()) {
        painter.drawText(rect().adjusted(16, 8, -16, -8), Qt::AlignCenter | Qt::TextWordWrap, why_);
        return;
    }
    const QRectF area = plot();
    const QString heading =
        chosen_ ? classes_.texts[static_cast<qsizetype>(*chosen_)] + classes_.leads : classes_.heading;
    painter.drawText(QRectF(area.left(), 8, area.width(), painter.fontMetrics().height()), Qt::AlignLeft,
                     heading);
    const std::int64_t most = *std::max_element(classes_.counts.begin(), classes_.counts.end());
    for (std::size_t i = 0; i < classes_.counts.size(); ++i) {
        if (classes_.counts[i] == 0)
            continue;
        const double height = std::max(2.0, area.height() * static_cast<double>(classes_.counts[i]) /
                                                static_cast<double>(most));
        const QRectF bar(QPointF(edgeAt(i), area.bottom() - height),
                         QPointF(edgeAt(i + 1) - 1, area.bottom()));
        painter.fillRect(bar, theme.*color_);
        if (chosen_ == i) {
            painter.setPen(QPen(theme.accent, 2));
            painter.setBrush(Qt::NoBrush);
            painter.drawRect(bar.adjusted(-1, -1, 1, 1));
        }
    }
    painter.setPen(theme.border);
    painter.drawLine(area.bottomLeft(), area.bottomRight());
    paintEdges(painter);
    if (hasFocus()) {
        painter.setPen(QPen(theme.accent, 2));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(rect().adjusted(1, 1, -1, -1));
    }
}

/// The first and the last, and as many between them as have room.
void ClassBars::paintEdges(QPainter& painter) const {
    constexpr double apart = 12;
    painter.setPen(Theme::of(this).muted);
    const QRectF area = plot();
    const QFontMetricsF metrics(painter.font());
    const auto count = classes_.counts.size();
    const auto placed = [&](std::size_t index) {
        const double width = metrics.horizontalAdvance(classes_.edges[static_cast<qsizetype>(index)]);
        const double left =
            std::clamp(edgeAt(index) - width / 2, area.left(), std::max(area.left(), area.right() - width));
        return QRectF(left, area.bottom() + 4, width, metrics.height());
    };
    const QRectF last = placed(count);
    double free_from = area.left();
    for (std::size_t i = 0; i <= count; ++i) {
        const QRectF at = placed(i);
        const bool fits =
            i == 0 || i == count || (at.left() >= free_from && at.right() + apart <= last.left());
        if (!fits)
            continue;
        painter.drawText(at, Qt::AlignCenter | Qt::TextDontClip, classes_.edges[static_cast<qsizetype>(i)]);
        free_from = at.right() + apart;
    }
}

/// What it copies comes before what a table that it belongs to does at the same key.
QAction* ClassBars::copyAt(const QKeyEvent& event) const {
    auto* copy = findChild<QAction*>(QStringLiteral("copy"), Qt::FindDirectChildrenOnly);
    return copy != nullptr && copy->shortcuts().contains(QKeySequence(event.keyCombination())) ? copy
                                                                                               : nullptr;
}

bool ClassBars::event(QEvent* event) {
    if (event->type() == QEvent::ShortcutOverride && copyAt(*static_cast<QKeyEvent*>(event)) != nullptr) {
        event->accept();
        return true;
    }
    return showTip(event, this, [this](const QPoint& point) { return textAt(point); }) ||
           QWidget::event(event);
}

} // namespace tilescope::ui
