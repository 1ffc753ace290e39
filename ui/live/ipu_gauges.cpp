// SPDX-License-Identifier: GPL-3.0-or-later
#include "ipu_gauges.h"

#include "ui/theme/theme.h"

#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>

namespace tilescope::ui {
namespace {

constexpr int margins = 14;          ///< of the text in a bar
constexpr double full_from = 1.0;    ///< it does not fit
constexpr double nearly_from = 0.95; ///< of what is nearly full the bar warns

} // namespace

void IpuGauges::setGauges(std::vector<Gauge> gauges) {
    gauges_ = std::move(gauges);
    QStringList words;
    for (const Gauge& gauge : gauges_)
        words << tr("%1: fullest tile %2, computing %3").arg(gauge.name, gauge.full_text, gauge.busy_text);
    setAccessibleName(words.join(QStringLiteral("; ")));
    updateGeometry();
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
    const int down = (count + across - 1) / across;
    const int gap = fontMetrics().height();
    const int wide = width() / across;
    int name = 0;
    for (const Gauge& gauge : gauges_)
        name = std::max(name, fontMetrics().horizontalAdvance(gauge.name));
    const int bar = (wide - name - 3 * gap) / 2;
    const auto draw = [&](const QRect& rect, const std::optional<double>& share, const QString& text,
                          const QColor& color) {
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
        const int x = i / down * wide;
        const QRect row(x, i % down * rowHeight() + 1, wide, rowHeight() - 3);
        painter.setPen(theme.text);
        painter.drawText(QRect(row.left(), row.top(), name, row.height()), Qt::AlignVCenter, gauge.name);
        const double full = gauge.full.value_or(0);
        draw(QRect(row.left() + name + gap, row.top(), bar, row.height()), gauge.full, gauge.full_text,
             full > full_from     ? theme.bad
             : full > nearly_from ? theme.warning
                                  : theme.accent);
        draw(QRect(row.left() + name + gap + bar + gap / 2, row.top(), bar, row.height()), gauge.busy,
             gauge.busy_text, theme.compute);
    }
}

bool IpuGauges::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip || gauges_.empty())
        return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    const int count = static_cast<int>(gauges_.size());
    const int across = columns(width());
    const int down = (count + across - 1) / across;
    const int at = std::min(help->pos().x() / std::max(1, width() / across), across - 1) * down +
                   std::min(help->pos().y() / rowHeight(), down - 1);
    if (at < 0 || at >= count)
        return true;
    const Gauge& gauge = gauges_[static_cast<std::size_t>(at)];
    QToolTip::showText(
        help->globalPos(),
        tr("%1\nFullest tile: %2\nComputing: %3").arg(gauge.name, gauge.full_text, gauge.busy_text), this);
    return true;
}

} // namespace tilescope::ui
