// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pipeline/pipeline_view.h"

#include "analyse/figures.h"
#include "phase_rows.h"
#include "pipeline_legend.h"
#include "ui/pipeline/stage_panel.h"
#include "ui/session/format.h"
#include "ui/theme/themed_label.h"
#include "ui/timeline/timeline_actions.h"
#include "ui/widgets/figure_strip.h"
#include "ui/widgets/headed_page.h"
#include "ui/widgets/leave_field.h"
#include "ui/widgets/legend.h"
#include "ui/widgets/nothing_yet.h"
#include "ui/widgets/page_stack.h"
#include "ui/widgets/too_full.h"
#include "ui/widgets/view_action.h"

#include <QAction>
#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QShortcut>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QStackedWidget>
#include <algorithm>
#include <utility>

namespace tilescope::ui {
namespace {

using analyse::PipelineActivity;

QString notRecorded(const QString& schedule) {
    return inHtml(
        PipelineView::tr("<h3>The pipeline is not recorded</h3>"
                         "<p>The workload asks for one (%1), but the run ended before it was timed.<br>"
                         "The view <i>Summary</i> says how the run ended.</p>"),
        {schedule});
}

/// "8 micro-batches x 4 replicas"
QString batchesText(const PipelineData& data) {
    const QString batches = formatCounted(data.update.micro_batches, PipelineView::tr("micro-batch"),
                                          PipelineView::tr("micro-batches"));
    return data.replicas > 1 ? PipelineView::tr("%1 × %2 replicas").arg(batches).arg(data.replicas) : batches;
}

} // namespace

PipelineView::PipelineView(QWidget* parent) : View(parent) {
    QWidget* page = makePage();
    auto* parts = new QStackedWidget;
    phases_ = new PhaseRows;
    leadFrom(*phases_->heading(), *this);
    parts->addWidget(page);
    parts->addWidget(phases_);
    parts_ = parts;
    pages_ = new PageStack(parts, this);
    setFocusProxy(timeline_);
    makeActions();
    makeMenu();
    nameSubjects();
    connectTimeline();
    connect(panel_, &StagePanel::stageChosen, this, &PipelineView::chooseStage);
    connect(panel_, &StagePanel::rangeCleared, this, &PipelineView::clearRange);
    connect(panel_, &StagePanel::passChosen, this, [this](qint64 stage, PipelineActivity pass) {
        if (!timeline_->range() || !range_base_)
            choosePass(stage, micro_batch_, pass);
    });
    connect(replicas_, &QComboBox::activated, this, &PipelineView::chooseReplica);
    connect(micro_batches_, &QSpinBox::valueChanged, this, &PipelineView::goToMicroBatch);
}

QWidget* PipelineView::makePage() {
    heading_ = new ThemedLabel;
    heading_->setObjectName(QStringLiteral("pipelineHeading"));
    heading_->setWordWrap(true);
    leadFrom(*heading_, *this);
    figures_ = new FigureStrip;
    figures_->setObjectName(QStringLiteral("pipelineFigures"));
    timeline_ = new TimelineWidget;
    timeline_->setObjectName(QStringLiteral("pipelineTimeline"));
    timeline_->setAccessibleName(tr("Stages over time"));
    panel_ = new StagePanel;
    replicas_ = new QComboBox;
    replicas_->setObjectName(QStringLiteral("pipelineReplica"));
    replicas_->setAccessibleName(tr("Replica"));
    replicas_->setToolTip(tr("Whose IPUs are named and chosen: all replicas do the same"));
    micro_batches_ = new QSpinBox;
    micro_batches_->setObjectName(QStringLiteral("pipelineMicroBatch"));
    micro_batches_->setAccessibleName(tr("Micro-batch"));
    micro_batches_->setToolTip(tr("Which micro-batch is lit up on all stages: its number leads to it (J)"));
    micro_batches_->setPrefix(tr("Micro-batch "));
    micro_batches_->setSpecialValueText(tr("Micro-batch –")); // none
    micro_batches_->setRange(-1, -1);
    micro_batches_->setKeyboardTracking(false);
    leaveFieldBy({Qt::Key_Return, Qt::Key_Enter}, micro_batches_, [this] { timeline_->setFocus(); });
    leaveFieldBy({Qt::Key_Escape}, micro_batches_, [this] {
        showMicroBatch(micro_batch_); // not what was typed
        timeline_->setFocus();
    });
    auto* row = new QWidget;
    auto* along = new QHBoxLayout(row);
    along->setContentsMargins({});
    legend_ =
        new Legend([this](const ChartStyle& style) { return activityEntries(style, data_, baseData()); });
    legend_->setObjectName(QStringLiteral("pipelineLegend"));
    legend_->controls(timeline_);
    along->addWidget(legend_);
    along->addStretch(1);
    along->addWidget(makeUnits());
    along->addWidget(micro_batches_);
    along->addWidget(replicas_);
    replicas_->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    replicas_->setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed); // the legend has lines for its entries
    return headedPage({heading_, figures_, row}, timeline_, panel_, 3, 2);
}

