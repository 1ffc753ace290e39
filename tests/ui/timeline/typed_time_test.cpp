// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/session/format.h"
#include "ui/timeline/typed_time.h"

#include <gtest/gtest.h>

namespace tilescope::ui {
namespace {

constexpr double hz = 1'000'000'000; // a cycle takes 1 ns

void expect(const char* typed, std::int64_t from, std::optional<std::int64_t> to = {}) {
    const auto time = typedTime(QString::fromUtf8(typed), hz);
    ASSERT_TRUE(time) << typed;
    EXPECT_EQ(time->from, from) << typed;
    EXPECT_EQ(time->to, to) << typed;
}

TEST(TypedTime, IsReadInAnyUnit) {
    expect("277 ms", 277'000'000);
    expect(" 277.5ms ", 277'500'000);
    expect("1.2 s", 1'200'000'000);
    expect("12 us", 12'000);
    expect("12 µs", 12'000);
    expect("7 ns", 7);
    expect("368,000,000", 368'000'000);
    expect("5 cycles", 5);
}

TEST(TypedTime, RangesGoFromOneToAnotherOrOnFromOne) {
    expect("10 - 20 ms", 10'000'000, 20'000'000);
    expect("10ms–0.2s", 10'000'000, 200'000'000);
    expect("1,000 to 2,000", 1000, 2000);
    expect("277 ms + 300 us", 277'000'000, 277'300'000);
    expect("1000 + 300", 1000, 1300);
}

TEST(TypedTime, OthersAreNone) {
    for (const char* typed :
         {"", "ms", "277 hours", "20 - 10 ms", "5 - 5", "1..2", "-5 ms", "1e300 s", "step 7"})
        EXPECT_FALSE(typedTime(QString::fromUtf8(typed), hz)) << typed;
    EXPECT_FALSE(typedTime(QStringLiteral("5 ms"), 0)) << "without a clock";
    EXPECT_TRUE(typedTime(QStringLiteral("5"), 0));
    EXPECT_FALSE(typedTime(QStringLiteral("99999999999999999999"), hz));
    EXPECT_FALSE(typedTime(QStringLiteral("9999999999999 s"), hz));
}

TEST(TypedTime, LooksLikeOneWithAUnit) {
    EXPECT_TRUE(looksLikeTime(QStringLiteral("277 ms")));
    EXPECT_TRUE(looksLikeTime(QStringLiteral("12 cycles")));
    EXPECT_FALSE(looksLikeTime(QStringLiteral("45"))) << "a tile";
    EXPECT_FALSE(looksLikeTime(QStringLiteral("dense")));
}

TEST(TypedTime, WhatIsWrittenIsReadAsTheSameCycles) {
    constexpr double mk2 = 1'330'000'000;
    for (const auto& [from, to] : {std::pair<std::int64_t, std::int64_t>{0, 7},
                                   {1234, 5678},
                                   {329'347'433, 329'347'434},
                                   {368'000'000, 25'240'641'206}}) {
        for (const double clock : {hz, mk2, 0.0}) {
            const QString text = rangeText(from, to, clock);
            const auto time = typedTime(text, clock);
            ASSERT_TRUE(time) << text.toStdString();
            EXPECT_EQ(time->from, from) << text.toStdString();
            EXPECT_EQ(time->to, to) << text.toStdString();
        }
    }
    EXPECT_EQ(rangeText(10'000'000, 20'500'000, hz), QStringLiteral("10 - 20.5 ms"));
    setUnits({true, false});
    EXPECT_EQ(rangeText(10'000'000, 20'500'000, hz), QStringLiteral("10,000,000 - 20,500,000"));
    setUnits({});
}

} // namespace
} // namespace tilescope::ui
