// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/headline.h"

#include "analyse/changes_to_try.h"
#include "analyse/insight_rules.h"
#include "analyse/liveness.h"
#include "analyse/phases.h"
#include "base/share.h"
#include "base/text.h"
#include "base/try.h"
#include "profile/lookup.h"

#include <algorithm>
#include <array>
#include <functional>

namespace tilescope::analyse {
namespace {

std::string tile_text(const Summary& s, const FullestTile& tile) {
    return (s.ipus.size() > 1 ? "IPU " + std::to_string(tile.ipu) + " tile " : "tile ") +
           std::to_string(tile.tile);
}

void add_memory(const Summary& s, Headline& result) {
    const auto free = s.free_bytes();
    if (!free)
        return;
    const FullestTile& tile = s.memory->fullest_with_gaps;
    const double share = share_of(*free, s.target.bytes_per_tile).value_or(0);
    if (s.run.status == profile::RunStatus::OutOfMemory && *free >= 0) { // the code, or streaming memory
        result.fit = Fit::DoesNotFit;
        result.memory = "Does not fit: " + s.run.error + ".";
        return;
    }
    result.fit = fit_of(tile.bytes, s.target.bytes_per_tile);
    result.memory = *free < 0 ? "Does not fit: " + tile_text(s, tile) + " needs " +
                                    bytes_text(static_cast<double>(tile.bytes)) + " of " +
                                    bytes_text(static_cast<double>(s.target.bytes_per_tile)) + " (" +
                                    share_text(1 - share) + ")."
                              : std::string(result.fit == Fit::Tight ? "Fits, tightly: " : "Fits, with ") +
                                    bytes_text(static_cast<double>(*free)) + " (" + share_text(share) + ")" +
                                    (result.fit == Fit::Tight ? " are free" : " free") +
                                    " on the fullest tile, " + tile_text(s, tile) + ".";
}

/// "3 to 5, 7".
std::string runs_text(const std::vector<std::int64_t>& numbers) {
    std::string result;
    for (std::size_t i = 0; i < numbers.size();) {
        std::size_t last = i;
        while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1)
            ++last;
        result += (result.empty() ? "" : ", ") + std::to_string(numbers[i]);
        if (last > i)
            result += (last == i + 1 ? ", " : " to ") + std::to_string(numbers[last]);
        i = last + 1;
    }
    return result;
}

/// What the others wait for, where the stages of a pipeline are out of balance: "stages 3 to 5 of the
/// pipeline, up to 30.0 % longer than the mean"; "" where they are not, or where that costs less than `most`
/// of the time.
std::string slow_stages(const Summary& s, double most) {
    constexpr double nearly = 0.95; // of the longest: making only that one shorter gains no more
    constexpr double uneven = 1.2;  // times the mean; where they are less so, something else limits the run
    const auto found = std::find_if(s.insights.begin(), s.insights.end(),
                                    [](const Insight& each) { return each.code == stage_imbalance_rule; });
    if (found == s.insights.end() || cost_share(*found, s).value_or(1) < most)
        return {};
    const auto figure = [&](const char* name) {
        for (const InsightFigure& each : found->figures)
            if (each.name == name)
                return each.value;
        return 0.0;
    };
    if (figure("times_the_mean") <= uneven)
        return {};
    std::vector<std::int64_t> longest;
    for (const StageSummary& stage : s.stages)
        if (static_cast<double>(stage.work()) >= nearly * figure("longest_stage_cycles"))
            longest.push_back(stage.stage.stage);
    const std::string by = share_text(figure("times_the_mean") - 1) + " longer than the mean";
    if (longest.empty()) // an IPU does several
        return "the IPU of stage " + std::to_string(found->subject.id) + ", which works " + by + " IPU";
    return (longest.size() == 1 ? "stage " : "stages ") + runs_text(longest) + " of the pipeline, " +
           (longest.size() == 1 ? "which works " : "which work up to ") + by + " stage";
}

/// The IPU that waits least, as the others wait for it; null: all wait as long.
const IpuSummary* slowest_ipu(const Summary& s) {
    const auto [slowest, fastest] =
        std::minmax_element(s.ipus.begin(), s.ipus.end(),
                            [](const auto& a, const auto& b) { return a.phases.waiting < b.phases.waiting; });
    return slowest == s.ipus.end() || slowest->phases.waiting == fastest->phases.waiting ? nullptr
                                                                                         : &*slowest;
}

void add_time(const Summary& s, Headline& result) {
    if (!s.by_phase || s.by_phase->total() <= 0)
        return;
    const IpuSummary* slowest = slowest_ipu(s);
    const profile::PhaseCycles& c = slowest == nullptr ? *s.by_phase : slowest->phases;
    const auto less = [&](const NamedPhase& a, const NamedPhase& b) { return c.*a.cycles < c.*b.cycles; };
    const auto part = [&](const auto& of) {
        return TimePart{of->name, phase_share(c, of->cycles).value_or(0)};
    };
    const NamedPhase& largest = largest_phase(c);
    result.largest = part(&largest);
    result.loss = part(std::max_element(phases.begin() + 1, phases.end(), less)); // compute is the first
    const std::string whole = s.ipus.size() > 1 ? " of all IPU time" : " of the time";
    result.whole = slowest == nullptr
                       ? whole
                       : " of the time of IPU " + std::to_string(slowest->id) + ", which waits least";
    const std::string computing = "; computing is " + share_text(utilisation(*s.by_phase).value_or(0));
    double moving = 0; // the most that is lost to anything but waiting, which is for the slowest stages
    for (const NamedPhase& phase : phases)
        if (phase.cycles != &profile::PhaseCycles::compute && phase.cycles != &profile::PhaseCycles::waiting)
            moving = std::max(moving, phase_share(c, phase.cycles).value_or(0));
    if (const std::string stages = slow_stages(s, moving); !stages.empty()) {
        result.time = "Limited by " + stages + computing + whole + ".";
        return;
    }
    result.time = "Limited by " + phase_words(result.largest->name) + ", " +
                  share_text(result.largest->share) + result.whole;
    result.time += largest.cycles != &profile::PhaseCycles::compute
                       ? computing + (slowest == nullptr ? "." : whole + ".")
                   : result.loss->share > 0 ? "; the largest loss is " + phase_words(result.loss->name) +
                                                  ", " + share_text(result.loss->share) + "."
                                            : ".";
}

} // namespace