void PipelineView::makeActions() {
    addTimelineActions(this, timeline_);
    addViewAction(this, tr("Frame selection"), QStringLiteral("fit"), Qt::Key_F,
                  tr("Fill the view with the selected range or micro-batch (F)"),
                  [this] { frameSelection(); });
    addViewAction(this, tr("Next micro-batch"), QStringLiteral("down"), Qt::Key_N,
                  tr("Choose the next micro-batch (N or .)"), [this] { stepMicroBatch(1); })
        ->setShortcuts({Qt::Key_N, Qt::Key_Period});
    addViewAction(this, tr("Previous micro-batch"), QStringLiteral("up"), Qt::SHIFT | Qt::Key_N,
                  tr("Choose the previous micro-batch (Shift+N or ,)"), [this] { stepMicroBatch(-1); })
        ->setShortcuts({Qt::SHIFT | Qt::Key_N, Qt::Key_Comma});
    addKeyAction(parts_, tr("Go to micro-batch"), Qt::Key_J, [this] { // the tool bar is long enough
        micro_batches_->setFocus(Qt::ShortcutFocusReason);
        micro_batches_->selectAll();
    });
    addKeyAction(parts_, tr("By time or by slots"), Qt::SHIFT | Qt::Key_T, [this] { showBySlot(!by_slot_); });
    auto* trace = addKeyAction(timeline_, tr("Show in the trace"), Qt::Key_Return, [this] {
        if (micro_batch_ >= 0)
            Q_EMIT viewRequested(QStringLiteral("trace"));
        else
            Q_EMIT message(tr("Click a micro-batch, or choose one with N."));
    });
    trace->setShortcuts({Qt::Key_Return, Qt::Key_Enter});
    addKeyAction(timeline_, tr("Range of the chosen pass"), Qt::Key_R, [this] { selectPass(); });
    addKeyAction(timeline_, tr("Ruler"), Qt::Key_K, [this] { timeline_->measure(false); });
    addKeyAction(timeline_, tr("Next pass of the stage"), Qt::Key_Right, [this] { moveInTime(false); });
    addKeyAction(timeline_, tr("Previous pass of the stage"), Qt::Key_Left, [this] { moveInTime(true); });
    addKeyAction(timeline_, tr("Stage below"), Qt::Key_Down, [this] { moveToStage(1); });
    addKeyAction(timeline_, tr("Stage above"), Qt::Key_Up, [this] { moveToStage(-1); });
    for (const auto& [page, by] : {std::pair(Qt::Key_PageDown, 1), std::pair(Qt::Key_PageUp, -1)}) {
        auto* tab = new QShortcut(Qt::CTRL | page, this, nullptr, nullptr, Qt::WidgetWithChildrenShortcut);
        connect(tab, &QShortcut::activated, panel_, [this, by = by] { panel_->showTab(by); });
    }
    addViewAction(this, tr("Clear"), QStringLiteral("clear"), Qt::Key_Escape,
                  tr("Forget the selected range and micro-batch (Esc)"), [this] {
                      clearRange();
                      timeline_->dropRuler();
                      chooseMicroBatch(-1);
                      timeline_->setFocus();
                  });
    own_actions_ = actions();
}

/// They move in the time line, which a run without a pipeline does not have.
void PipelineView::enableActions(bool enable) {
    for (QAction* each : std::as_const(own_actions_))
        each->setEnabled(enable);
}

