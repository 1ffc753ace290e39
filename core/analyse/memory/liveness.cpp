// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/liveness.h"

#include "analyse/costs.h"
#include "analyse/program_time.h"
#include "analyse/tile_memory.h"
#include "base/try.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <utility>

namespace tilescope::analyse {
namespace {

std::vector<std::size_t> those_of(const std::vector<profile::VariableRecord>& variables, const auto& wanted) {
    std::vector<std::size_t> indices;
    for (std::size_t i = 0; i < variables.size(); ++i)
        if (wanted(variables[i]))
            indices.push_back(i);
    return indices;
}

/// Steps [from, to) of `points`, by index, at which a variable is live that is not always.
std::pair<std::size_t, std::size_t> points_of(const Liveness& live, const profile::VariableRecord& variable) {
    return {static_cast<std::size_t>(live.point_of(variable.live_from)),
            static_cast<std::size_t>(live.point_of(variable.live_to)) + 1};
}

/// Of several tiles, the bytes of the fullest at each point. Where a variable lies is read when its life
/// begins and let go of at its end: no more is held than what is live.
Result<void> find_fullest(const std::vector<std::int64_t>& tiles, const profile::Profile& profile,
                          Liveness& live) {
    std::vector<std::vector<std::pair<std::int64_t, std::size_t>>> coming(
        live.points.size()); // variables, with the end of their lives, by point
    std::vector<std::int64_t> held(tiles.size(), 0);
    const auto read = [&](std::int64_t id) { return profile.tile_values("variable", id, live.ipu, "bytes"); };
    const auto add = [&](const std::vector<std::int64_t>& bytes, std::int64_t sign) {
        for (std::size_t t = 0; t < tiles.size(); ++t)
            if (static_cast<std::size_t>(tiles[t]) < bytes.size())
                held[t] += sign * bytes[static_cast<std::size_t>(tiles[t])];
    };
    std::map<std::size_t, std::vector<std::vector<std::int64_t>>> going; // bytes by tile, by point
    for (const profile::VariableRecord& variable : live.variables)
        if (variable.always_live) {
            TRY(const auto bytes, read(variable.id));
            add(bytes, 1);
        } else if (!live.points.empty()) {
            const auto [from, end] = points_of(live, variable);
            coming[from].emplace_back(variable.id, end);
        }
    for (std::size_t i = 0; i < live.points.size(); ++i) {
        if (const auto gone = going.extract(i); !gone.empty())
            for (const auto& bytes : gone.mapped())
                add(bytes, -1);
        for (const auto& [id, end] : coming[i]) {
            TRY(auto bytes, read(id));
            add(bytes, 1);
            going[end].push_back(std::move(bytes));
        }
        live.points[i].fullest_tile = *std::max_element(held.begin(), held.end());
    }
    return {};
}

/// The points of all tiles become those of some, and the variables have their bytes on these.
Result<void> narrow_to(const std::vector<std::int64_t>& tiles, const profile::Profile& profile,
                       Liveness& live) {
    TRY(auto on_tiles, profile.variables_on_tiles(live.ipu, tiles));
    live.chosen = tiles;
    live.tiles = std::ssize(tiles);
    std::vector<std::int64_t> more(live.points.size() + 1, 0); // from a point on
    std::int64_t always = 0;
    for (profile::VariableOnTiles& each : on_tiles) {
        each.variable.bytes = each.bytes;
        live.variables.push_back(each.variable);
        if (each.variable.always_live) {
            always += each.bytes;
        } else if (!live.points.empty()) {
            const auto [from, end] = points_of(live, each.variable);
            more[from] += each.bytes;
            more[end] -= each.bytes;
        }
    }
    std::stable_sort(live.variables.begin(), live.variables.end(),
                     [](const auto& a, const auto& b) { return a.bytes > b.bytes; });
    std::int64_t not_always = 0;
    for (std::size_t i = 0; i < live.points.size(); ++i) {
        not_always += more[i];
        live.points[i].always = always;
        live.points[i].not_always = not_always;
        live.points[i].fullest_tile = always + not_always;
    }
    return tiles.size() > 1 ? find_fullest(tiles, profile, live) : Result<void>();
}

/// That one, or those of the first replica.
Result<std::vector<std::int64_t>> ipus_of(const profile::Profile& profile, std::int64_t ipu) {
    std::vector<std::int64_t> ids;
    TRY(const auto all, profile.ipus());
    for (const auto& one : all)
        if (one.replica == 0)
            ids.push_back(one.id);
    return ipu == every_ipu ? ids : std::vector{ipu};
}

/// What is live on IPUs, which all go through the same steps, together.
Result<std::vector<profile::LivenessRecord>> summed(const profile::Profile& profile,
                                                    const std::vector<std::int64_t>& ipus) {
    std::vector<profile::LivenessRecord> sum;
    for (const std::int64_t ipu : ipus) {
        TRY(auto rows, profile.liveness(ipu));
        if (sum.empty()) {
            sum = std::move(rows);
            continue;
        }
        for (std::size_t i = 0; i < std::min(sum.size(), rows.size()); ++i) {
            sum[i].always_live_bytes += rows[i].always_live_bytes;
            sum[i].not_always_live_bytes += rows[i].not_always_live_bytes;
            sum[i].max_tile_bytes = std::max(sum[i].max_tile_bytes, rows[i].max_tile_bytes);
        }
    }
    return sum;
}

/// Where the points begin in one pass, as Liveness::starts says.
Result<void> find_starts(const profile::Profile& profile, const std::vector<profile::ProgramRecord>& program,
                         Liveness& live) {
    TRY(const auto exchanges, profile.exchanges());
    TRY(const auto slots, profile.pipeline_slots(0));
    if (program.empty())
        return {};
    const ProgramTime time = program_time(program, exchanges, slots);
    std::map<std::int64_t, std::int64_t> cycles; // of one run, by program step
    for (std::size_t r = 0; r < program.size(); ++r)
        if (!time.steps[r].beside)
            cycles[program[r].id] = std::llround(time.steps[r].each());
    live.starts = {0};
    for (const Liveness::Point& point : live.points) {
        const auto takes = cycles.find(point.program);
        live.starts.push_back(live.starts.back() + (takes == cycles.end() ? 0 : takes->second));
    }
    if (live.pass_cycles() == 0)
        live.starts.clear();
    return {};
}

} // namespace

bool Liveness::fullest_known() const {
    return std::any_of(points.begin(), points.end(),
                       [](const Point& point) { return point.fullest_tile > 0; });
}

std::int64_t Liveness::peak() const {
    const auto most = std::max_element(points.begin(), points.end(),
                                       [](const Point& a, const Point& b) { return a.total() < b.total(); });
    return most == points.end() ? -1 : most - points.begin();
}

std::int64_t Liveness::first_over() const {
    const auto over = std::find_if(points.begin(), points.end(),
                                   [&](const Point& p) { return p.fullest_tile > bytes_per_tile; });
    return over == points.end() ? -1 : over - points.begin();
}

std::vector<std::int64_t> Liveness::peaks(std::int64_t apart) const {
    std::vector<std::int64_t> order(points.size());
    for (std::size_t i = 0; i < order.size(); ++i)
        order[i] = static_cast<std::int64_t>(i);
    const auto total = [&](std::int64_t i) { return points[static_cast<std::size_t>(i)].total(); };
    std::stable_sort(order.begin(), order.end(),
                     [&](std::int64_t a, std::int64_t b) { return total(a) > total(b); });
    std::vector<std::int64_t> found;
    std::vector<bool> taken(points.size(), false);
    for (const std::int64_t i : order) {
        const std::int64_t from = std::max<std::int64_t>(0, i - apart);
        const std::int64_t to =
            std::min<std::int64_t>(static_cast<std::int64_t>(points.size()) - 1, i + apart);
        bool highest = true; // what was taken before is at least as high
        for (std::int64_t k = from; k <= to && highest; ++k)
            highest = !taken[static_cast<std::size_t>(k)] && total(k) <= total(i);
        if (!highest)
            continue;
        taken[static_cast<std::size_t>(i)] = true;
        found.push_back(i);
    }
    return found;
}

std::int64_t Liveness::point_of(std::int64_t step) const {
    const auto after = std::upper_bound(points.begin(), points.end(), step,
                                        [](std::int64_t s, const Point& p) { return s < p.step; });
    return points.empty() ? -1 : std::max<std::int64_t>(0, after - points.begin() - 1);
}

std::vector<std::size_t> Liveness::live_at(std::int64_t step) const {
    return those_of(variables, [&](const auto& v) { return profile::live_at(v, step); });
}

std::vector<std::size_t> Liveness::live_in(std::int64_t from, std::int64_t to) const {
    return those_of(variables, [&](const auto& v) {
        return v.always_live || (v.live_from >= 0 && v.live_from <= to && from <= v.live_to);
    });
}

std::int64_t Liveness::peak_in(std::int64_t from, std::int64_t to) const {
    std::int64_t most = -1;
    for (std::int64_t i = std::max<std::int64_t>(0, point_of(from)); i < std::ssize(points); ++i) {
        const Point& point = points[static_cast<std::size_t>(i)];
        if (point.step > to)
            break;
        if (most < 0 || point.total() > points[static_cast<std::size_t>(most)].total())
            most = i;
    }
    return most;
}

/// What is not always live is gone after its last use; of what is, the file says when it is needed.
std::optional<std::int64_t> Liveness::last_use(const profile::VariableRecord& variable) const {
    return variable.live_to >= 0 ? std::optional(variable.live_to) : std::nullopt;
}

std::int64_t Liveness::bytes_live_at(std::int64_t step) const {
    std::int64_t bytes = 0;
    for (const std::size_t i : live_at(step))
        bytes += variables[i].bytes;
    return bytes;
}

Liveness::Life Liveness::life_of(const profile::VariableRecord& variable) const {
    if (!variable.always_live)
        return {variable.live_from, variable.live_to};
    return points.empty() ? Life{} : Life{points.front().step, points.back().step};
}

std::vector<std::size_t> Liveness::appear_at(std::int64_t step) const {
    return those_of(variables, [&](const auto& v) { return !v.always_live && v.live_from == step; });
}

std::vector<std::size_t> Liveness::gone_at(std::int64_t step) const {
    return those_of(variables, [&](const auto& v) { return !v.always_live && v.live_to == step - 1; });
}

Liveness::Turn Liveness::turn_at(std::int64_t step) const {
    Turn turn{appear_at(step), gone_at(step)};
    for (const std::size_t i : turn.appear)
        turn.appear_bytes += variables[i].bytes;
    for (const std::size_t i : turn.gone)
        turn.gone_bytes += variables[i].bytes;
    if (const std::int64_t point = point_of(step); point > 0) {
        const auto here = static_cast<std::size_t>(point);
        turn.change = points[here].total() - points[here - 1].total();
    }
    return turn;
}

LiveChanges live_changes(const Liveness& now, std::int64_t step, const Liveness& before,
                         std::int64_t step_before, const OldNames& old_names) {
    const auto held = [](const Liveness& of, std::int64_t at) {
        HeldVariables all;
        for (const std::size_t i : of.live_at(at))
            all.emplace_back(&of.variables[i], of.variables[i].bytes);
        return all;
    };
    LiveChanges result;
    for (const VariableChange& each :
         variable_changes(held(now, step), held(before, step_before), old_names)) {
        const bool in_both = each.now != nullptr && each.before != nullptr;
        const auto of = [](const profile::VariableRecord* variable, std::int64_t bytes) {
            return variable != nullptr ? std::optional(bytes) : std::nullopt;
        };
        result.sum.add(of(each.before, each.bytes_before), of(each.now, each.bytes_now));
        if (!in_both || each.change() != 0)
            result.changed.push_back(each);
    }
    return result;
}

LiveDifference live_difference(const Liveness& now, const Liveness& before,
                               const std::map<std::int64_t, std::int64_t>& same_steps) {
    std::map<std::int64_t, std::int64_t> bytes_before; // by program step, of the first time that it runs
    for (const Liveness::Point& point : before.points)
        bytes_before.emplace(point.program, point.total());
    LiveDifference difference;
    std::int64_t most = 0;
    for (const Liveness::Point& point : now.points) {
        const auto same = same_steps.find(point.program);
        const auto then = same == same_steps.end() ? bytes_before.end() : bytes_before.find(same->second);
        auto& by = difference.by.emplace_back();
        if (then == bytes_before.end())
            continue;
        by = point.total() - then->second;
        if (std::abs(*by) > most) {
            most = std::abs(*by);
            difference.largest = static_cast<std::int64_t>(difference.by.size()) - 1;
        }
    }
    return difference;
}

Result<Liveness> read_liveness(const profile::Profile& profile, std::int64_t ipu,
                               const std::vector<std::int64_t>& tiles) {
    TRY(const auto target, profile.target());
    TRY(const auto ipus, ipus_of(profile, ipu));
    TRY(const auto rows, summed(profile, ipus));
    TRY(const auto program, profile.program());
    TRY(const auto operations, profile.operations());
    TRY(const auto layers, profile.layers());
    Liveness live;
    live.ipu = ipu;
    live.bytes_per_tile = target.bytes_per_tile;
    live.ipus = std::ssize(ipus);
    live.tiles = target.tiles_per_ipu * live.ipus;
    std::map<std::int64_t, const profile::ProgramRecord*> steps;
    for (const auto& step : program)
        steps[step.id] = &step;
    std::map<std::int64_t, const profile::OperationRecord*> operation_of;
    for (const auto& operation : operations)
        operation_of[operation.id] = &operation;
    std::map<std::int64_t, std::string> layer_names;
    for (const auto& layer : layers)
        layer_names[layer.id] = layer.name;
    for (const auto& row : rows) {
        live.points.push_back(
            {row.step, row.always_live_bytes, row.not_always_live_bytes, row.max_tile_bytes, row.program_id});
        const auto step = steps.find(row.program_id);
        live.step_names.push_back(step == steps.end() ? std::string() : step->second->name);
        Liveness::Band band{row.step, row.step, {}, profile::Phase::Forward};
        if (step != steps.end())
            if (const auto op = operation_of.find(step->second->operation_id); op != operation_of.end()) {
                band.phase = op->second->phase;
                if (const auto layer = layer_names.find(op->second->layer_id); layer != layer_names.end())
                    band.name = layer->second;
            }
        if (!live.bands.empty() && live.bands.back().name == band.name &&
            live.bands.back().phase == band.phase)
            live.bands.back().to = row.step;
        else
            live.bands.push_back(band);
    }
    TRY(find_starts(profile, program, live));
    if (!tiles.empty() && ipu != every_ipu) {
        TRY(narrow_to(tiles, profile, live));
        return live;
    }
    for (const std::int64_t one : ipus) {
        TRY(const auto variables, profile.variables(one));
        for (auto& variable : variables.those([](const auto& v) { return v.bytes > 0; }))
            live.variables.push_back(std::move(variable));
    }
    std::stable_sort(live.variables.begin(), live.variables.end(),
                     [](const auto& a, const auto& b) { return a.bytes > b.bytes; });
    return live;
}

Result<LiveCourse> fullest_course(const profile::Profile& profile,
                                  const std::vector<profile::IpuRecord>& ipus) {
    LiveCourse fullest;
    for (const profile::IpuRecord& ipu : ipus) {
        TRY(const auto steps, profile.liveness(ipu.id));
        LiveCourse course{ipu.id, {}, {}, 0};
        for (const profile::LivenessRecord& step : steps) {
            course.always.push_back(step.always_live_bytes);
            course.all.push_back(step.always_live_bytes + step.not_always_live_bytes);
            course.most = std::max(course.most, course.all.back());
        }
        if (course.most > fullest.most)
            fullest = std::move(course);
    }
    return fullest;
}

} // namespace tilescope::analyse
