// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/pipeline_slice.h"

#include <QCoreApplication>

namespace tilescope::ui {

using analyse::PipelineActivity;

QString activityName(PipelineActivity activity) {
    const auto tr = [](const char* name) { return QCoreApplication::translate("PipelineActivity", name); };
    switch (activity) {
    case PipelineActivity::Forward:
        return tr("forward");
    case PipelineActivity::Recompute:
        return tr("recompute");
    case PipelineActivity::Backward:
        return tr("backward");
    case PipelineActivity::Copy:
        return tr("copy");
    case PipelineActivity::Update:
        return tr("update");
    case PipelineActivity::Waiting:
        return tr("waiting");
    case PipelineActivity::Idle:
        break;
    }
    return tr("idle");
}

QString passText(const profile::PipelineSlotRecord& record) {
    const auto tr = [](const char* name) { return QCoreApplication::translate("PipelineActivity", name); };
    switch (record.activity) {
    case PipelineActivity::Forward:
        return tr("%1 F").arg(record.micro_batch);
    case PipelineActivity::Recompute:
        return tr("%1 R").arg(record.micro_batch);
    case PipelineActivity::Backward:
        return tr("%1 B").arg(record.micro_batch);
    default:
        return activityName(record.activity);
    }
}

TimelineSlice pipelineSlice(const profile::PipelineSlotRecord& record) {
    TimelineSlice slice;
    slice.start = record.start_cycle;
    slice.end = record.end_cycle;
    slice.activity = record.activity;
    slice.slot = record.slot;
    slice.micro_batch = record.micro_batch;
    return slice;
}

} // namespace tilescope::ui
