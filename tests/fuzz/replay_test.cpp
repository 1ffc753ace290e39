// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/random.h"
#include "tests/fuzz/imports.h"

#include <algorithm>
#include <functional>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <utility>

namespace tilescope::tests {
namespace {

using Json = nlohmann::json;

/// Puts values of each kind in place of every value of `document`, one at a time.
void change_each(Json& document, Json& value, const std::function<void()>& changed) {
    static const Json others = Json::parse(R"([null, true, -7, "other", [], [7], {"other": 7}])");
    for (const Json& other : others) {
        const Json before = std::exchange(value, other);
        changed();
        value = before;
    }
    if (value.is_structured())
        for (Json& part : value)
            change_each(document, part, changed);
}

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

// A value that is of another kind than its place asks for, or of another that it takes, too.
TEST_P(Replay, NoValueOfAnotherKindEndsTheProgram) {
    for (const Seed& seed : GetParam().seeds()) {
        Json document = Json::parse(seed.bytes, nullptr, false);
        if (document.is_discarded() || seed.bytes.size() > 4096)
            continue;
        change_each(document, document, [&] {
            const std::string text = document.dump();
            EXPECT_EQ(GetParam().take(text).find('\n'), std::string::npos) << text;
        });
    }
}

INSTANTIATE_TEST_SUITE_P(Imports, Replay, testing::ValuesIn(imports()),
                         [](const auto& each) { return each.param.name; });

} // namespace
} // namespace tilescope::tests
