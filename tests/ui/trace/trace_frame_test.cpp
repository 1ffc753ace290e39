// SPDX-License-Identifier: GPL-3.0-or-later
#include "profile/profile.h"
#include "tests/ui/trace/shown_trace.h"
#include "tests/ui/trace/told_run.h"
#include "ui/trace/trace_view.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QMenu>
#include <QSignalSpy>
#include <set>
#include <string>

namespace tilescope::ui {
namespace {

class FramedTrace : public ::testing::Test {
  protected:
    explicit FramedTrace(std::int64_t steps = 400) : told(pipelined(steps)), shown(told) {}
    /// Where that program step runs first on the IPU.
    std::pair<double, double> first(std::int64_t program, std::int64_t ipu) const {
        for (const profile::TraceRecord& row : told.rows)
            if (row.program_id == program && row.ipu == ipu)
                return {static_cast<double>(row.start_cycle), static_cast<double>(row.end_cycle())};
        ADD_FAILURE() << "it never runs";
        return {};
    }
    void expect_framed(const std::pair<double, double>& pass) {
        const TimelineViewport& view = shown.timeline().view();
        EXPECT_LE(view.from(), pass.first);
        EXPECT_GE(view.to(), pass.second);
        EXPECT_LT(view.span(), 3 * (pass.second - pass.first));
    }
    void whole() {
        const auto [from, to] = shown.timeline().view().limits();
        shown.show(static_cast<double>(from), static_cast<double>(to));
    }
    void select(std::int64_t operation, std::int64_t layer, std::int64_t program, std::int64_t ipu) {
        Selection next = shown.selection.current();
        next.operation = operation;
        next.layer = layer;
        next.program = program;
        next.lookAt(ipu);
        shown.selection.set(next);
        shown.settle();
    }
    const Told told;
    ShownTrace shown;
};

TEST_F(FramedTrace, WhatAnotherViewChoseIsFramedOnceTheTraceIsSeen) {
    for (const std::int64_t ipu : {0, 1}) {
        whole();
        shown.view.hide();
        select(0, -1, -1, ipu);
        shown.view.show();
        shown.settle();
        expect_framed(first(Told::matmul, ipu));
        select(-1, -1, -1, ipu);
    }
    // A part of the program is all that is in it, and a reader who comes back finds what was left.
    shown.view.hide();
    select(-1, -1, Told::copy, 0);
    shown.view.show();
    shown.settle();
    expect_framed(first(Told::copy, 0));
    whole();
    const double span = shown.timeline().view().span();
    shown.view.hide();
    shown.view.show();
    shown.settle();
    EXPECT_EQ(shown.timeline().view().span(), span);
}

class LongTrace : public FramedTrace {
  protected:
    LongTrace() : FramedTrace(6000) {}
};

TEST_F(LongTrace, WhatIsDrawnAsOneWithOthersIsFramedWhereItRunsFirst) {
    whole();
    select(-1, -1, Told::copy, 0);
    for (const auto& group : shown.timeline().groups())
        for (const TimelineLane& lane : group.lanes)
            for (const TimelineSlice& slice : lane.slices)
                ASSERT_FALSE(lane.kind == LaneKind::Program && slice.program == Told::copy) << "it is seen";
    QTest::keyClick(&shown.timeline(), Qt::Key_F);
    shown.settle();
    expect_framed(first(Told::copy, 0));
    // From there one goes along its lane, and to the next of its name.
    const double before = shown.timeline().view().from();
    QTest::keyClick(&shown.timeline(), Qt::Key_Period, Qt::ShiftModifier);
    shown.settle();
    EXPECT_GE(shown.timeline().view().from(), before);
    EXPECT_EQ(shown.selection.current().program, Told::copy);
}

TEST_F(FramedTrace, WhatNeverRunsIsSaid) {
    whole();
    const double span = shown.timeline().view().span();
    const QSignalSpy messages(&shown.view, &View::message);
    select(77, -1, -1, 0);
    QTest::keyClick(&shown.timeline(), Qt::Key_F);
    shown.settle();
    ASSERT_FALSE(messages.isEmpty());
    EXPECT_EQ(messages.last()[0].toString(), QStringLiteral("What is selected never runs in this file."));
    EXPECT_EQ(shown.timeline().view().span(), span);
}

class OperationsInName : public View {
  public:
    using View::View;
    QString id() const override { return QStringLiteral("operations"); }
    QString title() const override { return QStringLiteral("Operations"); }
    QString iconName() const override { return {}; }
    void refresh() override {}
};

TEST_F(FramedTrace, TheMenuOfASliceLeadsToOtherViewsAndCopiesIt) {
    OperationsInName other(&shown.view);
    shown.show(3000, 4500);
    const QPoint at = shown.at(3300, LaneKind::Operation);
    QContextMenuEvent asked(QContextMenuEvent::Mouse, at, shown.timeline().viewport()->mapToGlobal(at));
    QApplication::sendEvent(shown.timeline().viewport(), &asked);
    shown.settle();
    EXPECT_EQ(shown.selection.current().operation, 0) << "what is under the pointer is chosen first";
    auto* menu = shown.view.findChild<QMenu*>(QStringLiteral("subjectMenu"));
    ASSERT_NE(menu, nullptr);
    const auto entry = [](const QMenu& of, const QString& name) -> QAction* {
        for (QAction* action : of.actions())
            if (action->text().remove(QLatin1Char('&')) == name)
                return action;
        ADD_FAILURE() << "no " << name.toStdString();
        return nullptr;
    };
    entry(*menu, QStringLiteral("Copy name"))->trigger();
    EXPECT_EQ(QApplication::clipboard()->text(), QStringLiteral("MatMul"));
    const QSignalSpy asked_for(&shown.view, &View::sqlRequested);
    entry(*menu, QStringLiteral("Open as SQL"))->trigger();
    ASSERT_EQ(asked_for.size(), 1);
    std::set<std::int64_t> starts; // of the program steps of the slice
    const auto answer = profile::Profile::open(shown.source->path().toStdString())
                            .value()
                            ->query(asked_for[0][0].toString().toStdString());
    ASSERT_TRUE(answer) << answer.error().line();
    for (const auto& row : answer->rows)
        starts.insert(std::stoll(row[1].text.value_or("-1")));
    EXPECT_EQ(starts, std::set<std::int64_t>{static_cast<std::int64_t>(first(Told::matmul, 0).first)});
    const QSignalSpy wanted(&shown.view, &View::viewRequested);
    entry(*entry(*menu, QStringLiteral("Go to"))->menu(), QStringLiteral("Operations"))->trigger();
    ASSERT_EQ(wanted.size(), 1);
    EXPECT_EQ(wanted[0][0].toString(), QStringLiteral("operations"));
    entry(*menu, QStringLiteral("Range of the chosen slice"))->trigger();
    EXPECT_TRUE(shown.timeline().range());
    menu->close();
}

} // namespace
} // namespace tilescope::ui
