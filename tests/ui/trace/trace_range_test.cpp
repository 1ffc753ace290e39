// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/profile_fixture.h"
#include "tests/ui/trace/shown_trace.h"
#include "ui/session/format.h"

#include <QApplication>
#include <QLineEdit>
#include <QSignalSpy>

namespace tilescope::ui {
namespace {

struct Typed : ShownTrace {
    Typed() : ShownTrace(tests::small_fixture) {}
    QLineEdit& field() { return *view.findChild<QLineEdit*>(QStringLiteral("traceRange")); }
    void type(const char* text) {
        QTest::keyClick(&timeline(), Qt::Key_R, Qt::ShiftModifier);
        EXPECT_EQ(QApplication::focusWidget(), &field());
        field().clear();
        QTest::keyClicks(&field(), QString::fromUtf8(text));
        QTest::keyClick(&field(), Qt::Key_Return);
        settle();
    }
};

TEST(TraceRange, ATypedRangeIsSelectedAndFramed) {
    Typed trace;
    trace.type("1,000 - 3,000");
    EXPECT_EQ(trace.timeline().range(), (std::pair<std::int64_t, std::int64_t>{1000, 3000}));
    EXPECT_EQ(trace.selection.current().range, trace.timeline().range());
    EXPECT_LE(trace.timeline().view().from(), 1000);
    EXPECT_GE(trace.timeline().view().to(), 3000);
    EXPECT_LT(trace.timeline().view().span(), 3000);
    EXPECT_TRUE(trace.timeline().hasFocus());
    QTest::keyClick(&trace.timeline(), Qt::Key_Escape);
    trace.settle();
    EXPECT_EQ(trace.field().text(), QString()) << "the range has gone";
}

TEST(TraceRange, TheFieldSaysTheRangeThatIsSelected) {
    Typed trace;
    setUnits({true, false});
    trace.timeline().setRange(std::pair<std::int64_t, std::int64_t>(500, 700));
    Q_EMIT trace.timeline().rangeSelected(0, false, 500, 700);
    EXPECT_EQ(trace.field().text(), QStringLiteral("500 - 700"));
    setUnits({});
}

TEST(TraceRange, ATimeAloneIsShownInTheMiddle) {
    Typed trace;
    trace.show(0, 1000);
    trace.type("4000");
    EXPECT_NEAR((trace.timeline().view().from() + trace.timeline().view().to()) / 2, 4000, 1);
    EXPECT_NEAR(trace.timeline().view().span(), 1000, 1);
    EXPECT_FALSE(trace.timeline().range());
}

TEST(TraceRange, EscInTheSearchLeavesItAndKeepsTheRange) {
    Typed trace;
    trace.type("1,000 - 3,000");
    auto& search = *trace.view.findChild<QLineEdit*>(QStringLiteral("traceSearch"));
    search.setFocus();
    QTest::keyClick(&search, Qt::Key_Escape);
    EXPECT_TRUE(trace.timeline().hasFocus());
    EXPECT_EQ(trace.timeline().range(), (std::pair<std::int64_t, std::int64_t>{1000, 3000}));
}

TEST(TraceRange, WhatIsNoTimeOrNotThereIsSaidAndChangesNothing) {
    Typed trace;
    trace.show(0, 1000);
    QSignalSpy said(&trace.view, &View::message);
    trace.type("tomorrow");
    ASSERT_FALSE(said.isEmpty());
    EXPECT_TRUE(said.back()[0].toString().contains(QStringLiteral("“tomorrow” is no time")));
    EXPECT_TRUE(trace.field().hasFocus()) << "to be mended";
    QTest::keyClick(&trace.field(), Qt::Key_Escape);
    EXPECT_EQ(trace.field().text(), QString());
    EXPECT_TRUE(trace.timeline().hasFocus());
    trace.type("900 s");
    EXPECT_TRUE(said.back()[0].toString().startsWith(
        QStringLiteral("900 s is not on the time line, which ends at ")));
    EXPECT_EQ(trace.timeline().view().from(), 0);
    EXPECT_EQ(trace.timeline().view().to(), 1000);
}

} // namespace
} // namespace tilescope::ui
