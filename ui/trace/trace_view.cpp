// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/trace/trace_view.h"

#include "align_bar.h"
#include "analyse/time_line.h"
#include "lane_panel.h"
#include "trace_aligner.h"
#include "ui/session/format.h"
#include "ui/timeline/activity_color.h"
#include "ui/timeline/timeline_actions.h"
#include "ui/trace/slice_text.h"
#include "ui/trace/totals_panel.h"
#include "ui/widgets/flow_layout.h"
#include "ui/widgets/leave_field.h"
#include "ui/widgets/legend.h"
#include "ui/widgets/nothing_yet.h"
#include "ui/widgets/told_news.h"
#include "ui/widgets/too_full.h"
#include "ui/widgets/view_action.h"
#include "ui/widgets/yielding_split.h"

#include <QAction>
#include <QLabel>
#include <QLineEdit>
#include <QScrollBar>
#include <QShortcut>
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
    search_->setAccessibleName(tr("Search of the trace"));
    search_->setPlaceholderText(tr("Search steps, operations, layers  ( / )"));
    search_->setClearButtonEnabled(true);
    search_->setMinimumWidth(fontMetrics().averageCharWidth() * 42);
    found_ = new QLabel(this);
    found_->setObjectName(QStringLiteral("traceFound"));
    hidden_ = new QLabel(this);
    hidden_->setObjectName(QStringLiteral("traceHidden"));
    hidden_->setTextInteractionFlags(Qt::LinksAccessibleByMouse | Qt::LinksAccessibleByKeyboard);

    planned_ = new QLabel(this);
    planned_->setObjectName(QStringLiteral("tracePlanned"));
    planned_->setWordWrap(true);
    planned_->setContentsMargins(12, 6, 12, 2);
    leadFrom(*planned_, *this);
    planned_->hide();
    align_bar_ = new AlignBar(this);
    auto* head = new FlowLayout(12, 4);
    head->setContentsMargins(12, 6, 12, 6);
    colours_ = ownLegend();
    colours_->controls(timeline_);
    tile_box_ = new QLineEdit(this);
    range_box_ = new QLineEdit(this);
    for (QWidget* part :
         std::initializer_list<QWidget*>{search_, found_, range_box_, hidden_, tile_box_, colours_}) {
        head->addWidget(part);
        head->setAlignment(part, Qt::AlignVCenter);
    }
    makeLanePanel();
    auto* beside = new QSplitter(Qt::Horizontal, this);
    beside->addWidget(lane_panel_);
    beside->addWidget(timeline_);
    beside->setStretchFactor(1, 1);
    beside->setChildrenCollapsible(false);
    constexpr int least_height = 540; // with the bar above the tables
    auto* splitter = new YieldingSplit(beside, totals_, least_height);
    splitter->setStretchFactor(0, 3);
    splitter->setStretchFactor(1, 1);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins({});
    layout->setSpacing(0);
    layout->addWidget(planned_);
    layout->addLayout(head);
    layout->addWidget(align_bar_);
    layout->addWidget(splitter, 1);
    setFocusProxy(timeline_);
    makeActions();
    makeRangeBox();
    makeAligning();

    constexpr int rest_ms = 200;
    totals_timer_.setSingleShot(true);
    totals_timer_.setInterval(rest_ms);
    connect(&totals_timer_, &QTimer::timeout, this, &TraceView::askTotals);
    constexpr int frame_ms = 16;
    rebuild_timer_.setSingleShot(true); // answers of several IPUs that come within a frame are shown at once
    rebuild_timer_.setInterval(frame_ms);
    connect(&rebuild_timer_, &QTimer::timeout, this, &TraceView::rebuild);
    connect(timeline_, &TimelineWidget::viewChanged, this, &TraceView::viewMoved);
    connect(timeline_->verticalScrollBar(), &QScrollBar::valueChanged, this, &TraceView::wantSeen);
    connect(timeline_, &TimelineWidget::rangeSelected, this, &TraceView::selectRange);
    connect(timeline_, &TimelineWidget::sliceClicked, this, &TraceView::choose);
    connect(timeline_, &TimelineWidget::backgroundClicked, this, [this] {
        if (selection() == nullptr)
            return;
        dropLink();
        showFlow();
        tells_slice_ = false;
        if (!totals_->computing())
            tellTotals();
        Selection next = selection()->current();
        next.operation = next.layer = next.program = -1;
        next.follow(-1);
        selection()->set(next);
    });
    connect(timeline_, &TimelineWidget::hovered, this, &View::pointedAt);
    timeline_->setDescriber([this](const TimelineSlice& slice, const TimelineLane& lane,
                                   const TimelineGroup& group) { return describe(slice, lane, group); });
    connectTotals();
    connect(search_, &QLineEdit::textChanged, this, &TraceView::search);
    connect(search_, &QLineEdit::returnPressed, this, [this] { goToHit(hit_ + 1); });
    leaveFieldBy({Qt::Key_Escape}, search_, [this] { timeline_->setFocus(); });
}

