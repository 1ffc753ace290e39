// SPDX-License-Identifier: GPL-3.0-or-later
// What is selected fills the view: the part of TraceView that looks for it.
#include "ui/trace/trace_hits.h"
#include "ui/trace/trace_lanes.h"
#include "ui/trace/trace_view.h"

#include <QShowEvent>
#include <cmath>
#include <utility>

namespace tilescope::ui {
namespace {

const QString first_topic = QStringLiteral("trace first");

/// The narrowest lane that names it.
LaneKind lane_of(const Selection& selection) {
    return selection.program >= 0     ? LaneKind::Program
           : selection.operation >= 0 ? LaneKind::Operation
                                      : LaneKind::Layer;
}

} // namespace

/// What is in view already gives way to all.
void TraceView::frame(std::int64_t from, std::int64_t to) {
    const QVariantList before = timeline_->zoom();
    timeline_->frame(static_cast<double>(from), static_cast<double>(to));
    if (timeline_->zoom() == before)
        timeline_->setZoom({});
}

void TraceView::frameSelection() {
    if (const auto range = timeline_->range())
        return frame(range->first, range->second);
    if (selection() == nullptr)
        return;
    const Selection& s = selection()->current();
    const TimelineHighlight wanted{s.operation, s.layer, s.program};
    if (!wanted.any())
        return;
    // The slice nearest to the middle of the view.
    const LaneKind kind = lane_of(s);
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
        frame(best->start, best->end);
    else // it is drawn as one with others, or runs elsewhere
        frameFirst();
}

void TraceView::showEvent(QShowEvent* event) {
    View::showEvent(event);
    frameDue();
}

void TraceView::frameDue() {
    const bool known = feed_ != nullptr && feed_->tables() && feed_->tables()->knowsProgram();
    if (known && isVisible() && std::exchange(subject_due_, false))
        frameFirst();
}

std::vector<std::int64_t> TraceView::stepsOfSelection() const {
    const Selection& s = selection()->current();
    const TraceProgram& program = feed_->tables()->program();
    return s.program >= 0     ? program.stepsBelow(s.program)
           : s.operation >= 0 ? program.stepsOf(s.operation)
                              : program.stepsOfLayer(s.layer);
}

void TraceView::frameFirst() {
    if (feed_ == nullptr || !feed_->tables() || selection() == nullptr)
        return;
    std::vector<profile::IpuRecord> on = lanes_.distinct(ipus());
    for (const profile::IpuRecord& ipu : ipus()) // that of the selection comes first
        if (ipu.id == currentIpu())
            on.insert(on.begin(), ipu);
    feed_->source().ask<std::optional<TraceHit>>(
        this, first_topic,
        [on, wanted = stepsOfSelection()](const profile::Profile& file) {
            return first_pass(file, on, wanted);
        },
        [this, subject = subject_](const Result<std::optional<TraceHit>>& pass) {
            if (!pass || subject != subject_)
                return;
            if (*pass)
                showFirst(**pass);
            else
                Q_EMIT message(tr("What is selected never runs in this file."));
        });
}

void TraceView::showFirst(const TraceHit& pass) {
    const Selection& s = selection()->current();
    const TraceTables& tables = *feed_->tables();
    const TraceProgram& program = tables.program();
    const LaneKind lane = lane_of(s);
    TimelineSlice slice = program_slice(tables, pass.slice);
    const QString operation = program.operationName(slice.operation);
    slice.label = lane == LaneKind::Program     ? within(program.step(s.program).name, operation)
                  : lane == LaneKind::Operation ? within(operation, program.layerName(slice.layer))
                                                : program.layerName(s.layer);
    unhide(pass.ipu);
    chosen_ = {lane, pass.ipu, false, slice.start, slice.end, slice.label, slice.execution};
    timeline_->frame(static_cast<double>(slice.start), static_cast<double>(slice.end));
    timeline_->revealGroup(pass.ipu);
    tellSlice(slice, lane, pass.ipu, false);
}

} // namespace tilescope::ui
