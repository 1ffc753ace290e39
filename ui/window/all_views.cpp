// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/all_views.h"

#include "ui/compare/compare_view.h"
#include "ui/graph/graph_view.h"
#include "ui/live/live_view.h"
#include "ui/liveness/liveness_view.h"
#include "ui/memory/memory_view.h"
#include "ui/operations/operations_view.h"
#include "ui/pipeline/pipeline_view.h"
#include "ui/program/program_view.h"
#include "ui/query/query_view.h"
#include "ui/sharding/sharding_view.h"
#include "ui/summary/summary_view.h"
#include "ui/trace/trace_view.h"

namespace tilescope::ui {

QList<View*> allViews(QWidget* parent) {
    return {
        new SummaryView(parent), new MemoryView(parent),   new LivenessView(parent),
        new GraphView(parent),   new ProgramView(parent),  new OperationsView(parent),
        new TraceView(parent),   new PipelineView(parent), new ShardingView(parent),
        new QueryView(parent),   new LiveView(parent),     new CompareView(parent),
    };
}

} // namespace tilescope::ui
