// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/session/format.h"
#include "ui/session/whole_options.h"

#include <QTextLayout>
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

TEST(Format, WritesWallTimeSoThatWhatRanTookSome) {
    EXPECT_EQ(formatWallTime(0).toStdString(), "<1 µs");
    EXPECT_EQ(formatWallTime(7).toStdString(), "7 µs");
    EXPECT_EQ(formatWallTime(12345).toStdString(), "12.3 ms");
    EXPECT_EQ(formatWallTime(2400000).toStdString(), "2.40 s");
}

TEST(Format, WritesRunsOfSteps) {
    EXPECT_EQ(formatSteps(7, 7).toStdString(), "step 7");
    EXPECT_EQ(formatSteps(1, 8192).toStdString(), "steps 1–8,192");
}

TEST(Format, WritesRatesWithThePrefixThatLeavesFewDigits) {
    const QString unit = QStringLiteral("FLOP/s");
    EXPECT_EQ(formatRate(2400, unit).toStdString(), "2.40 kFLOP/s");
    EXPECT_EQ(formatRate(2.4e-9 * 1e12, unit).toStdString(), "2.40 kFLOP/s"); // which is no whole number
    EXPECT_EQ(formatRate(12, unit).toStdString(), "12 FLOP/s");
    EXPECT_EQ(formatRate(999.7e6, unit).toStdString(), "1 GFLOP/s");
    EXPECT_EQ(formatRate(62.5e12, unit).toStdString(), "62.5 TFLOP/s");
    EXPECT_EQ(formatRate(0, unit).toStdString(), "0 FLOP/s");
}

/// Ends of the lines that a text is broken into where no more than a letter or two have room.
QStringList line_ends(const QString& text) {
    QTextLayout layout(text);
    layout.beginLayout();
    QStringList ends;
    for (QTextLine line = layout.createLine(); line.isValid(); line = layout.createLine()) {
        line.setLineWidth(1);
        ends << text.mid(line.textStart(), line.textLength()).trimmed();
    }
    layout.endLayout();
    return ends;
}

TEST(Format, KeepsAnOptionInOneLine) {
    const QString plain = QStringLiteral("compiled (--estimate), a--b -- 5");
    EXPECT_TRUE(line_ends(plain).contains(QStringLiteral("(--"))) << "else this tests nothing";
    const QString whole = keepOptionsWhole(plain);
    EXPECT_FALSE(line_ends(whole).contains(QStringLiteral("(--")));
    EXPECT_EQ(asHtml(plain), whole);
    EXPECT_EQ(withoutJoiners(whole), plain);
    EXPECT_EQ(keepOptionsWhole(QStringLiteral("| --- | -- 5")), QStringLiteral("| --- | -- 5"));
}

TEST(Format, WritesWhatStandsInRichTextSoThatNothingOfItIsATag) {
    EXPECT_EQ(formatPercent(0.0001).toStdString(), "<0.1 %");
    EXPECT_EQ(asHtml(formatPercent(-0.0001)).toStdString(), "\u2212&lt;0.1 %");
    EXPECT_EQ(asHtml(std::string("a<b>&c")).toStdString(), "a&lt;b&gt;&amp;c");
    EXPECT_EQ(inHtml(QStringLiteral("<b>%1</b> of %2: %3 (%1)"),
                     {QStringLiteral("%2<i>"), std::string("a&b"), Html{QStringLiteral("<br>")}})
                  .toStdString(),
              "<b>%2&lt;i&gt;</b> of a&amp;b: <br> (%2&lt;i&gt;)")
        << "what is filled in holds no places";
    EXPECT_EQ(inHtml(QStringLiteral("50 % of %1, %3"), {7, QStringLiteral("unused")}).toStdString(),
              "50 % of 7, %3");
}

} // namespace
} // namespace tilescope::ui
