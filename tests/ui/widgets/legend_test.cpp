// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/legend.h"

#include <QAction>
#include <QSignalSpy>
#include <QTest>
#include <gtest/gtest.h>

namespace tilescope::ui {
namespace {

struct LegendOf : testing::Test {
    LegendOf()
        : legend([](const ChartStyle& style) {
              std::vector<Legend::Entry> entries{
                  {QStringLiteral("compute"), style.compute, {}, QStringLiteral("compute")},
                  {QStringLiteral("sync"), style.sync, {}, QStringLiteral("sync")},
                  {QStringLiteral("host"), style.host, {}, QStringLiteral("host")},
                  {QStringLiteral("idle"), style.background}};
              return entries;
          }) {
        legend.controls(&chart);
        legend.resize(legend.sizeHint());
        legend.show();
    }
    void click(int entry, Qt::KeyboardModifiers modifiers = {}) {
        QTest::mouseClick(&legend, Qt::LeftButton, modifiers, legend.part(entry).rect.center());
    }
    static QStringList kinds(std::initializer_list<const char*> all) {
        QStringList list;
        for (const char* kind : all)
            list << QLatin1String(kind);
        return list;
    }
    QWidget chart;
    Legend legend;
};

} // namespace

TEST_F(LegendOf, AClickHidesAndShowsWhatItNames) {
    QSignalSpy changed(&legend, &Legend::hiddenChanged);
    const ChartStyle before(&chart);
    ASSERT_NE(before.compute, before.background);
    click(0);
    EXPECT_EQ(legend.hidden(), kinds({"compute"}));
    const ChartStyle style(&chart);
    EXPECT_EQ(style.compute, style.background) << "its place stays empty";
    EXPECT_EQ(style.sync, before.sync);
    EXPECT_EQ(ChartStyle(&legend).compute, before.compute) << "the legend shows what colour it had";
    EXPECT_FALSE(legend.part(0).selected);
    click(0);
    EXPECT_EQ(legend.hidden(), QStringList());
    EXPECT_EQ(ChartStyle(&chart).compute, before.compute);
    click(3);
    EXPECT_EQ(legend.hidden(), QStringList()) << "what has no kind is always there";
    EXPECT_EQ(changed.count(), 2);
}

TEST_F(LegendOf, ShiftOrADoubleClickLeavesOneAlone) {
    click(1, Qt::ShiftModifier);
    EXPECT_EQ(legend.hidden(), kinds({"compute", "host"}));
    click(1, Qt::ShiftModifier);
    EXPECT_EQ(legend.hidden(), QStringList());
    click(0); // the press that begins a double click
    QTest::mouseDClick(&legend, Qt::LeftButton, {}, legend.part(0).rect.center());
    EXPECT_TRUE(legend.hidden() == kinds({"sync", "host"})) << legend.hidden().join(u' ').toStdString();
}

// As in Liveness, where Right is the next step.
TEST_F(LegendOf, KeysAreItsOwnWhereTheViewHasThemToo) {
    QWidget view;
    QAction right(&view), zoom(&view);
    right.setShortcut(Qt::Key_Right);
    zoom.setShortcut(Qt::Key_Plus);
    for (QAction* action : {&right, &zoom}) {
        action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
        view.addAction(action);
    }
    QSignalSpy moved(&right, &QAction::triggered), zoomed(&zoom, &QAction::triggered);
    legend.setParent(&view);
    view.show();
    view.activateWindow();
    ASSERT_TRUE(QTest::qWaitForWindowActive(&view));
    legend.setFocus();
    QTest::keyClick(&legend, Qt::Key_Right);
    QTest::keyClick(&legend, Qt::Key_Space);
    EXPECT_EQ(legend.hidden(), kinds({"sync"}));
    EXPECT_EQ(moved.size(), 0);
    QTest::keyClick(&legend, Qt::Key_Plus);
    EXPECT_EQ(zoomed.size(), 1) << "it has no such key";
    legend.setParent(nullptr);
}

TEST_F(LegendOf, KeysDoTheSame) {
    legend.setFocus();
    QTest::keyClick(&legend, Qt::Key_Right);
    QTest::keyClick(&legend, Qt::Key_Space);
    EXPECT_EQ(legend.hidden(), kinds({"sync"}));
    QTest::keyClick(&legend, Qt::Key_Right);
    QTest::keyClick(&legend, Qt::Key_Return);
    EXPECT_EQ(legend.hidden(), kinds({"compute", "sync"}));
    EXPECT_EQ(legend.part(0).value, QStringLiteral("hidden"));
    EXPECT_EQ(legend.part(0).role, QAccessible::CheckBox);
    EXPECT_EQ(legend.part(3).role, QAccessible::ListItem);
}

} // namespace tilescope::ui
