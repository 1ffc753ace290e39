// SPDX-License-Identifier: GPL-3.0-or-later
#include "accuracy_notes.h"
#include "analyse/layer_rate.h"
#include "analyse/phases.h"
#include "analyse/stage_ipus.h"
#include "analyse/training_metrics.h"
#include "base/share.h"
#include "base/text.h"
#include "export/page.h"

#include <algorithm>

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

/// "– (out of memory before the first execution)"
std::string absent(const Summary& s, const std::string& figure) {
    const std::string why = s.why_absent(figure);
    return why.empty() ? "–" : "– (" + why + ")";
}

/// A tensor's values can be many.
std::string shortened(const std::string& values) {
    constexpr std::size_t most = 60;
    return values.size() <= most ? values : values.substr(0, most) + " …";
}

PageSection run_section(const Summary& s) {
    Rows rows{
        {"workload", s.run.name},
        {"status", profile::words(s.run.status) + (s.run.estimate ? " (estimate: no values computed)" : "")},
        {"device", profile::to_string(s.run.device)}};
    if (s.run.batch_size)
        rows.push_back({"batch", count_text(*s.run.batch_size)});
    rows.push_back({"seed", std::to_string(s.run.seed)});
    if (!s.run.label.empty())
        rows.push_back({"label", s.run.label});
    if (!s.run.data_note.empty())
        rows.push_back({"data", s.run.data_note});
    if (!s.run.trimmed.empty())
        rows.push_back({"trimmed to", s.run.trimmed});
    if (!s.run.error.empty())
        rows.push_back({"error", s.run.error});
    return {"run", "Run", {facts(std::move(rows), false)}, {}};
}

PageSection target_section(const Summary& s) {
    PageSection section{"target", "Target", {}, {}};
    if (s.target.tiles_per_ipu == 0)
        return section;
    Rows rows{{"generation", s.target.generation},
              {"system", s.target.system},
              {"IPUs", count_text(s.target.ipus)},
              {"tiles", count_text(s.target.tiles_per_ipu) + " of " + bytes(s.target.bytes_per_tile)},
              {"clock", clock_text(s.target.clock_hz)}};
    if (s.io.tiles > 0)
        rows.push_back({"I/O tiles", count_text(s.io.tiles) + " of each IPU, the last ones"});
    section.tables.push_back(facts(std::move(rows), false));
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
            row.push_back(analyse::metric_text(name, value));
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
            table.rows.push_back({name, analyse::metric_text(name, value)});
        section.tables.push_back(std::move(table));
    }
    return section;
}

PageSection timing_section(const Summary& s) {
    const bool host = s.run.device == profile::RunDevice::Cpu;
    PageSection section{"timing",
                        with_error("Timing", host ? "of the host" : "simulated", s.error_bands,
                                   {FigureKind::Host, FigureKind::Compute}),
                        {},
                        {}};
    Rows rows{{"step", s.step_us ? time_text(*s.step_us * 1e-6) : absent(s, "timing.step_us")}};
    if (s.samples_per_s)
        rows.push_back({"throughput", amount_text(*s.samples_per_s) + " samples/s"});
    if (s.samples_per_s_per_ipu && s.ipus.size() > 1)
        rows.push_back({"of an IPU", amount_text(*s.samples_per_s_per_ipu) + " samples/s"});
    if (s.peak_share)
        rows.push_back({"share of peak", share_text(*s.peak_share)});
    if (s.model_flops_utilisation && s.model_flops_utilisation != s.peak_share)
        rows.push_back({"without recomputation", share_text(*s.model_flops_utilisation)});
    rows.push_back({"steps", count_text(s.steps)});
    rows.push_back({"engine runs", count_text(s.executions)});
    rows.push_back({"compile time", s.compile_s ? time_text(*s.compile_s) : absent(s, "timing.compile_s")});
    if (s.cycles_total)
        rows.push_back({s.cycles && *s.cycles < *s.cycles_total ? "cycles in all, other programs included"
                                                                : "cycles in all",
                        count_text(*s.cycles_total)});
    section.tables.push_back(facts(std::move(rows)));
    if (!s.by_phase)
        return section;
    PageTable phases{{"phase", "cycles", "share"}, {false, true, true}, {}};
    for (const analyse::NamedPhase& phase : analyse::phases)
        if (const std::int64_t cycles = (*s.by_phase).*phase.cycles; cycles > 0) {
            phases.shares.push_back(analyse::phase_share(*s.by_phase, phase.cycles).value_or(0));
            phases.rows.push_back({phase.name, count_text(cycles), share_text(phases.shares.back())});
        }
    section.tables.push_back(std::move(phases));
    if (s.io.cycles > 0)
        section.notes.push_back(
            {profile::Severity::Info, "hidden behind compute",
             count_text(s.io.hidden_cycles) + " of the " + count_text(s.io.cycles) +
                 " cycles that I/O tiles exchange with the host; no part of those above"});
    return section;
}