void TraceView::selectRange(std::int64_t ipu, bool base, std::int64_t from, std::int64_t to) {
    range_ipu_ = ipu < 0 ? analyse::every_ipu : ipu;
    range_base_ = base;
    if (selection() != nullptr) {
        Selection next = selection()->current();
        if (ipu >= 0)
            next.lookAt(ipu);
        next.range = std::pair(from, to);
        following_ = true; // a range on the base file stays its own
        selection()->set(next);
        following_ = false;
    }
    showRange();
    askTotals();
}

void TraceView::makeActions() {
    addTimelineActions(this, timeline_);
    addViewAction(this, tr("Frame selection"), QStringLiteral("fit"), Qt::Key_F,
                  tr("Fill the view with the selected range or slice, and again with all (F)"),
                  [this] { frameSelection(); });
    addViewAction(this, tr("Search"), QStringLiteral("search"), Qt::Key_Slash,
                  tr("Search program steps, operations and layers (/)"), [this] {
                      search_->setFocus();
                      search_->selectAll();
                  });
    addViewAction(this, tr("Next hit"), QStringLiteral("down"), Qt::Key_N,
                  tr("Go to the next hit of the search (N)"), [this] { goToHit(hit_ + 1); });
    addViewAction(this, tr("Previous hit"), QStringLiteral("up"), Qt::SHIFT | Qt::Key_N,
                  tr("Go to the previous hit of the search (Shift+N)"), [this] { goToHit(hit_ - 1); });
    makeMarkActions();
    addViewAction(this, tr("Clear range"), QStringLiteral("clear"), Qt::Key_Escape,
                  tr("Forget the selected range (Esc)"), [this] {
                      if (lane_panel_->isAncestorOf(focusWidget()))
                          return Q_EMIT lane_panel_->closed();
                      clearRange();
                      dropLink();
                      showFlow();
                      tellFlow();
                      timeline_->dropRuler();
                      if (selection() != nullptr) {
                          Selection next = selection()->current();
                          next.follow(-1);
                          selection()->set(next);
                      }
                      timeline_->setFocus();
                  });
    const auto key = [this](const QString& text, const QKeySequence& shortcut, std::function<void()> act) {
        return addKeyAction(timeline_, text, shortcut, std::move(act)); // the tool bar is long enough
    };
    for (const auto& [page, by] : {std::pair(Qt::Key_PageDown, 1), std::pair(Qt::Key_PageUp, -1)}) {
        auto* tab = new QShortcut(Qt::CTRL | page, this, nullptr, nullptr, Qt::WidgetWithChildrenShortcut);
        connect(tab, &QShortcut::activated, totals_, [this, by = by] { totals_->showTab(by); });
    }
    key(tr("Next slice"), Qt::Key_Period, [this] {
        chooseNeighbour(1);
    })->setShortcuts({Qt::Key_Period, Qt::Key_Right});
    key(tr("Previous slice"), Qt::Key_Comma, [this] {
        chooseNeighbour(-1);
    })->setShortcuts({Qt::Key_Comma, Qt::Key_Left});
    key(tr("Slice of the lane below"), Qt::Key_Down, [this] { chooseLane(1); });
    key(tr("Slice of the lane above"), Qt::Key_Up, [this] { chooseLane(-1); });
    key(tr("Lengthen the range by the next slice"), Qt::SHIFT | Qt::Key_Right, [this] { growRange(1); });
    key(tr("Lengthen the range by the slice before"), Qt::SHIFT | Qt::Key_Left, [this] { growRange(-1); });
    key(tr("Next slice of the same name"), Qt::SHIFT | Qt::Key_Period, [this] { chooseNeighbour(1, true); });
    key(tr("Previous slice of the same name"), Qt::SHIFT | Qt::Key_Comma,
        [this] { chooseNeighbour(-1, true); });
    QAction* of_slice = key(tr("Range of the chosen slice"), Qt::Key_R, [this] {
        if (chosen_.start < 0)
            return Q_EMIT message(tr("Click a slice to select its range."));
        const std::int64_t later = shift(chosen_.base);
        timeline_->setRange(std::pair(chosen_.start + later, chosen_.end + later));
        selectRange(chosen_.ipu, chosen_.base, chosen_.start + later, chosen_.end + later);
    });
    of_slice->setObjectName(QStringLiteral("rangeOfSlice"));
    key(tr("Open in Operations"), Qt::Key_Return, [this] {
        if (selection() != nullptr && selection()->current().operation >= 0)
            Q_EMIT viewRequested(QStringLiteral("operations"));
        else
            Q_EMIT message(tr("Click a slice of an operation first."));
    });
    makeExportAction();
    makeLaneActions();
    makeTileActions();
    makeFlowActions();
    makeMenu();
}

