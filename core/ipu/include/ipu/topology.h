// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace tilescope::ipu {

/// Ids of single IPUs of a system.
using IpuIds = std::vector<std::int32_t>;

/// The links from one IPU to a neighbour. They carry target.link_bytes_per_cycle, and as much the other way.
using Link = std::pair<std::int32_t, std::int32_t>;

/// The IPUs of a system and the links between them: a ladder of two rails. IPU i is linked to i ^ 1 across
/// the rung and to i - 2 and i + 2 along its rail. Sources: the picture of eight C2 cards in IPU TensorFlow,
/// python/ipu/config.py, class SelectionOrder; PopLibs lib/poplibs_test/Util.cpp,
/// addGlobalExchangeConstraints. Inferred: that the machines of a pod are stacked on one such ladder, the
/// links of a rung as fast as those of a rail. Left out: the closing of a rack's ladder to a torus, and the
/// gateways between racks of 64 IPUs.
class Topology {
  public:
    Topology() = default;
    explicit Topology(std::int32_t ipus) : ipus_(ipus) {}

    std::int32_t ipus() const { return ipus_; }
    bool linked(std::int32_t a, std::int32_t b) const { return hops(a, b) == 1; }
    /// Each pair of neighbours once, the lower id first; in the order of ids.
    std::vector<Link> links() const;
    /// The IPUs on the way, both ends included. It is a shortest one: first across the rung, then along the
    /// rail (PopLibs lib/poplibs_test/Util.cpp, addGlobalExchangeConstraints).
    IpuIds route(std::int32_t from, std::int32_t to) const;
    /// Links on the way from one IPU to another.
    std::int32_t hops(std::int32_t from, std::int32_t to) const;
    /// The members in the order of the best ring through them: up one rail and down the other. Whichever IPUs
    /// the members are, the routes from each to the next use no direction of a link twice; on a whole part of
    /// the ladder each is one link, and on a single rail the way back is all of it.
    IpuIds ring(IpuIds members) const;

  private:
    std::int32_t ipus_ = 0;
};

/// How many simultaneous transfers each direction of each link carries.
class LinkLoads {
  public:
    void add(const IpuIds& route);
    /// Transfers on the busiest link of the route; 0 where it has none.
    std::int64_t busiest(const IpuIds& route) const;

  private:
    std::map<Link, std::int64_t> transfers_;
};

} // namespace tilescope::ipu
