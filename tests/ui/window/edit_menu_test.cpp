// SPDX-License-Identifier: GPL-3.0-or-later
#include "frame_fixture.h"
#include "ui/program/program_view.h"
#include "ui/trace/trace_view.h"
#include "ui/widgets/data_table.h"

#include <QAction>
#include <QClipboard>
#include <QLineEdit>
#include <QMenu>
#include <QMenuBar>
#include <QTableView>

namespace tilescope::ui {
namespace {

class EditMenu : public Frame {
  protected:
    QMenu& menu(const char* name) {
        for (QAction* action : window->menuBar()->actions())
            if (action->text().remove(QLatin1Char('&')) == QLatin1String(name))
                return *action->menu();
        throw std::runtime_error(name);
    }
    QAction& entry(const char* of, const char* name) {
        for (QAction* action : menu(of).actions())
            if (action->text().remove(QLatin1Char('&')) == QLatin1String(name))
                return *action;
        throw std::runtime_error(name);
    }
    /// Whether an entry can be chosen when its menu is shown now.
    bool possible(const char* name) {
        Q_EMIT menu("Edit").aboutToShow();
        const bool can = entry("Edit", name).isEnabled();
        Q_EMIT menu("Edit").aboutToHide();
        return can;
    }
};

TEST_F(EditMenu, HasWhatTheDesignNames) {
    const auto names = [&](const char* of) {
        QStringList all;
        for (const QAction* action : menu(of).actions())
            if (!action->isSeparator())
                all << action->text().remove(QLatin1Char('&'));
        return all;
    };
    EXPECT_EQ(names("Edit"), (QStringList{QStringLiteral("Undo"), QStringLiteral("Redo"),
                                          QStringLiteral("Copy"), QStringLiteral("Copy view as picture"),
                                          QStringLiteral("Select all"), QStringLiteral("Search…"),
                                          QStringLiteral("Filter this view"), QStringLiteral("Settings…")}));
    EXPECT_EQ(names("Tools"),
              (QStringList{QStringLiteral("Commands…"), QStringLiteral("What goes on now…"),
                           QStringLiteral("Stop the run…"), QStringLiteral("Compare with…")}));
}

TEST_F(EditMenu, UndoesAndRedoesWhatThePartWithTheFocusDoes) {
    open("first.tilescope");
    press("G, T");
    settle();
    const auto& trace = *window->findChild<TraceView*>();
    const LaneChoice before = trace.lanes();
    press("P"); // pins the IPU
    const LaneChoice pinned = trace.lanes();
    ASSERT_FALSE(pinned == before);
    EXPECT_TRUE(possible("Undo"));
    entry("Edit", "Undo").trigger();
    EXPECT_TRUE(trace.lanes() == before);
    entry("Edit", "Redo").trigger();
    EXPECT_TRUE(trace.lanes() == pinned);
    press("Ctrl+Z");
    EXPECT_TRUE(trace.lanes() == before) << "its keys are still its own";
    press("G, S");
    settle();
    EXPECT_FALSE(possible("Undo")) << "nothing is made in Summary";
}

TEST_F(EditMenu, CopiesTheFiguresOfAChartWithTheFocus) {
    open("first.tilescope");
    for (const char* keys : {"G, L", "G, M"}) {
        press(keys);
        settle();
        QApplication::clipboard()->clear();
        press("Ctrl+C");
        EXPECT_GT(QApplication::clipboard()->text().count(QLatin1Char('\n')), 3) << keys;
        EXPECT_TRUE(possible("Copy"));
    }
}

TEST_F(EditMenu, CopiesFromFieldsAndTables) {
    open("first.tilescope");
    press("G, P");
    settle();
    EXPECT_TRUE(possible("Filter this view"));
    entry("Edit", "Filter this view").trigger();
    auto* field = window->findChild<QLineEdit*>(QStringLiteral("programFilter"));
    EXPECT_TRUE(field->hasFocus());
    QTest::keyClicks(field, QStringLiteral("relu"));
    EXPECT_TRUE(possible("Select all"));
    entry("Edit", "Select all").trigger();
    entry("Edit", "Copy").trigger();
    EXPECT_EQ(QApplication::clipboard()->text(), QStringLiteral("relu"));
    entry("Edit", "Undo").trigger();
    EXPECT_EQ(field->text(), QString());
    press("Ctrl+7"); // letters go into the field
    settle();
    entry("Edit", "Copy").trigger();
    EXPECT_TRUE(QApplication::clipboard()->text().startsWith(QStringLiteral("Operation\t")))
        << QApplication::clipboard()->text().left(60).toStdString();
}

TEST_F(EditMenu, FindsWhatHasOtherKeys) {
    open("first.tilescope");
    press("G, P");
    settle();
    window->findChild<ProgramView*>()
        ->findChild<QAction*>(QStringLiteral("search"))
        ->setShortcut(QKeySequence(Qt::Key_F9));
    entry("Edit", "Filter this view").trigger();
    EXPECT_TRUE(window->findChild<QLineEdit*>(QStringLiteral("programFilter"))->hasFocus());
    press("Ctrl+7");
    settle();
    const QWidget* table = QApplication::focusWidget();
    while (table != nullptr && qobject_cast<const DataTable*>(table) == nullptr)
        table = table->parentWidget();
    ASSERT_NE(table, nullptr);
    table->findChild<QAction*>(QStringLiteral("copy"))->setShortcut(QKeySequence(Qt::Key_F8));
    EXPECT_TRUE(possible("Copy"));
    entry("Edit", "Copy").trigger();
    EXPECT_TRUE(QApplication::clipboard()->text().startsWith(QStringLiteral("Operation\t")));
    // The window's own keys are the user's too.
    entry("Edit", "Undo").setShortcut(QKeySequence(QStringLiteral("Ctrl+U")));
    press("Ctrl+U");
    EXPECT_EQ(said(), QStringLiteral("Nothing is left to undo."));
}

} // namespace
} // namespace tilescope::ui
