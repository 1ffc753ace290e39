// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/summary.h"
#include "frame_fixture.h"
#include "profile/profile.h"
#include "tests/system_fixture.h"
#include "ui/sharding/sharding_view.h"
#include "ui/trace/trace_view.h"

#include <QAction>
#include <QClipboard>
#include <QDialog>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QSet>
#include <QTabWidget>
#include <QTableView>
#include <QTimer>
#include <QTreeWidget>

namespace tilescope::ui {
namespace {

class Find : public Frame {
  protected:
    /// Shows the search and types.
    void search(const char* typed) {
        press("Ctrl+F");
        ASSERT_TRUE(QTest::qWaitFor(
            [&] { return window->findChildren<QDialog*>(QStringLiteral("search")).size() == 1; }, 2000));
        dialog = window->findChild<QDialog*>(QStringLiteral("search"));
        field = dialog->findChild<QLineEdit*>();
        list = dialog->findChild<QTreeView*>();
        QTest::keyClicks(field, QLatin1String(typed));
        ASSERT_TRUE(QTest::qWaitFor([&] { return hits() > 0; }));
    }
    int hits() const { return list->model()->rowCount(); } ///< rows of the search
    QString hit(int row, int column) const { return list->model()->index(row, column).data().toString(); }
    /// Shows the palette, types, and does something before Enter.
    void command(const QString& typed, const std::function<void(QDialog&)>& look) {
        bool looked = false;
        QTimer when; // the palette runs a loop of its own
        QObject::connect(&when, &QTimer::timeout, [&] {
            auto* palette = window->findChild<QDialog*>(QStringLiteral("palette"));
            if (palette == nullptr || looked)
                return;
            looked = true;
            QTest::keyClicks(palette->findChild<QLineEdit*>(), typed);
            look(*palette);
            if (palette->isVisible())
                palette->reject();
        });
        when.start(5);
        press("Ctrl+Shift+P");
        EXPECT_TRUE(looked);
    }
    static QTreeWidget& rows(const QDialog& palette) { return *palette.findChild<QTreeWidget*>(); }
    static void enter(const QDialog& palette) {
        QTest::keyClick(palette.findChild<QLineEdit*>(), Qt::Key_Return);
    }

