// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/budget.h"
#include "analyse/operation_figures.h"
#include "analyse/phases.h"
#include "analyse/settings.h"
#include "base/lower_case.h"
#include "base/text.h"
#include "base/try.h"
#include "causes.h"
#include "run_tables.h"
#include "stage_work.h"
#include "tile_use.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

namespace tilescope::analyse {
namespace {

/// What a metric is about, by its path.
struct About {
    bool time = false; ///< cycles or what follows from them; else bytes
    std::string list;  ///< "layers", "operations", "stages", "ipus"; "" for the whole run
    std::string rest;  ///< "conv2d_1.by_phase.exchange", or what follows on the first part
    bool of(const std::string& name) const { return rest.starts_with(name + "."); }
    bool of_fullest_tile() const { return rest.starts_with("max_tile") || rest == "free_bytes"; }
    std::string category() const { // of memory; "" where it is about all of them
        constexpr std::string_view list_of = "by_category.";
        return !time && rest.starts_with(list_of) ? rest.substr(list_of.size()) : std::string();
    }
    /// Causes are of the whole run, of which these are a part.
    bool of_part() const { return time && (list == "stages" || list == "ipus"); }
};

/// nullopt: it is neither time nor memory, as a loss or a number of steps.
std::optional<About> about(const std::string& metric, FigureUnit unit) {
    const std::size_t dot = metric.find('.');
    About a{false, metric.substr(0, dot), dot == std::string::npos ? "" : metric.substr(dot + 1)};
    a.time = unit == FigureUnit::Cycles || unit == FigureUnit::Us || unit == FigureUnit::SamplesPerS ||
             a.rest.ends_with(".utilisation") || a.rest.ends_with(".share");
    if (!a.time && unit != FigureUnit::Bytes)
        return std::nullopt;
    if (a.list == "timing" || a.list == "memory")
        a.list.clear();
    return a;
}

/// Nothing where others take away from what it adds.
std::string share_words(double part, double whole) {
    return whole == 0 || part / whole > 1 ? std::string() : " (" + share_text(part / whole) + ")";
}

std::string with_reason(const std::string& what, const std::string& why) {
    return why.empty() ? what : what + ": " + why;
}

/// The first causes that pull where their sum goes: the clock, and what explains most.
std::string largest(const std::vector<Cause>& causes, std::optional<double> Cause::*amount,
                    const std::function<std::string(double)>& amount_text) {
    double all = 0;
    for (const Cause& cause : causes)
        all += (cause.*amount).value_or(0);
    std::string text;
    for (const Cause& cause : causes) {
        const std::optional<double> by = cause.*amount;
        if (by && *by * all <= 0)
            continue;
        text += (text.empty() ? "" : "; ") + with_reason(cause.what, cause.why);
        if (!by)
            continue; // the clock
        return text + ", " + amount_text(*by) + share_words(*by, all);
    }
    return text;
}

/// What was asked for otherwise than in the base, but for what else is told: of models the layers say more,
/// and of the clock its own cause.
std::string changed_settings(const Comparison& c, bool clock_told) {
    constexpr std::size_t most = 2;
    std::vector<std::string> texts;
    for (const SettingDifference& d : c.settings)
        if (d.key != "model.keras" && d.key != "model.onnx" && d.key != "graph" && d.key != "run.workload" &&
            !(clock_told && d.key == "target.clock_hz"))
            texts.push_back(d.name + " is " + setting_text(d.now, d.unit) + ", was " +
                            setting_text(d.base, d.unit));
    std::string text;
    for (std::size_t i = 0; i < std::min(most, texts.size()); ++i)
        text += (text.empty() ? "" : "; ") + texts[i];
    return text;
}

/// Why a figure is another one than in the base.
class ChangeCause {
  public:
    explicit ChangeCause(const Comparison& c) : c_(c) {}
    std::string of(const std::optional<About>& a) const {
        const std::string asked = changed_settings(c_, a && a->time && a->list.empty());
        const std::string found = a ? found_for(*a) : std::string();
        return asked.empty() || found.empty() ? asked + found : asked + "; " + found;
    }

