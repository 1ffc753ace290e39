// SPDX-License-Identifier: GPL-3.0-or-later
// The way of a micro-batch over the IPUs: the part of TraceView that follows it.
#include "ui/session/format.h"
#include "ui/timeline/pipeline_slice.h"
#include "ui/trace/trace_view.h"
#include "ui/widgets/detail_table.h"
#include "ui/widgets/view_action.h"

#include <QAction>
#include <QMenu>
#include <algorithm>

namespace tilescope::ui {
namespace {

const QString link_topic = QStringLiteral("trace link");
const QString flows_topic = QStringLiteral("trace flows");
constexpr std::size_t most_flows = 16; ///< that are offered

} // namespace

void TraceView::makeFlowActions() {
    addKeyAction(timeline_, tr("Follow the micro-batch or exchange"), Qt::Key_BracketRight,
                 [this] { followFlow(1); });
    addKeyAction(timeline_, tr("Follow the micro-batch or exchange back"), Qt::Key_BracketLeft,
                 [this] { followFlow(-1); });
    addKeyAction(timeline_, tr("Choose what to follow…"), Qt::CTRL | Qt::Key_BracketRight,
                 [this] { chooseFlow(0); });
}

void TraceView::chooseFlow(int direction) {
    const bool known = feed_ != nullptr && feed_->tables() && chosen_.start >= 0 && !chosen_.base;
    if (!known || chosen_.ipu < 0) {
        Q_EMIT message(tr("Click a slice of an IPU first, to follow what it is part of."));
        return;
    }
    feed_->source().ask<std::vector<LinkFlow::Link>>(
        this, flows_topic,
        [chosen = chosen_](const profile::Profile& file) {
            return LinkFlow::within(file, chosen.ipu, chosen.start, chosen.end, most_flows + 1);
        },
        [this, direction](const Result<std::vector<LinkFlow::Link>>& links) {
            if (links)
                offerFlows(*links, direction);
        });
}

QString TraceView::flowText(const LinkFlow::Link& link) const {
    const int room = fontMetrics().averageCharWidth() * 48;
    const QString name = fontMetrics().elidedText(feed_->tables()->program().step(link.step.program_id).name,
                                                  Qt::ElideMiddle, room);
    const QString at =
        clock() > 0 ? formatTime(link.step.start_cycle, clock()) : formatCycles(link.step.start_cycle);
    return (link.reduces ? tr("Round of an all-reduce to IPU %1 at %2:  %3")
            : link.sends ? tr("Copy to IPU %1 at %2:  %3")
                         : tr("Copy from IPU %1 at %2:  %3"))
        .arg(link.peer)
        .arg(at, name);
}

void TraceView::offerFlows(const std::vector<LinkFlow::Link>& links, int direction) {
    const auto batch =
        MicroBatchFlow::during(*feed_->tables(), chosen_.ipu, chosen_.execution, chosen_.start);
    const std::int64_t ipu = chosen_.ipu;
    if (links.empty() && !batch)
        return Q_EMIT message(tr("Nothing goes from here to another IPU, or comes from one."));
    if (links.empty() || (links.size() == 1 && !batch)) {
        if (direction == 0)
            Q_EMIT message(tr("There is one flow here: ] and [ follow it."));
        return links.empty() ? takeFlow(batch, direction) : takeLink(links.front().step, ipu, direction);
    }
    auto* menu = new QMenu(this);
    menu->setObjectName(QStringLiteral("flowMenu"));
    menu->setAttribute(Qt::WA_DeleteOnClose);
    const auto add = [&](const QString& name, bool drawn, auto take) {
        QAction* action = menu->addAction(name, this, take);
        action->setCheckable(true);
        action->setChecked(drawn);
    };
    if (batch)
        add(tr("Micro-batch %1 over the stages").arg(batch->microBatch()), flow_.has_value(),
            [this, batch, direction] { takeFlow(batch, direction); });
    for (std::size_t i = 0; i < std::min(most_flows, links.size()); ++i)
        add(flowText(links[i]),
            link_ && link_->chosen().ipu == ipu &&
                link_->chosen().step.start_cycle == links[i].step.start_cycle,
            [this, step = links[i].step, ipu, direction] { takeLink(step, ipu, direction); });
    if (links.size() > most_flows)
        menu->addAction(tr("and more: choose a shorter slice"))->setEnabled(false);
    menu->popup(belowChosen());
    menu->setActiveAction(menu->actions().front()); // so that Enter takes it
}

QPoint TraceView::belowChosen() const {
    for (std::size_t g = 0; g < timeline_->groups().size(); ++g) {
        const TimelineGroup& group = timeline_->groups()[g];
        for (std::size_t l = 0; l < group.lanes.size(); ++l)
            if (group.ipu == chosen_.ipu && !group.base && group.lanes[l].kind == chosen_.lane) {
                const QRect lane = timeline_->laneRect(g, l);
                const double x = timeline_->view().x(static_cast<double>(chosen_.start));
                return timeline_->viewport()->mapToGlobal(
                    QPoint(lane.left() + static_cast<int>(std::clamp(x, 0.0, lane.width() * 0.8)),
                           std::clamp(lane.bottom() + 2, 0, timeline_->viewport()->height())));
            }
    }
    return timeline_->viewport()->mapToGlobal(timeline_->viewport()->rect().center());
}

void TraceView::takeFlow(std::optional<MicroBatchFlow> flow, int direction) {
    dropLink();
    flow_ = std::move(flow);
    showFlow();
    tellFlow();
    if (direction != 0)
        followFlow(direction);
}

void TraceView::takeLink(const profile::TraceSlice& step, std::int64_t ipu, int direction) {
    flow_.reset();
    dropLink();
    if (!sources().current) // the file went while one chose
        return;
    feed_->source().ask<std::optional<LinkFlow>>(
        this, link_topic,
        [ipu, step](const profile::Profile& file) { return LinkFlow::through(file, ipu, step); },
        [this, direction](Result<std::optional<LinkFlow>> link) {
            if (!link || flow_)
                return;
            link_ = std::move(*link);
            showFlow();
            tellFlow();
            if (link_ && direction != 0)
                followLink(direction);
        });
}

void TraceView::showFlow() {
    timeline_->setFlows(flow_ ? flow_->arrows() : link_ ? link_->arrows() : std::vector<TimelineFlow>());
    TimelineHighlight highlight = timeline_->highlight();
    highlight.micro_batch = flow_ ? flow_->microBatch() : -1;
    timeline_->setHighlight(highlight, timeline_->baseHighlight());
}

/// Beside the slice that is told: where else what it is part of passes.
void TraceView::tellFlow() {
    if (tells_slice_)
        Q_EMIT detailsChanged(slice_told_ + (flow_   ? batchDetails(*flow_)
                                             : link_ ? linkDetails(*link_)
                                                     : QString()));
}

QString TraceView::momentText(std::int64_t start, std::int64_t end) const {
    const auto text = [&](std::int64_t cycles) {
        return clock() > 0 ? formatTime(cycles, clock()) : formatCycles(cycles);
    };
    return tr("%1 from %2").arg(text(end - start), text(start));
}

QString TraceView::batchDetails(const MicroBatchFlow& flow) const {
    DetailTable table;
    for (std::size_t i = 0; i < flow.passes().size(); ++i) {
        const TimelineSlice slice = flow.slice(i);
        const QString pass = tr("%1, IPU %2").arg(activityName(flow.passes()[i].activity)).arg(flow.ipuOf(i));
        table.row(i == flow.chosen() ? inHtml(QStringLiteral("<b>%1</b>"), {pass}) : asHtml(pass),
                  momentText(slice.start, slice.end));
    }
    return table.html(tr("Way of micro-batch %1").arg(flow.microBatch()));
}

QString TraceView::linkDetails(const LinkFlow& link) const {
    DetailTable table;
    for (std::size_t i = 0; i < link.stops().size(); ++i) {
        const auto& [ipu, step] = link.stops()[i];
        const QString stop = (link.reduces() ? tr("Round %1, IPU %2").arg(i + 1)
                              : i == 0       ? tr("Sent by IPU %1")
                                             : tr("Received by IPU %1"))
                                 .arg(ipu);
        table.row(i == link.chosenStop() ? inHtml(QStringLiteral("<b>%1</b>"), {stop}) : asHtml(stop),
                  momentText(step.start_cycle, step.end_cycle));
    }
    return table.html(link.reduces() ? tr("Rounds of the all-reduce") : tr("Way of the copy"));
}

void TraceView::followFlow(int direction) {
    if (link_)
        return followLink(direction);
    if (!flow_)
        return chooseFlow(direction);
    if (!flow_->step(direction)) {
        Q_EMIT message(direction > 0
                           ? tr("This is the last pass of micro-batch %1.").arg(flow_->microBatch())
                           : tr("This is the first pass of micro-batch %1.").arg(flow_->microBatch()));
        return;
    }
    unhide(flow_->ipu());
    const TimelineSlice slice = flow_->slice();
    timeline_->reveal(static_cast<double>(slice.start), static_cast<double>(slice.end));
    timeline_->revealGroup(flow_->ipu());
    choose(slice, LaneKind::MicroBatch, flow_->ipu(), false);
}

/// A click on a single program step that exchanges with another IPU draws where that goes.
void TraceView::askLink(const TimelineSlice& slice, std::int64_t ipu) {
    profile::TraceSlice step;
    step.start_cycle = slice.start;
    step.end_cycle = slice.end;
    step.execution_id = slice.execution;
    step.step = slice.step;
    step.program_id = slice.program;
    step.cycles = slice.cycles;
    if (slice.program < 0 || slice.merged != 1 || slice.cycles.inter_ipu <= 0)
        return;
    takeLink(step, ipu, 0);
}

void TraceView::dropLink() {
    link_.reset();
    if (feed_ == nullptr)
        return;
    feed_->source().cancel(this, link_topic);
    feed_->source().cancel(this, flows_topic);
}

void TraceView::followLink(int direction) {
    const auto stop = link_->next(direction);
    if (!stop) {
        Q_EMIT message(link_->reduces() ? (direction > 0 ? tr("This is the last round of the all-reduce.")
                                                         : tr("This is the first round of the all-reduce."))
                       : direction > 0  ? tr("The copy ends on this IPU.")
                                        : tr("The copy begins on this IPU."));
        return;
    }
    unhide(stop->ipu);
    TimelineSlice slice;
    slice.start = stop->step.start_cycle;
    slice.end = stop->step.end_cycle;
    slice.execution = stop->step.execution_id;
    slice.step = stop->step.step;
    slice.program = stop->step.program_id;
    slice.operation = stop->step.operation_id;
    slice.layer = stop->step.layer_id;
    slice.label = feed_->tables()->program().step(slice.program).name;
    slice.cycles = stop->step.cycles;
    timeline_->reveal(static_cast<double>(slice.start), static_cast<double>(slice.end));
    timeline_->revealGroup(stop->ipu);
    choose(slice, LaneKind::Program, stop->ipu, false);
}

void TraceView::followMicroBatch(const Selection& chosen) {
    if (feed_ == nullptr || !feed_->tables())
        return;
    const bool same = flow_ && flow_->microBatch() == chosen.micro_batch && flow_->ipu() == chosen.ipu &&
                      flow_->pass() == chosen.activity &&
                      (!chosen.pass_start || flow_->slice().start == *chosen.pass_start);
    if (same || (!flow_ && chosen.micro_batch < 0))
        return;
    const auto& programs = feed_->tables()->device_programs;
    const auto program = programs.find(chosen.device_program); // "": the first one
    const auto& view = timeline_->view();
    const auto in_view = [&view](const TimelineSlice& slice) {
        return static_cast<double>(slice.end) > view.from() && static_cast<double>(slice.start) < view.to();
    };
    // In any update: in the one that is looked at.
    const double from = chosen.pass_start                  ? static_cast<double>(*chosen.pass_start)
                        : flow_ && in_view(flow_->slice()) ? static_cast<double>(flow_->begin())
                                                           : view.from();
    flow_ = MicroBatchFlow::of(*feed_->tables(), program == programs.end() ? 0 : program->second, chosen.ipu,
                               chosen.micro_batch, chosen.activity, from);
    if (flow_) {
        unhide(flow_->ipu());
        const TimelineSlice slice = flow_->slice();
        chosen_ = {LaneKind::MicroBatch, flow_->ipu(),   false, slice.start, slice.end,
                   slice.label,          slice.execution};
        timeline_->frame(static_cast<double>(slice.start), static_cast<double>(slice.end));
        timeline_->revealGroup(flow_->ipu());
        tellSlice(slice, LaneKind::MicroBatch, flow_->ipu(), false);
    } else {
        tellFlow();
    }
    showFlow();
}

} // namespace tilescope::ui
