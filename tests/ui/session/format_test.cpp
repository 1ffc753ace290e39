// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/session/format.h"

#include <cstdint>
#include <gtest/gtest.h>

namespace tilescope::ui {
namespace {

TEST(Format, WritesCyclesWithTheirTimeAsTheUserHasChosen) {
    const Units before = units();
    setUnits({});
    EXPECT_EQ(formatCyclesAndTime(std::int64_t{2276184}, 1.33e9).toStdString(), "2,276,184 cycles (1.71 ms)");
    EXPECT_EQ(formatCyclesAndTime(2.5, 1e9).toStdString(), "2.5 cycles (2.50 ns)");
    EXPECT_EQ(formatCyclesAndTime(1204.25, 0).toStdString(), "1,204 cycles"); // without a clock
    setUnits({.cycles = true});
    EXPECT_EQ(formatCyclesAndTime(std::int64_t{2276184}, 1.33e9).toStdString(), "2,276,184 cycles");
    setUnits(before);
}

TEST(Format, WritesWhatStandsInRichTextSoThatNothingOfItIsATag) {
    EXPECT_EQ(formatPercent(0.0001).toStdString(), "<0.1 %");
    EXPECT_EQ(formatPercentHtml(0.0001).toStdString(), "&lt;0.1 %");
    EXPECT_EQ(formatPercentHtml(-0.0001).toStdString(), "\u2212&lt;0.1 %");
    EXPECT_EQ(formatPercentHtml(0.5).toStdString(), "50.0 %");
    EXPECT_EQ(asHtml(std::string("a<b>&c")).toStdString(), "a&lt;b&gt;&amp;c");
}

} // namespace
} // namespace tilescope::ui
