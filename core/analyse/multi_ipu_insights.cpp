// SPDX-License-Identifier: GPL-3.0-or-later
#include "multi_ipu_insights.h"

#include "analyse/pipeline.h"
#include "base/balanced_cuts.h"
#include "base/text.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace tilescope::analyse {
namespace {

/// A layer's cycles of one micro-batch, forward and backward, and its stage.
struct LayerWork {
    std::string name;
    std::int64_t stage = 0;
    double cycles = 0;
    double cut = 0; ///< cycles of the copies where a stage begins with it
};

/// Fills in `cut`: what earlier layers make and the layer or a later one reads goes over the link, and its
/// gradient back, at the rate of the copies that the run has. `row_of`: the layer's place in `works`.
Result<void> add_cuts(const profile::Profile& profile,
                      const std::vector<profile::OperationRecord>& operations,
                      const std::map<std::int64_t, std::size_t>& row_of, std::vector<LayerWork>& works) {
    const auto tensors = profile.tensors();
    const auto traffic = profile.link_traffic();
    if (!tensors || !traffic)
        return Failure(!tensors ? tensors.error() : traffic.error());
    double bytes = 0;
    double cycles = 0;
    for (const auto& link : *traffic)
        if (link.kind == "copy") {
            bytes += static_cast<double>(link.bytes);
            cycles += static_cast<double>(link.cycles);
        }
    struct Span {
        std::size_t made = 0, last = 0;
    };
    std::map<std::int64_t, Span> spans; // by tensor, in rows
    bool backward = false;
    for (const auto& op : operations) {
        backward = backward || op.phase == profile::Phase::Backward;
        const auto row = row_of.find(op.layer_id);
        if (op.phase != profile::Phase::Forward || row == row_of.end())
            continue;
        for (const std::int64_t output : op.outputs)
            spans[output] = {row->second, row->second};
        for (const std::int64_t input : op.inputs)
            if (const auto span = spans.find(input); span != spans.end())
                span->second.last = std::max(span->second.last, row->second);
    }
    for (const auto& tensor : *tensors)
        if (const auto span = spans.find(tensor.id); span != spans.end() && bytes > 0)
            for (std::size_t row = span->second.made + 1; row <= span->second.last; ++row)
                works[row].cut += static_cast<double>(tensor.bytes) * (backward ? 2 : 1) * cycles / bytes;
    return {};
}

/// The layers in the order of their first operation.
Result<std::vector<LayerWork>> layer_works(const profile::Profile& profile) {
    const auto layers = profile.layers();
    const auto operations = profile.operations();
    const auto program = profile.program();
    for (const Error* error : {layers ? nullptr : &layers.error(), operations ? nullptr : &operations.error(),
                               program ? nullptr : &program.error()})
        if (error != nullptr)
            return Failure(*error);
    std::map<std::int64_t, const profile::OperationRecord*> operation_of;
    std::map<std::int64_t, std::size_t> row_of; // by layer
    std::vector<LayerWork> works;
    for (const auto& op : *operations) {
        operation_of[op.id] = &op;
        const auto layer = std::find_if(layers->begin(), layers->end(),
                                        [&](const auto& known) { return known.id == op.layer_id; });
        if (layer != layers->end() && row_of.try_emplace(op.layer_id, works.size()).second)
            works.push_back({layer->name, op.stage, 0});
    }
    for (const auto& step : *program) {
        const auto op = operation_of.find(step.operation_id);
        if (op == operation_of.end() || step.peer >= 0 || op->second->phase == profile::Phase::Update)
            continue;
        const auto row = row_of.find(op->second->layer_id);
        if (row == row_of.end())
            continue;
        works[row->second].cycles +=
            static_cast<double>((step.sync_cycles + step.exchange_cycles + step.compute_cycles) * step.runs);
    }
    if (auto ok = add_cuts(profile, *operations, row_of, works); !ok)
        return Failure(ok.error());
    return works;
}

double longest_stage(const std::vector<LayerWork>& works, const std::vector<std::size_t>& starts) {
    double longest = 0;
    for (std::size_t s = 0; s < starts.size(); ++s) {
        const std::size_t end = s + 1 < starts.size() ? starts[s + 1] : works.size();
        double sum = s > 0 ? works[starts[s]].cut : 0;
        sum += end < works.size() ? works[end].cut : 0;
        for (std::size_t i = starts[s]; i < end; ++i)
            sum += works[i].cycles;
        longest = std::max(longest, sum);
    }
    return longest;
}

/// "{"dense_1": 1, "dense_3": 2}", as pipeline.stages takes it.
std::string stages_text(const std::vector<LayerWork>& works, const std::vector<std::size_t>& starts) {
    std::string text;
    for (std::size_t s = 1; s < starts.size(); ++s)
        text += (s == 1 ? "\"" : ", \"") + works[starts[s]].name + "\": " + std::to_string(s);
    return "{" + text + "}";
}

Result<void> stage_balance(const profile::Profile& profile, std::vector<Insight>& out) {
    const auto slots = profile.pipeline_slots();
    if (!slots)
        return Failure(slots.error());
    const PipelineUpdate update = pipeline_update(*slots);
    if (update.stages.size() < 2 || update.cycles == 0)
        return {};
    std::vector<double> work;
    for (const PipelineStage& stage : update.stages)
        work.push_back(static_cast<double>(stage.cycles[PipelineActivity::Forward] +
                                           stage.cycles[PipelineActivity::Recompute] +
                                           stage.cycles[PipelineActivity::Backward]));
    const auto most = std::max_element(work.begin(), work.end());
    const double mean = std::accumulate(work.begin(), work.end(), 0.0) / static_cast<double>(work.size());
    if (*most < 1.25 * mean)
        return {};
    const auto works = layer_works(profile);
    if (!works)
        return Failure(works.error());
    std::vector<double> cycles;
    std::vector<double> cuts;
    std::vector<std::size_t> now; // where the stages begin today
    for (std::size_t i = 0; i < works->size(); ++i) {
        cycles.push_back((*works)[i].cycles);
        cuts.push_back((*works)[i].cut);
        if (i == 0 || (*works)[i].stage != (*works)[i - 1].stage)
            now.push_back(i);
    }
    const double longest_now = longest_stage(*works, now);
    const auto starts = balanced_cuts({cycles}, work.size(), cuts);
    const double better = longest_stage(*works, starts);
    const std::string imbalance = "Stage " + std::to_string(most - work.begin()) + " works " +
                                  share_text(*most / mean - 1) +
                                  " longer than the mean stage, and the others wait for it. ";
    if (better < 0.95 * longest_now)
        out.push_back({"stage_imbalance", "warning", "The stages of the pipeline are out of balance",
                       imbalance + "With pipeline.stages = " + stages_text(*works, starts) +
                           " the longest stage takes " + share_text(1 - better / longest_now) +
                           " fewer cycles, its copies included, as the layers' cycles add up."});
    else
        out.push_back({"stage_imbalance", "info", "The stages of the pipeline are out of balance",
                       imbalance + "No other cut between layers makes the longest stage much shorter."});
    return {};
}

Result<void> idle_ipus(const profile::Profile& profile, const Summary& s, std::vector<Insight>& out) {
    std::string idle;
    for (const IpuSummary& ipu : s.ipus) {
        const auto cycles = profile.phase_cycles({}, ipu.id);
        if (!cycles)
            return Failure(cycles.error());
        if (cycles->total() > 0 && cycles->compute == 0)
            idle += (idle.empty() ? "" : ", ") + std::to_string(ipu.id);
    }
    if (!idle.empty() && s.ipus.size() > 1)
        out.push_back({"idle_ipus", "warning", "IPUs have nothing to do",
                       "IPU " + idle + " computes nothing: give it layers, or use fewer IPUs."});
    return {};
}

/// A model of one replica on more IPUs than its memory needs could be replicated.
void spare_ipus(const Summary& s, std::vector<Insight>& out) {
    const auto count = static_cast<std::int64_t>(s.ipus.size());
    const bool replicated =
        std::any_of(s.ipus.begin(), s.ipus.end(), [](const IpuSummary& ipu) { return ipu.replica > 0; });
    if (count < 2 || replicated || !s.outputs.empty() || !s.memory)
        return;
    const double capacity = 0.9 * static_cast<double>(s.target.tiles_per_ipu * s.target.bytes_per_tile);
    const auto bytes = static_cast<double>(s.memory->total_bytes);
    std::int64_t needed = 1;
    while (bytes > capacity * static_cast<double>(needed))
        needed *= 2;
    if (needed < count)
        out.push_back({"spare_ipus", "info", "The model takes more IPUs than its memory needs",
                       "Its " + bytes_text(bytes) + " would fill " +
                           share_text(bytes / (capacity / 0.9) / static_cast<double>(needed)) + " of " +
                           std::to_string(needed) + " IPU(s); on " + std::to_string(count) + " as many as " +
                           std::to_string(count / needed) + " replicas could train."});
}

} // namespace

Result<void> add_multi_ipu_insights(const profile::Profile& profile, const Summary& summary,
                                    std::vector<Insight>& out) {
    if (auto ok = stage_balance(profile, out); !ok)
        return ok;
    if (auto ok = idle_ipus(profile, summary, out); !ok)
        return ok;
    spare_ipus(summary, out);
    return {};
}

} // namespace tilescope::analyse
