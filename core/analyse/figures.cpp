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
        {"step time", "timing.step_us", "us", "step", less},
        {"throughput", "timing.samples_per_s", "samples/s", "", more},
        {"samples in a ruler", "", "samples", ""},
        {"throughput of an IPU", "timing.samples_per_s_per_ipu", "samples/s", "IPU"},
        {"share of peak", "timing.peak_share", "", ""},
        {"model FLOPs utilisation", "timing.model_flops_utilisation", "", ""},
        {"rate", "", "flops/s", ""},
        {"rate of an IPU", "", "flops/s", "IPU"},
        {"elapsed", "timing.elapsed.BASIS.cycles", "cycles", "each basis"},
        {"elapsed time", "timing.elapsed.BASIS.us", "us", "each basis"},
        {"weight update time", "", "us", "weight update", less},
        {"steps", "timing.steps", "", ""},
        {"engine runs", "timing.executions", "", ""},
        {"cycles of all steps", "timing.cycles", "cycles", "", less},
        {"cycles in all", "timing.cycles_total", "cycles", ""},
        {"compute", "timing.by_phase.compute", "cycles", ""},
        {"exchange", "timing.by_phase.exchange", "cycles", ""},
        {"sync", "timing.by_phase.sync", "cycles", ""},
        {"inter-IPU", "timing.by_phase.inter_ipu", "cycles", ""},
        {"host", "timing.by_phase.host", "cycles", ""},
        {"waiting", "timing.by_phase.waiting", "cycles", ""},
        {"exchange of I/O tiles", "timing.io_tiles.cycles", "cycles", ""},
        {"hidden exchange of I/O tiles", "timing.io_tiles.hidden_cycles", "cycles", ""},
        {"share of a phase", "", "", ""},
        {"compute per sample", "", "cycles", "sample", less},
        {"exchange per sample", "", "cycles", "sample", less},
        {"sync per sample", "", "cycles", "sample", less},
        {"inter-IPU per sample", "", "cycles", "sample", less},
        {"host per sample", "", "cycles", "sample", less},
        {"waiting per sample", "", "cycles", "sample", less},
        {"compute per step", "", "cycles", "step", less},
        {"exchange per step", "", "cycles", "step", less},
        {"sync per step", "", "cycles", "step", less},
        {"inter-IPU per step", "", "cycles", "step", less},
        {"host per step", "", "cycles", "step", less},
        {"waiting per step", "", "cycles", "step", less},
        {"evaluation engine runs", "timing.evaluation.executions", "", ""},
        {"evaluation steps", "timing.evaluation.steps", "", ""},
        {"evaluation cycles", "timing.evaluation.cycles", "cycles", ""},
        {"evaluation step time", "", "us", "step", less},
        {"rest of training", "", "s", ""},
        {"compile time", "timing.compile_s", "s", ""},
        {"steps of a program", "programs[].program_steps", "", ""},
        {"engine runs of a program", "programs[].executions", "", ""},
        {"batches of a program", "programs[].steps", "", ""},
        {"cycles of a program", "programs[].cycles", "cycles", ""},
        {"cycles of a program by phase", "programs[].by_phase.PHASE", "cycles", ""},
        {"memory", "memory.total_bytes", "bytes", "", less},
        {"memory with gaps", "memory.total_bytes_with_gaps", "bytes", "", less},
        {"always live", "memory.always_live_bytes", "bytes", "", less},
        {"streaming memory", "memory.streaming_bytes", "bytes", "", less},
        {"memory by category", "memory.by_category.CATEGORY", "bytes", ""},
        {"fullest tile", "memory.max_tile_bytes", "bytes", "", less},
        {"number of the fullest tile", "memory.max_tile", "", ""},
        {"IPU of the fullest tile", "memory.max_tile_ipu", "", ""},
        {"fullest tile with gaps", "memory.max_tile_bytes_with_gaps", "bytes", "", less},
        {"number of the fullest tile with gaps", "memory.max_tile_with_gaps", "", ""},
        {"IPU of the fullest tile with gaps", "memory.max_tile_with_gaps_ipu", "", ""},
        {"free on the fullest tile", "memory.free_bytes", "bytes", ""},
        {"most code of a tile", "memory.max_code_bytes", "bytes", "", less},
        {"number of the tile with most code", "memory.max_code_tile", "", ""},
        {"IPU of the tile with most code", "memory.max_code_tile_ipu", "", ""},
        {"limit of code", "memory.code_limit_bytes", "bytes", ""},
        {"fullest tile's share", "", "", "", less},
        {"published figures of a kind", "accuracy.KIND.rows", "", ""},
        {"typical error of a kind", "accuracy.KIND.typical", "", ""},
        {"lowest ratio of a kind", "accuracy.KIND.lowest", "", ""},
        {"highest ratio of a kind", "accuracy.KIND.highest", "", ""},
        {"compute share of an IPU", "ipus[].utilisation", "", ""},
        {"memory of an IPU", "ipus[].memory_bytes", "bytes", ""},
        {"exchanges of a link", "", "", "usual basis"},
        {"bytes of a link", "", "bytes", "usual basis"},
        {"bytes from IPU to IPU", "", "bytes", "usual basis"},
        {"cycles of a link", "", "cycles", "usual basis"},
        {"use of a link", "", "", ""},
        {"copied over links", "", "bytes", "usual basis", less},
        {"collectives over links", "", "bytes", "usual basis", less},
        {"cycles of a stage", "stages[].cycles", "cycles", "weight update"},
        {"cycles of a stage by activity", "stages[].by_activity.ACTIVITY", "cycles", "weight update"},
        {"utilisation of a stage", "stages[].utilisation", "", ""},
        {"memory of a stage", "stages[].memory_bytes", "bytes", ""},
        {"utilisation of a pipeline", "", "", "", more},
        {"bubble of a stage", "", "", ""},
        {"bubble of a pipeline", "", "", "", less},
        {"cycles per batch", "", "cycles", "micro-batch", less},
        {"stash of a stage", "", "bytes", ""},
        {"work of a stage", "", "cycles", "weight update"},
        {"lost by a stage", "", "cycles", "weight update"},
        {"live at a step", "", "bytes", ""},
        {"begin of a step in a pass", "", "cycles", ""},
        {"live on the fullest tile", "", "bytes", ""},
        {"cycles of a layer", "layers[].cycles", "cycles", "usual basis"},
        {"cycles of a layer by phase", "layers[].by_phase.PHASE", "cycles", "usual basis"},
        {"share of a layer", "layers[].share", "", ""},
        {"share of peak of a layer", "layers[].peak_share", "", ""},
        {"lost by a layer", "", "cycles", "usual basis"},
        {"rate of a layer", "", "flops/s", ""},
        {"operations of a layer", "layers[].flops", "flops", "usual basis"},
        {"parameters of a layer", "layers[].parameters", "", ""},
        {"parameters", "", "", ""},
        {"bytes along a line", "", "bytes", ""},
        {"memory of a layer", "layers[].memory_bytes", "bytes", ""},
        {"always live of a layer", "layers[].always_live_bytes", "bytes", ""},
        {"live of a layer on an IPU", "", "bytes", ""},
        {"tensors of a cut", "", "", ""},
        {"sum of tile peaks of a replica", "", "bytes", ""},
        {"sent in collectives by a replica", "", "bytes", "usual basis"},
        {"cycles of an operation", "operations[].cycles", "cycles", "usual basis"},
        {"cycles of an operation by phase", "operations[].by_phase.PHASE", "cycles", "usual basis"},
        {"share of peak of an operation", "operations[].peak_share", "", ""},
        {"lost by an operation", "operations[].lost_cycles", "cycles", "usual basis"},
        {"unbalanced of all operations", "", "", ""},
        {"lost by all operations", "", "", ""},
        {"operations of an operation", "operations[].flops", "flops", "usual basis"},
        {"exchanged by an operation", "operations[].exchanged_bytes", "bytes", "usual basis"},
        {"rearranged by an operation", "operations[].rearranged_bytes", "bytes", ""},
        {"temporary of an operation", "operations[].temporary_bytes", "bytes", ""},
        {"code of an operation", "operations[].code_bytes", "bytes", ""},
        {"bytes of the executable", "", "bytes", ""},
        {"code of the executable", "", "bytes", ""},
        {"runs of an operation", "", "", "usual basis"},
        {"live of an operation", "", "bytes", ""},
        {"headroom of an operation", "", "", ""},
        {"placed cycles of a plan", "", "cycles", ""},
        {"emitted cycles of an operation", "", "cycles", ""},
        {"cost share of a finding", "", "", ""},
        {"share at a knee", "", "", ""},
        {"last epoch METRIC", "result.epochs[].metrics.METRIC", "", "epoch"},
        {"evaluation METRIC", "result.evaluate.METRIC", "", ""},
    };
    return all;
}

std::string unit_of(const std::string& key) {
    for (const Figure& figure : figures())
        if (is_listed_as(key, figure.key))
            return figure.unit;
    return {};
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
