// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/memory_parts.h"

#include "base/try.h"
#include "tile_lists.h"

#include <algorithm>
#include <numeric>

namespace tilescope::analyse {
namespace {

using Values = std::vector<std::int64_t>;
using Part = decltype(MemoryParts::Part::what);

/// Parts of one IPU after another; each part has a value for every tile of those before.
class Gatherer {
  public:
    Gatherer(const profile::Profile& profile, const PartsWanted& wanted, MemoryParts& result)
        : profile_(profile), wanted_(wanted), result_(result),
          tiles_(static_cast<std::size_t>(result.tiles_per_ipu)) {}

    Result<void> add(std::int64_t ipu) {
        first_ = result_.with_gaps.size();
        TRY(Values gaps, profile_.tile_values("memory", 0, ipu, "total_with_gaps"));
        gaps.resize(tiles_, 0);
        result_.with_gaps.insert(result_.with_gaps.end(), gaps.begin(), gaps.end());
        step_ = wanted_.step;
        if (wanted_.when == LiveWhen::IpuPeak) {
            TRY(step_, profile_.peak_step(ipu));
        }
        if (wanted_.by == PartsBy::Variables)
            return add_variables(ipu);
        if (at_step())
            return wanted_.by == PartsBy::Region ? Result<void>() : add_live(ipu);
        switch (wanted_.by) {
        case PartsBy::Region:
            return wanted_.when == LiveWhen::OwnPeak ? add_regions(ipu) : Result<void>();
        case PartsBy::Liveness:
            return add_liveness(ipu);
        default:
            return add_categories(ipu);
        }
    }

  private:
    bool at_step() const { return wanted_.when == LiveWhen::Step || wanted_.when == LiveWhen::IpuPeak; }
    void add_to(const Part& what, const Values& bytes) {
        const auto known = std::ranges::find(result_.parts, what, &MemoryParts::Part::what);
        MemoryParts::Part& part =
            known == result_.parts.end() ? result_.parts.emplace_back(MemoryParts::Part{what, {}}) : *known;
        part.bytes.resize(result_.with_gaps.size(), 0);
        for (std::size_t t = 0; t < std::min(tiles_, bytes.size()); ++t)
            part.bytes[first_ + t] += bytes[t];
    }
    Result<void> add_metric(const std::string& entity, std::int64_t ipu, const std::string& metric,
                            const Part& what) {
        TRY(const Values bytes, profile_.tile_values(entity, 0, ipu, metric));
        add_to(what, bytes);
        return {};
    }

    Result<void> add_regions(std::int64_t ipu) {
        TRY(add_metric("memory", ipu, "non_interleaved", TileRegion::NonInterleaved));
        TRY(add_metric("memory", ipu, "interleaved", TileRegion::Interleaved));
        return add_metric("memory", ipu, "overflowed", TileRegion::Overflowed);
    }
    Result<void> add_liveness(std::int64_t ipu) {
        TRY(Values total, profile_.tile_values("memory", 0, ipu, "total"));
        TRY(const Values always, profile_.tile_values("memory", 0, ipu, "always_live"));
        add_to(Lasting::Always, always);
        for (std::size_t t = 0; t < std::min(total.size(), always.size()); ++t)
            total[t] -= always[t];
        if (wanted_.when == LiveWhen::OwnPeak)
            add_to(Lasting::NotAlways, total);
        return {};
    }
    Result<void> add_categories(std::int64_t ipu) {
        TRY(const auto categories, profile_.memory_by_category(ipu));
        for (const auto& [category, always, not_always] : categories) {
            const std::string entity = "category:" + to_string(category);
            TRY(add_metric(entity, ipu, "always_live", category));
            if (wanted_.when == LiveWhen::OwnPeak) {
                TRY(add_metric(entity, ipu, "not_always_live", category));
            }
        }
        return {};
    }

    bool counts(const profile::VariableRecord& variable) const {
        switch (wanted_.when) {
        case LiveWhen::IpuPeak:
        case LiveWhen::Step:
            return live_at(variable, step_);
        case LiveWhen::Always:
            return variable.always_live;
        case LiveWhen::OwnPeak:
            break;
        }
        return true;
    }
    Result<void> add_variables(std::int64_t ipu) {
        TRY(const auto variables, profile_.variables(ipu));
        for (const auto& variable : variables)
            if (std::find(wanted_.variables.begin(), wanted_.variables.end(), variable.id) !=
                    wanted_.variables.end() &&
                counts(variable)) {
                TRY(const Values bytes, profile_.tile_values("variable", variable.id, ipu, "bytes"));
                add_to(MemoryParts::OneVariable{variable.id, variable.name}, bytes);
            }
        return {};
    }
    /// What is live at a step, variable by variable.
    Result<void> add_live(std::int64_t ipu) {
        TRY(const auto variables, profile_.variables(ipu));
        std::vector<profile::VariableRecord> live;
        for (const auto& variable : variables)
            if (counts(variable))
                live.push_back(variable);
        return each_list(profile_, "variable", live, ipu, "bytes",
                         [&](const profile::VariableRecord& variable, const Values& bytes) {
                             if (wanted_.by == PartsBy::Category)
                                 add_to(variable.category, bytes);
                             else
                                 add_to(variable.always_live ? Lasting::Always : Lasting::NotAlways, bytes);
                         });
    }

