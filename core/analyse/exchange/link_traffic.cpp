// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/link_traffic.h"

#include "base/share.h"

#include <algorithm>
#include <cmath>

namespace tilescope::analyse {
namespace {

/// Bytes that go between the same IPUs for the same reason; nullopt: none.
std::optional<double> bytes_like(const LinkTraffic& traffic, const profile::LinkTrafficRecord& wanted) {
    for (const profile::LinkTrafficRecord& link : traffic.links)
        if (link.ipu == wanted.ipu && link.peer == wanted.peer && link.kind == wanted.kind && link.bytes > 0)
            return traffic.of(link).bytes;
    return {};
}

} // namespace

LinkFigures LinkTraffic::of(const profile::LinkTrafficRecord& link) const {
    const auto mean = [&](std::int64_t of_update) { return loops.mean(of_update * loops.updates, basis); };
    return {mean(link.copies), mean(link.bytes), mean(link.cycles)};
}

double LinkTraffic::bytes(profile::LinkKind kind) const {
    double sum = 0;
    for (const profile::LinkTrafficRecord& link : links)
        if (link.kind == kind)
            sum += of(link).bytes;
    return sum;
}

LinkFigures LinkTraffic::between(Ipus from, Ipus to, profile::LinkKind kind) const {
    const auto within = [](Ipus range, std::int64_t ipu) { return ipu >= range.first && ipu < range.second; };
    LinkFigures sum;
    for (const profile::LinkTrafficRecord& link : links)
        if (link.kind == kind && within(from, link.ipu) && within(to, link.peer)) {
            const LinkFigures figures = of(link);
            sum.exchanges += figures.exchanges;
            sum.bytes += figures.bytes;
            sum.cycles += figures.cycles;
        }
    return sum;
}

std::optional<double> LinkTraffic::in_use(const profile::LinkTrafficRecord& link) const {
    return share_of(link.cycles * loops.updates, elapsed);
}

std::vector<std::int64_t> LinkTraffic::matrix(std::int64_t ipus,
                                              const std::set<profile::LinkKind>& kinds) const {
    const auto count = static_cast<std::size_t>(ipus);
    std::vector<double> bytes(count * count, 0);
    const auto within = [&](std::int64_t ipu) { return ipu >= 0 && ipu < ipus; };
    for (const profile::LinkTrafficRecord& link : links)
        if (within(link.ipu) && within(link.peer) && kinds.contains(link.kind))
            bytes[static_cast<std::size_t>(link.ipu) * count + static_cast<std::size_t>(link.peer)] +=
                of(link).bytes;
    std::vector<std::int64_t> whole(bytes.size());
    std::transform(bytes.begin(), bytes.end(), whole.begin(), [](double each) { return std::llround(each); });
    return whole;
}

std::optional<std::size_t> LinkTraffic::most_between(std::int64_t from, std::int64_t to,
                                                     const std::set<profile::LinkKind>& kinds) const {
    std::optional<std::size_t> most;
    for (std::size_t l = 0; l < links.size(); ++l)
        if (links[l].ipu == from && links[l].peer == to && links[l].bytes > 0 &&
            kinds.contains(links[l].kind) && (!most || links[l].bytes > links[*most].bytes))
            most = l;
    return most;
}

std::vector<LinkChange> link_changes(const LinkTraffic& base, const LinkTraffic& now) {
    std::vector<LinkChange> changes;
    for (std::size_t l = 0; l < now.links.size(); ++l)
        changes.push_back({now.links[l], l, now.of(now.links[l]).bytes, bytes_like(base, now.links[l])});
    for (const profile::LinkTrafficRecord& link : base.links)
        if (link.bytes > 0 && !bytes_like(now, link))
            changes.push_back({link, {}, 0, base.of(link).bytes});
    return changes;
}

} // namespace tilescope::analyse
