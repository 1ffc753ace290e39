// SPDX-License-Identifier: GPL-3.0-or-later
#include "frame_fixture.h"
#include "profile/recorder.h"
#include "tests/ui/cut_text.h"
#include "ui/window/sample_list.h"

#include <QAction>
#include <QComboBox>
#include <QFile>
#include <QLineEdit>
#include <QListWidget>
#include <QMenu>
#include <QMimeData>
#include <QScrollArea>
#include <QToolBar>
#include <QToolButton>
#include <QTreeWidget>

namespace tilescope::ui {
namespace {

class Start : public Frame {
  protected:
    QWidget& page() const { return *window->findChild<QWidget*>(QStringLiteral("start")); }
    QTreeWidget& list(const char* name) const { return *page().findChild<QTreeWidget*>(QLatin1String(name)); }
    QTreeWidget& files() const { return list("Recent files"); }
    /// Texts of a column, heads of days included.
    static QStringList column(const QTreeWidget& of, int column) {
        QStringList texts;
        for (int row = 0; row < of.topLevelItemCount(); ++row)
            texts << of.topLevelItem(row)->text(column);
        return texts;
    }
    bool says(const QString& wanted) const {
        for (const QLabel* label : page().findChildren<QLabel*>())
            if (label->isVisible() && label->text().contains(wanted))
                return true;
        return false;
    }
    void closeAll() {
        while (!window->openPaths().isEmpty())
            press("Ctrl+W");
    }
};

TEST_F(Start, WithNothingOpenNothingIsOfferedThatNeedsAFile) {
    ASSERT_TRUE(page().isVisible());
    EXPECT_EQ(window->windowTitle(), QStringLiteral("Tilescope"));
    EXPECT_TRUE(says(QStringLiteral("Nothing opened yet")));
    EXPECT_TRUE(says(QStringLiteral("Nothing compared yet")));
    for (const QToolBar* bar : window->findChildren<QToolBar*>())
        EXPECT_FALSE(bar->isVisible()) << bar->objectName().toStdString();
    EXPECT_FALSE(window->findChild<QComboBox*>(QStringLiteral("basis"))->isVisible());
    EXPECT_FALSE(chip("chipUnit").isVisible());
    int usable = 0;
    for (const auto* button :
         window->findChild<QScrollArea*>(QStringLiteral("rail"))->findChildren<QToolButton*>()) {
        EXPECT_FALSE(button->isChecked());
        const bool alone =
            button->text() == QStringLiteral("Live") || button->text() == QStringLiteral("Runs");
        EXPECT_EQ(button->isEnabled(), alone) << button->text().toStdString();
        usable += button->isEnabled() ? 1 : 0;
        if (!button->isEnabled()) {
            EXPECT_EQ(button->toolTip(), QStringLiteral("Open a profile first"));
        }
    }
    EXPECT_EQ(usable, 2);
    press("Ctrl+R");
    EXPECT_EQ(view(), QStringLiteral("live"));
    press("Alt+Home");
    EXPECT_TRUE(page().isVisible());
    open("first.tilescope");
    EXPECT_FALSE(page().isVisible());
    EXPECT_TRUE(window->findChild<QComboBox*>(QStringLiteral("basis"))->isVisible());
    press("Alt+Home");
    EXPECT_TRUE(page().isVisible());
    press("Escape");
    EXPECT_FALSE(page().isVisible());
}

/// The step of the fixture is worked out by hand in tests/profile_fixture.h.
TEST_F(Start, RecentFilesHaveTheFiguresThatWereKept) {
    open("first.tilescope");
    open("second.tilescope");
    closeAll();
    ASSERT_TRUE(page().isVisible());
    EXPECT_EQ(column(files(), 0),
              (QStringList{QStringLiteral("Today"), QStringLiteral("second"), QStringLiteral("first")}));
    EXPECT_EQ(column(files(), 1)[2], QStringLiteral("1 × ipu2"));
    EXPECT_TRUE(column(files(), 2)[2].endsWith(QStringLiteral(" µs"))) << column(files(), 2)[2].toStdString();
    EXPECT_TRUE(column(files(), 3)[2].endsWith(QStringLiteral(" %"))) << column(files(), 3)[2].toStdString();
    EXPECT_NE(column(files(), 2)[1], column(files(), 2)[2]); // another size, another step
    ASSERT_TRUE(QFile::remove(path("second.tilescope")));
    window->close();
    start();
    EXPECT_TRUE(QTest::qWaitFor([&] { return column(files(), 4)[1] == QStringLiteral("gone"); }));
    EXPECT_EQ(column(files(), 4)[2], QString());
    auto* filter = page().findChild<QLineEdit*>({}, Qt::FindChildrenRecursively);
    for (auto* field : page().findChildren<QLineEdit*>())
        if (field->placeholderText() == QStringLiteral("Filter"))
            filter = field;
    QTest::keyClicks(filter, QStringLiteral("fir"));
    EXPECT_EQ(column(files(), 0), (QStringList{QStringLiteral("Today"), QStringLiteral("first")}));
    QTest::keyClicks(filter, QStringLiteral("x"));
    EXPECT_TRUE(says(QStringLiteral("Nothing matches")));
}

TEST_F(Start, DeleteTakesOutAndCtrlZBringsBack) {
    open("first.tilescope");
    open("second.tilescope");
    closeAll();
    files().setFocus();
    QTest::keyClick(&files(), Qt::Key_Delete);
    EXPECT_EQ(column(files(), 0), (QStringList{QStringLiteral("Today"), QStringLiteral("first")}));
    EXPECT_TRUE(says(QStringLiteral("second is taken out")));
    QTest::keyClick(&files(), Qt::Key_Delete);
    EXPECT_EQ(files().topLevelItemCount(), 0);
    QTest::keyClick(&files(), Qt::Key_Z, Qt::ControlModifier);
    QTest::keyClick(&files(), Qt::Key_Z, Qt::ControlModifier);
    EXPECT_EQ(column(files(), 0),
              (QStringList{QStringLiteral("Today"), QStringLiteral("second"), QStringLiteral("first")}));
}

TEST_F(Start, TwoMarkedFilesAreComparedTheNewerAgainstTheOlder) {
    open("first.tilescope");
    open("second.tilescope");
    closeAll();
    QFile older(path("second.tilescope")); // though it was opened last
    ASSERT_TRUE(older.open(QIODevice::ReadWrite));
    ASSERT_TRUE(
        older.setFileTime(QDateTime::currentDateTime().addDays(-2), QFileDevice::FileModificationTime));
    older.close();
    window->close();
    start();
    files().setFocus();
    QTest::qWait(100); // another thread looks at the files
    QTest::keyClick(&files(), Qt::Key_Space);
    EXPECT_TRUE(says(QStringLiteral("second is marked")));
    QTest::keyClick(&files(), Qt::Key_Down);
    QTest::keyClick(&files(), Qt::Key_Space);
    EXPECT_TRUE(says(QStringLiteral("Enter compares")));
    QTest::keyClick(&files(), Qt::Key_Return);
    settle();
    EXPECT_EQ(window->openPaths().size(), 2);
    EXPECT_TRUE(window->windowTitle().startsWith(QStringLiteral("first")));
    EXPECT_EQ(window->findChild<QComboBox*>(QStringLiteral("base"))->currentText(), QStringLiteral("second"));
    closeAll();
    auto& comparisons = list("Recent comparisons");
    ASSERT_EQ(column(comparisons, 0), QStringList{QStringLiteral("first")});
    EXPECT_EQ(column(comparisons, 1), QStringList{QStringLiteral("against second")});
    comparisons.setFocus();
    comparisons.setCurrentItem(comparisons.topLevelItem(0));
    QTest::keyClick(&comparisons, Qt::Key_Return);
    settle();
    EXPECT_EQ(window->findChild<QComboBox*>(QStringLiteral("base"))->currentText(), QStringLiteral("second"));
}

TEST_F(Start, TheButtonAboveTheViewComparesWithARecentFile) {
    open("second.tilescope");
    press("Ctrl+W");
    auto* button = window->findChild<QToolButton*>(QStringLiteral("compareWith"));
    ASSERT_NE(button, nullptr);
    EXPECT_FALSE(button->isVisible()) << "no file is open";
    open("first.tilescope");
    ASSERT_TRUE(button->isVisible());
    QTest::mouseClick(button, Qt::LeftButton);
    auto* menu = window->findChild<QMenu*>(QStringLiteral("addCompared"));
    ASSERT_NE(menu, nullptr);
    QAction* recent = nullptr;
    for (QAction* action : menu->actions())
        recent = action->text() == path("second.tilescope") ? action : recent;
    ASSERT_NE(recent, nullptr);
    recent->trigger();
    menu->close();
    settle();
    EXPECT_FALSE(button->isVisible()) << "the box of the base stands there";
    const auto* base = window->findChild<QComboBox*>(QStringLiteral("base"));
    EXPECT_TRUE(base->isVisible());
    EXPECT_EQ(base->currentText(), QStringLiteral("second"));
}

TEST_F(Start, SamplesSayWhatTheyAre) {
    auto* samples = page().findChild<QListWidget*>(QStringLiteral("Samples"));
    ASSERT_GT(samples->count(), 10);
    for (int row = 0; row < samples->count(); ++row) {
        const QString spoken = samples->item(row)->data(Qt::AccessibleTextRole).toString();
        EXPECT_GT(spoken.size(), samples->item(row)->text().size() + 20) << spoken.toStdString();
    }
    samples->setFocus();
    samples->setCurrentRow(0);
    QTest::keyClick(samples, Qt::Key_Return);
    EXPECT_EQ(view(), QStringLiteral("live"));
}

TEST_F(Start, RunsThatGoOnInTheFoldersOfRecentFilesAreListed) {
    open("first.tilescope");
    closeAll();
    EXPECT_FALSE(list("Running now").isVisible());
    {
        auto recorder = profile::Recorder::create(folder / "other.tilescope", {});
        ASSERT_TRUE(recorder) << recorder.error().line();
        ASSERT_TRUE(QTest::qWaitFor([&] { return list("Running now").isVisible(); }, 10000));
        list("Running now").setCurrentItem(list("Running now").topLevelItem(0));
        QTest::keyClick(&list("Running now"), Qt::Key_Return);
        EXPECT_EQ(window->openPaths(), QStringList{path("other.tilescope")});
        closeAll();
    }
    EXPECT_TRUE(QTest::qWaitFor([&] { return !list("Running now").isVisible(); }, 10000));
}

TEST_F(Start, ATypedPathOpensWhatItIs) {
    auto& field = *page().findChild<QLineEdit*>(QStringLiteral("startPath"));
    const auto type = [&](const QString& typed) {
        field.setFocus();
        field.clear();
        QTest::keyClicks(&field, typed);
        QTest::keyClick(&field, Qt::Key_Escape); // the completer's list
        field.setFocus();
        QTest::keyClick(&field, Qt::Key_Return);
    };
    type(path("missing") + QStringLiteral("/further.tilescope"));
    ASSERT_TRUE(QTest::qWaitFor([&] { return says(QStringLiteral("There is no ")); }));
    EXPECT_TRUE(says(QStringLiteral("Nothing of that name is in ") + QString::fromStdString(folder.path())));
    EXPECT_TRUE(page().isVisible());
    QTest::keyClicks(&field, QStringLiteral("x"));
    EXPECT_FALSE(says(QStringLiteral("There is no ")));
    QFile workload(path("workload.json"));
    ASSERT_TRUE(workload.open(QIODevice::WriteOnly));
    workload.close();
    type(workload.fileName());
    ASSERT_TRUE(QTest::qWaitFor([&] { return view() == QStringLiteral("live"); }));
    EXPECT_EQ(window->findChild<QLineEdit*>(QStringLiteral("workload"))->text(), workload.fileName());
    EXPECT_TRUE(window->openPaths().isEmpty());
    window->showView(QStringLiteral("summary"));
    type(QString::fromStdString(folder.path()));
    ASSERT_TRUE(QTest::qWaitFor([&] { return view() == QStringLiteral("runs"); }));
    settle();
    window->showView(QStringLiteral("summary"));
    type(path("first.tilescope"));
    ASSERT_TRUE(QTest::qWaitFor([&] { return window->openPaths().contains(path("first.tilescope")); }));
    settle();
}

TEST(Samples, WhereThereAreNoneASentenceSaysSo) {
    SampleList none({});
    none.resize(300, 200);
    none.show();
    QStringList drawn;
    for (const tests::DrawnText& each : tests::drawn_texts(*none.viewport()))
        drawn << each.text;
    EXPECT_TRUE(drawn.join(u' ').startsWith(QStringLiteral("No samples are installed")))
        << drawn.join(u'|').toStdString();
}

} // namespace
} // namespace tilescope::ui
