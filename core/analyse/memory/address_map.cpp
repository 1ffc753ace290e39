// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/address_map.h"

#include "base/try.h"
#include "base/units.h"

#include <algorithm>
#include <tuple>

namespace tilescope::analyse {
namespace {

bool meet(const profile::VariableRecord& a, const profile::VariableRecord& b) {
    return a.always_live || b.always_live || (a.live_from <= b.live_to && b.live_from <= a.live_to);
}

/// Why `gap` is below the block `gap.above`.
void explain(const AddressMap& map, AddressMap::Gap& gap) {
    const AddressMap::Block& above = map.blocks[gap.above];
    std::int64_t most = 0;
    for (std::size_t i = 0; i < map.blocks.size() && map.blocks[i].begin < gap.end; ++i) {
        const AddressMap::Block& block = map.blocks[i];
        const std::int64_t common = std::min(block.end, gap.end) - std::max(block.begin, gap.begin);
        if (common > most && meet(block.variable, above.variable)) {
            most = common;
            gap.other = i;
        }
    }
    if (most > 0)
        gap.why = AddressMap::Gap::Why::OtherTime;
    else if (map.interleaved_from && above.begin == *map.interleaved_from)
        gap.why = AddressMap::Gap::Why::Region;
    else if (gap.end - gap.begin < allocation_alignment)
        gap.why = AddressMap::Gap::Why::Alignment;
    else if (map.interleaved_from &&
             above.begin > *map.interleaved_from) // from the bottom it would lie lower
        gap.why = AddressMap::Gap::Why::FromTop;
}

void add_levels(AddressMap& map) {
    profile::LiveSums live;
    for (const AddressMap::Block& block : map.blocks)
        live.add(block.variable, block.end - block.begin);
    map.levels = live.levels();
    map.peak_step = live.peak().step;
}

} // namespace

std::int64_t AddressMap::live_bytes(std::int64_t step) const {
    const auto after =
        std::upper_bound(levels.begin(), levels.end(), step,
                         [](std::int64_t s, const profile::LiveLevel& level) { return s < level.step; });
    return after == levels.begin() ? 0 : std::prev(after)->bytes;
}

std::vector<std::size_t> AddressMap::live_at(std::int64_t step) const {
    std::vector<std::size_t> live;
    for (std::size_t i = 0; i < blocks.size(); ++i)
        if (profile::live_at(blocks[i].variable, step))
            live.push_back(i);
    return live;
}

std::vector<AddressMap::Gap> AddressMap::gaps_at(std::int64_t step) const {
    std::vector<Gap> gaps;
    std::int64_t end = 0;
    for (const std::size_t i : live_at(step)) {
        if (blocks[i].begin > end) {
            gaps.push_back({end, blocks[i].begin, Gap::Why::Unknown, i, 0});
            explain(*this, gaps.back());
        }
        end = std::max(end, blocks[i].end);
    }
    return gaps;
}

std::int64_t AddressMap::bytes_of(const std::vector<Gap>& gaps) {
    std::int64_t bytes = 0;
    for (const Gap& gap : gaps)
        bytes += gap.end - gap.begin;
    return bytes;
}

std::int64_t AddressMap::change_from(std::int64_t step, int direction) const {
    std::int64_t next = step;
    const auto offer = [&](std::int64_t at) {
        const bool beyond = direction > 0 ? at > step : at < step;
        const bool nearer = next == step || (direction > 0 ? at < next : at > next);
        if (beyond && nearer && at < static_cast<std::int64_t>(steps.size()))
            next = at;
    };
    offer(0);
    for (const Block& block : blocks)
        if (!block.variable.always_live) {
            offer(block.variable.live_from);
            offer(block.variable.live_to + 1);
        }
    return next;
}

std::int64_t AddressMap::operation_from(std::int64_t step, int direction) const {
    const auto count = static_cast<std::int64_t>(steps.size());
    const auto operation = [&](std::int64_t s) { return steps[static_cast<std::size_t>(s)].operation; };
    if (step < 0 || step >= count)
        return step;
    std::int64_t at = step;
    if (direction < 0 && at > 0 && operation(at - 1) != operation(at))
        --at; // it stands where its own begins
    while (at + direction >= 0 && at + direction < count && operation(at + direction) == operation(at))
        at += direction;
    return direction < 0 ? at : at + 1 < count ? at + 1 : step;
}

Result<AddressMap> address_map(const profile::Profile& profile, std::int64_t ipu, std::int64_t tile) {
    AddressMap map;
    map.ipu = ipu;
    map.tile = tile;
    TRY(const auto target, profile.target());
    map.bytes_per_tile = target.bytes_per_tile;
    if (target.interleaved_bytes)
        map.interleaved_from = target.bytes_per_tile - *target.interleaved_bytes;
    TRY(const auto variables, profile.variables_on_tiles(ipu, {tile}));
    for (const auto& row : variables) {
        TRY(const auto addresses, profile.tile_values("variable", row.variable.id, ipu, "address"));
        if (const auto t = static_cast<std::size_t>(tile); t < addresses.size() && addresses[t] >= 0)
            map.blocks.push_back({row.variable, addresses[t], addresses[t] + row.bytes});
    }
    std::sort(map.blocks.begin(), map.blocks.end(), [](const auto& a, const auto& b) {
        return std::tie(a.begin, a.variable.live_from, a.variable.id) <
               std::tie(b.begin, b.variable.live_from, b.variable.id);
    });
    for (const AddressMap::Block& block : map.blocks)
        map.with_gaps = std::max(map.with_gaps, block.end);
    add_levels(map);
    TRY(const auto program, profile.program());
    for (const auto& step : program) {
        if (step.liveness_step < 0 || step.liveness_step > static_cast<std::int64_t>(program.size()))
            continue;
        const auto at = static_cast<std::size_t>(step.liveness_step);
        if (map.steps.size() <= at)
            map.steps.resize(at + 1);
        map.steps[at] = {step.id, step.operation_id, step.name};
    }
    return map;
}

} // namespace tilescope::analyse