Fit fit_of(std::int64_t bytes, std::int64_t bytes_per_tile) {
    const double free = 1 - share_of(bytes, bytes_per_tile).value_or(0);
    return free < 0 ? Fit::DoesNotFit : free < tight_share ? Fit::Tight : Fit::Fits;
}

Headline headline(const Summary& summary) {
    Headline result;
    add_memory(summary, result);
    add_time(summary, result);
    return result;
}

std::optional<double> flops_per_s(const Summary& s) {
    const auto us = s.elapsed_us(s.basis);
    std::int64_t flops = 0; // of one replica
    for (const LayerCost& layer : s.layers)
        flops += layer.flops;
    if (!us || *us <= 0 || flops <= 0)
        return std::nullopt;
    return static_cast<double>(flops) * static_cast<double>(s.loops.replicas) / (*us * 1e-6);
}

std::optional<double> flops_per_s_per_ipu(const Summary& s) {
    const auto all = flops_per_s(s);
    return all && !s.ipus.empty() ? std::optional(*all / static_cast<double>(s.ipus.size())) : std::nullopt;
}

std::string over_text(const Diagnosis& diagnosis) {
    std::string text = diagnosis.tiles_over == 1 ? "It is the only one."
                                                 : count_text(diagnosis.tiles_over) + " tiles are over.";
    if (!diagnosis.step.empty())
        text += " Most is live there, " + bytes_text(static_cast<double>(diagnosis.live_bytes)) + ", while " +
                diagnosis.step + " runs.";
    return text;
}

std::int64_t Diagnosis::others() const {
    std::int64_t bytes = live_bytes;
    for (const profile::VariableOnTiles& variable : largest)
        bytes -= variable.bytes;
    return bytes;
}

namespace {

/// At most so many, each the fullest of as many neighbours.
std::vector<std::pair<std::int64_t, std::int64_t>> thinned(const std::vector<Liveness::Point>& points,
                                                           std::size_t most) {
    const std::size_t together = std::max<std::size_t>(1, (points.size() + most - 1) / most);
    std::vector<std::pair<std::int64_t, std::int64_t>> thin;
    for (std::size_t first = 0; first < points.size(); first += together) {
        const auto begin = points.begin() + static_cast<std::ptrdiff_t>(first);
        const auto end =
            points.begin() + static_cast<std::ptrdiff_t>(std::min(points.size(), first + together));
        const auto fullest =
            std::max_element(begin, end, [](const auto& a, const auto& b) { return a.total() < b.total(); });
        thin.emplace_back(fullest->step, fullest->total());
    }
    return thin;
}

} // namespace

Result<std::vector<profile::RemedyRecord>> compiled_remedies(const profile::Profile& profile) {
    TRY(auto remedies, profile.remedies());
    std::stable_partition(remedies.begin(), remedies.end(), std::mem_fn(&profile::RemedyRecord::fits));
    return remedies;
}

Result<std::optional<Diagnosis>> diagnose(const profile::Profile& profile, const Summary& s) {
    constexpr std::size_t few = 5;
    const auto free = s.free_bytes();
    if (!free || *free >= 0)
        return std::nullopt;
    Diagnosis d;
    d.worst = s.memory->fullest_with_gaps;
    d.bytes_per_tile = s.target.bytes_per_tile;
    for (const IpuSummary& ipu : s.ipus) {
        TRY(const auto bytes, profile.tile_values("memory", 0, ipu.id, "total_with_gaps"));
        d.tiles_over += std::count_if(bytes.begin(), bytes.end(),
                                      [&](std::int64_t of_tile) { return of_tile > d.bytes_per_tile; });
    }
    TRY(auto variables, profile.variables_on_tiles(d.worst.ipu, {d.worst.tile}));
    const profile::LiveLevel peak = live_peak(variables);
    d.live_bytes = peak.bytes;
    std::erase_if(variables,
                  [&](const profile::VariableOnTiles& v) { return !live_at(v.variable, peak.step); });
    d.largest.assign(variables.begin(),
                     variables.begin() + static_cast<std::ptrdiff_t>(std::min(few, variables.size())));
    TRY(d.step, profile::step_name(profile, peak.step));
    constexpr std::size_t columns = 600;
    TRY(const Liveness live, read_liveness(profile, d.worst.ipu, {d.worst.tile}));
    d.filling = thinned(live.points, columns);
    TRY(d.tried, compiled_remedies(profile));
    d.cut_by_hand = s.run.cut == profile::ModelCut::ByHand;
    return d;
}

} // namespace tilescope::analyse
