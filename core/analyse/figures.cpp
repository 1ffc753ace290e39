// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/figures.h"

#include "analyse/training_metrics.h"

namespace tilescope::analyse {

namespace {

/// Whether a name is a listed one, of which the part in capitals stands for anything.
bool is_listed_as(const std::string& name, const std::string& listed) {
    std::size_t begin = 0;
    while (begin < listed.size() && (listed[begin] < 'A' || listed[begin] > 'Z'))
        ++begin;
    std::size_t end = begin;
    while (end < listed.size() && listed[end] >= 'A' && listed[end] <= 'Z')
        ++end;
    return begin == end ? name == listed
                        : name.size() > begin && name.starts_with(listed.substr(0, begin)) &&
                              name.ends_with(listed.substr(end));
}

/// Metrics go by the names that frameworks give them.
Sense sense_of_metric(const std::string& name) {
    const auto has = [&](const char* part) { return name.find(part) != std::string::npos; };
    return is_share(name)                 ? Sense::MoreIsBetter
           : has("loss") || has("_error") ? Sense::LessIsBetter
                                          : Sense::Neither;
}

} // namespace

const std::vector<Figure>& figures() {
    constexpr Sense less = Sense::LessIsBetter;
    constexpr Sense more = Sense::MoreIsBetter;
    static const std::vector<Figure> all = {
        {"step time", "timing.step_us", FigureUnit::Us, "step", less},
        {"throughput", "timing.samples_per_s", FigureUnit::SamplesPerS, "", more},
        {"samples in a ruler", "", FigureUnit::Samples, ""},
        {"throughput of an IPU", "timing.samples_per_s_per_ipu", FigureUnit::SamplesPerS, "IPU"},
        {"share of peak", "timing.peak_share", FigureUnit::None, ""},
        {"model FLOPs utilisation", "timing.model_flops_utilisation", FigureUnit::None, ""},
        {"rate", "", FigureUnit::FlopsPerS, ""},
        {"rate of an IPU", "", FigureUnit::FlopsPerS, "IPU"},
        {"elapsed", "timing.elapsed.BASIS.cycles", FigureUnit::Cycles, "each basis"},
        {"elapsed time", "timing.elapsed.BASIS.us", FigureUnit::Us, "each basis"},
        {"weight update time", "", FigureUnit::Us, "weight update", less},
        {"steps", "timing.steps", FigureUnit::None, ""},
        {"engine runs", "timing.executions", FigureUnit::None, ""},
        {"cycles of all steps", "timing.cycles", FigureUnit::Cycles, "", less},
        {"cycles in all", "timing.cycles_total", FigureUnit::Cycles, ""},
        {"compute", "timing.by_phase.compute", FigureUnit::Cycles, ""},
        {"exchange", "timing.by_phase.exchange", FigureUnit::Cycles, ""},
        {"sync", "timing.by_phase.sync", FigureUnit::Cycles, ""},
        {"inter-IPU", "timing.by_phase.inter_ipu", FigureUnit::Cycles, ""},
        {"host", "timing.by_phase.host", FigureUnit::Cycles, ""},
        {"waiting", "timing.by_phase.waiting", FigureUnit::Cycles, ""},
        {"exchange of I/O tiles", "timing.io_tiles.cycles", FigureUnit::Cycles, ""},
        {"hidden exchange of I/O tiles", "timing.io_tiles.hidden_cycles", FigureUnit::Cycles, ""},
        {"share of a phase", "", FigureUnit::None, ""},
        {"compute per sample", "", FigureUnit::Cycles, "sample", less},
        {"exchange per sample", "", FigureUnit::Cycles, "sample", less},
        {"sync per sample", "", FigureUnit::Cycles, "sample", less},
        {"inter-IPU per sample", "", FigureUnit::Cycles, "sample", less},
        {"host per sample", "", FigureUnit::Cycles, "sample", less},
        {"waiting per sample", "", FigureUnit::Cycles, "sample", less},
        {"compute per step", "", FigureUnit::Cycles, "step", less},
        {"exchange per step", "", FigureUnit::Cycles, "step", less},
        {"sync per step", "", FigureUnit::Cycles, "step", less},
        {"inter-IPU per step", "", FigureUnit::Cycles, "step", less},
        {"host per step", "", FigureUnit::Cycles, "step", less},
        {"waiting per step", "", FigureUnit::Cycles, "step", less},
        {"evaluation engine runs", "timing.evaluation.executions", FigureUnit::None, ""},
        {"evaluation steps", "timing.evaluation.steps", FigureUnit::None, ""},
        {"evaluation cycles", "timing.evaluation.cycles", FigureUnit::Cycles, ""},
        {"evaluation step time", "", FigureUnit::Us, "step", less},
        {"rest of training", "", FigureUnit::Seconds, ""},
        {"compile time", "timing.compile_s", FigureUnit::Seconds, ""},
        {"steps of a program", "programs[].program_steps", FigureUnit::None, ""},
        {"engine runs of a program", "programs[].executions", FigureUnit::None, ""},
        {"batches of a program", "programs[].steps", FigureUnit::None, ""},
        {"cycles of a program", "programs[].cycles", FigureUnit::Cycles, ""},
        {"cycles of a program by phase", "programs[].by_phase.PHASE", FigureUnit::Cycles, ""},
        {"memory", "memory.total_bytes", FigureUnit::Bytes, "", less},
        {"memory with gaps", "memory.total_bytes_with_gaps", FigureUnit::Bytes, "", less},
        {"always live", "memory.always_live_bytes", FigureUnit::Bytes, "", less},
        {"streaming memory", "memory.streaming_bytes", FigureUnit::Bytes, "", less},
        {"memory by category", "memory.by_category.CATEGORY", FigureUnit::Bytes, ""},
        {"fullest tile", "memory.max_tile_bytes", FigureUnit::Bytes, "", less},
        {"number of the fullest tile", "memory.max_tile", FigureUnit::None, ""},
        {"IPU of the fullest tile", "memory.max_tile_ipu", FigureUnit::None, ""},
        {"fullest tile with gaps", "memory.max_tile_bytes_with_gaps", FigureUnit::Bytes, "", less},
        {"number of the fullest tile with gaps", "memory.max_tile_with_gaps", FigureUnit::None, ""},
        {"IPU of the fullest tile with gaps", "memory.max_tile_with_gaps_ipu", FigureUnit::None, ""},
        {"free on the fullest tile", "memory.free_bytes", FigureUnit::Bytes, ""},
        {"most code of a tile", "memory.max_code_bytes", FigureUnit::Bytes, "", less},
        {"number of the tile with most code", "memory.max_code_tile", FigureUnit::None, ""},
        {"IPU of the tile with most code", "memory.max_code_tile_ipu", FigureUnit::None, ""},
        {"limit of code", "memory.code_limit_bytes", FigureUnit::Bytes, ""},
        {"fullest tile's share", "", FigureUnit::None, "", less},
        {"published figures of a kind", "accuracy.KIND.rows", FigureUnit::None, ""},
        {"typical error of a kind", "accuracy.KIND.typical", FigureUnit::None, ""},
        {"lowest ratio of a kind", "accuracy.KIND.lowest", FigureUnit::None, ""},
        {"highest ratio of a kind", "accuracy.KIND.highest", FigureUnit::None, ""},
        {"compute share of an IPU", "ipus[].utilisation", FigureUnit::None, ""},
        {"memory of an IPU", "ipus[].memory_bytes", FigureUnit::Bytes, ""},
        {"exchanges of a link", "", FigureUnit::None, "usual basis"},
        {"bytes of a link", "", FigureUnit::Bytes, "usual basis"},
        {"bytes from IPU to IPU", "", FigureUnit::Bytes, "usual basis"},
        {"cycles of a link", "", FigureUnit::Cycles, "usual basis"},
        {"use of a link", "", FigureUnit::None, ""},
        {"copied over links", "", FigureUnit::Bytes, "usual basis", less},
        {"collectives over links", "", FigureUnit::Bytes, "usual basis", less},
        {"cycles of a stage", "stages[].cycles", FigureUnit::Cycles, "weight update"},
        {"cycles of a stage by activity", "stages[].by_activity.ACTIVITY", FigureUnit::Cycles,
         "weight update"},
        {"utilisation of a stage", "stages[].utilisation", FigureUnit::None, ""},
        {"memory of a stage", "stages[].memory_bytes", FigureUnit::Bytes, ""},
        {"utilisation of a pipeline", "", FigureUnit::None, "", more},
        {"bubble of a stage", "", FigureUnit::None, ""},
        {"bubble of a pipeline", "", FigureUnit::None, "", less},
        {"cycles per batch", "", FigureUnit::Cycles, "micro-batch", less},
        {"stash of a stage", "", FigureUnit::Bytes, ""},
        {"work of a stage", "", FigureUnit::Cycles, "weight update"},
        {"lost by a stage", "", FigureUnit::Cycles, "weight update"},
        {"live at a step", "", FigureUnit::Bytes, ""},
        {"begin of a step in a pass", "", FigureUnit::Cycles, ""},
        {"live on the fullest tile", "", FigureUnit::Bytes, ""},
        {"cycles of a layer", "layers[].cycles", FigureUnit::Cycles, "usual basis"},
        {"cycles of a layer by phase", "layers[].by_phase.PHASE", FigureUnit::Cycles, "usual basis"},
        {"share of a layer", "layers[].share", FigureUnit::None, ""},
        {"share of peak of a layer", "layers[].peak_share", FigureUnit::None, ""},
        {"lost by a layer", "", FigureUnit::Cycles, "usual basis"},
        {"rate of a layer", "", FigureUnit::FlopsPerS, ""},
        {"operations of a layer", "layers[].flops", FigureUnit::Flops, "usual basis"},
        {"parameters of a layer", "layers[].parameters", FigureUnit::None, ""},
        {"parameters", "", FigureUnit::None, ""},
        {"bytes along a line", "", FigureUnit::Bytes, ""},
        {"memory of a layer", "layers[].memory_bytes", FigureUnit::Bytes, ""},
        {"always live of a layer", "layers[].always_live_bytes", FigureUnit::Bytes, ""},
        {"live of a layer on an IPU", "", FigureUnit::Bytes, ""},
        {"tensors of a cut", "", FigureUnit::None, ""},
        {"sum of tile peaks of a replica", "", FigureUnit::Bytes, ""},
        {"sent in collectives by a replica", "", FigureUnit::Bytes, "usual basis"},
        {"cycles of an operation", "operations[].cycles", FigureUnit::Cycles, "usual basis"},
        {"cycles of an operation by phase", "operations[].by_phase.PHASE", FigureUnit::Cycles, "usual basis"},
        {"share of peak of an operation", "operations[].peak_share", FigureUnit::None, ""},
        {"lost by an operation", "operations[].lost_cycles", FigureUnit::Cycles, "usual basis"},
        {"unbalanced of all operations", "", FigureUnit::None, ""},
        {"lost by all operations", "", FigureUnit::None, ""},
        {"operations of an operation", "operations[].flops", FigureUnit::Flops, "usual basis"},
        {"exchanged by an operation", "operations[].exchanged_bytes", FigureUnit::Bytes, "usual basis"},
        {"rearranged by an operation", "operations[].rearranged_bytes", FigureUnit::Bytes, ""},
        {"temporary of an operation", "operations[].temporary_bytes", FigureUnit::Bytes, ""},
        {"code of an operation", "operations[].code_bytes", FigureUnit::Bytes, ""},
        {"bytes of the executable", "", FigureUnit::Bytes, ""},
        {"code of the executable", "", FigureUnit::Bytes, ""},
        {"runs of an operation", "", FigureUnit::None, "usual basis"},
        {"live of an operation", "", FigureUnit::Bytes, ""},
        {"headroom of an operation", "", FigureUnit::None, ""},
        {"placed cycles of a plan", "", FigureUnit::Cycles, ""},
        {"emitted cycles of an operation", "", FigureUnit::Cycles, ""},
        {"cost share of a finding", "", FigureUnit::None, ""},
        {"share at a knee", "", FigureUnit::None, ""},
        {"last epoch METRIC", "result.epochs[].metrics.METRIC", FigureUnit::None, "epoch"},
        {"evaluation METRIC", "result.evaluate.METRIC", FigureUnit::None, ""},
    };
    return all;
}

FigureUnit unit_of(const std::string& key) {
    for (const Figure& figure : figures())
        if (is_listed_as(key, figure.key))
            return figure.unit;
    return FigureUnit::None;
}

Sense sense_of(const std::string& name) {
    for (const Figure& figure : figures())
        if (name == figure.name)
            return figure.sense;
    for (const std::string of : {"last epoch ", "evaluation "})
        if (name.size() > of.size() && name.starts_with(of))
            return sense_of_metric(name.substr(of.size()));
    return Sense::Neither;
}

int judged(double base, double now, Sense sense) {
    if (sense == Sense::Neither || base == now)
        return 0;
    return (now < base) == (sense == Sense::LessIsBetter) ? 1 : -1;
}

} // namespace tilescope::analyse
