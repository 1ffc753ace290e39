// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/compile/pass_program.h"

namespace tilescope::compile {

TEST(AnalyseLiveness, AVariableIsLiveFromItsFirstUseToItsLast) {
    ByHand e(2);
    const auto state = e.variable("state", {100, 50}, true);
    const auto a = e.variable("a", {10, 0});
    const auto b = e.variable("b", {20, 20});
    e.variable("unused", {5, 5});
    e.execute({state, a});
    e.execute({b});
    e.execute({a, b});
    e.execute({state});
    EXPECT_EQ(e.run("analyse liveness").value_or(""), "4 steps, 150 B always live");
    const MemoryLayout& memory = e.executable.memory;
    const auto range = [&](std::size_t v) { return std::pair(memory.needed[v].from, memory.needed[v].to); };
    EXPECT_EQ(range(0), std::pair(0, 3)); // always live
    EXPECT_EQ(range(1), std::pair(0, 2));
    EXPECT_EQ(range(2), std::pair(1, 2));
    EXPECT_EQ(range(3), std::pair(-1, -1));
    const IpuMemory& ipu = memory.ipus.at(0);
    std::vector<std::int64_t> not_always;
    std::vector<std::int64_t> fullest;
    for (const LivenessPoint& point : ipu.liveness) {
        EXPECT_EQ(point.always_live, 150);
        not_always.push_back(point.not_always_live);
        fullest.push_back(point.max_tile);
    }
    EXPECT_EQ(not_always, (std::vector<std::int64_t>{10, 50, 50, 0}));
    EXPECT_EQ(fullest, (std::vector<std::int64_t>{110, 130, 130, 100}));
    EXPECT_EQ(ipu.peak, (std::vector<std::int64_t>{130, 70}));
    EXPECT_EQ(ipu.peak_step, (std::vector<std::int32_t>{1, 1}));
}

// What a loop reads of before it must outlive every round; what it makes and reads itself need not.
TEST(AnalyseLiveness, ThePeakOfATileIsAtTheFirstStepThatReachesIt) {
    ByHand e(2);
    const auto a = e.variable("a", {10, 0});
    const auto b = e.variable("b", {10, 0});
    e.execute({});
    e.execute({a});
    e.execute({b});
    ASSERT_TRUE(e.run("analyse liveness").has_value());
    EXPECT_EQ(e.executable.memory.ipus.at(0).peak, (std::vector<std::int64_t>{10, 0}));
    EXPECT_EQ(e.executable.memory.ipus.at(0).peak_step.at(0), 1);
}

TEST(AnalyseLiveness, WhatComesFromOutsideALoopIsThereForAllOfIt) {
    ByHand e(1);
    const auto before = e.variable("before", {8});
    const auto within = e.variable("within", {8});
    const auto after = e.variable("after", {8});
    e.execute({before});
    const auto loop = e.loop(3);
    e.execute({before}, loop);
    e.execute({within}, loop);
    e.execute({within, after}, loop);
    e.execute({after});
    ASSERT_TRUE(e.run("analyse liveness").has_value());
    const auto range = [&](program::VariableId v) {
        const LiveRange& r = e.executable.memory.needed[static_cast<std::size_t>(v.value)];
        return std::pair(r.from, r.to);
    };
    EXPECT_EQ(range(before), std::pair(0, 3));
    EXPECT_EQ(range(within), std::pair(2, 3));
    EXPECT_EQ(range(after), std::pair(1, 4));
}

// Weights are read by each round and then updated, so that no round may lose them; the state of the optimiser
// is needed in the update alone, though both are always live.
TEST(AnalyseLiveness, WhatIsAlwaysLiveIsNeededFromItsFirstUseToItsLast) {
    ByHand e(1);
    const auto weights = e.variable("weights", {8}, true);
    const auto state = e.variable("state", {8}, true);
    const auto unused = e.variable("unused", {8}, true);
    e.execute({});
    const auto loop = e.loop(3);
    e.execute({}, loop);
    e.execute({weights}, loop);
    e.execute({weights, state});
    e.execute({});
    ASSERT_TRUE(e.run("analyse liveness").has_value());
    const auto range = [&](program::VariableId v) {
        const LiveRange& r = e.executable.memory.needed[static_cast<std::size_t>(v.value)];
        return std::pair(r.from, r.to);
    };
    EXPECT_EQ(range(weights), std::pair(1, 3));
    EXPECT_EQ(range(state), std::pair(3, 3));
    EXPECT_EQ(range(unused), std::pair(-1, -1));
}

} // namespace tilescope::compile