void TraceView::startOver(bool another) {
    if (another) { // they are IPUs of the file before
        chosen_ = {};
        tells_slice_ = false;
        Q_EMIT detailsChanged({});
        takeLanesOfFile();
        tiles_ = {};
        tile_box_->clear();
        planned_->hide();
    }
    delete aligner_;
    delete feed_;
    delete base_;
    aligner_ = nullptr;
    feed_ = base_ = nullptr;
    flow_.reset();
    dropLink();
    timeline_->setFlows({});
    hits_ = {}; // with their memory
    hit_ = -1;
    tellFound({});
    fresh_ = unnamed_ = true;
    timeline_->setHits({}, -1);
    readMarks();
    clearRange();
    totals_->hide();
    timeline_->setEmptyText(sources().current ? tr("Reading the time line …")
                                              : tr("Open a profile to see its time line."));
    const auto follow_feed = [this](TraceFeed* feed) {
        connect(feed, &TraceFeed::tablesRead, this, &TraceView::showTables);
        connect(feed, &TraceFeed::programRead, this, &TraceView::showProgram);
        connect(feed, &TraceFeed::slicesRead, this, [this] {
            if (!rebuild_timer_.isActive())
                rebuild_timer_.start();
        });
        connect(feed, &TraceFeed::overviewRead, this, [this, feed] {
            timeline_->setOverview(feed->overview(), static_cast<std::int64_t>(feed->tables()->ipus.size()));
        });
        connect(feed, &TraceFeed::failed, this, [this](const QString& text) {
            timeline_->setEmptyText(text);
            Q_EMIT message(text);
        });
    };
    if (sources().current)
        follow_feed(feed_ = new TraceFeed(sources().current, false, this));
    if (sources().base)
        follow_feed(base_ = new TraceFeed(sources().base, true, this));
    for (TraceFeed* feed : {feed_, base_})
        if (feed != nullptr)
            feed->setLanes(lanes_, tiles_);
    startAligning();
    rebuild();
}

void TraceView::refresh() {
    for (TraceFeed* feed : {feed_, base_})
        if (feed != nullptr)
            feed->refresh();
}