  private:
    std::string found_for(const About& a) const {
        if (a.list == "layers")
            return of_layer(a);
        if (a.list == "operations")
            return of_operation(a);
        if (!a.category().empty())
            return {}; // causes are of the layers on a tile, whatever they hold
        if (!a.time)
            return largest(c_.memory_causes, &Cause::bytes, [](double bytes) {
                return signed_text(bytes, bytes_text(bytes)) + " on the fullest tile";
            });
        const std::string text =
            largest(c_.causes, &Cause::cycles, [&](double cycles) { return cycles_text(cycles); });
        return a.of_part() && !text.empty() ? "in the whole run " + text : text;
    }
    std::string of_layer(const About& a) const {
        for (const Cause& cause : a.time ? c_.causes : c_.memory_causes)
            if (a.of(cause.what))
                return cause.why;
        return {};
    }
    /// What changed of it, what explains most first.
    std::string of_operation(const About& a) const {
        std::string text;
        for (const Cause& cause : a.time ? c_.causes : c_.memory_causes)
            for (const Cause& part : cause.parts)
                if (a.of(part.what) && !part.why.empty())
                    text += (text.empty() ? "" : "; ") + part.why;
        return text;
    }
    std::string cycles_text(double cycles) const {
        return signed_text(cycles, number_text(cycles)) + " cycles " + per(c_.basis);
    }
    const Comparison& c_;
};

/// What a figure is mostly made of.
class ShareCause {
  public:
    ShareCause(const profile::Profile& profile, const Summary& summary) : profile_(profile), s_(summary) {}
    Result<std::string> of(const About& a) {
        if (a.list == "operations" || a.list == "layers")
            return of_operations(a);
        if (a.list == "stages" && a.time)
            return of_stage(a);
        if (a.list == "ipus" && a.time)
            return of_idle_ipu(a);
        if (a.list == "stages" || a.list == "ipus")
            return of_ipu(a);
        if (a.time)
            return of_time(a);
        if (!a.category().empty())
            return of_category(a.category());
        return a.of_fullest_tile() ? of_fullest_tile() : of_memory(a.rest == "always_live_bytes");
    }

