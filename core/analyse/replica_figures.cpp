// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/replica_figures.h"

#include <map>
#include <utility>

namespace tilescope::analyse {

std::vector<ReplicaFigures> replica_figures(const std::vector<IpuOfReplica>& ipus,
                                            const LinkTraffic& traffic) {
    std::map<std::int64_t, ReplicaFigures> by_number;
    std::map<std::int64_t, std::vector<FullestTile>> tiles;
    std::map<std::int64_t, std::int64_t> replica_of; // by IPU
    for (const IpuOfReplica& ipu : ipus) {
        ReplicaFigures& of = by_number[ipu.record.replica];
        of.replica = ipu.record.replica;
        of.ipus.push_back(ipu.record.id);
        of.total_bytes += ipu.total_bytes;
        of.phases += ipu.phases;
        if (ipu.fullest)
            tiles[of.replica].push_back(*ipu.fullest);
        replica_of[ipu.record.id] = of.replica;
    }
    for (const profile::LinkTrafficRecord& link : traffic.links)
        if (const auto sender = replica_of.find(link.ipu);
            sender != replica_of.end() && link.kind == profile::LinkKind::AllReduce)
            by_number[sender->second].reduced_bytes += traffic.of(link).bytes;
    std::vector<ReplicaFigures> all;
    for (auto& [number, of] : by_number) {
        of.fullest = fullest_of(tiles[number]);
        all.push_back(std::move(of));
    }
    return all;
}

} // namespace tilescope::analyse
