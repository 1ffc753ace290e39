// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/exchange_traffic.h"
#include "profile/recorder.h"
#include "tests/temporary_folder.h"

#include <gtest/gtest.h>
#include <map>

namespace tilescope::analyse {
namespace {

using namespace profile;
using Numbers = std::vector<std::int64_t>;

/// Two replicas of an IPU of eight tiles. Exchange 0 brings 40 bytes to tile 1, 80 to 2 and 3, 100 to 6; it
/// runs ten times. Exchange 1 is the reduce-scatter, 2 the all-gather of 60 bytes between the replicas.
class ExchangeTrafficTest : public testing::Test {
  protected:
    void SetUp() override {
        auto recorder = Recorder::create(folder_ / "run.tilescope", RunRecord{});
        ASSERT_TRUE(recorder);
        Recorder& r = **recorder;
        r.set(TargetRecord{"pod4", "ipu2", 2, 8, 1000, 1e9, 6});
        for (std::int64_t ipu = 0; ipu < 2; ++ipu)
            r.add(IpuRecord{ipu, ipu, "", ipu, 0});
        r.add(ProgramRecord{0, -1, 0, StepKind::Sequence, "main"});
        r.add(ProgramRecord{1, 0, 0, StepKind::Exchange, "bring", 0, -1, 0, 1, 0, 0, 125, 0, 0, -1, 10});
        r.add(ProgramRecord{2, 0, 1, StepKind::Exchange, "scatter", 0, -1, 1, 1, 1, 0, 500, 0, 0, -1, 1});
        r.add(ProgramRecord{3, 0, 2, StepKind::Exchange, "gather", 0, -1, 2, 1, 2, 0, 500, 0, 0, -1, 1});
        r.add(ExchangeRecord{0, "op/exchange(kernel)", ExchangeKind::Internal, 0, 300, 125, 0, -1});
        r.add_tile_values("exchange", 0, 0, "sent", Numbers{120, 80, 0, 0, 0, 0, 0, 100});
        r.add_tile_values("exchange", 0, 0, "received", Numbers{0, 40, 80, 80, 0, 0, 100, 0});
        for (const auto& [id, phase] :
             {std::pair(1, RingPhase::ReduceScatter), std::pair(2, RingPhase::AllGather)}) {
            r.add(ExchangeRecord{id, to_string(phase), ExchangeKind::InterIpu, 0, 60, 500, 0, -1, phase});
            r.add_tile_values("exchange", id, 0, "sent", Numbers{30, 30, 0, 0, 0, 0, 0, 0});
            r.add_tile_values("exchange", id, 0, "received", Numbers{30, 30, 0, 0, 0, 0, 0, 0});
        }
        r.add(LinkTrafficRecord{0, 1, LinkKind::AllReduce, 2, 120, 1000});
        r.add(LinkTrafficRecord{1, 0, LinkKind::AllReduce, 2, 120, 1000});
        ASSERT_TRUE(r.finish(RunStatus::Complete));
        auto opened = Profile::open(folder_ / "run.tilescope");
        ASSERT_TRUE(opened);
        profile_ = std::move(*opened);
    }
    const tests::TemporaryFolder folder_;
    std::unique_ptr<Profile> profile_;
};

TEST_F(ExchangeTrafficTest, HasWhatEachTileSendsAndReceives) {
    const auto traffic = exchange_traffic(*profile_, 0);
    ASSERT_TRUE(traffic);
    EXPECT_EQ(traffic->received, (Numbers{0, 40, 80, 80, 0, 0, 100, 0}));
    const MostBytes received = most_bytes(traffic->received);
    EXPECT_EQ(received.tile, 6);
    EXPECT_EQ(received.bytes, 100);
    EXPECT_DOUBLE_EQ(received.mean, 37.5);
    EXPECT_EQ(received.tiles, 4);
    EXPECT_EQ(most_bytes(traffic->sent).tile, 0);
    const auto none = exchange_traffic(*profile_, 9);
    ASSERT_TRUE(none);
    EXPECT_EQ(most_bytes(none->received).tile, -1);
}

TEST_F(ExchangeTrafficTest, TheListHasTheDearestFirst) {
    const auto list = exchange_list(*profile_, -1);
    ASSERT_TRUE(list);
    ASSERT_EQ(list->rows.size(), 3U);
    EXPECT_EQ(list->rows[0].exchange.id, 0); // 1,250 cycles
    EXPECT_EQ(list->rows[0].runs, 10);
    EXPECT_EQ(list->of_program.at(2), 1);
    EXPECT_EQ(list->replicas, 2);
    EXPECT_EQ(exchange_list(*profile_, 1)->rows.size(), 3U); // the second replica does the same
}

TEST_F(ExchangeTrafficTest, RoundsGoAroundTheRing) {
    const auto list = exchange_list(*profile_, -1);
    ASSERT_TRUE(list);
    const auto rounds = ring_rounds(list->rows[1].exchange, list->links, 2);
    ASSERT_EQ(rounds.size(), 2U); // one round, two IPUs
    EXPECT_EQ(rounds[0].from, 0);
    EXPECT_EQ(rounds[0].to, 1);
    EXPECT_EQ(rounds[0].bytes, 60);
    EXPECT_EQ(rounds[1].from, 1);
    EXPECT_TRUE(ring_rounds(list->rows[0].exchange, list->links, 2).empty());
}

/// Simulates a ring of `replicas` with one number for each piece and replica.
TEST(RingRounds, ReduceScatterAndAllGatherMakeTheSumEverywhere) {
    constexpr std::int64_t replicas = 5;
    std::vector<LinkTrafficRecord> links;
    for (std::int64_t i = 0; i < replicas; ++i)
        links.push_back({i, (i + 1) % replicas, LinkKind::AllReduce, 1, 1, 1});
    std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> has; // replica, piece
    for (std::int64_t i = 0; i < replicas; ++i)
        for (std::int64_t piece = 0; piece < replicas; ++piece)
            has[{i, piece}] = (i + 1) * 100 + piece;
    for (const bool gather : {false, true}) {
        ExchangeRecord exchange;
        exchange.kind = ExchangeKind::InterIpu;
        exchange.ring_phase = gather ? RingPhase::AllGather : RingPhase::ReduceScatter;
        exchange.bytes = 400;
        const auto rounds = ring_rounds(exchange, links, replicas);
        ASSERT_EQ(rounds.size(), static_cast<std::size_t>(replicas * (replicas - 1)));
        for (std::int64_t k = 1; k < replicas; ++k) {
            const auto before = has; // all send at once
            for (const RingRound& round : rounds)
                if (round.number == k) {
                    EXPECT_EQ(round.bytes, 100);
                    auto& there = has[{round.to, round.piece}];
                    const std::int64_t sent = before.at({round.from, round.piece});
                    there = gather ? sent : there + sent;
                }
        }
    }
    for (std::int64_t i = 0; i < replicas; ++i)
        for (std::int64_t piece = 0; piece < replicas; ++piece) {
            const std::int64_t all = has[{i, piece}];
            EXPECT_EQ(all, (100 + 200 + 300 + 400 + 500) + replicas * piece) << i << ' ' << piece;
        }
}

/// Eight replicas around one ring as a ladder has it, and in groups of two.
TEST(RingRounds, OfAGroupStayWithinIt) {
    std::vector<LinkTrafficRecord> links;
    const std::vector<std::int64_t> all{0, 2, 4, 6, 7, 5, 3, 1};
    for (std::size_t i = 0; i < all.size(); ++i) {
        links.push_back({all[i], all[(i + 1) % all.size()], LinkKind::AllReduce, 1, 1, 1});
        links.push_back({all[i], all[i] ^ 1, LinkKind::AllReduce, 1, 1, 1});
    }
    EXPECT_EQ(ring_from(links, 4, 2), (std::vector<std::int64_t>{4, 5}));
    EXPECT_EQ(ring_from(links, 0, 8), all);
    EXPECT_TRUE(ring_from(links, 0, 3).empty());
    profile::OperationRecord operation;
    EXPECT_EQ(ring_replicas(operation, 8), 8);
    operation.group_replicas = 2;
    EXPECT_EQ(ring_replicas(operation, 8), 2);
    operation.group_replicas = -3; // of a damaged file
    EXPECT_EQ(ring_replicas(operation, 8), 8);
}

/// From each of 40 IPUs to each but the first: there are more ways than can be gone, and none closes.
TEST(RingRounds, LinksOfADamagedFileEndTheSearch) {
    std::vector<LinkTrafficRecord> links;
    for (std::int64_t from = 0; from < 40; ++from)
        for (std::int64_t to = 1; to < 40; ++to)
            links.push_back({from, to, LinkKind::AllReduce, 1, 1, 1});
    EXPECT_TRUE(ring_from(links, 0, 40).empty());
}

} // namespace
} // namespace tilescope::analyse
