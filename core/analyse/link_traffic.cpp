// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/link_traffic.h"

#include "base/share.h"

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

std::optional<double> LinkTraffic::in_use(const profile::LinkTrafficRecord& link) const {
    return share_of(link.cycles * loops.updates, elapsed);
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