void PipelineView::connectTimeline() {
    timeline_->setDescriber(
        [this](const TimelineSlice& slice, const TimelineLane& lane, const TimelineGroup& group) {
            return sliceText(group.base && base_ ? *base_ : data_, slice, lane.key);
        });
    connect(timeline_, &TimelineWidget::sliceHovered, this,
            [this](const TimelineSlice* slice) { highlight(slice == nullptr ? -1 : slice->micro_batch); });
    connect(timeline_, &TimelineWidget::sliceClicked, this,
            [this](const TimelineSlice& slice, LaneKind, qint64 stage, bool base) {
                choose(slice, stage, base);
            });
    connect(timeline_, &TimelineWidget::laneClicked, this,
            [this](qint64 stage, bool) { chooseStage(stage); });
    connect(timeline_, &TimelineWidget::backgroundClicked, this, [this] { chooseMicroBatch(-1); });
    connect(timeline_, &TimelineWidget::rangeSelected, this, [this](qint64, bool base, qint64, qint64) {
        range_base_ = base;
        showTotals();
    });
    connect(timeline_, &TimelineWidget::hovered, this, &View::pointedAt);
}

/// In a low window the stages need the lines.
void PipelineView::resizeEvent(QResizeEvent* event) {
    View::resizeEvent(event);
    constexpr int least_lines = 24;
    figures_->setBrief(height() < least_lines * fontMetrics().height());
}

void PipelineView::startOver(bool /*another*/) {
    data_ = {};
    base_.reset();
    stage_ = 0;
    fresh_ = true;
    enableActions(true);
    timeline_->setRange({});
    showMicroBatch(-1);
    Q_EMIT detailsChanged({});
    pages_->showText(sources().current ? tr("Reading the pipeline …")
                                       : tr("Open a profile to see its pipeline."));
}

void PipelineView::refresh() {
    if (!data_.any()) // once recorded, it stays as it is
        ask();
}

void PipelineView::programChosen() {
    fresh_ = true;
    if (sources().current)
        ask();
}

/// Its figures are of one weight update, whatever the others are per; they may be in other units now.
void PipelineView::basisChosen() {
    if (!data_.any())
        return;
    showFigures();
    tellDetails();
}

void PipelineView::ask() {
    const auto of_chosen = [key = deviceProgram()](const profile::Profile& file) {
        return PipelineData::read(file, key);
    };
    base_.reset();
    read_ = false;
    const auto show = [this](Result<PipelineData> read) {
        if (!read) {
            if (read.error().kind != ErrorKind::Cancelled)
                pages_->showText(asHtml(read.error().line()));
            return;
        }
        data_ = std::move(*read);
        read_ = true;
        showData();
    };
    sources().current->ask<PipelineData>(this, QStringLiteral("pipeline"), of_chosen, show);
    if (sources().base)
        sources().base->ask<PipelineData>(this, QStringLiteral("pipeline of base"), of_chosen,
                                          [this](Result<PipelineData> read) {
                                              if (!read)
                                                  return;
                                              base_ = std::move(*read);
                                              if (read_)
                                                  showData();
                                          });
}

void PipelineView::showData() {
    if (!data_.any() && data_.phases.empty() && !data_.compiled)
        return showNothingYet(*pages_, *this, tr("Nothing was recorded of the program."));
    parts_->setCurrentIndex(data_.any() ? 0 : 1);
    enableActions(data_.any());
    if (!data_.any())
        Q_EMIT detailsChanged({});
    if (!data_.any() && data_.described && data_.schedule.isEmpty()) {
        phases_->setData(data_);
        return pages_->showPage();
    }
    if (!data_.any())
        return pages_->showText(!data_.described ? tr("No pipeline is recorded of %1.").arg(data_.program)
                                                 : notRecorded(data_.schedule));
    pages_->showPage();
    replicas_->clear();
    for (std::int64_t each = 0; each < data_.replicas; ++each)
        replicas_->addItem(tr("Replica %1").arg(each));
    replicas_->setVisible(data_.replicas > 1);
    const QSignalBlocker same(micro_batches_);
    micro_batches_->setMaximum(static_cast<int>(data_.update.micro_batches) - 1);
    tellMicroBatch();
    drawStages();
    if (std::exchange(fresh_, false) || baseData() != nullptr)
        timeline_->setZoom({});
    showFigures();
    legend_->updateGeometry(); // it has what there is
    legend_->update();
    showTotals();
    followNow();
}

void PipelineView::showStages() {
    replica_ = std::min(replica(), data_.replicas - 1);
    replicas_->setCurrentIndex(static_cast<int>(replica_));
    std::vector<TimelineGroup> groups;
    groups.push_back(pipelineGroup(drawn(), sources().current->name(), false, replica_));
    if (const PipelineData* base = baseData())
        groups.push_back(pipelineGroup(drawnOf(*base), tr("%1 (base)").arg(sources().base->name()), true,
                                       std::min(replica_, base->replicas - 1)));
    timeline_->setGroups(std::move(groups));
}

