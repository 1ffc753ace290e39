// SPDX-License-Identifier: GPL-3.0-or-later
// The way of a micro-batch over the IPUs: the part of TraceView that follows it.
#include "ui/trace/trace_view.h"
#include "ui/widgets/view_action.h"

namespace tilescope::ui {
namespace {

const QString link_topic = QStringLiteral("trace link");

} // namespace

void TraceView::makeFlowActions() {
    addKeyAction(timeline_, tr("Follow the micro-batch or exchange"), Qt::Key_BracketRight,
                 [this] { followFlow(1); });
    addKeyAction(timeline_, tr("Follow the micro-batch or exchange back"), Qt::Key_BracketLeft,
                 [this] { followFlow(-1); });
}

void TraceView::showFlow() {
    timeline_->setFlows(flow_ ? flow_->arrows() : link_ ? link_->arrows() : std::vector<TimelineFlow>());
    TimelineHighlight highlight = timeline_->highlight();
    highlight.micro_batch = flow_ ? flow_->microBatch() : -1;
    timeline_->setHighlight(highlight, timeline_->baseHighlight());
}

void TraceView::followFlow(int direction) {
    if (link_)
        return followLink(direction);
    if (!flow_) {
        Q_EMIT message(tr("Click a micro-batch, or an exchange between IPUs, to follow it."));
        return;
    }
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
    feed_->source().ask<std::optional<LinkFlow>>(
        this, link_topic,
        [ipu, step](const profile::Profile& file) { return LinkFlow::through(file, ipu, step); },
        [this](Result<std::optional<LinkFlow>> link) {
            if (!link || flow_)
                return;
            link_ = std::move(*link);
            showFlow();
        });
}

void TraceView::dropLink() {
    link_.reset();
    if (feed_ != nullptr)
        feed_->source().cancel(this, link_topic);
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
    slice.label = feed_->tables()->step(slice.program).name;
    slice.cycles = stop->step.cycles;
    timeline_->reveal(static_cast<double>(slice.start), static_cast<double>(slice.end));
    timeline_->revealGroup(stop->ipu);
    choose(slice, LaneKind::Program, stop->ipu, false);
}

void TraceView::followMicroBatch(const Selection& chosen) {
    if (feed_ == nullptr || !feed_->tables())
        return;
    const bool same = flow_ && flow_->microBatch() == chosen.micro_batch && flow_->ipu() == chosen.ipu &&
                      flow_->pass() == chosen.activity;
    if (same || (!flow_ && chosen.micro_batch < 0))
        return;
    const auto& programs = feed_->tables()->device_programs;
    const auto program = programs.find(chosen.device_program); // "": the first one
    flow_ = MicroBatchFlow::of(*feed_->tables(), program == programs.end() ? 0 : program->second, chosen.ipu,
                               chosen.micro_batch, chosen.activity, timeline_->view().from());
    if (flow_) {
        unhide(flow_->ipu());
        const TimelineSlice slice = flow_->slice();
        chosen_ = {LaneKind::MicroBatch, flow_->ipu(), false, slice.start, slice.end, slice.label};
        timeline_->frame(static_cast<double>(slice.start), static_cast<double>(slice.end));
        timeline_->revealGroup(flow_->ipu());
    }
    showFlow();
}

} // namespace tilescope::ui