void TraceView::showTables() {
    if (feed_ == nullptr || !feed_->tables())
        return;
    const TraceTables& tables = *feed_->tables();
    const auto range = tables.range;
    totals_view_.reset(); // the file may have more of what is in view
    timeline_->setClock(tables.clock_hz);
    colours_->updateGeometry();
    colours_->update();
    timeline_->setSamplesPerSecond(tables.samples_per_s);
    totals_->setMarks(timeline_->marks(), tables.clock_hz);
    if (range.second <= range.first && tables.too_full)
        timeline_->setEmptyText(
            tr("%1 Summary (G, S) tells what would make it fit, Memory (G, M) what fills the "
               "tile.")
                .arg(tables.never_run));
    else if (range.second <= range.first && !tables.never_run.isEmpty())
        timeline_->setEmptyText(tables.never_run);
    else if (range.second <= range.first)
        askNothingYet(*this,
                      tables.clock_hz > 0 ? tr("Nothing was executed: the run only compiles.")
                                          : tr("This run used no IPU, so it has no time line."),
                      [this](const QString& why) { timeline_->setEmptyText(why); });
    planned_->setVisible(tables.planned);
    planned_->setText(
        inHtml(tr("<b>Planned: one execution.</b> %1 Below is what it would do."), {tables.never_run}) +
        (tables.too_full ? QLatin1Char(' ') + tables.too_full->links() : QString()));
    tellAligner();
    showLimits();
    if (!tables.ipus.empty() && std::exchange(unfolded_, false)) {
        LaneChoice usual = lanes_;
        usual.showUsual(tables.ipus);
        setLanes(usual);
        unhide(currentIpu());
    }
    const bool first = std::exchange(fresh_, false);
    if (first) {
        const auto [from, to] = timeline_->view().limits();
        timeline_->show(static_cast<double>(from), static_cast<double>(to));
    }
    rebuild();
    if (first)
        followNow();
    else if (selection() != nullptr) // its micro-batch may have come
        followMicroBatch(selection()->current());
    if (!time_wanted_.isEmpty())
        goToTime(std::exchange(time_wanted_, {}));
    frameDue();
}

void TraceView::showProgram() {
    if (feed_ == nullptr || !feed_->tables() || !feed_->tables()->knowsProgram())
        return;
    tellAligner();
    if (!std::exchange(unnamed_, false))
        return frameDue();
    followNow();
    frameDue();
    if (!search_->text().isEmpty())
        search(search_->text());
}

std::vector<TimelineGroup> TraceView::groupsOf(const TraceFeed* now, const TraceFeed* base) {
    std::vector<TimelineGroup> groups;
    if (now == nullptr || !now->tables() || now->tables()->range.second <= now->tables()->range.first)
        return groups;
    const auto others = base != nullptr ? base->groups() : std::vector<TimelineGroup>();
    for (const TimelineGroup& group : now->groups()) {
        const auto other = std::find_if(others.begin(), others.end(), [&](const TimelineGroup& each) {
            return each.ipu == group.ipu && each.part == group.part;
        });
        if (other == others.end())
            groups.push_back(group);
        else
            addCompared(groups, group, *other);
    }
    return groups;
}

void TraceView::rebuild() {
    std::vector<TimelineGroup> groups = groupsOf(feed_, base_);
    if (groups.empty() && !lanes_.filter().isEmpty())
        timeline_->setEmptyText(tr("Nothing matches “%1”.").arg(lanes_.filter()));
    timeline_->setGroups(std::move(groups));
    wantSeen(); // with what was read, other groups may have come into sight
    showLanePanel();
    tile_box_->setVisible(lanes_.shows(LaneKind::Tiles));
    const QString hidden = lanes_.hiddenText(ipus());
    hidden_->setText(hidden.isEmpty() ? QString() : inHtml(tr("%1 <a href='all'>show</a>"), {hidden}));
    hidden_->setVisible(!hidden.isEmpty());
}

