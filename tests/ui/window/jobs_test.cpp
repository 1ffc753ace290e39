// SPDX-License-Identifier: GPL-3.0-or-later
#include "frame_fixture.h"
#include "tests/ui/shown_text.h"
#include "ui/query/sql_editor.h"

#include <QFrame>
#include <QPushButton>

namespace tilescope::ui {
namespace {

class Jobs : public Frame {
  protected:
    /// A question that is never answered by itself.
    void askForEver() {
        press("G, Q");
        settle();
        auto* editor = window->findChild<SqlEditor*>();
        editor->setPlainText(QStringLiteral("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
                                            "SELECT max(i) FROM n"));
        QTest::keyClick(editor, Qt::Key_Return, Qt::ControlModifier);
    }
    QToolButton& button() { return chip("statusJobs"); }
    QFrame* list() { return window->findChild<QFrame*>(QStringLiteral("jobs")); }
    QPushButton* cancelling(const char* job) {
        for (auto* button : list()->findChildren<QPushButton*>())
            if (button->accessibleName() == QStringLiteral("Cancel ") + QLatin1String(job))
                return button;
        throw std::runtime_error(job);
    }
};

TEST_F(Jobs, AreCountedListedAndCancelled) {
    open("first.tilescope");
    EXPECT_TRUE(QTest::qWaitFor([&] { return !button().isVisible(); }, 5000));
    askForEver();
    ASSERT_TRUE(QTest::qWaitFor([&] { return button().isVisible(); }, 5000));
    QTest::mouseClick(&button(), Qt::LeftButton);
    ASSERT_NE(list(), nullptr);
    EXPECT_TRUE(QTest::qWaitFor(
        [&] { // what others ask meanwhile waits behind it
            const auto jobs = list()->findChildren<QPushButton*>().size();
            return button().text() ==
                   (jobs == 1 ? QStringLiteral("1 job") : QStringLiteral("%1 jobs").arg(jobs));
        },
        5000))
        << button().text().toStdString();
    EXPECT_TRUE(list()->isVisible());
    EXPECT_TRUE(tests::shows(*list(), QStringLiteral("Query of first")));
    EXPECT_TRUE(tests::comes_to_show(*list(), QStringLiteral("1 s"), 9000)) << "how long it has taken";
    QTest::keyClick(cancelling("Query of first"), Qt::Key_Space);
    settle();
    EXPECT_TRUE(tests::comes_to_show(*list(), QStringLiteral("Nothing: all is answered"), 5000));
    EXPECT_TRUE(tests::shows(*window, QStringLiteral("cancelled"))) << "the view says so, too";
    list()->close();
    EXPECT_TRUE(QTest::qWaitFor([&] { return !button().isVisible(); }, 5000));
}

TEST_F(Jobs, AreListedByTheirKeyAlsoWhereThereAreNone) {
    open("first.tilescope");
    press("Ctrl+J");
    ASSERT_NE(list(), nullptr);
    EXPECT_TRUE(tests::comes_to_show(*list(), QStringLiteral("Nothing: all is answered"), 5000));
    EXPECT_EQ(list()->findChild<QPushButton*>(), nullptr);
    list()->close();
}

TEST_F(Jobs, WhatWaitsBehindAnotherIsSaidToWaitAndMayBeCancelled) {
    open("first.tilescope");
    askForEver();
    ASSERT_TRUE(QTest::qWaitFor([&] { return button().isVisible(); }, 5000));
    press("U"); // a basis: other views ask anew, behind the query in front
    press("Ctrl+J");
    EXPECT_NE(list()->findChild<QPushButton*>(), nullptr);
    list()->close();
    EXPECT_TRUE(QTest::qWaitFor([&] { return list() == nullptr; }, 5000)) << "what is closed keeps nothing";
    QTest::mouseClick(&button(), Qt::LeftButton);
    EXPECT_TRUE(tests::shows(*list(), QStringLiteral("Query of first")));
    QTest::mouseClick(cancelling("Query of first"), Qt::LeftButton);
    settle();
    list()->close();
}

} // namespace
} // namespace tilescope::ui
