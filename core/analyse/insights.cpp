// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/summary.h"
#include "base/text.h"
#include "multi_ipu_insights.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace tilescope::analyse {
namespace {

double share(std::int64_t part, std::int64_t whole) {
    return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
}

void host(const Summary& s, std::vector<Insight>& out) {
    if (!s.by_phase)
        return;
    const double host = share(s.by_phase->host, s.by_phase->total());
    if (s.run.steps_per_execution == 1 && s.executions > 10 && host > 0.3)
        out.push_back({"host_bound", "warning", "The host holds up the IPU",
                       "Each of the " + count_text(s.steps) + " steps is an engine run of its own; " +
                           share_text(host) +
                           " of the time goes to the host. Set steps_per_execution to the number of steps in "
                           "an epoch."});
}

/// A counter that an engine run of its own raises on the IPU.
void counter(const Summary& s, std::vector<Insight>& out) {
    if (!s.by_phase)
        return;
    const auto workload = nlohmann::json::parse(s.run.workload, nullptr, false);
    const auto settings = workload.is_object() ? workload.find("compile") : workload.end();
    if (settings == workload.end() || !settings->is_object() || settings->value("global_step", "") != "ipu")
        return;
    out.push_back({"global_step_on_ipu", "warning", "The step counter swaps the program out of the IPU",
                   "global_step is raised by a program of its own: before each of the " +
                       count_text(s.executions) + " engine runs the training program is loaded again, and " +
                       share_text(share(s.by_phase->host, s.by_phase->total())) +
                       " of the time goes to the host. Keep the counter on the CPU (compile.global_step = "
                       "\"cpu\")."});
}

/// "Tile 7", or "Tile 7 of IPU 2" where there are several.
std::string name_of(const FullestTile& tile, const Summary& s) {
    return "Tile " + std::to_string(tile.tile) +
           (s.ipus.size() > 1 ? " of IPU " + std::to_string(tile.ipu) : std::string());
}

void memory(const Summary& s, std::vector<Insight>& out) {
    if (!s.memory)
        return;
    const FullestTile& fullest = s.memory->fullest_with_gaps;
    const double needed = share(fullest.bytes, s.target.bytes_per_tile);
    if (fullest.bytes > s.target.bytes_per_tile)
        out.push_back({"out_of_memory", "error", "The program does not fit",
                       name_of(fullest, s) + " needs " + count_text(fullest.bytes) + " of " +
                           count_text(s.target.bytes_per_tile) + " bytes, gaps included."});
    else if (needed > 0.9)
        out.push_back({"tile_nearly_full", "warning", "A tile is nearly full",
                       name_of(fullest, s) + " needs " + share_text(needed) + " of its memory (" +
                           count_text(fullest.bytes) + " bytes, gaps included)."});
    const std::int64_t tiles = s.target.tiles_per_ipu * static_cast<std::int64_t>(s.ipus.size());
    const double mean = share(s.memory->total_bytes, tiles);
    const FullestTile& live = s.memory->fullest;
    if (mean > 0 && share(live.bytes, s.target.bytes_per_tile) > 0.25 &&
        static_cast<double>(live.bytes) > 3 * mean)
        out.push_back({"tile_imbalance", "warning", "Memory is unevenly spread over the tiles",
                       name_of(live, s) + " holds " + bytes_text(static_cast<double>(live.bytes)) +
                           ", the mean tile " + bytes_text(mean) + "."});
}

void phases(const Summary& s, std::vector<Insight>& out) {
    if (!s.by_phase)
        return;
    const std::int64_t device = s.by_phase->compute + s.by_phase->exchange + s.by_phase->sync;
    if (share(s.by_phase->exchange, device) > 0.5)
        out.push_back({"exchange_bound", "warning", "Exchange takes longer than compute",
                       share_text(share(s.by_phase->exchange, device)) +
                           " of the device's time moves data between tiles."});
    if (share(s.by_phase->sync, device) > 0.3)
        out.push_back(
            {"sync_bound", "info", "Much of the time goes to synchronisation",
             share_text(share(s.by_phase->sync, device)) +
                 " of the device's time is sync: the steps are short. A larger batch makes them longer."});
}

} // namespace

Result<std::vector<Insight>> find_insights(const profile::Profile& profile, const Summary& s) {
    std::vector<Insight> out;
    if (s.target.tiles_per_ipu == 0)
        return out;
    host(s, out);
    counter(s, out);
    memory(s, out);
    phases(s, out);
    if (auto ok = add_multi_ipu_insights(profile, s, out); !ok)
        return Failure(ok.error());
    const auto sets = profile.compute_sets();
    if (!sets)
        return Failure(sets.error());
    std::int64_t total = 0;
    for (const auto& set : *sets)
        total += set.cycles;
    for (const auto& set : *sets)
        if (set.balance < 0.25 && share(set.cycles, total) > 0.1)
            out.push_back({"poor_balance", "info", "Few tiles do the work of " + set.name,
                           "It takes " + share_text(share(set.cycles, total)) +
                               " of the compute cycles of a step with a tile balance of " +
                               share_text(set.balance) + "."});
    return out;
}

} // namespace tilescope::analyse
