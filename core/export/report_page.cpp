// SPDX-License-Identifier: GPL-3.0-or-later
#include "export/number_text.h"
#include "export/page.h"

#include <cmath>

namespace tilescope::exports {
namespace {

using analyse::Summary;
using Rows = std::vector<std::vector<std::string>>;

PageTable facts(Rows rows, bool figures = true) {
    return {{}, {false, figures}, std::move(rows)};
}

std::string bytes(std::int64_t value) {
    return bytes_text(static_cast<double>(value));
}

double share(std::int64_t part, std::int64_t whole) {
    return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
}

/// A tensor's values can be many.
std::string shortened(const std::string& values) {
    constexpr std::size_t most = 60;
    return values.size() <= most ? values : values.substr(0, most) + " …";
}

PageSection run_section(const Summary& s) {
    Rows rows{{"workload", s.run.name},
              {"status",
               profile::to_string(s.run.status) + (s.run.estimate ? " (estimate: no values computed)" : "")},
              {"device", s.run.device},
              {"batch", thousands(s.run.batch_size)},
              {"seed", std::to_string(s.run.seed)}};
    if (!s.run.data_note.empty())
        rows.push_back({"data", s.run.data_note});
    if (!s.run.error.empty())
        rows.push_back({"error", s.run.error});
    return {"run", "Run", {facts(std::move(rows), false)}, {}};
}

PageSection target_section(const Summary& s) {
    PageSection section{"target", "Target", {}, {}};
    if (s.target.tiles_per_ipu > 0)
        section.tables.push_back(
            facts({{"generation", s.target.generation},
                   {"system", s.target.system},
                   {"IPUs", thousands(s.target.ipus)},
                   {"tiles", thousands(s.target.tiles_per_ipu) + " of " + bytes(s.target.bytes_per_tile)},
                   {"clock", number_text(s.target.clock_hz / 1e9) + " GHz"}},
                  false));
    return section;
}

PageTable epochs_table(const Summary& s) {
    PageTable table{{"epoch"}, {true}, {}};
    for (const auto& [name, value] : s.epochs.front().metrics) {
        table.header.push_back(name);
        table.right.push_back(true);
    }
    for (const auto& epoch : s.epochs) {
        std::vector<std::string> row{std::to_string(epoch.epoch)};
        for (const auto& [name, value] : epoch.metrics)
            row.push_back(number_text(value));
        row.resize(table.header.size());
        table.rows.push_back(std::move(row));
    }
    return table;
}

PageSection result_section(const Summary& s) {
    PageSection section{"result", "Result", {}, {}};
    if (!s.outputs.empty()) {
        PageTable table{{"output", "shape", "values", "expected"}, {false, false, false, false}, {}};
        for (const auto& o : s.outputs)
            table.rows.push_back({o.name, o.shape, shortened(o.values), shortened(o.expected)});
        section.tables.push_back(std::move(table));
    }
    if (!s.epochs.empty())
        section.tables.push_back(epochs_table(s));
    if (!s.evaluation.empty()) {
        PageTable table{{"evaluation", "value"}, {false, true}, {}};
        for (const auto& [name, value] : s.evaluation)
            table.rows.push_back({name, number_text(value)});
        section.tables.push_back(std::move(table));
    }
    return section;
}

PageSection timing_section(const Summary& s) {
    const bool host = s.run.device == "cpu";
    PageSection section{"timing", host ? "Timing (of the host)" : "Timing (simulated)", {}, {}};
    Rows rows{{"steps", thousands(s.steps)},
              {"engine runs", thousands(s.executions)},
              {"compile time", microseconds_text(s.run.compile_s * 1e6)}};
    if (!host)
        rows.push_back({"cycles in all", thousands(s.cycles_total)});
    if (s.step_us > 0) // not before the first step, nor for a processor that did not compute
        rows.insert(rows.begin(), {{"step", microseconds_text(s.step_us)},
                                   {"throughput", number_text(s.samples_per_s) + " samples/s"}});
    section.tables.push_back(facts(std::move(rows)));
    const std::int64_t total = s.by_phase.total();
    if (total == 0)
        return section;
    PageTable phases{{"phase", "cycles", "share"}, {false, true, true}, {}, 2};
    const auto add = [&](const char* name, std::int64_t cycles) {
        phases.rows.push_back({name, thousands(cycles), percent_text(share(cycles, total))});
    };
    add("compute", s.by_phase.compute);
    add("exchange", s.by_phase.exchange);
    add("sync", s.by_phase.sync);
    if (s.ipus.size() > 1)
        add("inter-IPU", s.by_phase.inter_ipu);
    add("host", s.by_phase.host);
    if (s.by_phase.waiting > 0)
        add("waiting", s.by_phase.waiting);
    section.tables.push_back(std::move(phases));
    return section;
}

PageSection memory_section(const Summary& s) {
    PageSection section{"memory", "Memory", {}, {}};
    if (s.target.tiles_per_ipu == 0)
        return section;
    section.tables.push_back(
        facts({{"in use at the peak", bytes(s.total_bytes)},
               {"with gaps", bytes(s.total_bytes_with_gaps)},
               {"always live", bytes(s.always_live_bytes)},
               {"fullest tile (" + thousands(s.max_tile) + ")",
                bytes(s.max_tile_bytes) + ", " +
                    percent_text(share(s.max_tile_bytes, s.target.bytes_per_tile)) + " full"}}));
    PageTable categories{
        {"category", "always live", "not always live", "share"}, {false, true, true, true}, {}, 3};
    for (const auto& c : s.categories)
        categories.rows.push_back({c.category, bytes(c.always_live), bytes(c.not_always_live),
                                   percent_text(share(c.always_live + c.not_always_live, s.total_bytes))});
    section.tables.push_back(std::move(categories));
    return section;
}

PageSection ipus_section(const Summary& s) {
    PageSection section{"ipus", "IPUs", {}, {}};
    if (s.ipus.empty())
        return section;
    PageTable table{{"IPU", "replica", "stage", "utilisation", "memory"}, {true, true, true, true, true}, {}};
    for (const auto& ipu : s.ipus)
        table.rows.push_back({std::to_string(ipu.id), std::to_string(ipu.replica),
                              ipu.stage < 0 ? "-" : std::to_string(ipu.stage), percent_text(ipu.utilisation),
                              bytes(ipu.memory_bytes)});
    section.tables.push_back(std::move(table));
    return section;
}

/// The rate of a layer while it computes; nothing where it does not.
std::string flop_rate(const Summary& s, const analyse::LayerCost& layer) {
    if (layer.compute == 0 || layer.flops == 0 || s.target.clock_hz == 0)
        return "-";
    const double per_second =
        static_cast<double>(layer.flops) / static_cast<double>(layer.compute) * s.target.clock_hz;
    return number_text(std::round(per_second / 1e8) / 10);
}

PageSection layers_section(const Summary& s) {
    PageSection section{"layers", "Layers (one step)", {}, {}};
    if (s.layers.empty())
        return section;
    PageTable table{{"layer", "kind", "parameters", "compute", "exchange", "sync", "Gflop/s", "variables"},
                    {false, false, true, true, true, true, true, true},
                    {}};
    for (const auto& l : s.layers)
        table.rows.push_back({l.name.empty() ? "(no layer)" : l.name, l.kind, thousands(l.parameters),
                              thousands(l.compute), thousands(l.exchange), thousands(l.sync), flop_rate(s, l),
                              bytes(l.memory_bytes)});
    section.tables.push_back(std::move(table));
    return section;
}

PageSection insights_section(const Summary& s) {
    PageSection section{"insights", "Insights", {}, {}};
    for (const auto& i : s.insights)
        section.notes.push_back({i.severity, i.title, i.detail});
    return section;
}

std::vector<PageFigure> figures(const Summary& s) {
    std::vector<PageFigure> out;
    if (s.step_us > 0) {
        out.push_back({"step", microseconds_text(s.step_us)});
        out.push_back({"samples/s", number_text(s.samples_per_s)});
    }
    if (s.target.tiles_per_ipu > 0) {
        out.push_back({"memory at the peak", bytes(s.total_bytes)});
        out.push_back(
            {"of the fullest tile", percent_text(share(s.max_tile_bytes, s.target.bytes_per_tile))});
    }
    for (const auto& [name, value] : s.evaluation)
        out.push_back({"evaluation " + name, number_text(value)});
    if (s.evaluation.empty() && !s.epochs.empty())
        for (const auto& [name, value] : s.epochs.back().metrics)
            out.push_back({name, number_text(value)});
    return out;
}

} // namespace

Page report_page(const Summary& s) {
    return {s.run.name,
            profile::to_string(s.run.status),
            figures(s),
            {run_section(s), target_section(s), result_section(s), timing_section(s), memory_section(s),
             ipus_section(s), layers_section(s), insights_section(s)}};
}

} // namespace tilescope::exports
