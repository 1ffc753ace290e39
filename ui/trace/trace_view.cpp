// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/trace/trace_view.h"

#include "ui/session/format.h"
#include "ui/theme/theme.h"
#include "ui/timeline/timeline_actions.h"
#include "ui/trace/totals_panel.h"
#include "ui/widgets/legend.h"
#include "ui/widgets/view_action.h"

#include <QAction>
#include <QHBoxLayout>
#include <QJsonArray>
#include <QLabel>
#include <QLineEdit>
#include <QSplitter>
#include <QTimer>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

namespace tilescope::ui {
namespace {

constexpr std::size_t most_hits = 10000;

} // namespace

TraceView::TraceView(QWidget* parent) : View(parent) {
    timeline_ = new TimelineWidget(this);
    timeline_->setObjectName(QStringLiteral("timeline"));
    timeline_->setEmptyText(tr("Open a profile to see its time line."));
    totals_ = new TotalsPanel(this);
    totals_->hide();
    search_ = new QLineEdit(this);
    search_->setObjectName(QStringLiteral("traceSearch"));
    search_->setPlaceholderText(tr("Search steps, operations, layers  ( / )"));
    search_->setClearButtonEnabled(true);
    search_->setMaximumWidth(fontMetrics().averageCharWidth() * 48);
    found_ = new QLabel(this);
    found_->setObjectName(QStringLiteral("traceFound"));

    auto* head = new QHBoxLayout;
    head->setContentsMargins(12, 6, 12, 6);
    head->addWidget(search_, 1);
    head->addWidget(found_);
    head->addStretch(1);
    head->addWidget(new Legend(phaseEntries, this));
    auto* splitter = new QSplitter(Qt::Vertical, this);
    splitter->addWidget(timeline_);
    splitter->addWidget(totals_);
    splitter->setStretchFactor(0, 3);
    splitter->setStretchFactor(1, 1);
    splitter->setCollapsible(0, false);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins({});
    layout->setSpacing(0);
    layout->addLayout(head);
    layout->addWidget(splitter, 1);
    setFocusProxy(timeline_);
    makeActions();

    constexpr int rest_ms = 200;
    totals_timer_.setSingleShot(true);
    totals_timer_.setInterval(rest_ms);
    connect(&totals_timer_, &QTimer::timeout, this, &TraceView::askTotals);
    connect(timeline_, &TimelineWidget::viewChanged, this, &TraceView::viewMoved);
    connect(timeline_, &TimelineWidget::rangeSelected, this,
            [this](qint64 ipu, bool base, qint64 from, qint64 to) {
                range_ipu_ = ipu;
                range_base_ = base;
                if (selection_ != nullptr) {
                    Selection selection = selection_->current();
                    selection.ipu = ipu;
                    selection.range = std::pair<std::int64_t, std::int64_t>(from, to);
                    following_ = true; // a range on the base file stays its own
                    selection_->set(selection);
                    following_ = false;
                }
                askTotals();
            });
    connect(timeline_, &TimelineWidget::sliceClicked, this, &TraceView::choose);
    connect(timeline_, &TimelineWidget::backgroundClicked, this, [this] {
        if (selection_ == nullptr)
            return;
        Selection selection = selection_->current();
        selection.operation = selection.layer = selection.program = -1;
        selection_->set(selection);
    });
    connect(timeline_, &TimelineWidget::hovered, this, &View::message);
    connect(totals_, &TotalsPanel::closed, this, &TraceView::clearRange);
    const auto pick = [this](auto field) {
        return [this, field](qint64 chosen) {
            if (selection_ == nullptr || range_base_ || feed_ == nullptr || !feed_->tables())
                return;
            Selection selection = selection_->current();
            selection.operation = selection.layer = selection.program = -1;
            selection.*field = chosen;
            if (selection.program >= 0)
                selection.operation = feed_->tables()->step(selection.program).operation;
            selection_->set(selection);
        };
    };
    connect(totals_, &TotalsPanel::operationChosen, this, pick(&Selection::operation));
    connect(totals_, &TotalsPanel::layerChosen, this, pick(&Selection::layer));
    connect(totals_, &TotalsPanel::programChosen, this, pick(&Selection::program));
    connect(search_, &QLineEdit::textChanged, this, &TraceView::search);
    connect(search_, &QLineEdit::returnPressed, this, [this] { goToHit(hit_ + 1); });
}

void TraceView::makeActions() {
    addTimelineActions(this, timeline_);
    addViewAction(this, tr("Frame selection"), QStringLiteral("fit"), Qt::Key_F,
                  tr("Fill the view with the selected range or slice (F)"), [this] { frameSelection(); });
    addViewAction(this, tr("Search"), QStringLiteral("search"), Qt::Key_Slash,
                  tr("Search program steps, operations and layers (/)"), [this] {
                      search_->setFocus();
                      search_->selectAll();
                  });
    addViewAction(this, tr("Next hit"), QStringLiteral("down"), Qt::Key_N,
                  tr("Go to the next hit of the search (N)"), [this] { goToHit(hit_ + 1); });
    addViewAction(this, tr("Previous hit"), QStringLiteral("up"), Qt::SHIFT | Qt::Key_N,
                  tr("Go to the previous hit of the search (Shift+N)"), [this] { goToHit(hit_ - 1); });
    addViewAction(this, tr("Mark"), QStringLiteral("mark"), Qt::Key_M,
                  tr("Set or remove a mark at the pointer (M)"), [this] { toggleMark(); });
    addViewAction(this, tr("Clear range"), QStringLiteral("clear"), Qt::Key_Escape,
                  tr("Forget the selected range (Esc)"), [this] {
                      clearRange();
                      timeline_->setFocus();
                  });
}

void TraceView::setSources(const Sources& sources) {
    delete feed_;
    delete base_;
    feed_ = base_ = nullptr;
    hits_.clear();
    hit_ = -1;
    found_->clear();
    fresh_ = true;
    timeline_->setHits({}, -1);
    timeline_->setMarks({});
    clearRange();
    totals_->hide();
    timeline_->setEmptyText(sources.current ? tr("Reading the time line …")
                                            : tr("Open a profile to see its time line."));
    const auto follow_feed = [this](TraceFeed* feed) {
        connect(feed, &TraceFeed::tablesRead, this, &TraceView::showTables);
        connect(feed, &TraceFeed::slicesRead, this, &TraceView::rebuild);
        connect(feed, &TraceFeed::failed, this, [this](const QString& text) {
            timeline_->setEmptyText(text);
            Q_EMIT message(text);
        });
    };
    if (sources.current)
        follow_feed(feed_ = new TraceFeed(sources.current, false, this));
    if (sources.base)
        follow_feed(base_ = new TraceFeed(sources.base, true, this));
    rebuild();
}

void TraceView::showTables() {
    if (feed_ == nullptr || !feed_->tables())
        return;
    const TraceTables& tables = *feed_->tables();
    auto range = tables.range;
    if (base_ != nullptr && base_->tables())
        range.second = std::max(range.second, base_->tables()->range.second);
    timeline_->setClock(tables.clock_hz);
    timeline_->setOverview(tables.overview(2000));
    if (range.second <= range.first)
        timeline_->setEmptyText(
            tables.clock_hz > 0
                ? tr("Nothing has been executed yet: the run is still compiling, or only compiles.")
                : tr("This run used no IPU, so it has no time line."));
    timeline_->setLimits(range.first, range.second);
    if (std::exchange(fresh_, false))
        timeline_->show(static_cast<double>(range.first), static_cast<double>(range.second));
    rebuild();
}

void TraceView::rebuild() {
    std::vector<TimelineGroup> groups;
    const auto base = base_ != nullptr ? base_->groups() : std::vector<TimelineGroup>();
    if (feed_ != nullptr && feed_->tables() && feed_->tables()->range.second > feed_->tables()->range.first)
        for (TimelineGroup& group : feed_->groups()) {
            const std::int64_t ipu = group.ipu;
            groups.push_back(std::move(group));
            for (const TimelineGroup& other : base)
                if (other.ipu == ipu) {
                    groups.push_back(other);
                    groups.back().name += tr("  (base)");
                }
        }
    timeline_->setGroups(std::move(groups));
}

void TraceView::setSelection(SelectionModel* selection) {
    if (selection_ != nullptr)
        disconnect(selection_, nullptr, this, nullptr);
    selection_ = selection;
    if (selection_ == nullptr)
        return;
    connect(selection_, &SelectionModel::changed, this, &TraceView::follow);
    follow(selection_->current());
}

void TraceView::follow(const Selection& selection) {
    TimelineHighlight highlight{selection.operation, selection.layer, selection.program};
    if (feed_ != nullptr && feed_->tables()) { // an inner choice implies the outer ones
        if (highlight.program >= 0 && highlight.operation < 0)
            highlight.operation = feed_->tables()->step(highlight.program).operation;
        if (highlight.operation >= 0 && highlight.layer < 0)
            highlight.layer = feed_->tables()->layerOf(highlight.operation);
    }
    timeline_->setHighlight(highlight);
    if (following_ || selection.range == timeline_->range())
        return;
    timeline_->setRange(selection.range);
    range_ipu_ = selection.ipu;
    range_base_ = false;
    askTotals();
}

void TraceView::choose(const TimelineSlice& slice, LaneKind lane, std::int64_t ipu, bool base) {
    const TraceFeed* feed = feedOf(base);
    if (feed == nullptr || !feed->tables())
        return;
    if (!base && selection_ != nullptr) {
        Selection selection = selection_->current();
        selection.ipu = ipu;
        selection.operation = selection.layer = selection.program = -1;
        if (lane == LaneKind::Layer || lane == LaneKind::Operation || lane == LaneKind::Program ||
            lane == LaneKind::Phases)
            selection.layer = slice.layer;
        if (lane == LaneKind::Operation || lane == LaneKind::Program || lane == LaneKind::Phases)
            selection.operation = slice.operation;
        if (lane == LaneKind::Program || lane == LaneKind::Phases)
            selection.program = slice.program;
        selection_->set(selection);
    }
    Q_EMIT detailsChanged(details(slice, *feed, ipu));
}

QString TraceView::details(const TimelineSlice& slice, const TraceFeed& feed, std::int64_t ipu) const {
    const TraceTables& tables = *feed.tables();
    const std::int64_t length = slice.end - slice.start;
    QString rows;
    const auto row = [&rows](const QString& name, const QString& value) {
        if (!value.isEmpty())
            rows += QStringLiteral("<tr><td>%1&nbsp;&nbsp;</td><td>%2</td></tr>")
                        .arg(name, value.toHtmlEscaped());
    };
    const auto cycles = [&](std::int64_t value) {
        QString text = tr("%1 cycles").arg((formatCount(value)));
        if (tables.clock_hz > 0)
            text +=
                QStringLiteral(" (%1)").arg((formatSeconds(static_cast<double>(value) / tables.clock_hz)));
        return text;
    };
    row(tr("IPU"), QString::number(ipu));
    row(tr("Execution"), tables.executionName(slice.execution));
    row(tr("Step"), slice.step >= 0 ? QString::number(slice.step + 1) : QString());
    row(tr("Layer"), tables.layerName(slice.layer));
    row(tr("Operation"), tables.operationName(slice.operation));
    row(tr("Program step"), slice.program >= 0 ? tables.step(slice.program).name : QString());
    row(tr("Start"), cycles(slice.start));
    row(tr("Length"), cycles(length));
    row(tr("Compute"), cycles(slice.compute));
    row(slice.inter_ipu ? tr("Inter-IPU exchange") : tr("Exchange"), cycles(slice.exchange));
    row(tr("Host"), slice.host > 0 ? cycles(slice.host) : QString());
    row(tr("Sync"), cycles(slice.sync));
    if (slice.merged > 1)
        row(tr("Stands for"), tr("%1 program steps").arg((formatCount(slice.merged))));
    const QString name = slice.label.isEmpty() ? tr("Slice of the time line") : slice.label;
    return QStringLiteral("<h3>%1</h3><table>%2</table>").arg(name.toHtmlEscaped(), rows);
}

void TraceView::askTotals() {
    const auto range = timeline_->range();
    const bool base = range && range_base_;
    TraceFeed* feed = feedOf(base);
    if (feed == nullptr || !feed->tables() || feed->tables()->range.second <= feed->tables()->range.first)
        return;
    const std::int64_t ipu = range ? range_ipu_ : selection_ != nullptr ? selection_->current().ipu : 0;
    const std::pair<std::int64_t, std::int64_t> wanted =
        range ? *range
              : std::pair<std::int64_t, std::int64_t>(std::llround(timeline_->view().from()),
                                                      std::llround(timeline_->view().to()));
    visible_totals_asked_ = !range;
    feed->source().ask<std::vector<profile::TraceSlice>>(
        this, QStringLiteral("trace totals"),
        [ipu, wanted](const profile::Profile& file) {
            return file.trace_totals(ipu, wanted.first, wanted.second);
        },
        [this, feed = QPointer<TraceFeed>(feed), ipu, wanted,
         range](Result<std::vector<profile::TraceSlice>> slices) {
            visible_totals_asked_ = false;
            if (!slices || feed == nullptr || timeline_->range() != range)
                return;
            totals_->setTotals(trace_totals(*feed->tables(), ipu, wanted, *slices), feed->tables()->clock_hz,
                               feed->source().name(), range.has_value());
            totals_->show();
        });
}

void TraceView::viewMoved() {
    for (TraceFeed* feed : {feed_, base_})
        if (feed != nullptr)
            feed->want(timeline_->view().from(), timeline_->view().to(), timeline_->view().cyclesPerPixel());
    if (timeline_->range())
        return;
    // Totals of what is in view can wait; a sum that is under way must not hold up the slices.
    if (std::exchange(visible_totals_asked_, false) && feed_ != nullptr)
        feed_->source().ask<bool>(
            this, QStringLiteral("trace totals"),
            [](const profile::Profile&) -> Result<bool> { return true; }, [](Result<bool>) {});
    totals_timer_.start();
}

void TraceView::clearRange() {
    timeline_->setRange({});
    totals_timer_.start();
    if (selection_ != nullptr && selection_->current().range) {
        Selection selection = selection_->current();
        selection.range.reset();
        selection_->set(selection);
    }
}

void TraceView::frameSelection() {
    if (const auto range = timeline_->range()) {
        timeline_->frame(static_cast<double>(range->first), static_cast<double>(range->second));
        return;
    }
    if (selection_ == nullptr)
        return;
    const Selection& s = selection_->current();
    const TimelineHighlight wanted{s.operation, s.layer, s.program};
    if (!wanted.any())
        return;
    // The slice nearest to the middle of the view; the lane is the narrowest that names the selection.
    const LaneKind kind = s.program >= 0     ? LaneKind::Program
                          : s.operation >= 0 ? LaneKind::Operation
                                             : LaneKind::Layer;
    const double middle = (timeline_->view().from() + timeline_->view().to()) / 2;
    const TimelineSlice* best = nullptr;
    const auto distance = [middle](const TimelineSlice& slice) {
        return std::abs(static_cast<double>(slice.start + slice.end) / 2 - middle);
    };
    for (const TimelineGroup& group : timeline_->groups())
        for (const TimelineLane& lane : group.lanes)
            if (!group.base && group.ipu == s.ipu && lane.kind == kind)
                for (const TimelineSlice& slice : lane.slices)
                    if (wanted.matches(kind, slice) && (best == nullptr || distance(slice) < distance(*best)))
                        best = &slice;
    if (best != nullptr)
        timeline_->frame(static_cast<double>(best->start), static_cast<double>(best->end));
    else
        Q_EMIT message(
            tr("The selection does not run within the cycles that are shown; search for its name with /."));
}

void TraceView::search(const QString& text) {
    hits_.clear();
    hit_ = -1;
    timeline_->setHits({}, -1);
    found_->setText(text.isEmpty() ? QString() : tr("searching …"));
    if (feed_ == nullptr || !feed_->tables())
        return;
    const std::int64_t ipu = selection_ != nullptr ? selection_->current().ipu : 0;
    const auto wanted = feed_->tables()->find(text);
    if (wanted.empty()) {
        found_->setText(text.isEmpty() ? QString() : tr("nothing found"));
        // An empty question takes the place of one that still runs.
    }
    feed_->source().ask<std::vector<profile::TraceSlice>>(
        this, QStringLiteral("trace search"),
        [ipu, wanted](const profile::Profile& file) -> Result<std::vector<profile::TraceSlice>> {
            if (wanted.empty())
                return std::vector<profile::TraceSlice>{};
            return find_slices(file, ipu, wanted, most_hits);
        },
        [this](Result<std::vector<profile::TraceSlice>> hits) {
            if (!hits || search_->text().isEmpty())
                return;
            hits_ = std::move(*hits);
            found_->setText(
                hits_.empty() ? tr("nothing found")
                : hits_.size() == most_hits
                    ? tr("more than %1 hits").arg((formatCount(static_cast<std::int64_t>(most_hits))))
                    : tr("%n hit(s)", nullptr, static_cast<int>(hits_.size())));
            std::vector<std::int64_t> starts;
            for (const profile::TraceSlice& slice : hits_)
                starts.push_back(slice.start_cycle);
            timeline_->setHits(std::move(starts), -1);
        });
}

void TraceView::goToHit(std::ptrdiff_t index) {
    if (hits_.empty())
        return;
    const auto count = static_cast<std::ptrdiff_t>(hits_.size());
    hit_ = (index % count + count) % count;
    const profile::TraceSlice& slice = hits_[static_cast<std::size_t>(hit_)];
    found_->setText(tr("%1 of %2").arg(hit_ + 1).arg(hits_.size()));
    std::vector<std::int64_t> starts;
    for (const profile::TraceSlice& hit : hits_)
        starts.push_back(hit.start_cycle);
    timeline_->setHits(std::move(starts), hit_);
    const double length = static_cast<double>(slice.end_cycle - slice.start_cycle);
    if (timeline_->view().span() > 200 * length) // too small to be seen: come nearer
        timeline_->show(static_cast<double>(slice.start_cycle) - 20 * length,
                        static_cast<double>(slice.end_cycle) + 20 * length);
    else
        timeline_->reveal(static_cast<double>(slice.start_cycle), static_cast<double>(slice.end_cycle));
    if (selection_ != nullptr && feed_ != nullptr && feed_->tables()) {
        const TraceTables::Step& step = feed_->tables()->step(slice.program_id);
        Selection selection = selection_->current();
        selection.program = slice.program_id;
        selection.operation = step.operation;
        selection.layer = step.layer;
        selection_->set(selection);
    }
}

void TraceView::toggleMark() {
    std::vector<std::int64_t> marks = timeline_->marks();
    const std::int64_t at = timeline_->cursorCycle();
    constexpr double near_pixels = 5;
    const auto close = std::find_if(marks.begin(), marks.end(), [&](std::int64_t mark) {
        return std::abs(static_cast<double>(mark - at)) < near_pixels * timeline_->view().cyclesPerPixel();
    });
    if (close != marks.end())
        marks.erase(close);
    else
        marks.push_back(at);
    timeline_->setMarks(std::move(marks));
}

QJsonObject TraceView::saveState() const {
    QJsonArray marks;
    for (const std::int64_t mark : timeline_->marks())
        marks.append(static_cast<qint64>(mark));
    return {{QStringLiteral("marks"), marks}};
}

void TraceView::restoreState(const QJsonObject& state) {
    std::vector<std::int64_t> marks;
    for (const QJsonValue& mark : state.value(QStringLiteral("marks")).toArray())
        marks.push_back(mark.toInteger());
    timeline_->setMarks(std::move(marks));
}

} // namespace tilescope::ui
