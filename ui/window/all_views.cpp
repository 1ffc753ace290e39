// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/all_views.h"

#include "ui/compare/compare_view.h"
#include "ui/compile/compile_view.h"
#include "ui/exchange/exchange_view.h"
#include "ui/graph/graph_view.h"
#include "ui/insights/insights_view.h"
#include "ui/live/live_view.h"
#include "ui/liveness/liveness_view.h"
#include "ui/memory/memory_view.h"
#include "ui/operations/operations_view.h"
#include "ui/pipeline/pipeline_view.h"
#include "ui/program/program_view.h"
#include "ui/query/query_view.h"
#include "ui/runs/runs_view.h"
#include "ui/sharding/sharding_view.h"
#include "ui/summary/summary_view.h"
#include "ui/trace/trace_view.h"

namespace tilescope::ui {

QList<ViewPlace> allViews(QWidget* parent) {
    return {
        {new SummaryView(parent), u'S', 0},    {new InsightsView(parent), u'I', 0},
        {new MemoryView(parent), u'M', 1},     {new LivenessView(parent), u'L', 1},
        {new GraphView(parent), u'G', 2},      {new ProgramView(parent), u'P', 2},
        {new OperationsView(parent), u'O', 2}, {new TraceView(parent), u'T', 3},
        {new PipelineView(parent), u'K', 3},   {new ShardingView(parent), u'H', 4},
        {new ExchangeView(parent), u'X', 4},   {new CompileView(parent), u'C', 5},
        {new QueryView(parent), u'Q', 5},      {new LiveView(parent), u'V', 6},
        {new CompareView(parent), u'D', 6},    {new RunsView(parent), u'R', 6},
    };
}

} // namespace tilescope::ui