  private:
    /// The slowest operation that it is about, in the phase that it is about, and its plan.
    Result<std::string> of_operations(const About& a) {
        TRY(const Costs* const read, costs_of_run());
        const Costs& costs = *read;
        TRY(const auto figures, operation_figures(profile_, costs));
        const NamedPhase* phase = nullptr;
        for (const NamedPhase& named : phases)
            if (a.rest.ends_with(".by_phase." + key_of(named.name)))
                phase = &named;
        const OperationFigures* most = nullptr;
        std::int64_t cycles = -1;
        for (const OperationFigures& row : figures) {
            if (!a.of(a.list == "layers" ? row.layer : row.record.name))
                continue;
            const profile::PhaseCycles all = costs.in(s_.basis, row.cost.cycles);
            if (const std::int64_t own = phase != nullptr ? all.*phase->cycles : all.total(); own > cycles) {
                most = &row;
                cycles = own;
            }
        }
        if (most == nullptr)
            return std::string();
        return most->record.name + " takes " + cycles_text(cycles) +
               (phase != nullptr ? std::string(" of ") + phase->name : std::string()) + " " + per(s_.basis) +
               (most->plan.empty() ? "" : ", planned as " + most->plan);
    }
    /// The layer that the activity, or all passes of micro-batches, of a stage have most of.
    Result<std::string> of_stage(const About& a) const {
        const auto of = std::find_if(s_.stages.begin(), s_.stages.end(), [&](const StageSummary& row) {
            return a.of(std::to_string(row.stage.stage));
        });
        if (of == s_.stages.end())
            return std::string();
        std::vector<PipelineActivity> counted;
        for (const PipelineActivity activity : pipeline_activities)
            if (a.rest.ends_with(".cycles")
                    ? is_pass(activity)
                    : a.rest.ends_with(".by_activity." + std::string(profile::to_string(activity))))
                counted.push_back(activity);
        if (counted.empty()) // its utilisation
            return most_beside_work(of->stage.cycles);
        TRY(const StageWork work, stage_work(profile_));
        std::map<std::int64_t, std::int64_t> cycles; // by layer, of an engine run
        for (const PipelineActivity activity : counted)
            if (const auto found = work.find({of->stage.stage, activity}); found != work.end())
                for (const auto& [layer, amount] : found->second)
                    cycles[layer] += amount;
        const std::string what = counted.size() > 1 ? "passing micro-batches, without copies between stages"
                                                    : activity_words(counted.front());
        std::int64_t all = 0; // what the figure is, so that the share is of it
        for (const PipelineActivity activity : counted)
            all += of->stage.cycles[activity];
        const auto most = std::max_element(cycles.begin(), cycles.end(),
                                           [](const auto& x, const auto& y) { return x.second < y.second; });
        if (most == cycles.end() || most->second == 0)
            return std::string();
        const double each = s_.loops.mean(most->second, Basis::WeightUpdate);
        return layer_name(most->first) + " has most: " + cycles_text(std::llround(each)) + " " +
               per(Basis::WeightUpdate) + " " + what + share_words(each, static_cast<double>(all));
    }
    std::string layer_name(std::int64_t id) const {
        const auto of = std::find_if(s_.layers.begin(), s_.layers.end(),
                                     [&](const LayerCost& layer) { return layer.id == id; });
        return id == host_copies                           ? "copying from and to the host"
               : of == s_.layers.end() || of->name.empty() ? "what is of no layer"
                                                           : of->name;
    }
    /// What StageSummary::work counts.
    static bool is_pass(PipelineActivity activity) {
        return activity == PipelineActivity::Forward || activity == PipelineActivity::Recompute ||
               activity == PipelineActivity::Backward;
    }
    static std::string activity_words(PipelineActivity activity) {
        switch (activity) {
        case PipelineActivity::Copy:
            return "in copies between stages";
        case PipelineActivity::Update:
            return "updating weights";
        case PipelineActivity::Recompute:
            return "recomputing";
        default:
            return "in " + std::string(profile::to_string(activity)) + " passes";
        }
    }
    /// Of what is not its work the most.
    static std::string most_beside_work(const PipelineCycles& cycles) {
        PipelineActivity most = PipelineActivity::Copy;
        for (const PipelineActivity activity : {PipelineActivity::Waiting, PipelineActivity::Idle})
            if (cycles[activity] > cycles[most])
                most = activity;
        if (cycles[most] == 0)
            return {};
        const char* what = most == PipelineActivity::Copy      ? "copies between stages take"
                           : most == PipelineActivity::Waiting ? "waiting for other stages takes"
                                                               : "being idle, as the schedule has it, takes";
        return std::string(what) + " most beside its work: " + cycles_text(cycles[most]) + " " +
               per(Basis::WeightUpdate) + " (" + share_text(cycles.share(most)) + " of its time)";
    }
    /// What is not compute takes most of an IPU's time.
    Result<std::string> of_idle_ipu(const About& a) {
        TRY(const Costs* const read, costs_of_run());
        const Costs& costs = *read;
        const auto of = std::find_if(s_.ipus.begin(), s_.ipus.end(),
                                     [&](const IpuSummary& ipu) { return a.of(std::to_string(ipu.id)); });
        if (of == s_.ipus.end())
            return std::string();
        const profile::PhaseCycles all = costs.with_beside(of->id);
        const NamedPhase* most = nullptr;
        for (const NamedPhase& phase : phases)
            if (phase.cycles != &profile::PhaseCycles::compute &&
                (most == nullptr || all.*phase.cycles > all.*most->cycles))
                most = &phase;
        if (most == nullptr || all.*most->cycles == 0)
            return std::string();
        const std::int64_t cycles = costs.in(s_.basis, all).*most->cycles;
        return most->name + std::string(" takes most beside compute: ") + cycles_text(cycles) + " " +
               per(s_.basis) +
               share_words(static_cast<double>(all.*most->cycles), static_cast<double>(all.total()));
    }
    /// The layer that an IPU, or that of a stage, has most bytes of.
    Result<std::string> of_ipu(const About& a) const {
        const auto of = std::find_if(s_.ipus.begin(), s_.ipus.end(), [&](const IpuSummary& ipu) {
            return a.of(std::to_string(a.list == "ipus" ? ipu.id : ipu.stage));
        });
        if (of == s_.ipus.end())
            return std::string();
        TRY(const auto live, live_variables(profile_, of->id));
        return most_of(a, "live at the peak step of IPU " + std::to_string(of->id),
                       [&](const LayerCost& layer) {
                           const auto held = live.by_layer.find(layer.id);
                           return held == live.by_layer.end() ? 0 : held->second.at_peak;
                       });
    }
    Result<std::string> of_fullest_tile() const {
        TRY(const auto use, fullest_use(profile_));
        if (!use)
            return std::string();
        return most_of(
            {}, "on tile " + std::to_string(use->tile.tile) + " of IPU " + std::to_string(use->tile.ipu),
            [&](const LayerCost& layer) {
                const auto found = use->by_layer.find(layer.id);
                return found == use->by_layer.end() ? 0 : sum_of(found->second);
            });
    }
    Result<std::string> of_memory(bool always) const {
        return most_of(
            {}, always ? "live during the whole run" : "live at the peak step",
            [&](const LayerCost& layer) { return always ? layer.memory.always : layer.memory.at_peak; });
    }
    /// The layer that the variables of a category are of; nothing where it has none, as code.
    Result<std::string> of_category(const std::string& category) const {
        TRY(auto variables, variables_of_replica(profile_));
        std::erase_if(variables.rows,
                      [&](const auto* each) { return to_string(each->category) != category; });
        TRY(const auto live, live_variables(profile_, variables));
        return most_of({}, "of it live at the peak step", [&](const LayerCost& layer) {
            const auto held = live.by_layer.find(layer.id);
            return held == live.by_layer.end() ? 0 : held->second.at_peak;
        });
    }
    /// What has most cycles, of a phase where it is about one: a layer, or what passes beside the layers; or
    /// a finding that costs more.
    Result<std::string> of_time(const About& a) {
        TRY(const Costs* const read, costs_of_run());
        const Costs& costs = *read;
        std::int64_t profile::PhaseCycles::*phase = nullptr;
        for (const NamedPhase& named : phases)
            if (a.rest == "by_phase." + key_of(named.name))
                phase = named.cycles;
        std::vector<Part> parts;
        const auto add = [&](const std::string& name, const profile::PhaseCycles& cycles) {
            parts.emplace_back(name, phase != nullptr ? cycles.*phase : cycles.total());
        };
        for (const LayerCost& layer : s_.layers)
            add(layer_name(layer.id), layer.cycles);
        add(layer_name(host_copies), costs.in(s_.basis, costs.layer(host_copies).cycles));
        const profile::PhaseCycles beside = costs.in(s_.basis, costs.beside());
        profile::PhaseCycles launches, waiting;
        launches.host = beside.host;
        waiting.waiting = beside.waiting;
        add(launching, launches);
        add(phase_of(TimeKind::Waiting).words, waiting);
        double most = 0;
        for (const auto& [name, cycles] : parts)
            most = std::max(most, static_cast<double>(cycles));
        const Insight* finding = nullptr;
        for (const Insight& insight : s_.insights)
            if (phase == nullptr && insight.cost && insight.cost->unit == FigureUnit::Cycles &&
                insight.cost->value > most) {
                most = insight.cost->value;
                finding = &insight;
            }
        if (finding != nullptr)
            return finding->title + ": " + finding->detail;
        return largest_of(parts, true, per(s_.basis));
    }
    static std::string key_of(std::string name) {
        std::replace(name.begin(), name.end(), '-', '_');
        return lower_case(std::move(name));
    }
    template<class Amount>
    std::string most_of(const About& a, const std::string& where, const Amount& amount) const {
        std::vector<Part> parts;
        for (const LayerCost& layer : s_.layers)
            parts.emplace_back(layer_name(layer.id), amount(layer));
        return largest_of(parts, a.time, where);
    }
    using Part = std::pair<std::string, std::int64_t>; ///< what, and its cycles or bytes
    static std::string largest_of(const std::vector<Part>& parts, bool time, const std::string& where) {
        const Part* most = nullptr;
        double all = 0;
        for (const Part& part : parts) {
            all += static_cast<double>(part.second);
            if (part.second > 0 && (most == nullptr || part.second > most->second))
                most = &part;
        }
        if (most == nullptr)
            return {};
        const auto value = static_cast<double>(most->second);
        return most->first + " has most: " + (time ? cycles_text(most->second) : bytes_text(value)) + " " +
               where + share_words(value, all);
    }
    /// They are read for the first limit that needs them.
    Result<const Costs*> costs_of_run() {
        if (!costs_) {
            TRY(costs_, Costs::read(profile_));
        }
        return &*costs_;
    }

    const profile::Profile& profile_;
    const Summary& s_;
    std::optional<Costs> costs_;
};

} // namespace

std::string likely_cause(const Comparison& comparison, const std::string& metric, FigureUnit unit) {
    return ChangeCause(comparison).of(about(metric, unit));
}

Result<void> explain(std::vector<Verdict>& verdicts, const profile::Profile& profile, const Summary& summary,
                     const Comparison* against) {
    ShareCause shares(profile, summary);
    for (Verdict& verdict : verdicts) {
        if (verdict.met || !verdict.limit || !verdict.value)
            continue; // what is absent says why
        const auto metric = about(verdict.metric, verdict.unit);
        if (against != nullptr && verdict.baseline && *verdict.baseline != *verdict.value)
            verdict.cause = likely_cause(*against, verdict.metric, verdict.unit);
        if (metric && (verdict.cause.empty() || metric->of_part())) {
            TRY(const std::string share, shares.of(*metric));
            verdict.cause += (verdict.cause.empty() || share.empty() ? "" : "; ") + share;
        }
    }
    return {};
}

} // namespace tilescope::analyse
