// SPDX-License-Identifier: GPL-3.0-or-later
#include "ipu/attachment.h"
#include "ipu/system.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>
#include <set>

namespace tilescope::ipu {
namespace {

using Order = SelectionOrder;

System system_named(const std::string& name) {
    return *find_system(name);
}

IpuIds first(std::int32_t count) {
    IpuIds ids(static_cast<std::size_t>(count));
    std::iota(ids.begin(), ids.end(), 0);
    return ids;
}

/// Loads of a ring with every IPU sending to the next at once.
LinkLoads loads_of(const Topology& topology, const IpuIds& ring) {
    LinkLoads loads;
    for (std::size_t i = 0; i < ring.size(); ++i)
        loads.add(topology.route(ring[i], ring[(i + 1) % ring.size()]));
    return loads;
}

std::int64_t busiest(const Topology& topology, const IpuIds& ring) {
    const LinkLoads loads = loads_of(topology, ring);
    std::int64_t most = 0;
    for (std::size_t i = 0; i < ring.size(); ++i)
        most = std::max(most, loads.busiest(topology.route(ring[i], ring[(i + 1) % ring.size()])));
    return most;
}

/// 6 = 7
/// |   |
/// 4 = 5
/// |   |
/// 2 = 3
/// |   |
/// 0 = 1
const Topology ladder(8);

TEST(Topology, AMachineIsALadderOfTwoRungs) {
    const auto links = system_named("pod4").topology().links();
    EXPECT_EQ(links, (std::vector<Link>{{0, 1}, {0, 2}, {1, 3}, {2, 3}}));
    EXPECT_TRUE(system_named("ipu").topology().links().empty());
}

// n / 2 rungs, and n - 2 links along the two rails.
TEST(Topology, EverySystemHasItsRungsAndRails) {
    for (const auto& [name, links] : {std::pair{"pod4", 4U}, std::pair{"pod16", 22U}, std::pair{"pod64", 94U},
                                      std::pair{"pod256", 382U}, std::pair{"server16", 22U}})
        EXPECT_EQ(system_named(name).topology().links().size(), links) << name;
}

TEST(Topology, RoutesCrossTheRungFirstAndThenFollowTheRail) {
    EXPECT_EQ(ladder.route(0, 1), (IpuIds{0, 1}));
    EXPECT_EQ(ladder.route(1, 2), (IpuIds{1, 0, 2}));
    EXPECT_EQ(ladder.route(2, 1), (IpuIds{2, 3, 1}));
    EXPECT_EQ(ladder.route(0, 6), (IpuIds{0, 2, 4, 6}));
    EXPECT_EQ(ladder.route(7, 0), (IpuIds{7, 6, 4, 2, 0}));
    EXPECT_EQ(ladder.route(3, 3), (IpuIds{3}));
}

TEST(Topology, HopsAreTheLinksOfTheRoute) {
    EXPECT_EQ(ladder.hops(0, 2), 1);
    EXPECT_EQ(ladder.hops(1, 2), 2);
    EXPECT_EQ(ladder.hops(7, 0), 4);
    for (std::int32_t a = 0; a < 8; ++a)
        for (std::int32_t b = 0; b < 8; ++b) {
            EXPECT_EQ(ladder.hops(a, b), static_cast<std::int32_t>(ladder.route(a, b).size()) - 1);
            EXPECT_EQ(ladder.linked(a, b), ladder.hops(a, b) == 1);
        }
}

TEST(Topology, EveryRouteFollowsLinks) {
    const std::vector<Link> links = ladder.links();
    const std::set<Link> known(links.begin(), links.end());
    for (std::int32_t a = 0; a < 8; ++a)
        for (std::int32_t b = 0; b < 8; ++b) {
            const IpuIds route = ladder.route(a, b);
            for (std::size_t i = 1; i < route.size(); ++i)
                EXPECT_TRUE(
                    known.contains({std::min(route[i - 1], route[i]), std::max(route[i - 1], route[i])}));
        }
}

TEST(Topology, TheRingGoesUpOneRailAndDownTheOther) {
    EXPECT_EQ(ladder.ring(first(8)), (IpuIds{0, 2, 4, 6, 7, 5, 3, 1}));
    EXPECT_EQ(ladder.ring({0, 4, 2, 6}), (IpuIds{0, 2, 4, 6}));
    EXPECT_EQ(ladder.ring({5, 7, 4, 6}), (IpuIds{4, 6, 7, 5}));
}

TEST(Topology, TheRingSharesNoLinkWhereAnotherOrderWould) {
    EXPECT_EQ(busiest(ladder, ladder.ring(first(8))), 1);
    EXPECT_EQ(busiest(ladder, {0, 4, 2, 6}), 2); // 0 -> 2 -> 4 and 2 -> 4 -> 6 meet on 2 -> 4
    for (const IpuIds& members :
         {IpuIds{0, 2, 4, 6}, IpuIds{0, 3}, IpuIds{1, 2, 7}, IpuIds{0, 7, 3, 4}, IpuIds{6, 1, 5, 2, 3}})
        EXPECT_EQ(busiest(ladder, ladder.ring(members)), 1) << members[0] << " " << members[1];
}

TEST(SelectionOrder, FollowsTheDocumentedListsOnSixteenIpus) {
    const Topology sixteen(16);
    const IpuIds all = first(16);
    EXPECT_EQ(selected(Order::Zigzag, all, sixteen), all);
    EXPECT_EQ(selected(Order::Auto, all, sixteen), all);
    EXPECT_EQ(selected(Order::Snake, all, sixteen),
              (IpuIds{0, 1, 3, 2, 4, 5, 7, 6, 8, 9, 11, 10, 12, 13, 15, 14}));
    EXPECT_EQ(selected(Order::Hoof, all, sixteen),
              (IpuIds{0, 2, 4, 6, 8, 10, 12, 14, 15, 13, 11, 9, 7, 5, 3, 1}));
}

TEST(SelectionOrder, TakesTheMembersOfADeviceInItsOwnOrder) {
    const System server = system_named("server16");
    const IpuIds& four = server.find(24)->members; // 5 7 4 6
    EXPECT_EQ(selected(Order::Zigzag, four, server.topology()), (IpuIds{5, 7, 4, 6}));
    EXPECT_EQ(selected(Order::Snake, four, server.topology()), (IpuIds{5, 7, 6, 4}));
    EXPECT_EQ(selected(Order::Hoof, four, server.topology()), (IpuIds{5, 4, 6, 7}));
}

TEST(SelectionOrder, SnakeAndHoofLinkNeighboursOnEveryDeviceOfEverySystem) {
    for (const std::string& name : system_names()) {
        const System system = system_named(name);
        for (const Device& device : system.devices)
            for (const Order order : {Order::Snake, Order::Hoof}) {
                const IpuIds walk = selected(order, device.members, system.topology());
                ASSERT_EQ(std::set<std::int32_t>(walk.begin(), walk.end()),
                          std::set<std::int32_t>(device.members.begin(), device.members.end()));
                for (std::size_t i = 1; i < walk.size(); ++i)
                    EXPECT_TRUE(system.topology().linked(walk[i - 1], walk[i])) << name << " " << device.id;
                const bool closed = order == Order::Hoof && device.multi();
                EXPECT_TRUE(!closed || system.topology().linked(walk.back(), walk.front()))
                    << name << " " << device.id;
            }
    }
}

TEST(SelectionOrder, HasTheNamesOfIpuTensorFlow) {
    for (const std::string name : {"AUTO", "ZIGZAG", "SNAKE", "HOOF"})
        EXPECT_EQ(to_string(*selection_order(name)), name);
    EXPECT_FALSE(selection_order("snake"));
}

TEST(Attachment, DealsTheMembersToReplicasShareByShare) {
    const Topology topology(8);
    EXPECT_EQ(attach(topology, first(8), 4, Order::Snake, {}).ipus, (IpuIds{0, 1, 3, 2, 4, 5, 7, 6}));
    EXPECT_EQ(attach(topology, first(8), 1, Order::Auto, {}).ipus, first(8));
    EXPECT_EQ(attach(topology, first(4), 2, Order::Hoof, {}).ipus, (IpuIds{0, 1, 2, 3}));
}

TEST(Attachment, AnIpuThatIsNotListedIsItsOwnNumber) {
    const Attachment attachment{Topology(4), {2, 3}};
    EXPECT_EQ(attachment.at(1), 3);
    EXPECT_EQ(attachment.at(2), 2);
    EXPECT_EQ(Attachment{}.at(5), 5);
}

TEST(Attachment, CountsTheIpusThatAMachineHasOfAProgram) {
    const Attachment two_machines{Topology(8), {0, 1, 3, 4, 5}};
    EXPECT_EQ(two_machines.most_on_a_machine(5), 3);
    EXPECT_EQ(two_machines.most_on_a_machine(2), 2);
    EXPECT_EQ(Attachment{}.most_on_a_machine(16), 4);
    EXPECT_EQ(two_machines.most_on_a_machine(5, 0, 2), 2) << "0, 3 and 5, the last on the other machine";
    const Attachment cards{Topology(8), {0, 1, 2, 3}, 2};
    EXPECT_EQ(cards.most_on_a_machine(4), 2);
}

TEST(Attachment, AMappingNamesEntriesOfTheSelectionOrder) {
    const Topology topology(4);
    EXPECT_EQ(attach(topology, first(4), 4, Order::Zigzag, {3, 1, 0, 2}).ipus, (IpuIds{3, 1, 0, 2}));
    EXPECT_EQ(attach(topology, first(4), 4, Order::Snake, {3, 1, 0, 2}).ipus, (IpuIds{2, 1, 0, 3}));
    // Three stages; the IPU that none of them takes comes last.
    EXPECT_EQ(attach(topology, first(4), 4, Order::Zigzag, {0, 1, 3}).ipus, (IpuIds{0, 1, 3, 2}));
}

} // namespace
} // namespace tilescope::ipu
