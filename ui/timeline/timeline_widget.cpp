// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/timeline_widget.h"

#include "ui/session/format.h"
#include "ui/theme/application_font.h"
#include "ui/timeline/lane_items.h"
#include "ui/widgets/chart_actions.h"
#include "ui/widgets/table_text.h"

#include <QScrollBar>
#include <QTimerEvent>
#include <QToolTip>
#include <algorithm>
#include <cmath>

namespace tilescope::ui {
namespace {

constexpr int frame_ms = 16;
constexpr int tile_rows_height = 184; // pixels: of 8 tiles, where an IPU has 1,472

} // namespace

TimelineWidget::TimelineWidget(QWidget* parent) : QAbstractScrollArea(parent) {
    setFocusPolicy(Qt::StrongFocus);
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    viewport()->setMouseTracking(true);
    viewport()->setCursor(Qt::ArrowCursor);
    setAccessibleName(tr("Time line"));
    setMinimumHeight(fontMetrics().height() * 10);
    addChartActions(this, tr("Time line"), [this](QChar separator) { return toText(separator); });
    connect(verticalScrollBar(), &QScrollBar::valueChanged, this, [this] { revealed_.reset(); });
    connect(this, &TimelineWidget::viewChanged, this, [this] {
        if (underMouse()) // it is of what was under the pointer
            QToolTip::hideText();
    });
}

QString TimelineWidget::toText(QChar separator) const {
    QString all =
        tableLine({tr("lanes of"), tr("lane"), tr("name"), tr("start cycle"), tr("end cycle")}, separator);
    for (const TimelineGroup& group : groups_)
        for (const TimelineLane& lane : group.lanes)
            for (const LaneItem& item : lane_items(lane, viewOf(group))) {
                const TimelineSlice slice = in_cycles(merged_slice(lane, item), group);
                const QString name = TimelinePainter::item_name(lane, item, slice);
                all += tableLine(
                    {group.name, lane.name, name, QString::number(slice.start), QString::number(slice.end)},
                    separator);
            }
    return all;
}

void TimelineWidget::updateLanes() {
    look_.reset();
    viewport()->update();
}

void TimelineWidget::setClock(double hz) {
    clock_hz_ = hz;
    updateLanes();
}

void TimelineWidget::setLimits(std::int64_t from, std::int64_t to) {
    view_.setWidth(viewport()->width() - gutter());
    view_.setLimits(from, to);
    target_ = view_;
    updateLanes();
    Q_EMIT viewChanged();
}

void TimelineWidget::lookLike(const TimelineWidget& other) {
    clock_hz_ = other.clock_hz_;
    head_remarks_ = other.head_remarks_;
    overview_ = other.overview_;
    colour_ = other.colour_;
    folded_ = other.folded_;
    heights_ = other.heights_;
    own_heights_ = other.own_heights_;
    highlight_ = other.highlight_;
    base_highlight_ = other.base_highlight_;
    marks_ = other.marks_;
    flows_ = other.flows_;
    const auto [from, to] = other.view_.limits();
    setLimits(from, to);
}

void TimelineWidget::setGroups(std::vector<TimelineGroup> groups) {
    groups_ = std::move(groups);
    updateScrollBar();
    scrollToRevealed(); // groups above it may have got lanes
    updateLanes();
}

void TimelineWidget::setOverview(std::vector<OverviewPiece> pieces, std::int64_t ipus) {
    overview_.set(std::move(pieces), ipus);
    updateLanes();
}

void TimelineWidget::setHighlight(const TimelineHighlight& highlight, const TimelineHighlight& base) {
    highlight_ = highlight;
    base_highlight_ = base;
    updateLanes();
}

void TimelineWidget::setHeadRemarks(std::map<std::pair<std::int64_t, bool>, QString> remarks) {
    if (head_remarks_ == remarks)
        return;
    head_remarks_ = std::move(remarks);
    updateLanes();
}

QString TimelineWidget::headRemark(std::int64_t ipu, bool base) const {
    const auto found = head_remarks_.find({ipu, base});
    return found == head_remarks_.end() ? QString() : found->second;
}

void TimelineWidget::setRange(std::optional<std::pair<std::int64_t, std::int64_t>> range) {
    range_ = range;
    viewport()->update();
}

void TimelineWidget::setMarks(std::vector<TimelineMark> marks) {
    std::stable_sort(marks.begin(), marks.end(),
                     [](const TimelineMark& a, const TimelineMark& b) { return a.from < b.from; });
    marks_ = std::move(marks);
    viewport()->update();
}

void TimelineWidget::setFlows(std::vector<TimelineFlow> flows) {
    flows_ = std::move(flows);
    viewport()->update();
}

void TimelineWidget::setHits(std::vector<std::int64_t> starts, std::ptrdiff_t current) {
    if (hits_ == starts && current_hit_ == current)
        return;
    hits_ = std::move(starts);
    current_hit_ = current;
    viewport()->update();
}

void TimelineWidget::setSections(const QString& name, std::vector<TimelineSection> sections) {
    sections_name_ = name;
    sections_ = std::move(sections);
    updateScrollBar();
    updateLanes();
}

void TimelineWidget::setColour(SliceColour colour) {
    colour_ = colour;
    updateLanes();
}

void TimelineWidget::setCurrentLane(std::int64_t key) {
    current_lane_ = key;
    updateLanes();
}

void TimelineWidget::setEmptyText(const QString& text) {
    empty_text_ = text;
    updateLanes();
}

int TimelineWidget::gutter() const {
    if (gutter_.second == 0 || gutter_.first != font()) // measuring text takes long
        gutter_ = {font(), fontMetrics().horizontalAdvance(QStringLiteral("Program step")) +
                               fontMetrics().height() * 2};
    return gutter_.second;
}

int TimelineWidget::laneHeight(LaneKind kind) const {
    if (const auto own = heights_.find(kind); own != heights_.end())
        return static_cast<int>(std::lround(own->second * rowHeight()));
    if (kind == LaneKind::Tiles)
        return std::max(tile_rows_height + 2, rowHeight() * 8);
    const double height = kind == LaneKind::Phases     ? rowHeight() * 2.5
                          : kind == LaneKind::Activity ? rowHeight() * 1.6
                          : counterOf(kind)            ? rowHeight() * 1.8
                                                       : rowHeight();
    return static_cast<int>(height * stretch_);
}

int TimelineWidget::laneHeight(const TimelineGroup& group, LaneKind kind) const {
    const auto own = own_heights_.find({group.ipu, kind});
    return own == own_heights_.end() ? laneHeight(kind)
                                     : static_cast<int>(std::lround(own->second * rowHeight()));
}

QRect TimelineWidget::overviewRect() const {
    return {gutter(), 0, viewport()->width() - gutter(), OverviewStrip::height(fontMetrics())};
}

QRect TimelineWidget::axisRect() const {
    const int rows = scale() != nullptr ? 0 : clock_hz_ > 0 ? 2 : 1;
    return {gutter(), overviewRect().height(), viewport()->width() - gutter(),
            fontMetrics().height() * rows + 4};
}

QRect TimelineWidget::sectionsRect() const {
    const QRect axis = axisRect();
    return {axis.left(), axis.bottom() + 1, axis.width(), sections_.empty() ? 0 : fontMetrics().height() + 4};
}

int TimelineWidget::groupHeight(const TimelineGroup& group) const {
    int height = rowHeight() + rowHeight() / 3;
    for (const TimelineLane& lane : group.lanes)
        if (lane.kind == LaneKind::Phases || !folded(group))
            height += laneHeight(group, lane.kind);
    return height;
}

int TimelineWidget::contentHeight() const {
    int height = 0;
    for (const TimelineGroup& group : groups_)
        height += groupHeight(group);
    return height;
}

QRect TimelineWidget::laneRect(std::size_t wanted_group, std::size_t wanted_lane) const {
    int top = headHeight() - verticalScrollBar()->value();
    if (wanted_group < groups_.size() && stays(wanted_group))
        top = headHeight();
    for (std::size_t g = 0; g < groups_.size(); ++g) {
        top += rowHeight();
        const bool only_phases = folded(groups_[g]);
        for (std::size_t l = 0; l < groups_[g].lanes.size(); ++l) {
            const LaneKind kind = groups_[g].lanes[l].kind;
            const int height = only_phases && kind != LaneKind::Phases ? 0 : laneHeight(groups_[g], kind);
            if (g == wanted_group && l == wanted_lane)
                return {gutter(), top, viewport()->width() - gutter(), height};
            top += height;
        }
        top += rowHeight() / 3;
    }
    return {};
}

std::set<std::int64_t> TimelineWidget::seenIpus(bool base) const {
    std::set<std::int64_t> seen;
    for (std::size_t g = 0; g < groups_.size(); ++g)
        if (const TimelineGroup& group = groups_[g]; group.base == base && !group.lanes.empty()) {
            const int top = laneRect(g, 0).top() - rowHeight();
            const int bottom = laneRect(g, group.lanes.size() - 1).bottom();
            if (bottom >= (stays(g) ? headHeight() : lanesTop()) && top < viewport()->height())
                seen.insert(group.ipu);
        }
    return seen;
}

void TimelineWidget::updateScrollBar() {
    const int room = viewport()->height() - headHeight();
    // Few lanes may be taller, so that a small system does not leave the page empty.
    const bool stages = std::any_of(groups_.begin(), groups_.end(), [](const TimelineGroup& group) {
        return !group.lanes.empty() && group.lanes.front().kind == LaneKind::Activity;
    });
    const double most = stages ? 2.6 : 1.7;
    stretch_ = 1;
    if (heights_.empty() && own_heights_.empty())
        stretch_ = std::clamp(static_cast<double>(room) / std::max(1, contentHeight()), 1.0, most);
    if (stages &&
        contentHeight() > room) { // many of them may be lower, so that all are seen, down to a line each
        const int usual = laneHeight(LaneKind::Activity);
        int lanes = 0;
        for (const TimelineGroup& group : groups_)
            lanes += static_cast<int>(group.lanes.size());
        const int others = contentHeight() - lanes * usual;
        const double least = static_cast<double>(fontMetrics().height()) / usual;
        stretch_ = std::clamp(static_cast<double>(room - others) / std::max(1, lanes * usual), least, 1.0);
    }
    constexpr double most_fixed = 0.6; // of the room: what scrolls needs some, too
    fixed_groups_ = 0;
    fixed_height_ = 0;
    for (const TimelineGroup& group : groups_) {
        if (!group.fixed || fixed_height_ + groupHeight(group) > most_fixed * room)
            break;
        ++fixed_groups_;
        fixed_height_ += groupHeight(group);
    }
    const auto revealed = revealed_;
    verticalScrollBar()->setRange(0, std::max(0, contentHeight() - room));
    revealed_ = revealed; // it was not the user who scrolled
    verticalScrollBar()->setPageStep(std::max(1, room - fixed_height_));
    verticalScrollBar()->setSingleStep(rowHeight());
}

std::int64_t TimelineWidget::cursorCycle() const {
    const QPoint at = viewport()->mapFromGlobal(QCursor::pos());
    const bool over = viewport()->rect().contains(at) && at.x() >= gutter() && underMouse();
    return std::llround(over ? view_.cycle(at.x() - gutter()) : (view_.from() + view_.to()) / 2);
}

void TimelineWidget::moveTo(const TimelineViewport& target) {
    target_ = target;
    if (!animated_ || motionReduced() || !isVisible()) {
        view_ = target_;
        updateLanes();
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
    updateLanes();
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

QVariantList TimelineWidget::zoom() const {
    QVariantList zoom = zoomOf(target_);
    if (const analyse::SlotScale* of = scale())
        for (QVariant& end : zoom)
            end = static_cast<double>(of->cycle(std::llround(end.toDouble())));
    return zoom;
}

void TimelineWidget::setZoom(const QVariantList& zoom) {
    const auto [from, to] = target_.limits();
    const auto place = [of = scale()](const QVariant& end) {
        return of == nullptr ? end.toDouble() : static_cast<double>(of->place(std::llround(end.toDouble())));
    };
    zoom.size() == 2 ? show(place(zoom[0]), place(zoom[1]))
                     : show(static_cast<double>(from), static_cast<double>(to));
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

void TimelineWidget::revealGroup(std::int64_t ipu) {
    folded_.erase({ipu, false});
    revealed_ = ipu;
    updateScrollBar();
    scrollToRevealed();
    updateLanes();
}

bool TimelineWidget::showsGroup(std::int64_t ipu) const {
    for (std::size_t g = 0; g < groups_.size(); ++g)
        for (std::size_t l = 0; groups_[g].ipu == ipu && !groups_[g].base && l < groups_[g].lanes.size(); ++l)
            if (const QRect rect = laneRect(g, l); rect.height() > 0 &&
                                                   rect.bottom() >= (stays(g) ? headHeight() : lanesTop()) &&
                                                   rect.top() < viewport()->height())
                return true;
    return false;
}

void TimelineWidget::scrollToRevealed() {
    const auto wanted = revealed_;
    for (std::size_t g = 0; wanted && g < groups_.size(); ++g) {
        if (groups_[g].ipu != *wanted || groups_[g].base || groups_[g].part || groups_[g].lanes.empty())
            continue;
        const int top = laneRect(g, 0).top() - rowHeight();
        const int bottom = laneRect(g, groups_[g].lanes.size() - 1).bottom();
        QScrollBar* bar = verticalScrollBar();
        if (!stays(g) && (top < lanesTop() || bottom > viewport()->height()))
            bar->setValue(bar->value() + top - lanesTop());
        revealed_ = wanted; // who scrolls later goes elsewhere
        return;
    }
}

void TimelineWidget::resizeEvent(QResizeEvent* event) {
    QAbstractScrollArea::resizeEvent(event);
    view_.setWidth(viewport()->width() - gutter());
    target_.setWidth(viewport()->width() - gutter());
    updateScrollBar();
    updateLanes();
    Q_EMIT viewChanged();
}

void TimelineWidget::scrollContentsBy(int, int) {
    updateLanes();
}

} // namespace tilescope::ui