void TraceView::follow(const Selection& selection) {
    TimelineHighlight highlight{selection.operation, selection.layer, selection.program};
    if (feed_ != nullptr && feed_->tables()) { // an inner choice implies the outer ones
        if (highlight.program >= 0 && highlight.operation < 0)
            highlight.operation = feed_->tables()->program().step(highlight.program).operation;
        if (highlight.operation >= 0 && highlight.layer < 0)
            highlight.layer = feed_->tables()->program().layerOf(highlight.operation);
    }
    TimelineHighlight same; // in the base
    if (aligner_ != nullptr) {
        same.operation = aligner_->operationInBase(highlight.operation);
        same.layer = aligner_->layerInBase(highlight.layer);
        align_bar_->setSuggested(feed_ != nullptr && feed_->tables()
                                     ? feed_->tables()->program().operationName(highlight.operation)
                                     : QString());
    }
    timeline_->setHighlight(highlight, same);
    const TimelineHighlight subject{selection.operation, selection.layer, selection.program};
    if (std::exchange(subject_, subject) != subject) // another view's: it is framed once this one is seen
        subject_due_ = !isVisible() && subject.any();
    if (selection.micro_batch >= 0)
        subject_due_ = false; // its pass is framed
    followMicroBatch(selection);
    showFlow();
    tellChosen(selection);
    if (std::exchange(followed_ipu_, selection.ipu) != selection.ipu)
        revealChosen();
    if (following_ || selection.range == timeline_->range()) {
        const bool of_another =
            !timeline_->range() && !totals_->wantsAllIpus() && totals_ipu_ != selection.ipu;
        if (totals_->isVisible() && of_another)
            askTotals();
        return;
    }
    timeline_->setRange(selection.range);
    showRange();
    range_ipu_ = selection.ipu;
    range_base_ = false;
    askTotals();
}

void TraceView::revealChosen() {
    if (selection() != nullptr && selection()->current().ofOneIpu() && !timeline_->showsGroup(currentIpu()))
        timeline_->revealGroup(currentIpu());
}

void TraceView::choose(const TimelineSlice& slice, LaneKind lane, std::int64_t ipu, bool base) {
    const TraceFeed* feed = feedOf(base);
    if (feed == nullptr || !feed->tables())
        return;
    chosen_ = {lane, ipu, base, slice.start, slice.end, slice.label, slice.execution};
    flow_.reset();
    dropLink();
    if (!base && lane == LaneKind::MicroBatch)
        flow_ = MicroBatchFlow::through(*feed->tables(), ipu, slice);
    else if (!base)
        askLink(slice, ipu);
    showFlow();
    if (selection() != nullptr && (!base || aligner_ != nullptr)) {
        Selection next = selection()->current();
        const std::int64_t layer = base ? aligner_->layerInNew(slice.layer) : slice.layer;
        const std::int64_t operation = base ? aligner_->operationInNew(slice.operation) : slice.operation;
        if (ipu >= 0 && !base)
            next.lookAt(ipu);
        next.operation = next.layer = next.program = -1;
        next.follow(-1);
        if (flow_)
            next.follow(flow_->microBatch(), flow_->pass(), flow_->slice().start);
        if (lane == LaneKind::Layer || lane == LaneKind::Operation || lane == LaneKind::Program ||
            lane == LaneKind::Phases || lane == LaneKind::Tiles)
            next.layer = layer;
        if (lane == LaneKind::Operation || lane == LaneKind::Program || lane == LaneKind::Phases ||
            lane == LaneKind::Tiles)
            next.operation = operation;
        if (!base && (lane == LaneKind::Program || lane == LaneKind::Phases || lane == LaneKind::Tiles))
            next.program = slice.program;
        selection()->set(next);
    }
    tellSlice(slice, lane, ipu, base);
}

void TraceView::tellSlice(const TimelineSlice& slice, LaneKind lane, std::int64_t ipu, bool base) {
    const SliceText all =
        slice_text(*feedOf(base)->tables(), slice, TimelineLane{lane, {}, {}, {}, -1, {}, {}, {}}, ipu);
    totals_->setSlice(all);
    tells_slice_ = true;
    slice_told_ = all.html(!base); // ids of the base mean nothing in the new file
    tellFlow();
}

