// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/exchange_difference.h"
#include "profile/recorder.h"
#include "tests/temporary_folder.h"

#include <gtest/gtest.h>

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

} // namespace tilescope::analyse
