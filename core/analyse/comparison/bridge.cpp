// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/bridge.h"

#include "analyse/like_names.h"
#include "analyse/phases.h"
#include "analyse/settings.h"
#include "base/text.h"
#include "causes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

namespace tilescope::analyse {
namespace {

constexpr double nothing = 1e-9;      // us: less is rounding
constexpr double worth_telling = 0.1; // of a change: less of what goes against it is not said

const char* const the_clock = "the clock";
const char* const of_no_phase = "time of no phase"; // a file may have more of it than its phases

/// One side: its cycles of one engine run as the microseconds that they take on the clock of the new run, per
/// basis, of a mean IPU.
struct BridgeSide {
    const RunParts& run;
    const BothRuns& runs;

    double cycle_us() const { // on its own clock
        return 1e6 / run.summary().target.clock_hz;
    }
    double us(std::int64_t cycles) const { // of all the IPUs
        const std::size_t ipus = runs.ipu == every_ipu ? run.costs().ipus().size() : 1;
        return elapsed_us(cycles) / static_cast<double>(ipus);
    }
    /// The host takes its time on any clock of the IPUs: its cycles are of the run's own.
    double phase_us(std::size_t phase, const profile::PhaseCycles& cycles) const {
        const bool of_host = phases[phase].cycles == &profile::PhaseCycles::host;
        return us(cycles.*phases[phase].cycles) *
               (of_host ? runs.now.summary().target.clock_hz / run.summary().target.clock_hz : 1);
    }
    double elapsed_us(std::int64_t cycles) const {
        return run.costs().loops().mean(cycles, runs.basis) * 1e6 / runs.now.summary().target.clock_hz;
    }
    profile::PhaseCycles all() const { return run.costs().with_beside(runs.ipu); }
    profile::PhaseCycles layer(std::int64_t id) const { return run.costs().layer(id, runs.ipu).cycles; }
};

/// What the layers of both runs take more in the new one, by name, and what passes beside them.
using LayerPhases = std::map<std::string, std::array<double, phases.size()>>;

LayerPhases layer_changes(const BridgeSide& base, const BridgeSide& now, const Matching& matching) {
    LayerPhases changes;
    const auto add = [&](const std::string& name, const BridgeSide& side, const profile::PhaseCycles& cycles,
                         double sign) {
        auto& row = changes.try_emplace(name).first->second;
        for (std::size_t i = 0; i < phases.size(); ++i)
            row[i] += sign * side.phase_us(i, cycles);
    };
    std::map<std::int64_t, std::string> name_in_now; // of layers of the base
    for (const auto& layer : now.run.parts().layers)
        if (const auto partner = matching.layers.find(layer.id); partner != matching.layers.end())
            name_in_now[partner->second] = layer.name;
    for (const auto& layer : now.run.parts().layers) {
        const auto part = matching.split.find(layer.id);
        add(part == matching.split.end() ? layer.name : name_in_now.at(part->second), now,
            now.layer(layer.id), 1);
    }
    for (const auto& layer : base.run.parts().layers) {
        const auto partner = name_in_now.find(matching.whole_of_base(layer.id));
        add(partner == name_in_now.end() ? name_beside(layer.name, now.run.parts()) : partner->second, base,
            base.layer(layer.id), -1);
    }
    for (const auto& [side, sign] : {std::pair(&base, -1.0), std::pair(&now, 1.0)}) {
        add(of_no_layer, *side, side->layer(-1), sign);
        add(copying, *side, side->layer(host_copies), sign);
        profile::PhaseCycles launches;
        launches.host = side->run.costs().beside(side->runs.ipu).host;
        add(launching, *side, launches, sign);
    }
    return changes;
}

std::vector<BridgePart> parts_of(const LayerPhases& changes, std::size_t phase) {
    std::vector<BridgePart> parts;
    for (const auto& [name, by_phase] : changes)
        if (std::fabs(by_phase[phase]) > nothing)
            parts.push_back({name, by_phase[phase]});
    std::stable_sort(parts.begin(), parts.end(), [](const BridgePart& a, const BridgePart& b) {
        return std::fabs(a.us) > std::fabs(b.us);
    });
    return parts;
}

/// The part of the largest change in the direction of `sign`; null: none goes there.
const BridgePart* largest(const std::vector<BridgePart>& parts, double sign) {
    const BridgePart* found = nullptr;
    for (const BridgePart& part : parts)
        if (part.us * sign > 0 && (found == nullptr || part.us * sign > found->us * sign))
            found = &part;
    return found;
}

std::string signed_time(double us) {
    return signed_text(us, time_text(us * 1e-6));
}

/// "b is 12.0 % slower than a: 10.2 ms instead of 9.11 ms per step"
std::string pace(const std::string& base, const std::string& now, double base_us, double now_us,
                 const std::string& per) {
    constexpr double many = 2; // times; fewer read better in percent
    const auto apart = [by = std::fabs(now_us - base_us)](double us) {
        return figure_text(us, FigureUnit::Us, by);
    };
    const std::string times = apart(now_us) + " instead of " + apart(base_us) + per;
    if (base_us == now_us)
        return now + " takes as long as " + base + ": " + time_text(now_us * 1e-6) + per;
    if (now_us > 0 && base_us >= many * now_us)
        return now + " is " + times_text(base_us / now_us) + " as fast as " + base + ": " + times;
    if (base_us > 0 && now_us >= many * base_us)
        return now + " takes " + times_text(now_us / base_us) + " as long as " + base + ": " + times;
    return now + " is " + share_text(std::fabs(now_us - base_us) / base_us) +
           (now_us > base_us ? " slower than " : " faster than ") + base + ": " + times;
}

const Difference* figure_of(const Comparison& c, const std::string& name) {
    const auto found = std::find_if(c.headline.begin(), c.headline.end(),
                                    [&](const Difference& d) { return d.name == name && d.base && d.now; });
    return found == c.headline.end() ? nullptr : &*found;
}

/// "At batch 16 instead of 64, ", where the runs differ in it: what differs is said first.
std::string at_batch(const Comparison& c) {
    for (const SettingDifference& d : c.settings)
        if (d.key == "fit.batch_size")
            return "At batch " + setting_text(d.now, d.unit) + " instead of " + setting_text(d.base, d.unit) +
                   ", ";
    return {};
}

/// What a sample or a step takes, where that is another answer than what is counted per something else:
/// batches may have other sizes, and replicas work side by side, as the stages of a pipeline do.
std::string whole_answer(const Comparison& c, const std::string& base, const std::string& now) {
    constexpr double the_same = 0.005; // of the time
    const double counted = c.bridge->now_us / c.bridge->base_us;
    const auto told = [&](double base_us, double now_us, const char* per) {
        return base_us <= 0 || c.bridge->base_us <= 0 || std::fabs(now_us / base_us - counted) <= the_same
                   ? std::string()
                   : pace(base, now, base_us, now_us, per);
    };
    const Difference* samples = figure_of(c, "throughput");
    const Difference* step = figure_of(c, "step time");
    std::string text = samples == nullptr || *samples->base <= 0 || *samples->now <= 0
                           ? std::string()
                           : told(1e6 / *samples->base, 1e6 / *samples->now, " per sample");
    if (const std::string batch = at_batch(c); text.empty() || batch.empty())
        text = step == nullptr ? std::string() : told(*step->base, *step->now, " per step");
    else
        text = batch + text;
    return text.empty() ? text : text + ". Counted " + per(c.basis) + ", ";
}

std::string time_answer(const Comparison& c, const std::string& base, const std::string& now) {
    if (!c.bridge) {
        const Difference* step = figure_of(c, "step time");
        return step == nullptr ? std::string() : pace(base, now, *step->base, *step->now, " per step") + ".";
    }
    const double by = c.bridge->change();
    const std::string of_whole = whole_answer(c, base, now);
    const std::string unit = of_whole.empty() ? " " + per(c.basis) : std::string();
    if (std::fabs(by) <= nothing)
        return of_whole + pace(base, now, c.bridge->base_us, c.bridge->base_us, unit) + ".";
    std::string text =
        of_whole + pace(base, now, c.bridge->base_us, c.bridge->now_us, unit) + " (" + signed_time(by) + ")";
    if (const BridgePart* most = largest(c.bridge->parts, by))
        text += ", of which " + signed_time(most->us) + " is " + text_of(*most);
    const BridgePart* against = largest(c.bridge->parts, -by);
    if (against != nullptr && std::fabs(against->us) >= worth_telling * std::fabs(by))
        text += "; against it " + signed_time(against->us) + " of " + text_of(*against);
    return text + ".";
}

/// `of` names the run (" of b") where no sentence before has named it.
std::string memory_answer(const Comparison& c, const std::string& of) {
    const Difference* tile = figure_of(c, "fullest tile with gaps");
    if (tile == nullptr)
        return {};
    const double by = *tile->change();
    if (by == 0)
        return "The fullest tile with gaps" + of + " needs the same memory, " + bytes_text(*tile->now) + ".";
    const auto apart = [&](double bytes) { return figure_text(bytes, FigureUnit::Bytes, std::fabs(by)); };
    std::string text = "The fullest tile with gaps" + of + " needs " + bytes_text(std::fabs(by)) +
                       (by > 0 ? " more" : " less") + ", " + apart(*tile->now) + " instead of " +
                       apart(*tile->base);
    const auto causes = folded(c.memory_causes, &Cause::bytes);
    const auto first = [&](double sign) {
        return std::find_if(causes.begin(), causes.end(),
                            [&](const Cause& cause) { return cause.bytes.value_or(0) * sign > 0; });
    };
    const auto told = [](const Cause& cause) { return signed_text(*cause.bytes, bytes_text(*cause.bytes)); };
    if (const auto most = first(by); most != causes.end())
        text += ", of which " + told(*most) + " is " + name_text(*most);
    if (const auto against = first(-by);
        against != causes.end() && std::fabs(*against->bytes) >= worth_telling * std::fabs(by))
        text += "; against it " + told(*against) + " of " + name_text(*against);
    return text + ".";
}

} // namespace

std::string text_of(const BridgePart& part) {
    std::vector<std::string> names;
    for (const BridgePart& each : part.parts)
        names.push_back(each.name);
    std::string most;
    double most_us = part.us / 2; // what explains less is not most of it
    for (const LikeNames& alike : fold_names(names)) {
        double us = 0;
        for (const std::size_t member : alike.members)
            us += part.parts[member].us;
        if (us * part.us <= 0 || std::fabs(us) < std::fabs(most_us))
            continue;
        most_us = us;
        most = text_of(alike);
    }
    std::string name = phase_words(part.name);
    if (most.empty())
        return name;
    return name + ", mostly " + (most == launching || most == copying || most == of_no_layer ? "" : "in ") +
           most;
}

std::optional<TimeBridge> time_bridge(const BothRuns& runs) {
    const BridgeSide base{runs.base, runs};
    const BridgeSide now{runs.now, runs};
    for (const BridgeSide* side : {&base, &now})
        if (side->run.costs().elapsed() == 0 || side->run.summary().target.clock_hz <= 0)
            return std::nullopt; // it was never run
    TimeBridge bridge;
    const profile::PhaseCycles before = base.all();
    const profile::PhaseCycles after = now.all();
    const double at_new_clock = base.elapsed_us(runs.base.costs().elapsed());
    bridge.base_us = at_new_clock * base.cycle_us() / now.cycle_us();
    bridge.now_us = now.elapsed_us(runs.now.costs().elapsed());
    const auto add = [&](BridgePart part) {
        if (std::fabs(part.us) > nothing)
            bridge.parts.push_back(std::move(part));
    };
    double by_clock = at_new_clock - bridge.base_us;
    for (std::size_t i = 0; i < phases.size(); ++i)
        by_clock += base.phase_us(i, before) - base.us(before.*phases[i].cycles);
    add({the_clock, by_clock});
    const LayerPhases changes = layer_changes(base, now, runs.matching);
    for (std::size_t i = 0; i < phases.size(); ++i)
        add({phases[i].name, now.phase_us(i, after) - base.phase_us(i, before), parts_of(changes, i)});
    add({of_no_phase, (bridge.now_us - now.us(after.total())) - (at_new_clock - base.us(before.total()))});
    return bridge;
}

std::string answer(const Comparison& c, const std::string& base, const std::string& now) {
    const std::string time = time_answer(c, base, now);
    const std::string memory = memory_answer(c, time.empty() ? " of " + now : std::string());
    return time + (time.empty() || memory.empty() ? "" : " ") + memory;
}

nlohmann::ordered_json document(const TimeBridge& bridge) {
    using Json = nlohmann::ordered_json;
    const auto list = [](const std::vector<BridgePart>& parts) {
        Json rows = Json::array();
        for (const BridgePart& part : parts)
            rows.push_back({{"what", part.name}, {"us", part.us}});
        return rows;
    };
    Json parts = list(bridge.parts);
    for (std::size_t i = 0; i < bridge.parts.size(); ++i)
        if (!bridge.parts[i].parts.empty())
            parts[i]["parts"] = list(bridge.parts[i].parts);
    return {{"base_us", bridge.base_us}, {"new_us", bridge.now_us}, {"parts", parts}};
}

} // namespace tilescope::analyse
