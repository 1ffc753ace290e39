// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/trace/shown_trace.h"
#include "tests/ui/trace/told_run.h"

namespace tilescope::ui {
namespace {

TEST(TraceWalk, FullStopAndCommaGoAlongTheLane) {
    ShownTrace shown(pipelined());
    shown.show(3000, 4500);
    shown.click(shown.at(3300, LaneKind::Operation));
    QTest::keyClick(&shown.timeline(), Qt::Key_Period);
    EXPECT_EQ(shown.selection.current().operation, 1) << "the copy follows the product";
    QTest::keyClick(&shown.timeline(), Qt::Key_Period);
    EXPECT_EQ(shown.selection.current().operation, 0) << "of the next step";
    QTest::keyClick(&shown.timeline(), Qt::Key_Comma);
    EXPECT_EQ(shown.selection.current().operation, 1);
}

TEST(TraceWalk, ArrowsGoAlongTheLaneAndToTheLaneBesideAndWithShiftMakeARange) {
    ShownTrace shown(pipelined());
    shown.show(3000, 4500);
    shown.click(shown.at(3300, LaneKind::Operation));
    const auto press = [&](Qt::Key key, Qt::KeyboardModifiers modifiers = {}) {
        QTest::keyClick(&shown.timeline(), key, modifiers);
        shown.settle();
    };
    press(Qt::Key_Right);
    EXPECT_EQ(shown.selection.current().operation, 1);
    press(Qt::Key_Left);
    EXPECT_EQ(shown.selection.current().operation, 0);
    EXPECT_LT(shown.selection.current().program, 0);
    press(Qt::Key_Down);
    EXPECT_GE(shown.selection.current().program, 0) << "the step at that time";
    press(Qt::Key_Up);
    EXPECT_LT(shown.selection.current().program, 0);
    EXPECT_EQ(shown.selection.current().operation, 0);
    EXPECT_FALSE(shown.timeline().range());
    press(Qt::Key_Right, Qt::ShiftModifier);
    const auto one = shown.timeline().range();
    ASSERT_TRUE(one);
    press(Qt::Key_Right, Qt::ShiftModifier);
    const auto two = shown.timeline().range();
    EXPECT_EQ(two->first, one->first);
    EXPECT_GT(two->second, one->second) << "the copy, too";
    EXPECT_EQ(shown.selection.current().range, two);
}

} // namespace
} // namespace tilescope::ui
