// SPDX-License-Identifier: GPL-3.0-or-later
#include "build_paths.h"
#include "tests/profile_fixture.h"
#include "tests/ui/shown_text.h"
#include "tests/ui/view_test_support.h"
#include "ui/query/query_view.h"
#include "ui/query/sql_examples.h"
#include "ui/session/format.h"
#include "ui/widgets/data_table.h"
#include "ui/widgets/line_chart.h"
#include "ui/widgets/veil.h"

#include <QApplication>
#include <QClipboard>
#include <QFile>
#include <QHeaderView>
#include <QLabel>
#include <QListWidget>
#include <QMenu>
#include <QPushButton>
#include <QSettings>
#include <QTabWidget>
#include <QTableView>
#include <QToolButton>
#include <QTreeWidget>
#include <gtest/gtest.h>

namespace tilescope::ui {
namespace {

class QueryTest : public testing::Test {
  protected:
    /// The answer to a query that is typed and run by its keys.
    QTableView* ask(const QString& sql) {
        auto* editor = shown.view.findChild<SqlEditor*>();
        shown.view.activateWindow(); // keys are those of the window in front
        EXPECT_TRUE(QTest::qWaitForWindowActive(&shown.view));
        editor->setPlainText(sql);
        QTest::keyClick(editor, Qt::Key_Return, Qt::ControlModifier);
        shown.settle();
        const auto* table = shown.view.findChild<DataTable*>(QStringLiteral("answer"));
        return table == nullptr ? nullptr : table->view();
    }
    static QString cell(const QTableView* table, int row, int column) {
        return table->model()->index(row, column).data().toString();
    }
    QStringList completionsBehind(const QString& sql) {
        auto* editor = shown.view.findChild<SqlEditor*>();
        editor->setPlainText(sql);
        editor->moveCursor(QTextCursor::End);
        return editor->completions();
    }