std::int64_t PipelineView::replica() const {
    const profile::IpuRecord* ipu = selection() == nullptr ? nullptr : data_.ipu(selection()->current().ipu);
    return ipu == nullptr ? 0 : ipu->replica;
}

/// The IPU of the same stage in it is selected.
void PipelineView::chooseReplica(std::int64_t wanted) {
    if (selection() == nullptr)
        return;
    Selection next = selection()->current();
    const profile::IpuRecord* now = data_.ipu(next.ipu);
    const std::int64_t stage = now == nullptr || now->stage < 0 ? 0 : now->stage;
    const profile::IpuRecord* ipu = data_.ipuOf(stage, wanted);
    if (ipu == nullptr)
        return;
    next.lookAt(ipu->id);
    selection()->set(next);
}

void PipelineView::showFigures() {
    const PipelineData* base = baseData();
    const analyse::PipelineUpdate& update = data_.update;
    QStringList parts;
    parts << formatCounted(update.stages.size(), tr("stage"), tr("stages")) << batchesText(data_)
          << formatCounted(update.schedule.size(), tr("slot"), tr("slots"));
    if (!update.training)
        parts << tr("forward passes only");
    if (data_.replicas > 1)
        parts << tr("all replicas do the same");
    if (data_.planned)
        parts << tr("planned: nothing was executed");
    heading_->setHtml(
        inHtml(QStringLiteral("<span style='font-size:x-large; font-weight:600'>%1</span>&nbsp;&nbsp;&nbsp;"
                              "<span style='color:@muted'>%2</span>"),
               {data_.schedule.isEmpty() ? tr("Pipeline") : tr("%1 schedule").arg(data_.schedule),
                parts.join(QStringLiteral("  ·  "))}) +
        (data_.too_full
             ? inHtml(QStringLiteral("<br>%1 %2"), {data_.too_full->text(), Html{data_.too_full->links()}})
             : QString()) +
        paceText());
    const auto length = [&](const QString& name, const QString& tip, double now, double then) {
        const QString cycles = formatCycles(std::llround(now));
        const bool in_time = data_.clock_hz > 0 && !units().cycles;
        FigureStrip::Figure figure{
            name, in_time ? formatTime(now, data_.clock_hz) : cycles, in_time ? cycles : QString(), {}, 0,
            tip};
        if (base != nullptr) { // of what stands first: two clocks may differ
            const double longer =
                in_time && base->clock_hz > 0 ? base->clock_hz / data_.clock_hz : 1; // each cycle
            figure.change = formatChange(then, now * longer);
            figure.better = analyse::judged(then, now * longer, analyse::Sense::LessIsBetter);
        }
        return figure;
    };
    const auto share = [&](const QString& name, const QString& tip, const QString& remark, double now,
                           double then, analyse::Sense sense) {
        FigureStrip::Figure figure{name, formatPercent(now), remark, {}, 0, tip};
        if (base != nullptr) {
            figure.change = formatPoints(then, now);
            figure.better = analyse::judged(then, now, sense);
        }
        return figure;
    };
    const analyse::StashFigures stashes = analyse::stash_figures(data_.stashes);
    const auto per_batch = [](const PipelineData& data) {
        return data.update.cycles_per_batch(data.replicas).value_or(0);
    };
    figures_->setFigures(
        {length(update.training ? tr("Weight update") : tr("Engine run"),
                tr("From the first micro-batch to the end of the update"), static_cast<double>(update.cycles),
                base != nullptr ? static_cast<double>(base->update.cycles) : 0),
         length(tr("Per batch"),
                tr("The update over its micro-batches and replicas; what launches an engine "
                   "run is not in it, as it is in the time per step of Summary"),
                per_batch(data_), base != nullptr ? per_batch(*base) : 0),
         share(tr("Utilisation"),
               tr("Cycles of forward, recomputation, backward and update, of all IPUs; streams from and to "
                  "the host are in the passes that they feed"),
               {}, data_.ipu_update.all_stages().utilisation(),
               base != nullptr ? base->ipu_update.all_stages().utilisation() : 0,
               analyse::Sense::MoreIsBetter),
         share(tr("Bubble"),
               update.halves ? tr("Halves of the slots in which an IPU has no pass; a slot has a forward "
                                  "and a backward pass of each stage")
                             : tr("Slots in which an IPU has no pass"),
               update.halves ? tr("of all half slots") : tr("of the slots"), data_.ipu_update.bubble(),
               base != nullptr ? base->ipu_update.bubble() : 0, analyse::Sense::LessIsBetter),
         share(tr("Idle"), tr("Cycles in which an IPU has nothing to do in a slot"), tr("of the time"),
               data_.ipu_update.all_stages().share(PipelineActivity::Idle),
               base != nullptr ? base->ipu_update.all_stages().share(PipelineActivity::Idle) : 0,
               analyse::Sense::LessIsBetter),
         {tr("Stashes"), data_.described ? formatBytes(stashes.bytes) : QStringLiteral("–"),
          stashes.deepest > 0 ? tr("up to %1 deep").arg(stashes.deepest) : QString(), QString(), 0,
          data_.described
              ? tr("What waits for its backward pass, on the IPUs of one replica")
              : tr("The memory of this program is not recorded: the profile has that of the first one")}});
}

