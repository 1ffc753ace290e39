// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/change_sum.h"
#include "analyse/exchange_difference.h"
#include "profile/recorder.h"
#include "tests/temporary_folder.h"

#include <gtest/gtest.h>
#include <optional>

namespace tilescope::analyse {
namespace {

using namespace profile;

struct Exchanged {
    const char* operation;
    const char* step; ///< of the operation
    std::int64_t cycles, bytes, runs;
};

/// A program of these exchanges, one after the other, each of an operation of its own, on one IPU.
ExchangeSide side_of(const std::vector<Exchanged>& all) {
    const tests::TemporaryFolder folder;
    auto recorder = Recorder::create(folder / "a.tilescope", {});
    Recorder& r = **recorder;
    r.set(TargetRecord{"pod4", "ipu2", 1, 8, 1000, 1e9, 6});
    r.add(IpuRecord{0, 0, "", 0, 0});
    r.add(ProgramRecord{0, -1, 0, StepKind::Sequence, "main"});
    for (std::size_t i = 0; i < all.size(); ++i) {
        const auto id = static_cast<std::int64_t>(i);
        OperationRecord operation;
        operation.id = id;
        operation.name = all[i].operation;
        operation.kind = all[i].operation; // so that none of them is taken for another
        r.add(operation);
        r.add(ExchangeRecord{id, std::string(all[i].operation) + all[i].step, ExchangeKind::Internal, id,
                             all[i].bytes, all[i].cycles, 0, -1});
        r.add(ProgramRecord{1 + id, 0, id, StepKind::Exchange, std::string(all[i].operation) + all[i].step,
                            id, -1, id, 1, 0, 0, all[i].cycles, 0, 0, -1, all[i].runs});
    }
    EXPECT_TRUE(r.finish(RunStatus::Complete));
    return ExchangeSide::read(**Profile::open(folder / "a.tilescope"), -1).value();
}

} // namespace

TEST(ExchangeDifferences, AreOfTheSameStepsOfTheSameOperations) {
    const ExchangeSide base =
        side_of({{"a", "/in", 100, 40, 10}, {"b", "/in", 50, 8, 1}, {"gone", "/in", 30, 6, 2}});
    const ExchangeSide now =
        side_of({{"new", "/in", 7, 4, 1}, {"b", "/in", 50, 8, 1}, {"a", "/in", 80, 48, 10}});
    const ExchangeDifferences found = exchange_differences(base, now, {}, {});
    ASSERT_EQ(found.pairs.size(), 4U);
    const auto name = [&](std::size_t i) {
        const ExchangePair& pair = found.pairs[i];
        return (pair.base ? pair.base->exchange.name : "-") + " " +
               (pair.now ? pair.now->exchange.name : "-");
    };
    EXPECT_EQ(name(0), "a/in a/in") << "ten times 20 cycles less";
    EXPECT_EQ(found.pairs[0].cycles(), -200);
    EXPECT_EQ(found.pairs[0].bytes(), 80);
    EXPECT_EQ(name(1), "gone/in -") << "60 cycles";
    EXPECT_EQ(found.pairs[1].cycles(), -60);
    EXPECT_FALSE(found.pairs[1].now_bytes);
    EXPECT_EQ(name(2), "- new/in");
    EXPECT_EQ(found.pairs[2].cycles(), 7);
    EXPECT_EQ(name(3), "b/in b/in");
    EXPECT_FALSE(found.pairs[3].changed());
    double sum = 0;
    for (const ExchangePair& pair : found.pairs)
        sum += pair.cycles();
    EXPECT_EQ(sum, (7 + 50 + 800) - (1000 + 50 + 60)) << "what one run has more than the other";
}

TEST(ExchangeDifferences, AreToldApartFromWhatIsTheSame) {
    const ExchangeSide base = side_of({{"a", "/in", 100, 40, 10}, {"b", "/in", 50, 8, 1}});
    const ExchangeSide now =
        side_of({{"a", "/in", 80, 40, 10}, {"b", "/in", 50, 8, 1}, {"c", "/in", 7, 4, 1}});
    const ExchangeDifferences found = exchange_differences(base, now, {}, {});
    const ExchangeChanges all = exchange_changes(found, {});
    ASSERT_EQ(all.changed.size(), 2U);
    EXPECT_EQ(all.changed[0]->now->exchange.name, "a/in");
    EXPECT_EQ(all.changed[1]->now->exchange.name, "c/in");
    ASSERT_EQ(all.unchanged.size(), 1U);
    EXPECT_EQ(all.unchanged[0]->now->exchange.name, "b/in");
    EXPECT_EQ(all.cycles, -200 + 7);
    EXPECT_EQ(exchange_changes(found, ExchangeKind::Internal).changed.size(), 2U);
    const ExchangeChanges other = exchange_changes(found, ExchangeKind::Host);
    EXPECT_TRUE(other.changed.empty() && other.unchanged.empty());
    EXPECT_EQ(other.cycles, 0);
}

namespace {

using Numbers = std::vector<std::int64_t>;
using Known = TileMoves::Known;

/// What so many tiles move, of which the whole matrix is known.
SummedTraffic traffic_of(std::int64_t tiles, const Numbers& matrix) {
    SummedTraffic traffic;
    traffic.sent.assign(static_cast<std::size_t>(tiles), 0);
    traffic.received = traffic.sent;
    traffic.moves = {Known::Exactly, tiles, matrix};
    for (std::int64_t from = 0; from < tiles; ++from)
        for (std::int64_t to = 0; to < tiles; ++to) {
            traffic.sent[static_cast<std::size_t>(from)] += traffic.moves.at(from, to);
            traffic.received[static_cast<std::size_t>(to)] += traffic.moves.at(from, to);
        }
    return traffic;
}

} // namespace

TEST(TrafficDifference, IsTakenTileByTileAndFromTileToTile) {
    const TrafficDifference found =
        traffic_difference(traffic_of(2, {0, 30, 7, 0}), traffic_of(2, {0, 50, 2, 0}));
    EXPECT_EQ(found.moves.bytes, (Numbers{0, 20, -5, 0}));
    EXPECT_EQ(found.sent, (Numbers{20, -5}));
    EXPECT_EQ(found.received, (Numbers{-5, 20}));
    EXPECT_EQ(found.base.moves.at(0, 1), 30);
    EXPECT_EQ(found.now.moves.at(0, 1), 50);
    EXPECT_EQ(found.moves.known, Known::Exactly);
}

TEST(TrafficDifference, OfALargerChipTheOtherTilesHaveAllOfIt) {
    const SummedTraffic small = traffic_of(2, {0, 30, 7, 0});
    const SummedTraffic large = traffic_of(3, {0, 30, 1, 7, 0, 0, 0, 4, 0});
    const TrafficDifference grown = traffic_difference(small, large);
    EXPECT_EQ(grown.moves.bytes, (Numbers{0, 0, 1, 0, 0, 0, 0, 4, 0}));
    EXPECT_EQ(grown.sent, (Numbers{1, 0, 4}));
    const TrafficDifference shrunk = traffic_difference(large, small);
    EXPECT_EQ(shrunk.moves.bytes, (Numbers{0, 0, -1, 0, 0, 0, 0, -4, 0}));
    EXPECT_EQ(shrunk.received, (Numbers{0, -4, -1}));
}

TEST(TrafficDifference, IsNotKnownFromTileToTileWhereOneRunDoesNotSay) {
    const SummedTraffic known = traffic_of(2, {0, 30, 7, 0});
    SummedTraffic other = known;
    other.sent = {40, 7};
    other.moves = {Known::NotFollowed, 2, {}};
    for (const auto& found : {traffic_difference(known, other), traffic_difference(other, known)}) {
        EXPECT_EQ(found.moves.known, Known::NotFollowed);
        EXPECT_TRUE(found.moves.bytes.empty());
    }
    EXPECT_EQ(traffic_difference(known, other).sent, (Numbers{10, 0}));

    // What moves nothing, as an exchange that a run does not have, has no tile that sends to another.
    SummedTraffic none;
    none.sent = none.received = {0, 0};
    none.moves = {Known::NotRecorded, 2, {}};
    EXPECT_EQ(traffic_difference(none, known).moves.bytes, (Numbers{0, 30, 7, 0}));
    EXPECT_EQ(traffic_difference(known, none).moves.bytes, (Numbers{0, -30, -7, 0}));
    EXPECT_EQ(traffic_difference(other, none).moves.known, Known::NotFollowed);
}

TEST(TrafficDifference, NamesTheTileThatHasChangedMost) {
    const MostChanged most = most_changed({0, 5, -9, 9, 2});
    EXPECT_EQ(most.tile, 2);
    EXPECT_EQ(most.bytes, -9);
    EXPECT_EQ(most.more, 3);
    EXPECT_EQ(most.fewer, 1);
    EXPECT_EQ(most_changed({0, 0}).tile, -1);
}

TEST(ChangeSum, AddsWhatBothHaveAndWhatOneAloneHas) {
    ChangeSum sum;
    EXPECT_EQ(sum.add(std::optional<std::int64_t>(10), std::optional<std::int64_t>(14)), 4);
    EXPECT_EQ(sum.add(std::optional<std::int64_t>(20), std::optional<std::int64_t>()), -20);
    EXPECT_EQ(sum.add(std::optional<std::int64_t>(), std::optional<std::int64_t>(3)), 3);
    EXPECT_EQ(sum.by(), 4 - 20 + 3);
    EXPECT_EQ(sum.in_now(), 2);
    EXPECT_EQ(sum.largest(), -20);
    EXPECT_EQ(sum.largest_index(), 1U);
    EXPECT_EQ(sum.unchanged(), 0);
}

TEST(ChangeSum, CountsWhatIsTheSameInBoth) {
    ChangeSum sum;
    sum.add(std::optional<std::int64_t>(7), std::optional<std::int64_t>(7));
    sum.add(std::optional<std::int64_t>(100), std::optional<std::int64_t>(100), 3);
    sum.add(std::optional<std::int64_t>(0), std::optional<std::int64_t>()); // gone, though it was nothing
    sum.add(std::optional<std::int64_t>(1), std::optional<std::int64_t>(2));
    EXPECT_EQ(sum.unchanged(), 4);
    EXPECT_EQ(sum.of_unchanged(), 107);
    EXPECT_EQ(sum.in_now(), 5);
    EXPECT_EQ(sum.by(), 1);
}

TEST(ChangeSum, OfChangesThatAreAsLargeNamesTheFirst) {
    ChangeSum sum;
    EXPECT_EQ(sum.largest(), 0);
    sum.add(std::optional(1.0), std::optional(1.5));
    sum.add(std::optional(1.5), std::optional(1.0));
    EXPECT_EQ(sum.largest_index(), 0U);
    EXPECT_EQ(sum.largest(), 0.5);
    EXPECT_EQ(sum.by(), 0);
}

} // namespace tilescope::analyse
