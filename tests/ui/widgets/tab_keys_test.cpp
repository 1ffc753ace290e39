// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/view_action.h"

#include <QTabWidget>
#include <QTest>
#include <gtest/gtest.h>

namespace tilescope::ui {
namespace {

TEST(TabKeys, PassTabsThatAreHidden) {
    QTabWidget tabs;
    for (const char* name : {"a", "b", "c", "d"}) {
        auto* page = new QWidget;
        page->setFocusPolicy(Qt::StrongFocus);
        tabs.addTab(page, QLatin1String(name));
    }
    addTabKeys(&tabs, &tabs);
    setTabShown(tabs, 1, false);
    setTabShown(tabs, 3, false);
    tabs.show();
    tabs.activateWindow();
    ASSERT_TRUE(QTest::qWaitForWindowActive(&tabs));
    tabs.currentWidget()->setFocus();
    const auto press = [&](Qt::Key key) {
        QTest::keyClick(tabs.currentWidget(), key, Qt::ControlModifier);
        return tabs.currentIndex();
    };
    EXPECT_EQ(press(Qt::Key_PageDown), 2);
    EXPECT_TRUE(tabs.widget(2)->hasFocus()) << "it was in the tab that went";
    EXPECT_EQ(press(Qt::Key_PageDown), 0) << "round and round";
    EXPECT_EQ(press(Qt::Key_PageUp), 2);
    setTabShown(tabs, 1, true);
    EXPECT_EQ(press(Qt::Key_PageUp), 1);
}

TEST(TabKeys, OfTheOnlyTabThatIsShownStayThere) {
    QTabWidget tabs;
    for (const char* name : {"a", "b"})
        tabs.addTab(new QWidget, QLatin1String(name));
    setTabShown(tabs, 1, false);
    showTabBeside(tabs, 1);
    EXPECT_EQ(tabs.currentIndex(), 0);
    showTabBeside(tabs, -1);
    EXPECT_EQ(tabs.currentIndex(), 0);
}

} // namespace
} // namespace tilescope::ui