void PipelineView::showTotals() {
    if (!data_.any())
        return;
    const auto range = rangeInCycles();
    const bool base = range && range_base_ && baseData() != nullptr;
    panel_->setData(base ? *base_ : data_, base ? nullptr : baseData(), range,
                    base ? sources().base->name() : sources().current->name(), micro_batch_);
}

void PipelineView::follow(const Selection& selection) {
    const profile::IpuRecord* ipu = data_.ipu(selection.ipu);
    const std::int64_t stage = ipu == nullptr ? -1 : ipu->stage;
    if (data_.any() && replica() != replica_)
        showStages();
    if (ipu != nullptr && data_.ipuOf(stage_, replica_) != ipu)
        stage_ = std::max<std::int64_t>(stage, 0);
    timeline_->setCurrentLane(stage);
    panel_->selectStage(stage);
    if (selection.micro_batch != micro_batch_ && selection.micro_batch < data_.update.micro_batches)
        showMicroBatch(selection.micro_batch);
    tellDetails();
}

void PipelineView::chooseStage(std::int64_t stage) {
    if (selection() == nullptr)
        return;
    Selection next = selection()->current();
    const profile::IpuRecord* ipu = data_.ipuOf(stage, replica());
    stage_ = stage;
    if (ipu == nullptr)
        return;
    next.lookAt(ipu->id);
    selection()->set(next);
    timeline_->setCurrentLane(stage); // its IPU may have several
    panel_->selectStage(stage);
}

void PipelineView::choose(const TimelineSlice& slice, std::int64_t stage, bool base) {
    if (!base &&
        analyse::works_on_micro_batch(slice.activity)) // before the IPU, so that a pass is chosen on its own
        return choosePass(stage, slice.micro_batch, slice.activity);
    chooseMicroBatch(slice.micro_batch);
    if (!base)
        chooseStage(stage);
}

PipelineActivity PipelineView::chosenActivity() const {
    return selection() == nullptr ? PipelineActivity::Forward : selection()->current().activity;
}

/// From where the picture begins, if no pass of the stage is chosen.
void PipelineView::moveInTime(bool earlier) {
    const auto activity = chosenActivity();
    const auto* now = analyse::pass_of(drawn().records, stage_, micro_batch_, activity);
    const auto from =
        now != nullptr ? now->start_cycle : static_cast<std::int64_t>(timeline_->view().from()) - 1;
    if (const auto* next = analyse::pass_next_to(drawn().records, stage_, from, earlier && now != nullptr))
        showPass(*next);
}

/// Where the stage makes no such pass of the micro-batch: to the one that begins next.
void PipelineView::moveToStage(std::int64_t by) {
    const auto here = std::find_if(data_.lanes.begin(), data_.lanes.end(),
                                   [this](const TimelineLane& lane) { return lane.key == stage_; });
    const auto row = std::distance(data_.lanes.begin(), here) + by; // that is seen above or below
    if (row < 0 || row >= static_cast<std::int64_t>(data_.lanes.size()))
        return;
    const std::int64_t stage = data_.lanes[static_cast<std::size_t>(row)].key;
    const auto activity = chosenActivity();
    const auto* now = analyse::pass_of(drawn().records, stage_, micro_batch_, activity);
    const auto* there = analyse::pass_of(drawn().records, stage, micro_batch_, activity);
    if (there == nullptr && now != nullptr)
        there = analyse::pass_next_to(drawn().records, stage, now->start_cycle, false);
    if (there != nullptr)
        return showPass(*there);
    stage_ = stage;
    chooseStage(stage);
}