    tests::ShownView<QueryView> shown;
};

} // namespace

TEST_F(QueryTest, AnswersWithATableAndAChart) {
    const QTableView* table = ask(QStringLiteral("SELECT id, steps FROM execution ORDER BY id;"));
    ASSERT_NE(table, nullptr);
    EXPECT_EQ(table->model()->columnCount(), 2);
    EXPECT_EQ(table->model()->headerData(1, Qt::Horizontal).toString(), QStringLiteral("steps"));
    EXPECT_EQ(cell(table, 1, 0), QStringLiteral("1"));
    EXPECT_TRUE(tests::shows(shown.view, QStringLiteral(" rows in ")));
    const QStringList lines =
        shown.view.findChild<LineChart*>()->toText(QLatin1Char(',')).trimmed().split(QLatin1Char('\n'));
    EXPECT_EQ(lines.size(), table->model()->rowCount() + 1) << "a point for each row, and the heads";
    EXPECT_TRUE(lines[1].startsWith(QStringLiteral("steps,0,"))) << lines[1].toStdString();
}

TEST_F(QueryTest, InANarrowWindowAMenuHasTheQueriesAndTables) {
    QSettings().setValue(QStringLiteral("queries"),
                         QVariantMap{{QStringLiteral("mine"), QStringLiteral("SELECT name FROM layer")}});
    tests::ShownView<QueryView> narrow;
    QSettings().remove(QStringLiteral("queries"));
    narrow.view.resize(1200, 700);
    auto* menu = narrow.view.findChild<QToolButton*>(QStringLiteral("queriesMenu"));
    auto* list = narrow.view.findChild<QListWidget*>(QStringLiteral("savedQueries"));
    ASSERT_TRUE(QTest::qWaitFor([&] { return list->isVisible(); }));
    EXPECT_FALSE(menu->isVisible());
    narrow.view.resize(900, 700);
    ASSERT_TRUE(QTest::qWaitFor([&] { return menu->isVisible(); }));
    EXPECT_FALSE(list->isVisible());
    EXPECT_TRUE(tests::shows(narrow.view, QStringLiteral("choose one from Queries")));
    Q_EMIT menu->menu()->aboutToShow();
    const QList<QAction*> actions = menu->menu()->actions();
    ASSERT_GT(actions.size(), list->count());
    ASSERT_GT(list->count(), 0);
    EXPECT_EQ(actions.front()->text(), QStringLiteral("mine"));
    actions.front()->trigger();
    EXPECT_EQ(narrow.view.findChild<SqlEditor*>()->toPlainText(), QStringLiteral("SELECT name FROM layer"));
    QMenu* tables = actions.back()->menu();
    ASSERT_NE(tables, nullptr);
    for (QAction* table : tables->actions())
        if (table->text() == QStringLiteral("layer"))
            table->trigger();
    narrow.settle();
    EXPECT_EQ(narrow.view.findChild<SqlEditor*>()->toPlainText(),
              QStringLiteral("SELECT * FROM layer LIMIT 100"));
    EXPECT_NE(narrow.view.findChild<DataTable*>(QStringLiteral("answer")), nullptr);
}

TEST_F(QueryTest, WhatIsWrongIsSaidAndTheAnswerBeforeStays) {
    ASSERT_NE(ask(QStringLiteral("SELECT name FROM layer")), nullptr);
    const QTableView* table = ask(QStringLiteral("SELECT nme FROM layer"));
    ASSERT_NE(table, nullptr);
    EXPECT_TRUE(tests::shows(shown.view, QStringLiteral("This could not be read: no such column: nme.")));
    const auto wrong = shown.view.findChild<SqlEditor*>()->extraSelections();
    ASSERT_EQ(wrong.size(), 1);
    EXPECT_EQ(wrong[0].cursor.selectedText(), QStringLiteral("nme"));
    EXPECT_TRUE(shown.view.findChild<Veil*>()->isVisible()) << "the answer is another's";
    shown.view.findChild<QPushButton*>(QStringLiteral("copyError"))->click();
    EXPECT_EQ(QApplication::clipboard()->text(),
              QStringLiteral("This could not be read: no such column: nme."));
    ask(QStringLiteral("  SELECT 'é x' AS x, layer.x FROM layer"));
    const auto second = shown.view.findChild<SqlEditor*>()->extraSelections();
    ASSERT_EQ(second.size(), 1);
    EXPECT_EQ(second[0].cursor.selectionStart(), 21) << "not the first x";
    ask(QStringLiteral("SELECT name FRM layer"));
    EXPECT_FALSE(shown.view.findChild<SqlEditor*>()->extraSelections().isEmpty());
    table = ask(QStringLiteral("SELECT name FROM layer"));
    EXPECT_FALSE(shown.view.findChild<Veil*>()->isVisible());
    EXPECT_TRUE(shown.view.findChild<SqlEditor*>()->extraSelections().isEmpty());
    EXPECT_EQ(table->model()->headerData(0, Qt::Horizontal).toString(), QStringLiteral("name"));
}

TEST_F(QueryTest, NothingCanBeChanged) {
    ask(QStringLiteral("DELETE FROM layer"));
    EXPECT_FALSE(tests::shows(shown.view, QStringLiteral("rows in")));
    const QTableView* table = ask(QStringLiteral("SELECT count(*) FROM layer"));
    EXPECT_EQ(cell(table, 0, 0), QString::number(tests::small_fixture.layers));
}

TEST_F(QueryTest, ALongQueryCanBeCancelled) {
    auto* editor = shown.view.findChild<SqlEditor*>();
    editor->setPlainText(QStringLiteral(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"));
    QTest::keyClick(editor, Qt::Key_Return, Qt::ControlModifier);
    for (QPushButton* button : shown.view.findChildren<QPushButton*>())
        if (button->text() == QStringLiteral("Cancel"))
            button->click();
    shown.settle();
    EXPECT_TRUE(tests::comes_to_show(shown.view, QStringLiteral("Cancelled.")));
}

TEST_F(QueryTest, EscStopsWhatIsAsked) {
    shown.view.activateWindow();
    ASSERT_TRUE(QTest::qWaitForWindowActive(&shown.view));
    auto* editor = shown.view.findChild<SqlEditor*>();
    editor->setFocus();
    editor->setPlainText(QStringLiteral(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"));
    QTest::keyClick(editor, Qt::Key_Return, Qt::ControlModifier);
    QTest::keyClick(editor, Qt::Key_Escape);
    EXPECT_TRUE(tests::comes_to_show(shown.view, QStringLiteral("Cancelled.")));
}

TEST_F(QueryTest, EscLeavesTheEditorForWhatCanBeAskedOrTheAnswer) {
    shown.view.resize(1400, 800);
    shown.view.activateWindow();
    ASSERT_TRUE(QTest::qWaitForWindowActive(&shown.view));
    auto* editor = shown.view.findChild<SqlEditor*>();
    editor->setFocus();
    QTest::keyClick(editor, Qt::Key_Escape);
    EXPECT_EQ(QApplication::focusWidget(), shown.view.findChild<QWidget*>(QStringLiteral("savedQueries")));
    editor->setPlainText(QStringLiteral("SELECT name FROM layer"));
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Return, Qt::ControlModifier); // from there, too
    shown.settle();
    auto* table = shown.view.findChild<DataTable*>(QStringLiteral("answer"))->view();
    editor->setFocus();
    QTest::keyClick(editor, Qt::Key_Escape);
    EXPECT_EQ(QApplication::focusWidget(), table);
}

TEST_F(QueryTest, NumbersHaveCommasAndIdsLeadToWhatTheyName) {
    QTableView* table = ask(QStringLiteral("SELECT id AS operation_id, 1234567 AS many, 0.125 AS exact "
                                           "FROM operation WHERE id = 2"));
    ASSERT_NE(table, nullptr);
    EXPECT_EQ(cell(table, 0, 1), QStringLiteral("1,234,567"));
    EXPECT_EQ(cell(table, 0, 2), QStringLiteral("0.125"));
    shown.view.findChild<DataTable*>()->findChild<QAction*>(QStringLiteral("copy"))->trigger();
    EXPECT_EQ(QApplication::clipboard()->text(),
              QStringLiteral("operation_id\tmany\texact\n2\t1234567\t0.125\n"));
    QString view;
    QObject::connect(&shown.view, &View::viewRequested, &shown.view, [&](const QString& id) { view = id; });
    table->setCurrentIndex(table->model()->index(0, 0));
    QTest::keyClick(table, Qt::Key_Return);
    EXPECT_EQ(shown.selection.current().operation, 2);
    EXPECT_EQ(view, QStringLiteral("operations"));
}

// A layer more than the base: each row beside that of the same name, and the third alone.
TEST_F(QueryTest, WithABaseBothAreAskedAndTheirRowsStandBesideEachOther) {
    tests::FixtureSize larger;
    larger.layers = 3;
    tests::ShownView<QueryView> other(
        [&](const std::string& path) { return tests::record_fixture(path, larger); });
    ASSERT_NE(ask(QStringLiteral("SELECT name, id FROM layer ORDER BY id")), nullptr);
    const auto answered = [&] {
        shown.settle();
        other.settle();
        shown.settle();
        return tests::shown_rows(*shown.view.findChild<DataTable*>(QStringLiteral("answer"))->view(),
                                 QLatin1Char('|'));
    };
    shown.view.setSources({other.source, shown.source, true}); // another file: nothing is asked by itself
    ask(QStringLiteral("SELECT name, id + (SELECT count(*) FROM layer) AS n FROM layer ORDER BY id"));
    QStringList lines = answered().trimmed().split(QLatin1Char('\n'));
    ASSERT_EQ(lines.size(), 4) << lines.join(QLatin1Char('\n')).toStdString();
    EXPECT_EQ(lines[0], QStringLiteral("name|n|n, base|difference|In"));
    EXPECT_TRUE(lines[1].endsWith(QStringLiteral("|3|2|+1|both"))) << lines[1].toStdString();
    EXPECT_TRUE(lines[3].endsWith(QStringLiteral("|5|–|–|new"))) << lines[3].toStdString();
    EXPECT_TRUE(tests::shows(shown.view, QStringLiteral("1 only in the new file, 0 only in the base")));
    const QString copied =
        shown.view.findChild<DataTable*>(QStringLiteral("answer"))->toText(QLatin1Char('|'));
    EXPECT_TRUE(copied.contains(QStringLiteral("|3|2|1|both\n"))) << copied.toStdString();

    shown.view.setSources({other.source, nullptr}); // what was asked is asked again, of one
    lines = answered().trimmed().split(QLatin1Char('\n'));
    EXPECT_EQ(lines[0], QStringLiteral("name|n"));
    EXPECT_EQ(lines.size(), 4);
}

TEST(JoinedAnswers, RowsOfOneKeyGoTogetherInTheirOrder) {
    const auto number = [](const char* text) { return profile::QueryCell{text, true}; };
    const auto word = [](const char* text) { return profile::QueryCell{text, false}; };
    const profile::QueryResult now{
        {"k", "v"}, {{word("a"), number("1")}, {word("b"), number("2")}, {word("a"), number("3")}}};
    const profile::QueryResult base{{"k", "v"},
                                    {{word("c"), number("9")}, {word("a"), number("4")}, {word("a"), {}}}};
    const JoinedAnswer both = joined(now, base);
    ASSERT_EQ(both.rows.size(), 4U);
    EXPECT_EQ(both.rows[0].base, &base.rows[1]);
    EXPECT_EQ(both.rows[1].base, nullptr);
    EXPECT_EQ(both.rows[2].base, &base.rows[2]);
    EXPECT_EQ(both.rows[3].now, nullptr);
    EXPECT_EQ(both.rows[3].key().text, "c");
    EXPECT_EQ(both.only_now, 1U);
    EXPECT_EQ(both.only_base, 1U);
    EXPECT_FALSE(both.numeric(0));
    EXPECT_TRUE(both.numeric(1)) << "NULL is no text";
}

TEST_F(QueryTest, CompletesTablesAndColumnsAlsoBehindAnAlias) {
    EXPECT_TRUE(
        completionsBehind(QStringLiteral("SELECT * FROM exec")).contains(QStringLiteral("execution")));
    const QStringList columns = completionsBehind(QStringLiteral("SELECT * FROM operation o WHERE o.na"));
    EXPECT_EQ(columns, QStringList{QStringLiteral("name")});
    EXPECT_TRUE(completionsBehind(QStringLiteral("SELECT * FROM layer WHERE param"))
                    .contains(QStringLiteral("parameters")));
    EXPECT_TRUE(completionsBehind(QStringLiteral("SEL")).contains(QStringLiteral("SELECT")));
    EXPECT_TRUE(completionsBehind(QStringLiteral("SELECT param")).contains(QStringLiteral("parameters")))
        << "a column is written before its table is";
    EXPECT_FALSE(completionsBehind(QStringLiteral("SELECT * FROM execution WHERE param"))
                     .contains(QStringLiteral("parameters")));
}

TEST_F(QueryTest, TheTablesAreListedWithTheirColumns) {
    const auto* tree = shown.view.findChild<QTreeWidget*>(QStringLiteral("tables"));
    const auto found = tree->findItems(QStringLiteral("variable"), Qt::MatchExactly);
    ASSERT_EQ(found.size(), 1);
    EXPECT_EQ(found[0]->child(0)->text(0), QStringLiteral("id"));
    EXPECT_EQ(found[0]->child(0)->text(1), QStringLiteral("integer"));
}

TEST_F(QueryTest, EachTableHasItsRowsCountedBesideIt) {
    const auto* tree = shown.view.findChild<QTreeWidget*>(QStringLiteral("tables"));
    const auto rows = [&](const char* name) {
        const auto found = tree->findItems(QLatin1String(name), Qt::MatchExactly);
        EXPECT_EQ(found.size(), 1) << name;
        return found.isEmpty() ? QString() : found.front()->text(1);
    };
    const auto file = *profile::Profile::open(shown.source->path().toStdString());
    EXPECT_EQ(rows("program"), formatCount(std::ssize(*file->program())));
    EXPECT_EQ(rows("layer"), formatCount(std::ssize(*file->layers())));
    EXPECT_EQ(rows("operation_cost"), formatCount(std::ssize(*file->operations()))) << "a view";
    EXPECT_LE(tree->header()->sectionViewportPosition(1) + tree->header()->sectionSize(1),
              tree->viewport()->width())
        << "none is cut";
}

// A question comes first: what was being counted goes on behind it.
TEST(TablesOfQuery, AreCountedBehindAQuestionThatIsAskedMeanwhile) {
    const tests::TemporaryFolder folder;
    ASSERT_TRUE(tests::record_fixture(folder / "run.tilescope"));
    const auto source = ProfileSource::open(QString::fromStdString(folder / "run.tilescope"));
    QueryView view;
    view.show();
    view.setSources({source, {}});
    const auto* tree = view.findChild<QTreeWidget*>(QStringLiteral("tables"));
    ASSERT_TRUE(QTest::qWaitFor([&] { return tree->topLevelItemCount() > 0; }, 20000));
    view.run(QStringLiteral("SELECT 1"));
    const auto counted = [&] {
        const auto found = tree->findItems(QStringLiteral("variable"), Qt::MatchExactly);
        return !found.isEmpty() && !found.front()->text(1).isEmpty();
    };
    EXPECT_TRUE(QTest::qWaitFor(counted, 20000));
    EXPECT_TRUE(tests::shows(view, QStringLiteral("1 row in "))) << "and the question is answered";
    view.setSources({});
}

TEST_F(QueryTest, BeforeAnythingIsAskedItSaysHowTo) {
    EXPECT_TRUE(tests::shows(shown.view, QStringLiteral("Ctrl+Return")));
    ask(QStringLiteral("SELECT 1"));
    EXPECT_EQ(shown.view.findChild<QLabel*>(QStringLiteral("nothingAsked")), nullptr);
}

TEST(SqlExamples, AreTheQuestionsOfThePageAboutTheFile) {
    QFile page(QStringLiteral(TILESCOPE_SOURCE_DIR "/resources/docs/schema.md"));
    ASSERT_TRUE(page.open(QIODevice::ReadOnly));
    const auto examples = sqlExamples(QString::fromUtf8(page.readAll()));
    ASSERT_GE(examples.size(), 5U);
    QStringList questions;
    for (const SqlExample& example : examples)
        questions << example.question;
    EXPECT_TRUE(questions.contains(QStringLiteral("What takes the most on the fullest tile?")))
        << questions.join(QLatin1Char('\n')).toStdString();
    EXPECT_TRUE(questions.contains(QStringLiteral("How full are the tiles, in tenths of their memory?")));
    for (const QString& question : questions)
        EXPECT_TRUE(question.endsWith(u'?')) << question.toStdString() << " is no question";
}

} // namespace tilescope::ui