PageSection programs_section(const Summary& s) {
    PageSection section{"programs",
                        with_error("Programs", "memory, layers and insights are the first one's",
                                   s.error_bands, {FigureKind::Host}),
                        {},
                        {}};
    if (s.programs.size() < 2)
        return section;
    PageTable table{{"program", "computes", "steps of it", "engine runs", "batches", "each run"},
                    {false, false, true, true, true, true},
                    {}};
    std::vector<analyse::NamedPhase> shown;
    for (const analyse::NamedPhase& phase : analyse::phases)
        if (std::any_of(s.programs.begin(), s.programs.end(),
                        [&](const auto& program) { return program.by_phase.*phase.cycles > 0; })) {
            shown.push_back(phase);
            table.header.emplace_back(phase.name);
            table.right.push_back(true);
        }
    for (const analyse::DeviceProgram& program : s.programs) {
        const std::int64_t cycles = program.elapsed();
        const bool timed = cycles > 0 && s.target.clock_hz > 0;
        table.rows.push_back({program.key, program.graph.empty() ? "–" : program.graph,
                              count_text(program.steps),
                              program.ran ? count_text(program.ran->executions) : "–",
                              program.ran ? count_text(program.ran->steps) : "–",
                              timed ? time_text(static_cast<double>(cycles) / s.target.clock_hz) : "–"});
        for (const analyse::NamedPhase& phase : shown)
            table.rows.back().push_back(
                timed ? share_text(analyse::phase_share(program.by_phase, phase.cycles).value_or(0)) : "–");
    }
    section.tables.push_back(std::move(table));
    return section;
}

/// "fullest tile (tile 7)", or "(IPU 3 tile 7)" where there are several IPUs.
std::string on_tile(const Summary& s, const std::string& name, const analyse::FullestTile& tile) {
    const std::string ipu = s.ipus.size() > 1 ? "IPU " + std::to_string(tile.ipu) + " " : "";
    return name + " (" + ipu + "tile " + std::to_string(tile.tile) + ")";
}

std::vector<std::string> fullest(const Summary& s, const std::string& name,
                                 const analyse::FullestTile& tile) {
    return {on_tile(s, name, tile),
            bytes(tile.bytes) + ", " + share_text(tile.share(s.target.bytes_per_tile).value_or(0)) + " full"};
}

PageSection memory_section(const Summary& s) {
    PageSection section{"memory", with_error("Memory", {}, s.error_bands, {FigureKind::Memory}), {}, {}};
    if (s.target.tiles_per_ipu == 0)
        return section;
    if (!s.memory) {
        section.tables.push_back(facts({{"sum of tile peaks", absent(s, "memory")}}));
        return section;
    }
    const analyse::MemorySummary& m = *s.memory;
    Rows rows{{"sum of tile peaks", bytes(m.total_bytes)},
              {"with gaps", bytes(m.total_bytes_with_gaps)},
              {"always live", bytes(m.always_live_bytes)},
              fullest(s, "fullest tile", m.fullest),
              fullest(s, "fullest tile with gaps", m.fullest_with_gaps)};
    if (m.code_limit && m.most_code.bytes > 0)
        rows.push_back({on_tile(s, "most code", m.most_code),
                        bytes(m.most_code.bytes) + ", " +
                            share_text(m.most_code.share(*m.code_limit).value_or(0)) + " of the first " +
                            bytes(*m.code_limit) + " of a tile, where instructions are fetched from"});
    if (m.streaming_bytes > 0)
        rows.push_back({"in streaming memory", bytes(m.streaming_bytes)});
    section.tables.push_back(facts(std::move(rows)));
    PageTable categories{
        {"category", "always live", "not always live", "share"}, {false, true, true, true}, {}};
    for (const auto& c : m.categories) {
        categories.shares.push_back(share_of(c.always_live + c.not_always_live, m.total_bytes).value_or(0));
        categories.rows.push_back({to_string(c.category), bytes(c.always_live), bytes(c.not_always_live),
                                   share_text(categories.shares.back())});
    }
    section.tables.push_back(std::move(categories));
    return section;
}