/// Wide enough to be told from the next.
void PipelineView::showPass(const profile::PipelineSlotRecord& pass) {
    choosePass(pass.stage, pass.micro_batch, pass.activity);
    const auto from = static_cast<double>(pass.start_cycle);
    const auto to = static_cast<double>(pass.end_cycle);
    constexpr double least_share = 0.01; // of the picture
    constexpr double around = 20;        // lengths of the pass
    if (to - from < least_share * timeline_->view().span())
        timeline_->frame(from - around * (to - from), to + around * (to - from));
    else
        timeline_->reveal(from, to);
}

void PipelineView::choosePass(std::int64_t stage, std::int64_t micro_batch, PipelineActivity pass) {
    stage_ = stage;
    if (micro_batch != micro_batch_)
        showMicroBatch(micro_batch);
    if (selection() == nullptr)
        return;
    Selection next = selection()->current();
    const profile::IpuRecord* ipu = data_.ipuOf(stage, replica());
    if (ipu != nullptr)
        next.lookAt(ipu->id);
    next.operation = next.layer = next.program = -1;
    next.follow(micro_batch, pass);
    selection()->set(next);
    timeline_->setCurrentLane(stage); // its IPU may have several
    panel_->selectStage(stage);
}

void PipelineView::chooseMicroBatch(std::int64_t micro_batch) {
    showMicroBatch(micro_batch);
    if (selection() == nullptr || selection()->current().micro_batch == micro_batch)
        return;
    Selection next = selection()->current();
    next.operation = next.layer = next.program = -1;
    next.follow(micro_batch);
    selection()->set(next);
}

void PipelineView::showMicroBatch(std::int64_t micro_batch) {
    micro_batch_ = micro_batch;
    tellMicroBatch();
    highlight(-1);
    if (data_.any())
        showTotals();
}

/// In the field, which has those of the new file alone: the base, or another program, may have more.
void PipelineView::tellMicroBatch() {
    const QSignalBlocker same(micro_batches_);
    micro_batches_->setValue(micro_batch_ > micro_batches_->maximum() ? -1 : static_cast<int>(micro_batch_));
}

void PipelineView::stepMicroBatch(std::int64_t by) {
    const std::int64_t count = data_.update.micro_batches;
    if (count == 0)
        return;
    goToMicroBatch(micro_batch_ < 0 ? (by > 0 ? 0 : count - 1) : (micro_batch_ + by + count) % count);
}

/// Wide enough to be seen among thousands. -1: no micro-batch is chosen any more.
void PipelineView::goToMicroBatch(std::int64_t micro_batch) {
    chooseMicroBatch(micro_batch);
    const auto [first, last] = analyse::micro_batch_span(drawn().records, micro_batch);
    const auto from = static_cast<double>(first);
    const auto to = static_cast<double>(last);
    constexpr double least_share = 0.02; // of the picture
    if (to <= from)
        return;
    if (to - from < least_share * timeline_->view().span())
        timeline_->frame(from, to);
    else
        timeline_->reveal(from, to);
}

void PipelineView::highlight(std::int64_t hovered) {
    TimelineHighlight wanted;
    wanted.micro_batch = hovered >= 0 ? hovered : micro_batch_;
    if (!(wanted == timeline_->highlight()))
        timeline_->setHighlight(wanted);
}

void PipelineView::clearRange() {
    timeline_->setRange({});
    if (data_.any())
        showTotals();
}

void PipelineView::selectPass() {
    const auto* pass = analyse::pass_of(drawn().records, stage_, micro_batch_, chosenActivity());
    if (pass == nullptr)
        return Q_EMIT message(tr("Click a pass of a micro-batch, or go to one with the arrows."));
    range_base_ = false;
    timeline_->setRange(std::pair(pass->start_cycle, pass->end_cycle));
    showTotals();
}

void PipelineView::frameSelection() {
    const auto range = timeline_->range();
    const auto [from, to] = range ? *range : analyse::micro_batch_span(drawn().records, micro_batch_);
    if (to > from)
        timeline_->frame(static_cast<double>(from), static_cast<double>(to));
    else
        Q_EMIT message(tr("Drag over the stages to select a range, or click a micro-batch."));
}

} // namespace tilescope::ui
