// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "tests/profile_fixture.h"
#include "tests/temporary_folder.h"
#include "ui/session/format.h"
#include "ui/session/view.h"
#include "ui/window/history.h"
#include "ui/window/main_window.h"

#include <QApplication>
#include <QLabel>
#include <QSettings>
#include <QTabBar>
#include <QTest>
#include <QTextDocumentFragment>
#include <QToolButton>
#include <gtest/gtest.h>

namespace tilescope::ui {

/// The window with the settings of a new user, and two profiles that it may open.
class Frame : public testing::Test {
  public:
    ~Frame() override { setUnits({}); }

  protected:
    Frame() {
        QSettings().clear();
        setUnits({});
        EXPECT_TRUE(tests::record_fixture(folder / "first.tilescope"));
        EXPECT_TRUE(tests::record_fixture(folder / "second.tilescope", {16, 3, 1, 1, 1}));
        start();
    }
    void start() {
        window = std::make_unique<MainWindow>();
        window->resize(1280, 900);
        window->show();
        window->activateWindow();
        EXPECT_TRUE(QTest::qWaitForWindowActive(window.get()));
    }
    QString path(const char* name) const { return QString::fromStdString(folder / name); }
    void open(const char* name) {
        window->openFile(path(name));
        settle();
        ASSERT_TRUE(window->openPaths().contains(path(name)));
    }
    /// Until nothing is asked any more, nor is what the answers lead to.
    void settle() {
        for (int round = 0; round < 2; ++round) {
            ASSERT_TRUE(QTest::qWaitFor([&] { return window->atRest(); }, 20000));
            QTest::qWait(1);
        }
    }
    void press(const char* keys) {
        if (QApplication::focusWidget() == nullptr) { // a popup had it
            window->activateWindow();
            EXPECT_TRUE(QTest::qWaitForWindowActive(window.get()));
        }
        QWidget* focus = QApplication::focusWidget();
        QTest::keySequence(focus == nullptr ? window.get() : focus, QKeySequence(QLatin1String(keys)));
    }
    View* shownView() const {
        for (View* each : window->findChildren<View*>())
            if (each->isVisible())
                return each;
        return nullptr;
    }
    QString view() const { return shownView() == nullptr ? QString() : shownView()->id(); }
    QTabBar& tabs() const { return *window->findChild<QTabBar*>(QStringLiteral("files")); }
    QToolButton& chip(const char* name) const {
        return *window->findChild<QToolButton*>(QLatin1String(name));
    }
    QString status() const {
        return QTextDocumentFragment::fromHtml(
                   window->findChild<QLabel*>(QStringLiteral("statusFile"))->text())
            .toPlainText();
    }
    /// In the status bar, in passing.
    QLabel& passing() const { return *window->findChild<QLabel*>(QStringLiteral("passingMessage")); }
    QString said() const { return passing().accessibleName(); } ///< the whole of it
    static void pause() { QTest::qWait(static_cast<int>(History::merge_ms) + 50); }

    tests::TemporaryFolder folder;
    std::unique_ptr<MainWindow> window;
};

} // namespace tilescope::ui