QString TraceView::describe(const TimelineSlice& slice, const TimelineLane& lane,
                            const TimelineGroup& group) {
    TraceFeed* feed = feedOf(group.base);
    if (feed == nullptr || !feed->tables())
        return {};
    const Merged key{group.ipu, group.base, slice.start, slice.end};
    const bool steps = slice.label.isEmpty() && slice.traced && slice.merged > 0 &&
                       lane.kind != LaneKind::Execution && lane.kind != LaneKind::Step &&
                       lane.kind != LaneKind::Host;
    if (steps && merged_ != key) { // the tip tells how many operations they are of as soon as that is known
        merged_ = key;
        merged_operations_.reset();
        feed->source().ask<analyse::RangeTotals>(
            this, QStringLiteral("trace merged"),
            [key](const profile::Profile& file) {
                return analyse::range_totals(file, key.ipu, {key.start, key.end});
            },
            [this, key](Result<analyse::RangeTotals> totals) {
                if (!totals || merged_ != key)
                    return;
                merged_operations_ = std::count_if(
                    totals->operations.begin(), totals->operations.end(),
                    [](const analyse::TimeTotal& row) { return row.of == analyse::TimeTotal::Of::Step; });
                timeline_->hoverAgain();
            });
    }
    return slice_text(*feed->tables(), slice, lane, group.ipu,
                      steps && merged_ == key ? merged_operations_ : std::nullopt)
        .html();
}

/// What the search has found; it takes no room where that is nothing.
void TraceView::tellFound(const QString& text) {
    tellNews(*found_, text);
    found_->setVisible(!text.isEmpty());
}

void TraceView::search(const QString& typed) {
    const QString text = typed.trimmed();
    hits_ = {}; // with their memory
    hit_ = -1;
    tellFound(text.isEmpty() ? QString() : tr("searching …"));
    if (text.isEmpty()) // else those of the text before stay until the others are found
        timeline_->setHits({}, -1);
    if (feed_ == nullptr || !feed_->tables() || (unnamed_ && !text.isEmpty()))
        return;
    const QString topic = QStringLiteral("trace search");
    if (text.isEmpty())
        return feed_->source().cancel(this, topic);
    feed_->source().ask<std::vector<TraceHit>>(
        this, topic,
        [text, tables = feed_->tables(),
         on = lanes_.distinct(ipus())](const profile::Profile& file) -> Result<std::vector<TraceHit>> {
            const auto wanted = tables->program().find(text);
            if (wanted.empty())
                return std::vector<TraceHit>();
            return find_hits(file, on, wanted, most_hits);
        },
        [this](Result<std::vector<TraceHit>> hits) {
            if (!hits)
                return timeline_->setHits({}, -1);
            hits_ = std::move(*hits);
            tellFound(hits_.empty() ? tr("nothing found")
                      : hits_.size() == most_hits
                          ? tr("more than %1 hits").arg((formatCount(static_cast<std::int64_t>(most_hits))))
                          : formatCounted(hits_.size(), tr("hit"), tr("hits")));
            std::vector<std::int64_t> starts;
            for (const TraceHit& hit : hits_)
                starts.push_back(hit.slice.start_cycle);
            timeline_->setHits(std::move(starts), -1);
        });
}

void TraceView::goToHit(std::ptrdiff_t index) {
    if (hits_.empty())
        return;
    const auto count = static_cast<std::ptrdiff_t>(hits_.size());
    hit_ = (index % count + count) % count;
    const TraceHit& found = hits_[static_cast<std::size_t>(hit_)];
    unhide(found.ipu);
    const profile::TraceSlice& slice = found.slice;
    const QString all = formatCount(count);
    tellFound(tr("%1 of %2, on IPU %3")
                  .arg(formatCount(hit_ + 1), hits_.size() == most_hits ? tr("more than %1").arg(all) : all)
                  .arg(found.ipu));
    std::vector<std::int64_t> starts;
    for (const TraceHit& hit : hits_)
        starts.push_back(hit.slice.start_cycle);
    timeline_->setHits(std::move(starts), hit_);
    const double length = static_cast<double>(slice.end_cycle - slice.start_cycle);
    if (timeline_->view().span() > 200 * length) // too small to be seen: come nearer
        timeline_->show(static_cast<double>(slice.start_cycle) - 20 * length,
                        static_cast<double>(slice.end_cycle) + 20 * length);
    else
        timeline_->reveal(static_cast<double>(slice.start_cycle), static_cast<double>(slice.end_cycle));
    timeline_->revealGroup(found.ipu);
    if (feed_ != nullptr && feed_->tables())
        choose(program_slice(*feed_->tables(), slice), LaneKind::Program, found.ipu, false);
}

} // namespace tilescope::ui
