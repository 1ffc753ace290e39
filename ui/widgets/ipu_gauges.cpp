// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/ipu_gauges.h"

#include "base/share.h"
#include "ui/session/format.h"
#include "ui/theme/theme.h"
#include "ui/widgets/chart_actions.h"
#include "ui/widgets/table_text.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <utility>

namespace tilescope::ui {
namespace {

constexpr int margins = 14; ///< of the text in a bar

} // namespace

void IpuGauges::Gauge::setFull(std::int64_t of_fullest, std::int64_t bytes_per_tile) {
    bytes = of_fullest;
    full = share_of(bytes, bytes_per_tile);
    if (!full)
        return;
    fit = analyse::fit_of(bytes, bytes_per_tile);
    full_text = tr("%1, %2").arg(formatBytes(bytes), formatPercent(*full));
}

void IpuGauges::Gauge::setBusy(std::optional<double> share) {
    busy = share;
    if (busy)
        busy_text = formatPercent(*busy);
}

IpuGauges::IpuGauges(QWidget* parent) : QWidget(parent) {
    addChartActions(this, tr("IPUs"), [this](QChar separator) { return toText(separator); });
}

QString IpuGauges::toText(QChar separator) const {
    const auto percent = [](const std::optional<double>& share) {
        constexpr int digits = 12;
        return share ? QString::number(100 * *share, 'g', digits) : QString();
    };
    QString lines = tableLine(
        {tr("IPU"), tr("fullest tile (bytes)"), tr("fullest tile (%)"), tr("computing (%)")}, separator);
    for (const Gauge& gauge : gauges_)
        lines += tableLine({gauge.name, gauge.full ? QString::number(gauge.bytes) : QString(),
                            percent(gauge.full), percent(gauge.busy)},
                           separator);
    return lines;
}

void IpuGauges::setGauges(std::vector<Gauge> gauges) {
    gauges_ = std::move(gauges);
    QStringList words;
    for (const Gauge& gauge : gauges_)
        words << tr("%1: fullest tile %2, computing %3").arg(gauge.name, gauge.full_text, gauge.busy_text);
    setAccessibleName(words.join(QStringLiteral("; ")));
    updateGeometry();
    update();
}

void IpuGauges::setNumbersAlone(bool alone) {
    if (alone == std::exchange(numbers_alone_, alone))
        return;
    updateGeometry();
    update();
}

void IpuGauges::setChoosing(const QString& tip) {
    tip_ = tip;
    setFocusPolicy(Qt::TabFocus);
    setAccessibleDescription(tip);
    setCursor(Qt::PointingHandCursor);
}

/// In columns, from the top of each to its end.
QRect IpuGauges::place(int gauge) const {
    const int across = columns(width());
    const int down = (partCount() + across - 1) / across;
    const int wide = width() / across;
    return {gauge / down * wide, gauge % down * rowHeight() + 1, wide, rowHeight() - 3};
}

PaintedParts::Part IpuGauges::part(int index) const {
    const Gauge& gauge = gauges_[static_cast<std::size_t>(index)];
    return {gauge.name, tr("fullest tile %1, computing %2").arg(gauge.full_text, gauge.busy_text),
            place(index), tip_.isEmpty() ? QAccessible::ListItem : QAccessible::Link, false};
}

void IpuGauges::mousePressEvent(QMouseEvent* event) {
    const int at = tip_.isEmpty() ? -1 : partAt(event->pos());
    if (at < 0 || event->button() != Qt::LeftButton)
        return QWidget::mousePressEvent(event);
    focused_ = at;
    Q_EMIT chosen(at);
}

void IpuGauges::keyPressEvent(QKeyEvent* event) {
    const PartKey does = tip_.isEmpty()
                             ? PartKey::Other
                             : takePartKey(*event, Qt::Key_Up, Qt::Key_Down, partCount(), focused_);
    switch (does) {
    case PartKey::Moves:
        tellFocusedPart(*this);
        return update();
    case PartKey::Chooses:
        Q_EMIT chosen(focused_);
        return;
    case PartKey::Other:
        QWidget::keyPressEvent(event);
    }
}

void IpuGauges::focusInEvent(QFocusEvent* event) {
    QWidget::focusInEvent(event);
    tellFocusedPart(*this);
    update();
}

void IpuGauges::focusOutEvent(QFocusEvent* event) {
    QWidget::focusOutEvent(event);
    update();
}

int IpuGauges::rowHeight() const {
    return fontMetrics().height() * 3 / 2;
}

int IpuGauges::columnWidth() const {
    int name = 0;
    int bar = 0;
    for (const Gauge& gauge : gauges_) {
        name = std::max(name, fontMetrics().horizontalAdvance(gauge.name));
        for (const QString& words : {gauge.full_text, gauge.busy_text})
            bar = std::max(bar, fontMetrics().horizontalAdvance(words) + margins);
    }
    return name + 2 * bar + 3 * fontMetrics().height();
}

int IpuGauges::columns(int width) const {
    const int fitting = std::max(1, width / std::max(1, columnWidth()));
    return std::clamp(fitting, 1, std::max(1, static_cast<int>(gauges_.size())));
}

int IpuGauges::heightForWidth(int width) const {
    const int per = columns(width);
    return (static_cast<int>(gauges_.size()) + per - 1) / per * rowHeight();
}

QSize IpuGauges::sizeHint() const {
    return {std::max(width(), columnWidth()), heightForWidth(std::max(width(), columnWidth()))};
}

void IpuGauges::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const Theme& theme = Theme::of(this);
    const int count = static_cast<int>(gauges_.size());
    const int across = columns(width());
    const int gap = fontMetrics().height();
    const int wide = width() / across;
    int name = 0;
    for (const Gauge& gauge : gauges_)
        name = std::max(name, fontMetrics().horizontalAdvance(gauge.name));
    const int bar = (wide - name - 3 * gap) / 2;
    const auto draw = [&](const QRect& rect, const std::optional<double>& share, const QString& text,
                          const QColor& color) {
        if (numbers_alone_) {
            painter.setPen(color == theme.bad || color == theme.warning ? color : theme.text);
            return painter.drawText(rect, Qt::AlignLeft | Qt::AlignVCenter, text);
        }
        QColor ground = theme.muted;
        ground.setAlphaF(0.14F);
        painter.fillRect(rect, ground);
        if (share) {
            QRect part = rect;
            part.setWidth(static_cast<int>(rect.width() * std::clamp(*share, 0.0, 1.0)));
            QColor soft = color;
            soft.setAlphaF(theme.dark ? 0.55F : 0.4F);
            painter.fillRect(part, soft);
        }
        painter.setPen(theme.text);
        painter.drawText(rect.adjusted(6, 0, -4, 0), Qt::AlignLeft | Qt::AlignVCenter, text);
    };
    for (int i = 0; i < count; ++i) {
        const Gauge& gauge = gauges_[static_cast<std::size_t>(i)];
        const QRect row = place(i);
        painter.setPen(theme.text);
        painter.drawText(QRect(row.left(), row.top(), name, row.height()), Qt::AlignVCenter, gauge.name);
        draw(QRect(row.left() + name + gap, row.top(), bar, row.height()), gauge.full, gauge.full_text,
             gauge.fit == analyse::Fit::DoesNotFit ? theme.bad
             : gauge.fit == analyse::Fit::Tight    ? theme.warning
                                                   : theme.accent);
        draw(QRect(row.left() + name + gap + bar + gap / 2, row.top(), bar, row.height()), gauge.busy,
             gauge.busy_text, theme.compute);
        if (hasFocus() && i == focused_) {
            painter.setPen(QPen(theme.accent, 2));
            painter.drawRect(row.adjusted(1, 1, -gap / 2, -1));
        }
    }
}

bool IpuGauges::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip || gauges_.empty())
        return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    const int at = partAt(help->pos());
    if (at < 0)
        return true;
    const Gauge& gauge = gauges_[static_cast<std::size_t>(at)];
    QToolTip::showText(
        help->globalPos(),
        tr("%1\nFullest tile: %2\nComputing: %3").arg(gauge.name, gauge.full_text, gauge.busy_text), this);
    return true;
}

} // namespace tilescope::ui
