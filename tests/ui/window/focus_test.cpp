// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/profile_fixture.h"
#include "tests/temporary_folder.h"
#include "ui/session/view.h"
#include "ui/window/main_window.h"

#include <QApplication>
#include <QLineEdit>
#include <QTest>
#include <gtest/gtest.h>

namespace tilescope::ui {
namespace {

TEST(Focus, GoesToTheViewThatIsShownSoThatItsKeysWork) {
    const tests::TemporaryFolder folder;
    ASSERT_TRUE(tests::record_fixture(folder / "run.tilescope"));
    MainWindow window;
    window.resize(1200, 800);
    window.show();
    window.openFile(QString::fromStdString(folder / "run.tilescope"));
    window.activateWindow();
    ASSERT_TRUE(QTest::qWaitForWindowActive(&window));
    ASSERT_TRUE(QTest::qWaitFor([&] { return window.pendingQueries() == 0; }));
    for (const QString& id : window.viewIds()) {
        window.showView(id);
        const QWidget* focus = QApplication::focusWidget();
        ASSERT_NE(focus, nullptr) << id.toStdString();
        EXPECT_EQ(qobject_cast<const QLineEdit*>(focus), nullptr) << id.toStdString();
        bool within = false;
        for (const View* view : window.findChildren<View*>())
            within = within || (view->id() == id && (view == focus || view->isAncestorOf(focus)));
        EXPECT_TRUE(within) << id.toStdString();
    }
}

} // namespace
} // namespace tilescope::ui
