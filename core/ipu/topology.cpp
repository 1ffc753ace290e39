// SPDX-License-Identifier: GPL-3.0-or-later
#include "ipu/topology.h"

#include <algorithm>
#include <cstdlib>
#include <tuple>

namespace tilescope::ipu {
namespace {

std::int32_t rail(std::int32_t ipu) {
    return ipu % 2;
}

std::int32_t rung(std::int32_t ipu) {
    return ipu / 2;
}

} // namespace

std::vector<Link> Topology::links() const {
    std::vector<Link> links;
    for (std::int32_t i = 0; i < ipus_; ++i) {
        if (rail(i) == 0 && i + 1 < ipus_)
            links.emplace_back(i, i + 1);
        if (i + 2 < ipus_)
            links.emplace_back(i, i + 2);
    }
    return links;
}

IpuIds Topology::route(std::int32_t from, std::int32_t to) const {
    IpuIds route{from};
    if (rail(from) != rail(to))
        route.push_back(from ^ 1);
    while (route.back() != to)
        route.push_back(route.back() + (route.back() < to ? 2 : -2));
    return route;
}

std::int32_t Topology::hops(std::int32_t from, std::int32_t to) const {
    return std::abs(rung(from) - rung(to)) + (rail(from) == rail(to) ? 0 : 1);
}

IpuIds Topology::ring(IpuIds members) const {
    const auto around = [](std::int32_t ipu) {
        return std::tuple(rail(ipu), rail(ipu) == 0 ? rung(ipu) : -rung(ipu));
    };
    std::sort(members.begin(), members.end(),
              [&](std::int32_t a, std::int32_t b) { return around(a) < around(b); });
    return members;
}

void LinkLoads::add(const IpuIds& route) {
    for (std::size_t i = 1; i < route.size(); ++i)
        ++transfers_[{route[i - 1], route[i]}];
}

std::int64_t LinkLoads::busiest(const IpuIds& route) const {
    std::int64_t most = 0;
    for (std::size_t i = 1; i < route.size(); ++i)
        if (const auto found = transfers_.find({route[i - 1], route[i]}); found != transfers_.end())
            most = std::max(most, found->second);
    return most;
}

} // namespace tilescope::ipu