    QDialog* dialog = nullptr;
    QLineEdit* field = nullptr;
    QTreeView* list = nullptr;
};

TEST_F(Find, FindingsAndLinesOfTheLogLeadToTheirRows) {
    ASSERT_TRUE(
        tests::record_system(folder / "pipeline.tilescope", {.pipelined = true, .nearly_full = true}));
    const auto read = [this](const char* name) { return *profile::Profile::open(path(name).toStdString()); };
    const auto insights = analyse::summarise(*read("pipeline.tilescope"))->insights;
    const auto log = *read("first.tilescope")->log();
    ASSERT_FALSE(insights.empty());
    open("pipeline.tilescope");
    ASSERT_FALSE(log.empty());
    const auto current = [&](const QString& text) {
        settle();
        for (const QTableView* table : window->findChildren<QTableView*>())
            for (int column = 0; table->isVisible() && column < 3; ++column)
                if (table->currentIndex().isValid() &&
                    table->currentIndex().siblingAtColumn(column).data().toString() == text)
                    return true;
        return false;
    };
    const QString finding = QString::fromStdString(insights.back().title);
    search(finding.toLatin1().constData());
    QTest::keyClick(field, Qt::Key_Return);
    EXPECT_EQ(view(), QStringLiteral("insights"));
    EXPECT_TRUE(current(finding));
    open("first.tilescope");
    const QString line = QString::fromStdString(log.back().message);
    search(line.toLatin1().constData());
    QTest::keyClick(field, Qt::Key_Return);
    EXPECT_EQ(view(), QStringLiteral("live"));
    EXPECT_TRUE(current(line));
}

TEST_F(Find, SearchFindsAsOneTypesAndGoesThere) {
    open("first.tilescope");
    search("dense_1 matmul");
    EXPECT_EQ(hit(0, 0), QStringLiteral("operation"));
    const QString name = hit(0, 1);
    QTest::keyClick(field, Qt::Key_Return);
    EXPECT_EQ(view(), QStringLiteral("operations"));
    settle();
    EXPECT_TRUE(chip("chipSubject").accessibleName().contains(name)) << name.toStdString();
    search("tile 45");
    ASSERT_EQ(hits(), 1);
    QTest::keyClick(field, Qt::Key_Return, Qt::ShiftModifier); // only selects
    EXPECT_EQ(view(), QStringLiteral("operations"));
    EXPECT_TRUE(chip("chipTiles").isVisible());
    EXPECT_EQ(chip("chipTiles").accessibleName(), QStringLiteral("tile 45"));
    QTest::mouseClick(&chip("chipTiles"), Qt::LeftButton);
    EXPECT_FALSE(chip("chipTiles").isVisible());
}

TEST_F(Find, AKeyShowsAllOfTheKindOfTheChosenRowAndAgainAllKinds) {
    open("first.tilescope");
    search("e");
    const int of_all_kinds = hits();
    int cut = 0; // the first row that asks for all
    while (cut < of_all_kinds && !hit(cut, 1).startsWith(QStringLiteral("show all ")))
        ++cut;
    ASSERT_LT(cut, of_all_kinds - 1);
    const int all = hit(cut, 1).section(u' ', 2).remove(u',').toInt();
    for (int i = 0; i < cut - 5; ++i)
        QTest::keyClick(field, Qt::Key_Down);
    QTest::keyClick(field, Qt::Key_Return, Qt::ControlModifier);
    EXPECT_TRUE(QTest::qWaitFor([&] { return hits() == all; })) << hits() << " of " << all;
    EXPECT_TRUE(dialog->isVisible()) << "it went nowhere";
    QTest::keyClick(field, Qt::Key_Return, Qt::ControlModifier);
    EXPECT_TRUE(QTest::qWaitFor([&] { return hits() == of_all_kinds; }));
}

TEST_F(Find, OfAKindThatIsCutTheLastRowShowsAll) {
    open("first.tilescope");
    search("e");
    const auto cut = [&] { // the first row that asks for all
        for (int row = 0; row < hits(); ++row)
            if (hit(row, 1).startsWith(QStringLiteral("show all ")))
                return row;
        return -1;
    };
    const int row = cut();
    ASSERT_GE(row, 12);
    const QString kind = hit(row, 0);
    EXPECT_EQ(hit(row - 12, 0), kind);
    EXPECT_EQ(hit(row - 1, 0), kind) << "below the best of its kind";
    EXPECT_NE(hit(row + 1, 0), kind);
    const int all = hit(row, 1).section(u' ', 2).remove(u',').toInt();
    EXPECT_GT(all, 12);
    for (int i = 0; i < row; ++i)
        QTest::keyClick(field, Qt::Key_Down);
    QTest::keyClick(field, Qt::Key_Return);
    ASSERT_TRUE(QTest::qWaitFor([&] { return hits() == all; })) << hits() << " of " << all;
    EXPECT_EQ(cut(), -1);
    EXPECT_EQ(hit(all - 1, 0), kind);
    EXPECT_TRUE(dialog->isVisible()) << "it went nowhere";
    QTest::keyClicks(field, QStringLiteral("n"));
    EXPECT_TRUE(QTest::qWaitFor([&] { return hits() < all; })) << "what is typed further is searched in it";
    QTest::keyClick(field, Qt::Key_Backspace);
    for (QToolButton* button : dialog->findChildren<QToolButton*>())
        if (button->text().startsWith(QStringLiteral("all")))
            button->click();
    ASSERT_TRUE(QTest::qWaitFor([&] { return cut() == row; }));
    list->scrollTo(list->model()->index(row, 1));
    QTest::mouseClick(list->viewport(), Qt::LeftButton, {},
                      list->visualRect(list->model()->index(row, 1)).center());
    EXPECT_TRUE(QTest::qWaitFor([&] { return hits() == all; }));
}

TEST_F(Find, TheSearchGoesWithItsFile) {
    open("first.tilescope");
    open("second.tilescope");
    Selection tile;
    tile.lookAt(0, {3});
    window->findChild<SelectionModel*>()->set(tile);
    ASSERT_TRUE(chip("chipTiles").isVisible());
    search("dense");
    QMetaObject::invokeMethod(&tabs(), "closeRequested", Q_ARG(int, 1));
    QTest::keyClicks(field, QStringLiteral("_1"));
    EXPECT_TRUE(
        QTest::qWaitFor([&] { return window->findChild<QDialog*>(QStringLiteral("search")) == nullptr; }));
    EXPECT_EQ(window->openPaths().size(), 1);
    settle();
    EXPECT_FALSE(chip("chipTiles").isVisible()) << "it was a tile of the file that is gone";
}

TEST_F(Find, ArrowsShowWhatTheyAreOnAndEscapeIsBackAtWhatWasSelected) {
    open("first.tilescope");
    search("dense_1");
    const QString second = hit(1, 1);
    QTest::keyClick(field, Qt::Key_Down);
    settle();
    EXPECT_TRUE(chip("chipSubject").accessibleName().contains(second))
        << chip("chipSubject").text().toStdString();
    QTest::keyClick(field, Qt::Key_Escape);
    settle();
    EXPECT_FALSE(chip("chipSubject").isVisible());
    pause();
    EXPECT_FALSE(window->findChild<QAction*>(QStringLiteral("back"))->isEnabled()) << "only looked at";
    search("dense_1");
    const QPoint third = list->visualRect(list->model()->index(2, 1)).center();
    const QString name = hit(2, 1);
    QTest::mouseMove(list->viewport(), third - QPoint(3, 0));
    QTest::mouseMove(list->viewport(), third);
    settle();
    EXPECT_TRUE(chip("chipSubject").accessibleName().contains(name))
        << chip("chipSubject").text().toStdString();
    QTest::keyClick(field, Qt::Key_Return);
    settle();
    EXPECT_TRUE(chip("chipSubject").accessibleName().contains(name));
}

TEST_F(Find, ThePaletteHasTheActionsOfAllViewsWithTheirKeys) {
    open("first.tilescope");
    press("G, S");
    command(QStringLiteral("memory fullest tile"), [&](QDialog& palette) {
        ASSERT_EQ(rows(palette).topLevelItemCount(), 1);
        EXPECT_EQ(rows(palette).topLevelItem(0)->text(1), QStringLiteral("X"));
        enter(palette);
    });
    EXPECT_EQ(view(), QStringLiteral("memory"));
    EXPECT_EQ(QSettings().value(QStringLiteral("window/commands")).toStringList().size(), 1);
    const QString used = QSettings().value(QStringLiteral("window/commands")).toStringList().front();
    command({}, [&](QDialog& palette) { // the one that was used last comes first
        EXPECT_EQ(rows(palette).topLevelItem(0)->text(0), used);
    });
}

TEST_F(Find, ThePaletteHasWhatHangsOnThePartsOfViewsAndGoesToThemFirst) {
    open("first.tilescope");
    press("G, S");
    command({}, [&](QDialog& palette) {
        QStringList names;
        for (int row = 0; row < rows(palette).topLevelItemCount(); ++row)
            names << rows(palette).topLevelItem(row)->text(0);
        for (const char* name :
             {"Trace: Ruler", "Trace: Export the range…", "Graph: Fold what holds the box",
              "Liveness: First step", "Exchange: Sum of all exchanges of the list",
              "Insights: Hide findings of this rule", "Memory: Vertices: Export table as CSV…"})
            EXPECT_TRUE(names.contains(QString::fromUtf8(name))) << name;
        QSet<QString> once;
        for (const QString& name : std::as_const(names)) {
            EXPECT_FALSE(once.contains(name)) << name.toStdString();
            once << name;
        }
    });
    command(QStringLiteral("trace ruler"), [&](QDialog& palette) {
        ASSERT_EQ(rows(palette).topLevelItemCount(), 1);
        EXPECT_EQ(rows(palette).topLevelItem(0)->text(1), QStringLiteral("K"));
        enter(palette);
    });
    settle();
    EXPECT_EQ(view(), QStringLiteral("trace"));
    const auto in_trace = [&] {
        return window->focusWidget() == &window->findChild<TraceView*>()->timeline();
    };
    EXPECT_TRUE(QTest::qWaitFor(in_trace, 2000)) << "what the action is of has the focus";
    QApplication::clipboard()->clear();
    command(QStringLiteral("memory vertices copy table"), [&](QDialog& palette) {
        ASSERT_GE(rows(palette).topLevelItemCount(), 1);
        enter(palette);
    });
    settle();
    EXPECT_EQ(view(), QStringLiteral("memory"));
    EXPECT_TRUE(QTest::qWaitFor(
        [] { return QApplication::clipboard()->text().startsWith(QStringLiteral("Codelet\t")); }, 2000))
        << QApplication::clipboard()->text().toStdString();
    const auto* table = qobject_cast<QTableView*>(window->focusWidget());
    ASSERT_NE(table, nullptr);
    EXPECT_EQ(table->model()->headerData(0, Qt::Horizontal).toString(), QStringLiteral("Codelet"))
        << "its tab is in front";
}

TEST_F(Find, WhatIsTypedIsRepeatedAsItIs) {
    open("first.tilescope");
    search("dense");
    field->selectAll();
    QTest::keyClicks(field, QStringLiteral("a & <b>c"));
    const auto repeats = [](const QDialog& shown) {
        const auto labels = shown.findChildren<QLabel*>();
        return std::any_of(labels.begin(), labels.end(), [](const QLabel* label) {
            return label->textFormat() == Qt::PlainText &&
                   label->text() == QStringLiteral("Nothing matches “a & <b>c”.");
        });
    };
    EXPECT_TRUE(QTest::qWaitFor([&] { return repeats(*dialog); }));
    dialog->reject();
    command(QStringLiteral("a & <b>c"), [&](QDialog& palette) { EXPECT_TRUE(repeats(palette)); });
}

TEST_F(Find, ThePaletteOffersNothingOfATabThatIsHidden) {
    open("first.tilescope"); // of one IPU: there are no links
    const auto tried = [&](const std::function<void(QDialog&)>& look) {
        command(QStringLiteral("sharding links copy table"), [&](QDialog& palette) {
            ASSERT_EQ(rows(palette).topLevelItemCount(), 1);
            EXPECT_EQ(rows(palette).topLevelItem(0)->text(0), QStringLiteral("Sharding: Links: Copy table"));
            look(palette);
        });
        settle();
        EXPECT_EQ(view(), QStringLiteral("sharding"));
        for (const QTabWidget* tabs : window->findChild<ShardingView*>()->findChildren<QTabWidget*>())
            EXPECT_TRUE(tabs->isTabVisible(tabs->currentIndex()));
    };
    press("G, S");
    tried([](QDialog& palette) { enter(palette); }); // it is not known there yet
    tried([](QDialog& palette) {
        EXPECT_EQ(rows(palette).topLevelItem(0)->text(1), QStringLiteral("Sharding has nothing for it now"));
    });
    press("Ctrl+PgDown");
    const auto* links = window->findChild<QTabWidget*>(QStringLiteral("shardingTabs"));
    EXPECT_TRUE(links == nullptr || links->isTabVisible(links->currentIndex()));
}

TEST_F(Find, ThePalettePressesTheButtonsOfViews) {
    open("first.tilescope");
    press("G, Q");
    settle();
    window->findChild<QPlainTextEdit*>(QStringLiteral("sql"))->setPlainText(QStringLiteral("SELECT 1"));
    window->showView(QStringLiteral("graph"));
    command(QStringLiteral("query save"), [&](QDialog& palette) {
        const auto found = rows(palette).findItems(QString::fromUtf8("Query: Save…"), Qt::MatchExactly);
        ASSERT_EQ(found.size(), 1);
        rows(palette).setCurrentItem(found.front());
        enter(palette);
    });
    const auto asks = [&] { return window->findChild<QDialog*>(QStringLiteral("saveQuery")) != nullptr; };
    ASSERT_TRUE(QTest::qWaitFor(asks, 2000)) << "under which name";
    window->findChild<QDialog*>(QStringLiteral("saveQuery"))->reject();
    EXPECT_EQ(view(), QStringLiteral("query"));
    command(QStringLiteral("query load more"), [&](QDialog& palette) {
        ASSERT_GE(rows(palette).topLevelItemCount(), 1);
        EXPECT_EQ(rows(palette).topLevelItem(0)->text(1), QStringLiteral("Query has nothing for it now"));
    });
}

TEST_F(Find, ThePaletteSaysWhyACommandCanDoNothing) {
    command(QStringLiteral("reload file"), [&](QDialog& palette) {
        ASSERT_GE(rows(palette).topLevelItemCount(), 1);
        EXPECT_EQ(rows(palette).topLevelItem(0)->text(1), QStringLiteral("Open a profile first"));
        enter(palette);
        EXPECT_TRUE(palette.isVisible()) << "nothing was run";
    });
}

TEST_F(Find, BehindAColonThePaletteGoesToAPlace) {
    open("first.tilescope");
    command(QStringLiteral(":tile 45"), [&](QDialog& palette) {
        ASSERT_TRUE(QTest::qWaitFor([&] { return rows(palette).topLevelItemCount() == 1; }));
        enter(palette);
    });
    EXPECT_EQ(view(), QStringLiteral("memory"));
    EXPECT_EQ(chip("chipTiles").accessibleName(), QStringLiteral("tile 45"));
    command(QStringLiteral(":step 3"), [&](QDialog& palette) {
        ASSERT_TRUE(QTest::qWaitFor([&] { return rows(palette).topLevelItemCount() == 1; }));
        enter(palette);
    });
    EXPECT_EQ(view(), QStringLiteral("program"));
    command(QStringLiteral(":2,000 cycles"), [&](QDialog& palette) {
        ASSERT_TRUE(QTest::qWaitFor([&] {
            return rows(palette).topLevelItemCount() > 0 &&
                   rows(palette).topLevelItem(0)->text(0) == QStringLiteral("2,000 cycles in Trace");
        }));
        enter(palette);
    });
    settle();
    EXPECT_EQ(view(), QStringLiteral("trace"));
    TimelineWidget& timeline = window->findChild<TraceView*>()->timeline();
    const auto middle = [&] { return (timeline.view().from() + timeline.view().to()) / 2; };
    timeline.setAnimated(false);
    timeline.show(0, 1000);
    command(QStringLiteral(":2,000 cycles"), [&](QDialog& palette) {
        ASSERT_TRUE(QTest::qWaitFor([&] { return rows(palette).topLevelItemCount() > 0; }));
        enter(palette);
    });
    EXPECT_TRUE(QTest::qWaitFor([&] { return std::abs(middle() - 2000) < 2; }, 5000)) << middle();
}

} // namespace
} // namespace tilescope::ui