    const profile::Profile& profile_;
    const PartsWanted& wanted_;
    MemoryParts& result_;
    std::size_t tiles_;
    std::size_t first_ = 0; ///< tile of the IPU that is being added
    std::int64_t step_ = -1;
};

} // namespace

std::string MemoryParts::Part::name() const {
    return std::visit(
        [](const auto& of) {
            if constexpr (requires { of.name; })
                return of.name;
            else
                return tilescope::to_string(of);
        },
        what);
}

std::vector<std::int64_t> MemoryParts::totals() const {
    Values result(with_gaps.size(), 0);
    for (const Part& part : parts)
        for (std::size_t t = 0; t < std::min(result.size(), part.bytes.size()); ++t)
            result[t] += part.bytes[t];
    return result;
}

std::int64_t MemoryParts::sum() const {
    const Values all = totals();
    return std::accumulate(all.begin(), all.end(), std::int64_t{0});
}

std::int64_t MemoryParts::Part::sum() const {
    return std::accumulate(bytes.begin(), bytes.end(), std::int64_t{0});
}

std::int64_t MemoryParts::sum_of(const std::string& name) const {
    const auto part = std::ranges::find_if(parts, [&](const Part& each) { return each.name() == name; });
    return part == parts.end() ? 0 : part->sum();
}

std::int64_t change_of_part(const MemoryParts& now, const MemoryParts& base, const std::string& name) {
    return now.sum_of(name) - base.sum_of(name);
}

MemoryParts MemoryParts::without(const std::set<std::string>& names) const {
    MemoryParts rest = *this;
    std::erase_if(rest.parts, [&](const Part& part) { return names.contains(part.name()); });
    return rest;
}

MemoryDifference memory_difference(const MemoryParts& now, const MemoryParts& base) {
    MemoryDifference difference;
    const auto there = [&](std::int64_t ipu) { return std::ranges::find(base.ipus, ipu); };
    difference.added_ipus =
        std::ranges::count_if(now.ipus, [&](std::int64_t ipu) { return there(ipu) == base.ipus.end(); });
    const Values before = base.totals();
    const std::int64_t per = std::max<std::int64_t>(1, now.tiles_per_ipu);
    difference.by = now.totals();
    for (std::size_t i = 0; i < difference.by.size(); ++i) {
        const std::int64_t ipu = now.ipus[i / static_cast<std::size_t>(per)];
        const std::int64_t tile = static_cast<std::int64_t>(i) % per;
        const auto found = there(ipu);
        if (found != base.ipus.end() && tile < base.tiles_per_ipu)
            difference.by[i] -=
                before[static_cast<std::size_t>((found - base.ipus.begin()) * base.tiles_per_ipu + tile)];
        difference.sum += difference.by[i];
        if (difference.by[i] > difference.most) {
            difference.most = difference.by[i];
            difference.ipu = ipu;
            difference.tile = tile;
        }
    }
    return difference;
}

Result<MemoryParts> memory_parts(const profile::Profile& profile, const PartsWanted& wanted) {
    MemoryParts result;
    TRY(const auto target, profile.target());
    result.bytes_per_tile = target.bytes_per_tile;
    result.tiles_per_ipu = target.tiles_per_ipu;
    TRY(const auto ipus, profile.ipus());
    result.of_run = ipus;
    for (const auto& one : ipus)
        if (wanted.ipu < 0 || one.id == wanted.ipu)
            result.ipus.push_back(one.id);
    TRY(result.fullest, fullest_tiles(profile, ipus));
    std::erase_if(result.fullest, [](const FullestTile& tile) { return tile.bytes == 0; });
    std::stable_sort(result.fullest.begin(), result.fullest.end(),
                     [](const FullestTile& a, const FullestTile& b) { return a.bytes > b.bytes; });
    if (result.fullest.empty())
        return result;
    TRY(result.streaming_bytes, profile.streaming_bytes(wanted.ipu));
    TRY(const auto programs, profile.device_programs());
    result.io_tiles = programs.empty() ? 0 : programs.front().io_tiles;
    const FullestTile& fullest = result.fullest.front();
    TRY(const auto live, profile.tile_values("memory", 0, fullest.ipu, "total"));
    if (const auto tile = static_cast<std::size_t>(fullest.tile); tile < live.size())
        result.fullest_live = live[tile];
    Gatherer gatherer(profile, wanted, result);
    for (const std::int64_t ipu : result.ipus)
        TRY(gatherer.add(ipu));
    for (MemoryParts::Part& part : result.parts)
        part.bytes.resize(result.with_gaps.size(), 0);
    std::erase_if(result.parts, [](const auto& part) {
        return std::all_of(part.bytes.begin(), part.bytes.end(), [](std::int64_t b) { return b == 0; });
    });
    return result;
}

} // namespace tilescope::analyse
