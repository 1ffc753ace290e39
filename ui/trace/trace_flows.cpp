// SPDX-License-Identifier: GPL-3.0-or-later
// The way of a micro-batch over the IPUs: the part of TraceView that follows it.
#include "ui/trace/trace_view.h"

#include <QAction>

namespace tilescope::ui {

void TraceView::makeFlowActions() {
    const auto key = [this](const QString& text, Qt::Key shortcut, int direction) {
        auto* action = new QAction(text, timeline_); // of the time line: the tool bar is long enough
        action->setShortcut(shortcut);
        action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
        connect(action, &QAction::triggered, this, [this, direction] { followFlow(direction); });
        timeline_->addAction(action);
    };
    key(tr("Follow the micro-batch"), Qt::Key_BracketRight, 1);
    key(tr("Follow the micro-batch back"), Qt::Key_BracketLeft, -1);
}

void TraceView::showFlow() {
    timeline_->setFlows(flow_ ? flow_->arrows() : std::vector<TimelineFlow>());
    TimelineHighlight highlight = timeline_->highlight();
    highlight.micro_batch = flow_ ? flow_->microBatch() : -1;
    timeline_->setHighlight(highlight, timeline_->baseHighlight());
}

void TraceView::followFlow(int direction) {
    if (!flow_) {
        Q_EMIT message(tr("Click a micro-batch to follow it."));
        return;
    }
    if (!flow_->step(direction)) {
        Q_EMIT message(direction > 0
                           ? tr("This is the last pass of micro-batch %1.").arg(flow_->microBatch())
                           : tr("This is the first pass of micro-batch %1.").arg(flow_->microBatch()));
        return;
    }
    if (LaneChoice next = lanes_; !next.shows(flow_->ipu())) {
        next.show(flow_->ipu(), true, ipus());
        setLanes(next);
    }
    const TimelineSlice slice = flow_->slice();
    timeline_->reveal(static_cast<double>(slice.start), static_cast<double>(slice.end));
    timeline_->revealGroup(flow_->ipu());
    choose(slice, LaneKind::MicroBatch, flow_->ipu(), false);
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
        const TimelineSlice slice = flow_->slice();
        chosen_ = {LaneKind::MicroBatch, flow_->ipu(), false, slice.start};
        timeline_->frame(static_cast<double>(slice.start), static_cast<double>(slice.end));
        timeline_->revealGroup(flow_->ipu());
    }
    showFlow();
}

} // namespace tilescope::ui
