// SPDX-License-Identifier: GPL-3.0-or-later
#include "frame_fixture.h"
#include "ui/trace/trace_view.h"
#include "ui/widgets/data_table.h"

#include <QAction>
#include <QListWidget>
#include <QMenu>
#include <QTableView>

namespace tilescope::ui {
namespace {

class Undo : public Frame {
  protected:
    void show(const char* keys) {
        press(keys);
        settle();
    }
    View& shown(const char* id) {
        for (View* each : window->findChildren<View*>())
            if (each->id() == QLatin1String(id))
                return *each;
        throw std::invalid_argument(id);
    }
};

TEST_F(Undo, AClosedTabComesBack) {
    open("first.tilescope");
    open("second.tilescope");
    ASSERT_EQ(tabs().count(), 2);
    show("Ctrl+W");
    ASSERT_EQ(tabs().count(), 1);
    show("Ctrl+Z");
    EXPECT_TRUE(window->openPaths().contains(path("second.tilescope")));
    show("Ctrl+Shift+Z");
    EXPECT_FALSE(window->openPaths().contains(path("second.tilescope")));
    show("Ctrl+Z");
    EXPECT_EQ(tabs().count(), 2);
}

TEST_F(Undo, AFileThatIsReadAnewWasNotClosed) {
    open("first.tilescope");
    open("second.tilescope");
    show("Ctrl+W");
    show("F5");
    ASSERT_EQ(window->openPaths(), QStringList(path("first.tilescope")));
    show("Ctrl+Z");
    EXPECT_TRUE(window->openPaths().contains(path("second.tilescope"))) << "what was closed last";
}

TEST_F(Undo, ColumnsThatWereChosenAreThoseOfBefore) {
    open("first.tilescope");
    show("G, O");
    auto* table = shown("operations").findChild<DataTable*>()->view();
    auto* menu = window->findChild<QMenu*>(QStringLiteral("operationColumns"));
    ASSERT_NE(menu, nullptr);
    const auto hidden = [&] {
        QList<int> all;
        for (int c = 0; c < table->model()->columnCount(); ++c)
            if (table->isColumnHidden(c))
                all << c;
        return all;
    };
    const QList<int> before = hidden();
    menu->actions().front()->trigger();
    const QList<int> after = hidden();
    ASSERT_NE(after, before);
    show("Ctrl+Z");
    EXPECT_EQ(hidden(), before);
    show("Ctrl+Shift+Z");
    EXPECT_EQ(hidden(), after);
}

TEST_F(Undo, WhatIsMadeInSeveralPartsIsTakenBackInTheOrderInWhichItWasMade) {
    open("first.tilescope");
    show("G, T");
    auto& trace = static_cast<TraceView&>(shown("trace"));
    const LaneChoice lanes = trace.lanes();
    press("P"); // pins the IPU
    const LaneChoice pinned = trace.lanes();
    ASSERT_FALSE(pinned == lanes);
    show("G, O");
    const QJsonObject before = shown("operations").saveState();
    window->findChild<QMenu*>(QStringLiteral("operationColumns"))->actions().front()->trigger();
    const QJsonObject after = shown("operations").saveState();
    ASSERT_NE(before, after);
    open("second.tilescope");
    show("G, T");
    const LaneChoice others = trace.lanes();
    press("P");
    ASSERT_FALSE(trace.lanes() == others);

    show("G, S");
    show("Ctrl+Z"); // the last that was made, wherever one is now
    EXPECT_EQ(view(), QStringLiteral("trace"));
    EXPECT_TRUE(trace.lanes() == others);
    show("Ctrl+Z");
    EXPECT_EQ(view(), QStringLiteral("operations"));
    EXPECT_EQ(shown("operations").saveState(), before);
    show("Ctrl+Z");
    EXPECT_EQ(view(), QStringLiteral("trace"));
    EXPECT_EQ(tabs().tabText(tabs().currentIndex()), QStringLiteral("first")) << "of which file it was";
    EXPECT_TRUE(trace.lanes() == lanes);
    show("Ctrl+Z");
    EXPECT_EQ(said(), QStringLiteral("Nothing is left to undo."));
    show("Ctrl+Shift+Z");
    EXPECT_TRUE(trace.lanes() == pinned);
    show("Ctrl+Shift+Z");
    EXPECT_EQ(shown("operations").saveState(), after);
}

TEST_F(Undo, AQueryThatWasRemovedComesBack) {
    QSettings().setValue(QStringLiteral("queries"),
                         QVariantMap{{QStringLiteral("mine"), QStringLiteral("SELECT 1")}});
    start();
    open("first.tilescope");
    show("G, Q");
    auto* saved = shown("query").findChild<QListWidget*>(QStringLiteral("savedQueries"));
    ASSERT_EQ(saved->item(0)->text(), QStringLiteral("mine"));
    saved->setFocus();
    saved->setCurrentRow(0);
    QTest::keyClick(saved, Qt::Key_Delete);
    ASSERT_NE(saved->item(0)->text(), QStringLiteral("mine"));
    QTest::keySequence(saved, QKeySequence::Undo);
    EXPECT_EQ(saved->item(0)->text(), QStringLiteral("mine"));
    EXPECT_EQ(QSettings().value(QStringLiteral("queries")).toMap().value(QStringLiteral("mine")),
              QStringLiteral("SELECT 1"));
}

TEST_F(Undo, ATableIsAskedForInSql) {
    open("first.tilescope");
    show("G, O");
    auto* table = shown("operations").findChild<DataTable*>();
    const int rows = table->view()->model()->rowCount();
    ASSERT_GT(rows, 0);
    for (QAction* action : table->actions())
        if (action->text() == QStringLiteral("Open as SQL"))
            action->trigger();
    settle();
    EXPECT_EQ(view(), QStringLiteral("query"));
    const auto* outcome = shown("query").findChild<QLabel*>(QStringLiteral("outcome"));
    EXPECT_TRUE(outcome->text().startsWith(QStringLiteral("%1 row").arg(rows)))
        << outcome->text().toStdString();
}

TEST_F(Undo, TheButtonForMoreFilesStandsBesideTheOnlyTab) {
    std::filesystem::copy_file(folder / "first.tilescope", folder / "x.tilescope");
    open("x.tilescope");
    const auto* more = window->findChild<QToolButton*>(QStringLiteral("moreFiles"));
    const int end = tabs().mapTo(window.get(), tabs().tabRect(0).topRight()).x();
    const int begin = more->mapTo(window.get(), QPoint(0, 0)).x();
    EXPECT_LT(begin - end, 24);
}

} // namespace
} // namespace tilescope::ui
