// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/link_traffic.h"

#include <gtest/gtest.h>

namespace tilescope::analyse {
namespace {

using profile::LinkKind;

/// Of engine runs of 10 weight updates of 4 micro-batches in each of 2 replicas.
LinkTraffic traffic(Basis basis, std::vector<profile::LinkTrafficRecord> links) {
    return {std::move(links), {10, 4, 2, true, true}, basis};
}

} // namespace

TEST(LinkTraffic, IsOfAWeightUpdateAndPerAnyOther) {
    const profile::LinkTrafficRecord link{0, 1, LinkKind::Copy, 8, 1000, 240};
    const LinkFigures update = traffic(Basis::WeightUpdate, {link}).of(link);
    EXPECT_DOUBLE_EQ(update.exchanges, 8);
    EXPECT_DOUBLE_EQ(update.bytes, 1000);
    EXPECT_DOUBLE_EQ(update.cycles, 240);
    const LinkFigures micro_batch = traffic(Basis::MicroBatch, {link}).of(link);
    EXPECT_DOUBLE_EQ(micro_batch.exchanges, 2);
    EXPECT_DOUBLE_EQ(micro_batch.bytes, 250);
    EXPECT_DOUBLE_EQ(micro_batch.cycles, 60);
    EXPECT_DOUBLE_EQ(traffic(Basis::Step, {link}).of(link).bytes, 125);
    EXPECT_DOUBLE_EQ(traffic(Basis::Execution, {link}).of(link).bytes, 10'000);
}

TEST(LinkTraffic, IsAddedUpBetweenBlocksOfIpus) {
    const LinkTraffic all = traffic(Basis::WeightUpdate, {{0, 2, LinkKind::Copy, 1, 400, 10},
                                                          {1, 3, LinkKind::Copy, 2, 100, 5},
                                                          {1, 3, LinkKind::AllReduce, 2, 70, 3},
                                                          {2, 0, LinkKind::Copy, 4, 30, 2},
                                                          {0, 4, LinkKind::Copy, 8, 1, 1}});
    const auto copied = all.between({0, 2}, {2, 4}, LinkKind::Copy);
    EXPECT_DOUBLE_EQ(copied.exchanges, 1 + 2);
    EXPECT_DOUBLE_EQ(copied.bytes, 400 + 100);
    EXPECT_DOUBLE_EQ(copied.cycles, 10 + 5);
    EXPECT_DOUBLE_EQ(all.between({0, 2}, {2, 4}, LinkKind::AllReduce).bytes, 70);
    EXPECT_DOUBLE_EQ(all.between({2, 3}, {0, 1}, LinkKind::Copy).bytes, 30);
    EXPECT_EQ(all.between({2, 4}, {4, 5}, LinkKind::Copy).bytes, 0);
}

TEST(LinkTraffic, IsAddedUpByKind) {
    const LinkTraffic all = traffic(Basis::MicroBatch, {{0, 1, LinkKind::Copy, 1, 400, 1},
                                                        {0, 2, LinkKind::AllReduce, 1, 100, 1},
                                                        {1, 0, LinkKind::Copy, 1, 40, 1}});
    EXPECT_DOUBLE_EQ(all.bytes(LinkKind::Copy), 110);
    EXPECT_DOUBLE_EQ(all.bytes(LinkKind::AllReduce), 25);
    EXPECT_DOUBLE_EQ(traffic(Basis::Step, {}).bytes(LinkKind::Copy), 0);
}

// From IPU 0 to 1 goes a copy and a collective, back a copy; what goes to an IPU beyond is left out.
TEST(LinkTraffic, IsAMatrixOfWhatIpusSendEachOther) {
    const LinkTraffic all = traffic(Basis::MicroBatch, {{0, 1, LinkKind::Copy, 1, 402, 1},
                                                        {0, 1, LinkKind::AllReduce, 1, 100, 1},
                                                        {1, 0, LinkKind::Copy, 1, 40, 1},
                                                        {0, 7, LinkKind::Copy, 1, 40, 1}});
    using Matrix = std::vector<std::int64_t>;
    EXPECT_EQ(all.matrix(2, {LinkKind::Copy, LinkKind::AllReduce}), (Matrix{0, 126, 10, 0})) << "502 / 4";
    EXPECT_EQ(all.matrix(2, {LinkKind::Copy}), (Matrix{0, 101, 10, 0})) << "100.5, rounded";
    EXPECT_EQ(all.matrix(2, {}), (Matrix{0, 0, 0, 0}));
    EXPECT_EQ(all.most_between(0, 1, {LinkKind::Copy, LinkKind::AllReduce}), std::optional<std::size_t>(0));
    EXPECT_EQ(all.most_between(0, 1, {LinkKind::AllReduce}), std::optional<std::size_t>(1));
    EXPECT_EQ(all.most_between(1, 0, {LinkKind::AllReduce}), std::nullopt);
}

TEST(LinkTraffic, TakesAShareOfTheTimeWhateverItIsPer) {
    const profile::LinkTrafficRecord link{0, 1, LinkKind::Copy, 8, 1000, 240};
    for (const Basis basis : {Basis::MicroBatch, Basis::Execution}) {
        LinkTraffic all = traffic(basis, {link});
        EXPECT_FALSE(all.in_use(link)) << "no time is known";
        all.elapsed = 9600; // 10 weight updates
        EXPECT_DOUBLE_EQ(all.in_use(link).value_or(0), 0.25);
    }
}

TEST(LinkTraffic, StandsBesideThatOfABaseBetweenTheSameIpus) {
    const LinkTraffic base = traffic(Basis::WeightUpdate, {{0, 1, LinkKind::Copy, 1, 100, 1},
                                                           {2, 3, LinkKind::Copy, 1, 70, 1},
                                                           {3, 2, LinkKind::Copy, 1, 0, 0}});
    const LinkTraffic now = traffic(
        Basis::WeightUpdate, {{0, 1, LinkKind::AllReduce, 1, 30, 1}, {0, 1, LinkKind::Copy, 1, 140, 1}});
    const auto changes = link_changes(base, now);
    ASSERT_EQ(changes.size(), 3U);
    EXPECT_EQ(changes[0].index, std::optional<std::size_t>(0));
    EXPECT_FALSE(changes[0].before) << "the base has no collectives";
    EXPECT_DOUBLE_EQ(changes[0].by(), 30);
    EXPECT_DOUBLE_EQ(changes[1].before.value_or(0), 100);
    EXPECT_DOUBLE_EQ(changes[1].by(), 40);
    EXPECT_FALSE(changes[2].index) << "the base's alone";
    EXPECT_EQ(changes[2].link.ipu, 2);
    EXPECT_DOUBLE_EQ(changes[2].by(), -70);
}

} // namespace tilescope::analyse
