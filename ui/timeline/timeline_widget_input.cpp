// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/session/format.h"
#include "ui/timeline/lane_items.h"
#include "ui/timeline/timeline_widget.h"

#include <QMouseEvent>
#include <QScrollBar>
#include <QToolTip>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>

namespace tilescope::ui {
namespace {

constexpr int click_distance = 4; // pixels that a click may tremble

} // namespace

void TimelineWidget::wheelEvent(QWheelEvent* event) {
    const QPoint angle = event->angleDelta();
    TimelineViewport next = target_;
    const bool ctrl = event->modifiers().testFlag(Qt::ControlModifier);
    const bool over_names =
        event->position().x() < gutter() && !event->modifiers().testFlag(Qt::ShiftModifier);
    if (ctrl || over_names) {
        if (const auto share = ctrl ? tilesAt(event->position().toPoint()) : std::nullopt)
            Q_EMIT tilesZoomed(std::pow(1.25, angle.y() / 120.0), *share);
        else // what other programs scroll with
            verticalScrollBar()->setValue(verticalScrollBar()->value() - angle.y() * rowHeight() / 40);
        event->accept();
        return;
    }
    constexpr double notch = 120;
    if (event->modifiers().testFlag(Qt::ShiftModifier) || std::abs(angle.x()) > std::abs(angle.y()))
        next.pan(-(angle.x() != 0 ? angle.x() : angle.y()) / notch * next.width() / 10);
    else
        next.zoom(std::pow(1.25, angle.y() / notch), event->position().x() - gutter());
    moveTo(next);
    event->accept();
}

std::optional<TimelineWidget::Place> TimelineWidget::placeAt(const QPoint& at) const {
    if (const auto stuck = stuckHead(); stuck && stuck->rect.contains(at.x(), at.y()))
        return {};
    for (std::size_t g = 0; g < groups_.size(); ++g)
        for (std::size_t l = 0; hasRoomAt(g, at.y()) && l < groups_[g].lanes.size(); ++l) {
            const QRect rect = laneRect(g, l);
            if (at.y() < rect.top() || at.y() > rect.bottom() || rect.height() == 0)
                continue;
            const int x = at.x() - gutter();
            return Place{g, l, x < 0 ? std::nullopt : sliceAt(groups_[g], groups_[g].lanes[l], x),
                         viewOf(groups_[g]).cycle(x)};
        }
    return {};
}

std::optional<double> TimelineWidget::tilesAt(const QPoint& at) const {
    const auto place = placeAt(at);
    if (!place || groups_[place->group].lanes[place->lane].kind != LaneKind::Tiles)
        return {};
    const QRect rect = laneRect(place->group, place->lane);
    return static_cast<double>(at.y() - rect.top()) / rect.height();
}

std::size_t TimelineWidget::groupAt(int y) const {
    std::size_t at = 0;
    for (std::size_t g = 0; g < groups_.size(); ++g)
        if (!groups_[g].lanes.empty() && hasRoomAt(g, std::max(y, headHeight())) &&
            y >= laneRect(g, 0).top() - rowHeight())
            at = g;
    return at;
}

std::optional<TimelineSlice> TimelineWidget::sliceAt(const TimelineGroup& group, const TimelineLane& lane,
                                                     int x) const {
    const TimelineViewport view = viewOf(group);
    const double cycle = view.cycle(x + 0.5);
    const auto contains = [cycle](const TimelineSlice& slice) {
        return static_cast<double>(slice.start) <= cycle && cycle < static_cast<double>(slice.end);
    };
    if (lane.kind != LaneKind::Phases && lane.kind != LaneKind::Tiles && lane.kind != LaneKind::Activity) {
        for (const LaneItem& item : lane_items(lane, view))
            if (item.merged && static_cast<double>(lane.slices[item.first].start) <= cycle &&
                cycle < static_cast<double>(lane.slices[item.end - 1].end))
                return merged_slice(lane, item);
    }
    const auto found =
        std::lower_bound(lane.slices.begin(), lane.slices.end(), cycle,
                         [](const TimelineSlice& s, double c) { return static_cast<double>(s.end) <= c; });
    return found != lane.slices.end() && contains(*found) ? std::optional(*found) : std::nullopt;
}

QString TimelineWidget::description(const QPoint& at) const {
    const auto place = placeAt(at);
    if (!place)
        return {};
    return place->slice ? describe(*place) : counterText(*place);
}

/// What a counter is in the pixel that a place is in; empty: it is no counter, or is not known there.
QString TimelineWidget::counterText(const Place& place) const {
    const TimelineLane& lane = groups_[place.group].lanes[place.lane];
    const auto counter = counterOf(lane.kind);
    const double pixel = view_.cyclesPerPixel();
    const double wide = std::max(pixel, static_cast<double>(lane.curve.width));
    const auto sum = lane.curve.over(place.cycle, place.cycle + wide);
    if (!counter || sum.cycles <= 0)
        return {};
    const auto value = [&](double of) { return ui::counterText(*counter, of, lane.curve.clock_hz); };
    const QString mean = inHtml(tr("<b>%1</b>: %2"), {lane.name, value(sum.mean())});
    return sum.most - sum.least <= 1e-9 * sum.most
               ? mean
               : inHtml(tr("%1 on average, %2 to %3"), {Html{mean}, value(sum.least), value(sum.most)});
}

QString TimelineWidget::describe(const Place& place) const {
    const TimelineGroup& group = groups_[place.group];
    return describer_ ? describer_(in_cycles(*place.slice, group), group.lanes[place.lane], group)
                      : asHtml(place.slice->label);
}

bool TimelineWidget::viewportEvent(QEvent* event) {
    if (event->type() == QEvent::Leave) {
        pointer_.reset();
        viewport()->update();
        Q_EMIT hovered({});
        Q_EMIT sliceHovered(nullptr);
    }
    return QAbstractScrollArea::viewportEvent(event);
}

void TimelineWidget::mousePressEvent(QMouseEvent* event) {
    pressed_ = last_ = event->pos();
    moved_ = false;
    const bool pan = event->button() == Qt::MiddleButton;
    if (event->button() != Qt::LeftButton && !pan)
        return;
    if (const auto grip = overview().gripAt(event->pos()); grip != OverviewStrip::Grip::None) {
        drag_ = Drag::Overview;
        grip_ = grip;
        if (grip == OverviewStrip::Grip::View)
            mouseMoveEvent(event);
        return;
    }
    pressed_alone_ = event->modifiers().testFlag(Qt::ControlModifier);
    if (!pan && (drag_ = arrangeAt(event->pos())) != Drag::None)
        return;
    if (event->pos().x() < gutter() && !pan)
        return;
    pressed_group_ = groupAt(event->pos().y());
    undragged_ = 0;
    const bool base = event->modifiers().testFlag(Qt::ControlModifier) && pressed_group_ < groups_.size() &&
                      groups_[pressed_group_].base;
    drag_ = pan ? Drag::Pan : base ? Drag::Base : Drag::Range;
}

void TimelineWidget::hover(const std::optional<Place>& place, const QPoint& at) {
    if (place && at.x() >= viewport()->mapToGlobal(QPoint(gutter(), 0)).x())
        if (const QString text = counterText(*place); !text.isEmpty()) {
            QToolTip::showText(at + QPoint(12, 12), text, viewport());
            Q_EMIT hovered({});
            return Q_EMIT sliceHovered(nullptr);
        }
    if (!place || !place->slice) {
        QToolTip::hideText();
        Q_EMIT hovered({});
        Q_EMIT sliceHovered(nullptr);
        return;
    }
    const TimelineSlice s = in_cycles(*place->slice, groups_[place->group]);
    const TimelineLane& lane = groups_[place->group].lanes[place->lane];
    QToolTip::showText(at + QPoint(12, 12), describe(*place), viewport());
    Q_EMIT hovered(tr("%1, %2 cycles")
                       .arg(!s.label.isEmpty() ? s.label
                            : s.merged > 0 && !lane.unit.isEmpty()
                                ? QStringLiteral("%1 %2").arg(formatCount(s.merged), lane.unit)
                                : lane.name,
                            (formatCount(s.end - s.start))));
    Q_EMIT sliceHovered(&s);
}

void TimelineWidget::hoverAgain() {
    const QPoint at = viewport()->mapFromGlobal(QCursor::pos());
    if (underMouse() && QToolTip::isVisible())
        hover(placeAt(at), QCursor::pos());
}

double TimelineWidget::snapped(const QPoint& at) const {
    constexpr double near_pixels = 6;
    const double exact = view_.cycle(at.x() - gutter());
    const auto place = placeAt(at);
    if (!place || groups_[place->group].lanes[place->lane].kind == LaneKind::Phases)
        return exact;
    const TimelineGroup& group = groups_[place->group];
    const TimelineLane& lane = group.lanes[place->lane];
    double best = exact;
    double distance = near_pixels * view_.cyclesPerPixel();
    for (const LaneItem& item : lane_items(lane, viewOf(group)))
        for (const std::int64_t edge :
             {lane.slices[item.first].start + group.shift, lane.slices[item.end - 1].end + group.shift})
            if (const double off = std::abs(static_cast<double>(edge) - exact); off <= distance) {
                best = static_cast<double>(edge);
                distance = off;
            }
    return best;
}

void TimelineWidget::mouseMoveEvent(QMouseEvent* event) {
    const QPoint at = event->pos();
    pointer_ = at;
    const bool arranging = drag_ == Drag::Height || drag_ == Drag::Lane || drag_ == Drag::Ipu;
    const int off = arranging ? at.y() - pressed_.y() : at.x() - pressed_.x();
    moved_ = moved_ || std::abs(off) > click_distance;
    if (measuring_ && ruler_ && at.x() >= gutter()) {
        const bool free = event->modifiers().testFlag(Qt::AltModifier);
        ruler_->second = std::llround(free ? view_.cycle(at.x() - gutter()) : snapped(at));
        viewport()->update();
    }
    if (drag_ == Drag::None) {
        const std::size_t group = groupAt(at.y());
        const bool movable = event->modifiers().testFlag(Qt::ControlModifier) && at.x() >= gutter() &&
                             at.y() >= headHeight() && group < groups_.size() && groups_[group].base;
        const auto grip = groups_.empty() ? OverviewStrip::Grip::None : overview().gripAt(at);
        const bool handle = grip == OverviewStrip::Grip::From || grip == OverviewStrip::Grip::To;
        viewport()->setCursor(movable || handle ? Qt::SizeHorCursor
                              : edgeAt(at)      ? Qt::SplitVCursor
                              : nameAt(at)      ? Qt::OpenHandCursor
                                                : Qt::ArrowCursor);
        if (arrangeable_) // the grip of a name under the pointer
            viewport()->update(0, headHeight(), gutter(), viewport()->height());
    }
    if (arranging) {
        if (drag_ == Drag::Height && moved_)
            dragHeight(at.y());
        else if (moved_)
            scrollWhileDragging(at.y());
        return viewport()->update();
    }
    if (drag_ == Drag::None)
        return hover(placeAt(at), event->globalPosition().toPoint());
    if (drag_ == Drag::Overview) {
        view_ = overview().dragged(grip_, at.x());
    } else if (drag_ == Drag::Base) {
        if (!moved_)
            return; // it may be a click that trembles
        undragged_ += (at.x() - last_.x()) * view_.cyclesPerPixel();
        last_ = at;
        const auto whole = static_cast<qint64>(undragged_);
        undragged_ -= static_cast<double>(whole);
        if (whole != 0)
            Q_EMIT baseDragged(whole);
        return;
    } else if (drag_ == Drag::Pan) {
        view_.pan(last_.x() - at.x());
    } else if (moved_) {
        const bool free = event->modifiers().testFlag(Qt::AltModifier);
        const auto cycle = [&](const QPoint& point) {
            const double exact = free ? view_.cycle(point.x() - gutter()) : snapped(point);
            return std::llround(std::clamp(exact, view_.from(), view_.to()));
        };
        const std::int64_t a = cycle(pressed_);
        const std::int64_t b = cycle(at);
        range_ = std::minmax(a, b);
        viewport()->update();
        last_ = at;
        return;
    }
    last_ = at;
    target_ = view_;
    updateLanes();
    Q_EMIT viewChanged();
}

void TimelineWidget::mouseReleaseEvent(QMouseEvent* event) {
    const Drag drag = std::exchange(drag_, Drag::None);
    if (event->button() == Qt::LeftButton && drag == Drag::Range && moved_ && range_ &&
        range_->second > range_->first) {
        chooseRange(pressed_group_, range_->first, range_->second);
        return;
    }
    if (drag == Drag::Base && moved_)
        return Q_EMIT baseDropped();
    if ((drag == Drag::Height || drag == Drag::Lane || drag == Drag::Ipu) && moved_)
        return dropDragged(drag, event->pos().y());
    const bool on_lanes = drag != Drag::Pan && drag != Drag::Overview;
    if (event->button() == Qt::LeftButton && !moved_ && on_lanes)
        clickAt(event->pos());
}

void TimelineWidget::chooseRange(std::size_t group, std::int64_t from, std::int64_t to) {
    setRange(std::pair(from, to));
    const bool known = group < groups_.size();
    Q_EMIT rangeSelected(known ? groups_[group].ipu : 0, known && groups_[group].base, from, to);
}

void TimelineWidget::setFolded(const std::pair<std::int64_t, bool>& group, bool folded) {
    revealed_.reset();
    if (folded)
        folded_.insert(group);
    else
        folded_.erase(group);
    updateScrollBar();
    updateLanes();
}

void TimelineWidget::fold(std::int64_t ipu) {
    const bool folded = !folded_.contains({ipu, false});
    for (const bool base : {false, true})
        setFolded({ipu, base}, folded);
}

void TimelineWidget::foldAll() {
    const bool all = std::all_of(groups_.begin(), groups_.end(),
                                 [this](const TimelineGroup& group) { return group.part || folded(group); });
    for (const TimelineGroup& group : groups_)
        setFolded({group.ipu, group.base}, !all);
}

void TimelineWidget::clickAt(const QPoint& at) {
    if (const auto head = headAt(at)) { // which folds its group; a part of one has nothing to fold
        if (groups_[*head].part)
            return;
        return setFolded({groups_[*head].ipu, groups_[*head].base}, !folded(groups_[*head]));
    }
    const auto place = placeAt(at);
    if (place && place->slice && place->slice->merged > 0) {
        const TimelineGroup& group = groups_[place->group];
        const TimelineLane& lane = group.lanes[place->lane];
        if (lane.kind != LaneKind::Activity && place->slice->label.isEmpty())
            return chooseRange(place->group, place->slice->start + group.shift,
                               place->slice->end + group.shift);
        Q_EMIT sliceClicked(*place->slice, lane.kind, lane.key >= 0 ? lane.key : group.ipu, group.base);
    } else if (at.x() >= gutter()) {
        Q_EMIT backgroundClicked();
    } else if (place && groups_[place->group].lanes[place->lane].key >= 0) {
        Q_EMIT laneClicked(groups_[place->group].lanes[place->lane].key, groups_[place->group].base);
    }
}

void TimelineWidget::mouseDoubleClickEvent(QMouseEvent* event) {
    const auto place = placeAt(event->pos());
    if (const auto edge = edgeAt(event->pos()); edge && event->button() == Qt::LeftButton) {
        const LaneKind kind = groups_[edge->group].lanes[edge->lane].kind;
        LaneHeights heights = heights_;
        OwnLaneHeights own = own_heights_;
        if (own.erase({groups_[edge->group].ipu, kind}) == 0)
            heights.erase(kind);
        setHeights(std::move(heights), std::move(own));
        return Q_EMIT heightsDragged(heights_, own_heights_);
    }
    if (event->button() != Qt::LeftButton || !place || !place->slice)
        return;
    const auto shift = static_cast<double>(groups_[place->group].shift);
    frame(static_cast<double>(place->slice->start) + shift, static_cast<double>(place->slice->end) + shift);
}

} // namespace tilescope::ui
