// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/trace/trace_totals.h"

#include <QCoreApplication>
#include <algorithm>
#include <cmath>
#include <map>

namespace tilescope::ui {
namespace {

void add(TraceTotal& total, const TraceTotal& part) {
    total.sync += part.sync;
    total.exchange += part.exchange;
    total.compute += part.compute;
    total.host += part.host;
}

std::vector<TraceTotal> largest_first(std::map<std::int64_t, TraceTotal>&& totals) {
    std::vector<TraceTotal> rows;
    for (auto& [id, total] : totals)
        rows.push_back(std::move(total));
    std::stable_sort(rows.begin(), rows.end(),
                     [](const TraceTotal& a, const TraceTotal& b) { return a.total() > b.total(); });
    return rows;
}

} // namespace

TraceTotals trace_totals(const TraceTables& tables, std::int64_t ipu,
                         std::pair<std::int64_t, std::int64_t> range,
                         const std::vector<profile::TraceSlice>& slices) {
    TraceTotals result;
    result.ipu = ipu;
    result.range = range;
    std::map<std::int64_t, TraceTotal> operations;
    std::map<std::int64_t, TraceTotal> layers;
    std::map<std::int64_t, TraceTotal> programs;
    const auto text = [](const char* source) { return QCoreApplication::translate("TraceTotals", source); };
    for (const profile::TraceSlice& slice : slices) {
        const TraceTables::Step& step = tables.step(slice.program_id);
        const TraceTotal part{{},
                              -1,
                              slice.cycles.sync,
                              slice.cycles.exchange + slice.cycles.inter_ipu,
                              slice.cycles.compute,
                              slice.cycles.host};
        const auto add_to = [&](std::map<std::int64_t, TraceTotal>& table, std::int64_t id,
                                const QString& name) {
            TraceTotal& total = table[id];
            total.id = id;
            total.name = !name.isEmpty()        ? name
                         : slice.program_id < 0 ? text("executions without trace")
                                                : text("no layer or operation");
            add(total, part);
        };
        add_to(operations, slice.program_id < 0 ? -2 : step.operation, tables.operationName(step.operation));
        add_to(layers, slice.program_id < 0 ? -2 : step.layer, tables.layerName(step.layer));
        add_to(programs, slice.program_id, step.name);
        add(result.phases, part);
    }
    result.idle = std::max<std::int64_t>(0, range.second - range.first - result.phases.total());
    result.operations = largest_first(std::move(operations));
    result.layers = largest_first(std::move(layers));
    result.programs = largest_first(std::move(programs));
    return result;
}

Result<std::vector<profile::TraceSlice>> find_slices(const profile::Profile& file, std::int64_t ipu,
                                                     const std::vector<std::int64_t>& wanted,
                                                     std::size_t most) {
    const auto executions = file.executions();
    if (!executions)
        return Failure(executions.error());
    std::vector<std::int64_t> sorted = wanted;
    std::sort(sorted.begin(), sorted.end());
    std::vector<profile::TraceSlice> hits;
    for (const profile::ExecutionRecord& e : *executions) {
        if (!e.traced || hits.size() >= most)
            continue;
        const auto slices = file.trace(ipu, e.start_cycle, e.start_cycle + e.cycles, 0);
        if (!slices)
            return Failure(slices.error());
        for (const profile::TraceSlice& slice : *slices)
            if (hits.size() < most && slice.execution_id == e.id &&
                std::binary_search(sorted.begin(), sorted.end(), slice.program_id))
                hits.push_back(slice);
    }
    return hits;
}

} // namespace tilescope::ui
