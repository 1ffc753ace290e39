// SPDX-License-Identifier: GPL-3.0-or-later
// Lanes that are given other heights and places by hand.
#include "ui/timeline/timeline_widget.h"

#include <QScrollBar>
#include <algorithm>

namespace tilescope::ui {

void TimelineWidget::setHeights(LaneHeights heights, OwnLaneHeights own) {
    heights_ = std::move(heights);
    own_heights_ = std::move(own);
    updateScrollBar();
    updateLanes();
}

LaneHeights TimelineWidget::heightsNow() const {
    LaneHeights now;
    for (const TimelineGroup& group : groups_)
        for (const TimelineLane& lane : group.lanes)
            now[lane.kind] = static_cast<double>(laneHeight(lane.kind)) / rowHeight();
    now.insert(heights_.begin(), heights_.end()); // of those that are hidden
    return now;
}

std::optional<std::size_t> TimelineWidget::headAt(const QPoint& at) const {
    if (const auto stuck = stuckHead(); stuck && stuck->rect.contains(at))
        return stuck->group;
    for (std::size_t g = 0; g < groups_.size(); ++g) {
        if (groups_[g].lanes.empty() || !hasRoomAt(g, at.y()))
            continue;
        const int bottom = laneRect(g, 0).top();
        if (at.y() >= bottom - rowHeight() && at.y() < bottom)
            return g;
    }
    return {};
}

std::optional<TimelineWidget::NamedLane> TimelineWidget::edgeAt(const QPoint& at) const {
    constexpr int reach = 4; // pixels to each side: a lane of one row keeps room for its name
    if (!arrangeable_ || at.x() >= gutter() || headAt(at))
        return {};
    for (std::size_t g = 0; g < groups_.size(); ++g)
        for (std::size_t l = 0; hasRoomAt(g, at.y()) && l < groups_[g].lanes.size(); ++l)
            if (const QRect rect = laneRect(g, l);
                rect.height() > 0 && std::abs(at.y() - rect.bottom()) <= reach)
                return NamedLane{g, l};
    return {};
}

std::optional<TimelineWidget::NamedLane> TimelineWidget::nameAt(const QPoint& at) const {
    if (!arrangeable_ || at.x() >= gutter())
        return {};
    const auto place = placeAt(at);
    if (!place || groups_[place->group].ipu < 0) // of the host and the links all are of one kind
        return {};
    return NamedLane{place->group, place->lane};
}

TimelineWidget::Drag TimelineWidget::arrangeAt(const QPoint& at) {
    for (const auto& [place, drag] : {std::pair(edgeAt(at), Drag::Height), {nameAt(at), Drag::Lane}})
        if (place) {
            pressed_group_ = place->group;
            pressed_lane_ = place->lane;
            pressed_top_ = laneRect(place->group, place->lane).top();
            return drag;
        }
    const auto head = headAt(at);
    if (!arrangeable_ || !head || groups_[*head].ipu < 0 || groups_[*head].part)
        return Drag::None;
    pressed_group_ = *head;
    return Drag::Ipu;
}

void TimelineWidget::dragHeight(int y) {
    if (pressed_group_ >= groups_.size() || pressed_lane_ >= groups_[pressed_group_].lanes.size())
        return; // others came meanwhile
    const LaneKind kind = groups_[pressed_group_].lanes[pressed_lane_].kind;
    heights_ = heightsNow(); // what is seen stays as it is while one is dragged
    const std::pair<std::int64_t, LaneKind> lane{groups_[pressed_group_].ipu, kind};
    const double height =
        std::clamp(static_cast<double>(y + 1 - pressed_top_) / rowHeight(), least_height, most_height);
    (pressed_alone_ || own_heights_.contains(lane) ? own_heights_[lane] : heights_[kind]) = height;
    updateScrollBar();
    updateLanes();
    // Lanes of the same kind above have changed with it: its own upper edge stays where it was.
    QScrollBar* bar = verticalScrollBar();
    bar->setValue(bar->value() + laneRect(pressed_group_, pressed_lane_).top() - pressed_top_);
}

std::optional<TimelineWidget::Drop> TimelineWidget::dropOfLane(int y) const {
    const TimelineGroup& group = groups_[pressed_group_];
    Drop drop{0, true, 0};
    for (std::size_t l = 0; l < group.lanes.size(); ++l) {
        const QRect rect = laneRect(pressed_group_, l);
        if (rect.height() == 0)
            continue;
        if (y < rect.center().y())
            return Drop{l, false, rect.top()};
        drop.y = rect.bottom() + 1;
    }
    return drop;
}

std::optional<TimelineWidget::Drop> TimelineWidget::dropOfIpu(int y) const {
    std::optional<Drop> drop;
    for (std::size_t g = 0; g < groups_.size(); ++g) {
        const TimelineGroup& group = groups_[g];
        if (group.ipu < 0 || group.part || group.lanes.empty())
            continue;
        const int top = laneRect(g, 0).top() - rowHeight();
        const int bottom = laneRect(g, group.lanes.size() - 1).bottom() + 1;
        const bool first = g == 0 || groups_[g - 1].ipu != group.ipu || // of those with the same IPU
                           groups_[g - 1].part;
        if (first && y < (top + bottom) / 2)
            return Drop{g, false, top};
        drop = Drop{g, true, bottom + rowHeight() / 6};
    }
    return drop;
}

void TimelineWidget::scrollWhileDragging(int y) {
    QScrollBar* bar = verticalScrollBar();
    if (y < lanesTop() + rowHeight())
        bar->setValue(bar->value() - rowHeight());
    else if (y > viewport()->height() - rowHeight())
        bar->setValue(bar->value() + rowHeight());
}

void TimelineWidget::dropDragged(Drag drag, int y) {
    viewport()->update();
    if (drag == Drag::Height)
        return Q_EMIT heightsDragged(heights_, own_heights_);
    if (pressed_group_ >= groups_.size())
        return; // others came meanwhile
    const TimelineGroup& group = groups_[pressed_group_];
    const auto drop = drag == Drag::Lane ? dropOfLane(y) : dropOfIpu(y);
    if (!drop)
        return;
    if (drag == Drag::Ipu)
        return Q_EMIT ipuDragged(group.ipu, drop->last ? std::nullopt
                                                       : std::optional<qint64>(groups_[drop->before].ipu));
    if (pressed_lane_ < group.lanes.size())
        Q_EMIT laneDragged(group.lanes[pressed_lane_].kind,
                           drop->last ? std::nullopt : std::optional(group.lanes[drop->before].kind));
}

/// The grip of the name under the pointer; while one is dragged, where it would come to stand.
void TimelineWidget::paintDragged(QPainter& painter, const ChartStyle& style) {
    if (drag_ == Drag::Height || (drag_ == Drag::None && pointer_ && edgeAt(*pointer_))) {
        const auto edge =
            drag_ == Drag::Height ? NamedLane{pressed_group_, pressed_lane_} : *edgeAt(*pointer_);
        const QRect rect = laneRect(edge.group, edge.lane);
        painter.fillRect(QRect(0, rect.bottom(), gutter(), 2), style.accent);
        return;
    }
    if ((drag_ == Drag::Lane || drag_ == Drag::Ipu) && moved_ && pointer_ &&
        pressed_group_ < groups_.size()) {
        const auto drop = drag_ == Drag::Lane ? dropOfLane(pointer_->y()) : dropOfIpu(pointer_->y());
        if (drop)
            painter.fillRect(QRect(0, drop->y - 1, viewport()->width(), 2), style.accent);
        return;
    }
    const auto place = drag_ == Drag::None && pointer_ ? nameAt(*pointer_) : std::nullopt;
    if (!place)
        return;
    const QRect rect = laneRect(place->group, place->lane);
    constexpr int dot = 2, gap = 4;
    for (int x = 0; x < 2; ++x)
        for (int y = -1; y <= 1; ++y)
            painter.fillRect(QRect(8 + x * gap, rect.center().y() - dot / 2 + y * gap, dot, dot),
                             style.muted);
}

} // namespace tilescope::ui