PageSection ipus_section(const Summary& s) {
    PageSection section{
        "ipus", with_error("IPUs", {}, s.error_bands, {FigureKind::Compute, FigureKind::Memory}), {}, {}};
    if (s.ipus.empty())
        return section;
    PageTable table{{"IPU", "replica", "stages", "computes", "memory"}, {true, true, true, true, true}, {}};
    for (const auto& ipu : s.ipus)
        table.rows.push_back({std::to_string(ipu.id), std::to_string(ipu.replica),
                              ipu.stages.empty() ? "–" : analyse::stage_numbers(ipu.stages),
                              ipu.utilisation ? share_text(*ipu.utilisation) : "–",
                              ipu.memory_bytes ? bytes(*ipu.memory_bytes) : "–"});
    section.tables.push_back(std::move(table));
    return section;
}

/// The rate of a layer while it computes; nothing where it does not.
std::string flop_rate(const Summary& s, const analyse::LayerCost& layer) {
    const auto per_second = analyse::flops_per_s(layer, s.target);
    return per_second ? rate_text(*per_second, "FLOP/s") : "–";
}

/// "Layers (per weight update, one of 4 replicas)"
std::string layers_title(const Summary& s) {
    return with_error(
        "Layers",
        analyse::per(s.basis) +
            (s.loops.replicas > 1 ? ", one of " + std::to_string(s.loops.replicas) + " replicas" : ""),
        s.error_bands, {FigureKind::Compute, FigureKind::Memory});
}

PageSection layers_section(const Summary& s) {
    PageSection section{"layers", layers_title(s), {}, {}};
    if (s.layers.empty())
        return section;
    PageTable table{{"layer", "kind", "parameters", "compute", "exchange", "sync"},
                    {false, false, true, true, true, true},
                    {}};
    const bool several = s.ipus.size() > 1;
    const bool host = s.run.device == profile::RunDevice::Cpu;
    const auto measured = [host](std::string figure) { return host ? "–" : std::move(figure); };
    const std::vector<const char*> rest = {"share of its IPUs' time", "FLOP rate", "of peak", "always live",
                                           "live at the peak step"};
    if (several)
        table.header.emplace_back("inter-IPU");
    table.header.insert(table.header.end(), rest.begin(), rest.end());
    table.right.resize(table.header.size(), true);
    for (const auto& l : s.layers) {
        std::vector<std::string> row{l.name.empty() ? "(no layer)" : l.name,
                                     l.kind,
                                     count_text(l.parameters),
                                     measured(count_text(l.cycles.compute)),
                                     measured(count_text(l.cycles.exchange)),
                                     measured(count_text(l.cycles.sync))};
        if (several)
            row.push_back(count_text(l.cycles.inter_ipu));
        row.push_back(l.share ? share_text(*l.share) : "–");
        row.push_back(flop_rate(s, l));
        row.push_back(l.peak_share ? share_text(*l.peak_share) : "–");
        row.push_back(measured(bytes(l.memory.always)));
        row.push_back(measured(bytes(l.memory.at_peak)));
        table.rows.push_back(std::move(row));
    }
    section.tables.push_back(std::move(table));
    return section;
}

PageSection insights_section(const Summary& s) {
    PageSection section{"insights",
                        with_error("Insights", {}, s.error_bands, {FigureKind::Compute, FigureKind::Memory}),
                        {},
                        {}};
    for (const auto& i : s.insights)
        section.notes.push_back({i.severity, i.title, i.detail});
    return section;
}

std::vector<PageFigure> figures(const Summary& s) {
    std::vector<PageFigure> out;
    if (s.step_us)
        out.push_back({"step", time_text(*s.step_us * 1e-6)});
    if (s.samples_per_s)
        out.push_back({"samples/s", amount_text(*s.samples_per_s)});
    if (s.memory) {
        out.push_back({"sum of tile peaks", bytes(s.memory->total_bytes)});
        out.push_back({"of the fullest tile with gaps",
                       share_text(s.memory->fullest_with_gaps.share(s.target.bytes_per_tile).value_or(0))});
    }
    for (const auto& [name, value] : s.evaluation)
        out.push_back({"evaluation " + name, analyse::metric_text(name, value)});
    if (s.evaluation.empty() && !s.epochs.empty())
        for (const auto& [name, value] : s.epochs.back().metrics)
            out.push_back({name, analyse::metric_text(name, value)});
    return out;
}

} // namespace

Page report_page(const Summary& s) {
    return {s.run.name,
            profile::to_string(s.run.status),
            figures(s),
            {run_section(s), target_section(s), result_section(s), timing_section(s), programs_section(s),
             memory_section(s), accuracy_section({{{}, s.error_bands}}), ipus_section(s), layers_section(s),
             insights_section(s)}};
}

} // namespace tilescope::exports
