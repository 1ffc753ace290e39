// SPDX-License-Identifier: GPL-3.0-or-later
#include "known_texts.h"
#include "ui/session/format.h"
#include "ui/timeline/timeline_widget.h"

#include <QPaintEvent>
#include <QScrollBar>
#include <algorithm>
#include <cmath>

namespace tilescope::ui {

void TimelineWidget::paintEvent(QPaintEvent*) {
    parts_told_.clear();
    QPainter painter(viewport());
    const ChartStyle style(this);
    if (groups_.empty()) {
        painter.fillRect(viewport()->rect(), style.background);
        painter.setPen(style.muted);
        painter.drawText(viewport()->rect().adjusted(24, 24, -24, -24), Qt::AlignCenter | Qt::TextWordWrap,
                         empty_text_);
        return;
    }
    const double ratio = viewport()->devicePixelRatioF();
    const Look look{viewport()->size() * ratio, style, font()};
    if (look_ != look) {
        if (painted_.size() != look.size)
            painted_ = QPixmap(look.size);
        painted_.setDevicePixelRatio(ratio);
        painted_.fill(style.background);
        QPainter lanes(&painted_);
        for (std::size_t part = 0; part + 1 < parts(); ++part)
            paintPart(lanes, part);
        look_ = look;
    }
    painter.drawPixmap(0, 0, painted_);
    paintPart(painter, parts() - 1);
}

void TimelineWidget::paintPart(QPainter& painter, std::size_t part) {
    const ChartStyle style(this);
    painter.setFont(font());
    if (part == 0) {
        paintHead(painter, style);
        return;
    }
    painter.save();
    const int top = part <= groups_.size() && !stays(part - 1) ? lanesTop() : headHeight();
    painter.setClipRect(QRect(0, top, viewport()->width(), viewport()->height() - top), Qt::IntersectClip);
    if (part == 1)
        TimelinePainter(painter, style, view_, tile_pictures_)
            .sections(sections_, sectionsRect(), viewport()->height());
    if (part <= groups_.size())
        paintGroup(painter, style, part - 1);
    else {
        paintFixed(painter, style);
        paintFlows(painter, style);
        paintDragged(painter, style);
    }
    painter.restore();
    if (part > groups_.size())
        paintOverlays(painter, style);
}

void TimelineWidget::paintHead(QPainter& painter, const ChartStyle& style) {
    TimelinePainter lanes(painter, style, view_, tile_pictures_);
    const QRect strip = overviewRect();
    painter.fillRect(QRect(0, 0, viewport()->width(), headHeight()), style.raised);
    const double ratio = painter.device()->devicePixelRatioF();
    const QRect inside = strip.adjusted(0, 3, 0, -3);
    const QImage& whole = overview_.image(
        view_.limits(), QSize(qRound(inside.width() * ratio), qRound(inside.height() * ratio)), style);
    painter.drawImage(QRectF(inside.topLeft(), QSizeF(whole.size()) / ratio), whole);
    OverviewStrip(view_, strip).paint(painter, style);

    painter.setPen(style.muted);
    const QRect names(0, 0, gutter() - 8, strip.height());
    drawKnownText(painter, names, Qt::AlignRight | Qt::AlignVCenter, tr("Overview"));
    const QRect axis = axisRect();
    if (scale() == nullptr)
        paintAxis(painter, lanes);
    const QRect sections = sectionsRect();
    if (!sections_.empty())
        drawKnownText(painter, QRect(0, sections.top(), gutter() - 8, sections.height()),
                      Qt::AlignRight | Qt::AlignVCenter, sections_name_);
    painter.setPen(style.line);
    painter.drawLine(0, axis.bottom(), viewport()->width(), axis.bottom());
    if (!sections_.empty())
        painter.drawLine(0, sections.bottom(), viewport()->width(), sections.bottom());
}

void TimelineWidget::paintAxis(QPainter& painter, TimelinePainter& lanes) {
    const QRect axis = axisRect();
    const int row = axis.height() / (clock_hz_ > 0 ? 2 : 1);
    if (clock_hz_ > 0)
        drawKnownText(painter, QRect(0, axis.top(), gutter() - 8, row), Qt::AlignRight | Qt::AlignVCenter,
                      tr("Time"));
    drawKnownText(painter, QRect(0, axis.bottom() + 1 - row, gutter() - 8, row),
                  Qt::AlignRight | Qt::AlignVCenter, tr("Cycles"));
    // Sections bring lines of their own: those of the axis end above them.
    lanes.axis(axis, clock_hz_, sections_.empty() ? viewport()->height() : axis.bottom());
}

void TimelineWidget::paintGroup(QPainter& painter, const ChartStyle& style, std::size_t g) {
    const TimelineGroup& group = groups_[g];
    if (group.lanes.empty())
        return;
    const QRect first = laneRect(g, 0);
    const QRect head(0, first.top() - rowHeight(), viewport()->width(), rowHeight());
    if (head.top() > viewport()->height())
        return;
    const TimelineViewport view = viewOf(group);
    TimelinePainter lanes(painter, style, view, tile_pictures_, colour_);
    paintGroupHead(painter, style, g, head);
    for (std::size_t l = 0; l < group.lanes.size(); ++l) {
        const QRect rect = laneRect(g, l);
        if (rect.height() == 0 || rect.bottom() < headHeight() || rect.top() > viewport()->height())
            continue;
        paintLaneName(painter, style, group.lanes[l], group.remark(group.lanes[l]), rect);
        painter.setPen(style.line);
        painter.drawLine(gutter() - 1, rect.top(), gutter() - 1, rect.bottom());
        lanes.lane(group.lanes[l], rect.adjusted(0, 1, 0, -1), group.base ? base_highlight_ : highlight_);
    }
}

void TimelineWidget::paintGroupHead(QPainter& painter, const ChartStyle& style, std::size_t g,
                                    const QRect& rect) {
    const TimelineGroup& group = groups_[g];
    painter.fillRect(rect, style.raised);
    QFont bold = font();
    bold.setWeight(QFont::DemiBold);
    painter.setFont(bold);
    painter.setPen(style.text);
    const QString sign = group.part      ? QString()
                         : folded(group) ? QStringLiteral("▸  ")
                                         : QStringLiteral("▾  ");
    drawKnownText(painter, rect.adjusted(10, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter, sign + group.name);
    const int named = textWidth(painter.font(), sign + group.name);
    painter.setFont(font());
    const QString remark = group.part ? QString() : headRemark(group.ipu, group.base);
    const QRect room = rect.adjusted(10 + named + 16, 0, -10, 0);
    if (remark.isEmpty() || textWidth(font(), remark) > room.width())
        return;
    painter.setPen(style.muted);
    drawKnownText(painter, room, Qt::AlignRight | Qt::AlignVCenter, remark);
}

std::optional<TimelineWidget::StuckHead> TimelineWidget::stuckHead() const {
    for (std::size_t g = 0; g < groups_.size(); ++g) {
        if (stays(g) || groups_[g].lanes.empty())
            continue;
        const int top = laneRect(g, 0).top() - rowHeight();
        const int bottom = laneRect(g, groups_[g].lanes.size() - 1).bottom() + 1;
        if (top < lanesTop() && bottom > lanesTop()) // the end of the group takes its head along
            return StuckHead{
                g, {0, std::min(lanesTop(), bottom - rowHeight()), viewport()->width(), rowHeight()}};
    }
    return {};
}

/// Over the lanes: the head that is stuck, and the edge of what stays.
void TimelineWidget::paintFixed(QPainter& painter, const ChartStyle& style) {
    painter.save();
    painter.setClipRect(QRect(0, lanesTop(), viewport()->width(), viewport()->height() - lanesTop()),
                        Qt::IntersectClip);
    if (const auto stuck = stuckHead())
        paintGroupHead(painter, style, stuck->group, stuck->rect);
    painter.restore();
    if (fixed_height_ == 0)
        return;
    painter.setPen(style.line);
    painter.drawLine(0, lanesTop() - 1, viewport()->width(), lanesTop() - 1);
}

void TimelineWidget::paintLaneName(QPainter& painter, const ChartStyle& style, const TimelineLane& lane,
                                   const QString& remark, const QRect& rect) const {
    const bool current = lane.key >= 0 && lane.key == current_lane_;
    if (current)
        painter.fillRect(QRect(0, rect.top() + 1, 3, rect.height() - 2), style.accent);
    QRect line(0, rect.top(), gutter() - 8, rect.height());
    const int text = fontMetrics().height();
    const bool two = !remark.isEmpty() && rect.height() >= 2 * text;
    if (two)
        line = QRect(0, rect.center().y() - text, gutter() - 8, text);
    painter.setPen(current ? style.accent : lane.key >= 0 ? style.text : style.muted);
    drawKnownText(painter, line, Qt::AlignRight | Qt::AlignVCenter, lane.name);
    if (!two)
        return;
    painter.setPen(style.muted);
    drawKnownText(painter, line.translated(0, text), Qt::AlignRight | Qt::AlignVCenter, remark);
}

void TimelineWidget::paintOverlays(QPainter& painter, const ChartStyle& style) {
    painter.save();
    painter.setClipRect(QRect(gutter(), overviewRect().height(), viewport()->width(), viewport()->height()));
    const int top = overviewRect().bottom() + 1;
    const int bottom = viewport()->height();
    const auto x = [this](std::int64_t cycle) { return gutter() + view_.x(static_cast<double>(cycle)); };
    if (range_) {
        const double left = x(range_->first);
        const double right = x(range_->second);
        QColor veil = style.background; // over what is outside: colours inside stay true
        veil.setAlphaF(0.45F);
        const QRectF all(QPointF(gutter(), top), QPointF(viewport()->width(), bottom));
        if (left > all.left())
            painter.fillRect(QRectF(all.topLeft(), QPointF(std::min(left, all.right()), bottom)), veil);
        if (right < all.right())
            painter.fillRect(QRectF(QPointF(std::max(right, all.left()), top), all.bottomRight()), veil);
        painter.setPen(QPen(style.accent, 1.5));
        painter.drawLine(QPointF(left, top), QPointF(left, bottom));
        painter.drawLine(QPointF(right, top), QPointF(right, bottom));
        const std::int64_t cycles = range_->second - range_->first;
        const QString text =
            clock_hz_ > 0 ? formatTime(cycles, clock_hz_) : tr("%1 cycles").arg((formatCount(cycles)));
        const int width = fontMetrics().horizontalAdvance(text) + 14;
        const double middle =
            std::clamp((left + right) / 2, gutter() + width / 2.0, viewport()->width() - width / 2.0);
        const QRectF card(middle - width / 2.0, top + 2, width, fontMetrics().height() + 2);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(Qt::NoPen);
        painter.setBrush(style.accent);
        painter.drawRoundedRect(card, 4, 4);
        painter.setPen(ChartStyle::textOn(style.accent));
        painter.drawText(card, Qt::AlignCenter, text);
        painter.setRenderHint(QPainter::Antialiasing, false);
    }
    paintRuler(painter, style);
    QColor hit = style.sync;
    double drawn = -1;
    for (std::size_t i = 0; i < hits_.size(); ++i) {
        const double at = std::round(x(hits_[i]));
        const bool current = static_cast<std::ptrdiff_t>(i) == current_hit_;
        if (at < gutter() - 1 || at > viewport()->width() || (at == drawn && !current))
            continue; // thousands may be on one pixel
        drawn = at;
        painter.fillRect(
            QRectF(at, axisRect().bottom() - (current ? 9 : 5), current ? 3 : 2, current ? 9 : 5), hit);
        if (current)
            painter.fillRect(QRectF(at, axisRect().bottom(), 1, bottom), hit);
    }
    paintMarks(painter, style);
    painter.restore();
}

} // namespace tilescope::ui
