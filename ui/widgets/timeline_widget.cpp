// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/timeline_widget.h"

#include "ui/session/format.h"

#include <QMouseEvent>
#include <QScrollBar>
#include <QToolTip>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>

namespace tilescope::ui {
namespace {

constexpr int click_distance = 4; // pixels that a click may tremble
constexpr int frame_ms = 16;

QString phase_line(const QString& name, std::int64_t cycles, std::int64_t all) {
    return QStringLiteral(
               "<tr><td>%1&nbsp;&nbsp;</td><td align=right>%2&nbsp;&nbsp;</td><td align=right>%3 %</td></tr>")
        .arg(name, (formatCount(cycles)))
        .arg(100.0 * static_cast<double>(cycles) / static_cast<double>(std::max<std::int64_t>(1, all)), 0,
             'f', 1);
}

} // namespace

TimelineWidget::TimelineWidget(QWidget* parent) : QAbstractScrollArea(parent) {
    setFocusPolicy(Qt::StrongFocus);
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    viewport()->setMouseTracking(true);
    viewport()->setCursor(Qt::ArrowCursor);
    setAccessibleName(tr("Time line"));
    setMinimumHeight(fontMetrics().height() * 10);
}

void TimelineWidget::setClock(double hz) {
    clock_hz_ = hz;
    viewport()->update();
}

void TimelineWidget::setLimits(std::int64_t from, std::int64_t to) {
    view_.setWidth(viewport()->width() - gutter());
    view_.setLimits(from, to);
    target_ = view_;
    viewport()->update();
    Q_EMIT viewChanged();
}

void TimelineWidget::setGroups(std::vector<TimelineGroup> groups) {
    groups_ = std::move(groups);
    updateScrollBar();
    viewport()->update();
}

void TimelineWidget::setOverview(std::vector<OverviewPiece> pieces) {
    overview_ = std::move(pieces);
    viewport()->update();
}

void TimelineWidget::setHighlight(const TimelineHighlight& highlight) {
    highlight_ = highlight;
    viewport()->update();
}

void TimelineWidget::setRange(std::optional<std::pair<std::int64_t, std::int64_t>> range) {
    range_ = range;
    viewport()->update();
}

void TimelineWidget::setMarks(std::vector<std::int64_t> marks) {
    std::sort(marks.begin(), marks.end());
    marks_ = std::move(marks);
    viewport()->update();
}

void TimelineWidget::setHits(std::vector<std::int64_t> starts, std::ptrdiff_t current) {
    hits_ = std::move(starts);
    current_hit_ = current;
    viewport()->update();
}

void TimelineWidget::setEmptyText(const QString& text) {
    empty_text_ = text;
    viewport()->update();
}

int TimelineWidget::gutter() const {
    return fontMetrics().horizontalAdvance(QStringLiteral("Program step")) + fontMetrics().height() * 2;
}

int TimelineWidget::laneHeight(LaneKind kind) const {
    const double height = kind == LaneKind::Phases ? rowHeight() * 2.5 : rowHeight();
    return static_cast<int>(height * stretch_);
}

QRect TimelineWidget::overviewRect() const {
    return {gutter(), 0, viewport()->width() - gutter(), fontMetrics().height() * 2};
}

QRect TimelineWidget::axisRect() const {
    const int rows = clock_hz_ > 0 ? 2 : 1;
    return {gutter(), overviewRect().height(), viewport()->width() - gutter(),
            fontMetrics().height() * rows + 4};
}

int TimelineWidget::contentHeight() const {
    int height = 0;
    for (const TimelineGroup& group : groups_) {
        height += rowHeight();
        for (const TimelineLane& lane : group.lanes)
            if (lane.kind == LaneKind::Phases || !folded_.contains({group.ipu, group.base}))
                height += laneHeight(lane.kind);
        height += rowHeight() / 3;
    }
    return height;
}

QRect TimelineWidget::laneRect(std::size_t wanted_group, std::size_t wanted_lane) const {
    int top = headHeight() - verticalScrollBar()->value();
    for (std::size_t g = 0; g < groups_.size(); ++g) {
        top += rowHeight();
        const bool folded = folded_.contains({groups_[g].ipu, groups_[g].base});
        for (std::size_t l = 0; l < groups_[g].lanes.size(); ++l) {
            const LaneKind kind = groups_[g].lanes[l].kind;
            const int height = folded && kind != LaneKind::Phases ? 0 : laneHeight(kind);
            if (g == wanted_group && l == wanted_lane)
                return {gutter(), top, viewport()->width() - gutter(), height};
            top += height;
        }
        top += rowHeight() / 3;
    }
    return {};
}

void TimelineWidget::updateScrollBar() {
    const int room = viewport()->height() - headHeight();
    constexpr double most =
        1.7; // few lanes may be taller, so that a small system does not leave the page empty
    stretch_ = 1;
    stretch_ = std::clamp(static_cast<double>(room) / std::max(1, contentHeight()), 1.0, most);
    verticalScrollBar()->setRange(0, std::max(0, contentHeight() - room));
    verticalScrollBar()->setPageStep(std::max(1, room));
    verticalScrollBar()->setSingleStep(rowHeight());
}

std::int64_t TimelineWidget::cursorCycle() const {
    const QPoint at = viewport()->mapFromGlobal(QCursor::pos());
    const bool over = viewport()->rect().contains(at) && at.x() >= gutter() && underMouse();
    return std::llround(over ? view_.cycle(at.x() - gutter()) : (view_.from() + view_.to()) / 2);
}

void TimelineWidget::moveTo(const TimelineViewport& target) {
    target_ = target;
    if (!animated_ || !isVisible()) {
        view_ = target_;
        viewport()->update();
        Q_EMIT viewChanged();
        return;
    }
    if (!timer_.isActive()) {
        since_.start();
        timer_.start(frame_ms, Qt::PreciseTimer, this);
    }
}

void TimelineWidget::timerEvent(QTimerEvent* event) {
    if (event->timerId() != timer_.timerId())
        return QAbstractScrollArea::timerEvent(event);
    // Each frame goes a share of what is left, so that repeated keys flow into one another.
    constexpr double time_constant_ms = 45;
    const double share = 1 - std::exp(-static_cast<double>(since_.restart()) / time_constant_ms);
    const double from = view_.from() + (target_.from() - view_.from()) * share;
    const double to = view_.to() + (target_.to() - view_.to()) * share;
    const double left = std::abs(target_.from() - from) + std::abs(target_.to() - to);
    if (left < target_.cyclesPerPixel() / 4) {
        view_ = target_;
        timer_.stop();
    } else {
        view_.show(from, to);
    }
    viewport()->update();
    Q_EMIT viewChanged();
}

void TimelineWidget::zoomBy(double factor) {
    const QPoint at = viewport()->mapFromGlobal(QCursor::pos());
    const bool over = underMouse() && at.x() >= gutter() && viewport()->rect().contains(at);
    TimelineViewport next = target_;
    next.zoom(factor, over ? at.x() - gutter() : next.width() / 2);
    moveTo(next);
}

void TimelineWidget::panBy(double share) {
    TimelineViewport next = target_;
    next.pan(share * next.width());
    moveTo(next);
}

void TimelineWidget::show(double from, double to) {
    TimelineViewport next = target_;
    next.show(from, to);
    moveTo(next);
}

void TimelineWidget::frame(double from, double to) {
    TimelineViewport next = target_;
    next.frame(from, to);
    moveTo(next);
}

void TimelineWidget::reveal(double from, double to) {
    TimelineViewport next = target_;
    next.reveal(from, to);
    moveTo(next);
}

void TimelineWidget::resizeEvent(QResizeEvent* event) {
    QAbstractScrollArea::resizeEvent(event);
    view_.setWidth(viewport()->width() - gutter());
    target_.setWidth(viewport()->width() - gutter());
    updateScrollBar();
    Q_EMIT viewChanged();
}

void TimelineWidget::wheelEvent(QWheelEvent* event) {
    const QPoint angle = event->angleDelta();
    TimelineViewport next = target_;
    if (event->modifiers().testFlag(Qt::ControlModifier)) { // what other programs scroll with
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
    if (at.y() < headHeight())
        return {};
    for (std::size_t g = 0; g < groups_.size(); ++g)
        for (std::size_t l = 0; l < groups_[g].lanes.size(); ++l) {
            const QRect rect = laneRect(g, l);
            if (at.y() < rect.top() || at.y() > rect.bottom() || rect.height() == 0)
                continue;
            Place place{g, l, nullptr};
            const auto& slices = groups_[g].lanes[l].slices;
            const double cycle = view_.cycle(at.x() - gutter());
            const double slack = view_.cyclesPerPixel(); // a slice is drawn at least one pixel wide
            const auto found =
                std::lower_bound(slices.begin(), slices.end(), cycle, [](const TimelineSlice& s, double c) {
                    return static_cast<double>(s.end) <= c;
                });
            if (found != slices.end() && static_cast<double>(found->start) <= cycle + slack &&
                at.x() >= gutter())
                place.slice = &*found;
            return place;
        }
    return {};
}

QString TimelineWidget::describe(const Place& place) const {
    const TimelineSlice& s = *place.slice;
    const std::int64_t length = s.end - s.start;
    const QString name = !s.label.isEmpty() ? s.label
                         : s.whole          ? tr("executions without trace")
                                            : tr("%1 program steps").arg(s.merged);
    QString text = QStringLiteral("<b>%1</b> <span>%2</span><br>")
                       .arg(name.toHtmlEscaped(), groups_[place.group].name.toHtmlEscaped());
    if (clock_hz_ > 0)
        text += tr("%1 from %2")
                    .arg((formatSeconds(static_cast<double>(length) / clock_hz_)),
                         (formatSeconds(static_cast<double>(s.start) / clock_hz_))) +
                QStringLiteral("<br>");
    text += tr("%1 cycles").arg((formatCount(length)));
    text += QStringLiteral("<table>");
    for (const auto& [phase, cycles] :
         {std::pair{tr("compute"), s.compute},
          std::pair{s.inter_ipu ? tr("inter-IPU exchange") : tr("exchange"), s.exchange},
          std::pair{tr("sync"), s.sync}, std::pair{tr("host"), s.host}})
        if (cycles > 0)
            text += phase_line(phase, cycles, length);
    text += QStringLiteral("</table>");
    return text;
}

bool TimelineWidget::viewportEvent(QEvent* event) {
    if (event->type() == QEvent::Leave)
        Q_EMIT hovered({});
    return QAbstractScrollArea::viewportEvent(event);
}

void TimelineWidget::mousePressEvent(QMouseEvent* event) {
    pressed_ = last_ = event->pos();
    moved_ = false;
    const bool pan = event->button() == Qt::MiddleButton;
    if (event->button() != Qt::LeftButton && !pan)
        return;
    if (overviewRect().contains(event->pos())) {
        drag_ = Drag::Overview;
        mouseMoveEvent(event);
        return;
    }
    if (event->pos().x() < gutter() && !pan)
        return;
    drag_ = pan ? Drag::Pan : Drag::Range;
    pressed_group_ = 0;
    for (std::size_t g = 0; g < groups_.size(); ++g)
        if (!groups_[g].lanes.empty() && event->pos().y() >= laneRect(g, 0).top() - rowHeight())
            pressed_group_ = g;
}

void TimelineWidget::mouseMoveEvent(QMouseEvent* event) {
    const QPoint at = event->pos();
    moved_ = moved_ || std::abs(at.x() - pressed_.x()) > click_distance;
    if (drag_ == Drag::None) {
        const auto place = placeAt(at);
        if (place && place->slice != nullptr) {
            const TimelineSlice& s = *place->slice;
            QToolTip::showText(event->globalPosition().toPoint() + QPoint(12, 12), describe(*place),
                               viewport());
            Q_EMIT hovered(
                tr("%1, %2 cycles")
                    .arg(s.label.isEmpty() ? groups_[place->group].lanes[place->lane].name : s.label,
                         (formatCount(s.end - s.start))));
        } else {
            QToolTip::hideText();
            Q_EMIT hovered({});
        }
        return;
    }
    if (drag_ == Drag::Overview) {
        const auto [from, to] = view_.limits();
        const double middle = static_cast<double>(from) + static_cast<double>(at.x() - gutter()) /
                                                              std::max(1, overviewRect().width()) *
                                                              static_cast<double>(to - from);
        view_.show(middle - view_.span() / 2, middle + view_.span() / 2);
    } else if (drag_ == Drag::Pan) {
        view_.pan(last_.x() - at.x());
    } else if (moved_) {
        const auto clamp = [this](double cycle) {
            return std::llround(std::clamp(cycle, view_.from(), view_.to()));
        };
        const std::int64_t a = clamp(view_.cycle(pressed_.x() - gutter()));
        const std::int64_t b = clamp(view_.cycle(at.x() - gutter()));
        range_ = std::minmax(a, b);
        viewport()->update();
        last_ = at;
        return;
    }
    last_ = at;
    target_ = view_;
    viewport()->update();
    Q_EMIT viewChanged();
}

void TimelineWidget::mouseReleaseEvent(QMouseEvent* event) {
    const Drag drag = std::exchange(drag_, Drag::None);
    if (event->button() == Qt::LeftButton && drag == Drag::Range && moved_ && range_ &&
        range_->second > range_->first) {
        const bool known = pressed_group_ < groups_.size();
        Q_EMIT rangeSelected(known ? groups_[pressed_group_].ipu : 0, known && groups_[pressed_group_].base,
                             range_->first, range_->second);
        return;
    }
    if (event->button() != Qt::LeftButton || moved_ || drag == Drag::Overview)
        return;
    for (std::size_t g = 0; g < groups_.size(); ++g) { // the head of a group folds it
        if (groups_[g].lanes.empty())
            continue;
        const QRect first = laneRect(g, 0);
        const QRect head(0, first.top() - rowHeight(), viewport()->width(), rowHeight());
        if (head.contains(event->pos()) && event->pos().y() >= headHeight()) {
            const std::pair key{groups_[g].ipu, groups_[g].base};
            if (folded_.erase(key) == 0)
                folded_.insert(key);
            updateScrollBar();
            viewport()->update();
            return;
        }
    }
    const auto place = placeAt(event->pos());
    if (place && place->slice != nullptr) {
        const TimelineGroup& group = groups_[place->group];
        Q_EMIT sliceClicked(*place->slice, group.lanes[place->lane].kind, group.ipu, group.base);
    } else if (event->pos().x() >= gutter()) {
        Q_EMIT backgroundClicked();
    }
}

void TimelineWidget::mouseDoubleClickEvent(QMouseEvent* event) {
    const auto place = placeAt(event->pos());
    if (event->button() == Qt::LeftButton && place && place->slice != nullptr)
        frame(static_cast<double>(place->slice->start), static_cast<double>(place->slice->end));
}

} // namespace tilescope::ui
