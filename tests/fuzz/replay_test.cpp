// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/random.h"
#include "tests/fuzz/imports.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace tilescope::tests {
namespace {

class Replay : public testing::TestWithParam<Import> {};

TEST_P(Replay, SeedsAreTakenOver) {
    for (const Seed& seed : GetParam().seeds())
        EXPECT_EQ(GetParam().take(seed.bytes), "") << seed.name;
}

TEST_P(Replay, WhatIsCutIsRefused) {
    EXPECT_NE(GetParam().take(""), "");
    for (const Seed& seed : GetParam().seeds())
        EXPECT_NE(GetParam().take(seed.bytes.substr(0, seed.bytes.size() / 3)), "") << seed.name;
}

// Taken over or refused in one line.
TEST_P(Replay, NoDamageEndsTheProgram) {
    constexpr std::uint64_t rounds = 20;
    const RandomStream random(1, GetParam().name);
    std::uint64_t drawn = 0;
    for (const Seed& seed : GetParam().seeds())
        for (std::uint64_t round = 0; round < rounds; ++round) {
            std::string bytes = seed.bytes;
            for (int change = 0; change < 3; ++change) {
                const std::size_t at = random.bits(drawn++) % bytes.size();
                bytes[at] = static_cast<char>(random.bits(drawn++));
            }
            EXPECT_EQ(GetParam().take(bytes).find('\n'), std::string::npos) << seed.name;
        }
}

INSTANTIATE_TEST_SUITE_P(Imports, Replay, testing::ValuesIn(imports()),
                         [](const auto& each) { return each.param.name; });

} // namespace
} // namespace tilescope::tests
