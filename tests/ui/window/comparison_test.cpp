// SPDX-License-Identifier: GPL-3.0-or-later
/// Comparing several files, and keeping that: from choosing them to opening the saved comparison again.
#include "comparing_fixture.h"
#include "tests/ui/shown_text.h"
#include "ui/widgets/data_table.h"

#include <QDialog>
#include <QDir>
#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLineEdit>
#include <QListWidget>
#include <QMenu>
#include <QPushButton>
#include <QRegularExpression>
#include <QSignalSpy>

namespace tilescope::ui {

namespace {

using tests::words;

} // namespace

TEST_F(Comparing, IsSavedWithItsBaseColumnsAndAlignmentAndOpenedAgain) {
    window->compare({path("first.tilescope"), path("second.tilescope"), path("third.tilescope")});
    settleAll();
    EXPECT_EQ(view(), QStringLiteral("compare"));
    EXPECT_EQ(heads(), words({"first (base)", "second (new)", "third"}));
    head(2).click(); // the third becomes the base
    settleAll();
    EXPECT_EQ(heads(), words({"third (base)", "second (new)", "first"}));
    Alignment by_hand;
    by_hand.on = Alignment::On::Offset;
    by_hand.offset = 1234;
    trace().align(by_hand);
    ASSERT_TRUE(QDir(QString::fromStdString(folder / "")).mkpath(QStringLiteral("kept")));
    const QString saved = path("kept/nightly.tilescope-compare");
    ASSERT_TRUE(window->saveComparison(saved));

    QFile file(saved);
    ASSERT_TRUE(file.open(QIODevice::ReadOnly));
    const QByteArray written = file.readAll();
    EXPECT_EQ(QJsonDocument::fromJson(written)[QStringLiteral("base")].toString(),
              QStringLiteral("../third.tilescope"))
        << "paths are relative to the file";

    // Moved together, in another window.
    window->close();
    QSettings().clear();
    ASSERT_TRUE(QDir().mkpath(path("elsewhere/kept")));
    for (const char* name : {"first.tilescope", "second.tilescope", "third.tilescope"})
        ASSERT_TRUE(QFile::rename(path(name), path("elsewhere/") + QLatin1String(name)));
    const QString moved = path("elsewhere/kept/nightly.tilescope-compare");
    ASSERT_TRUE(QFile::rename(saved, moved));
    start();
    window->openFile(moved);
    settleAll();
    EXPECT_EQ(heads(), words({"third (base)", "second (new)", "first"}));
    EXPECT_EQ(trace().alignment(), by_hand);
    press("Alt+Home");
    EXPECT_EQ(comparisons(), words({"nightly saved"}));

    // From the list of recent comparisons.
    window->close();
    start();
    auto* list = window->findChild<QTreeWidget*>(QStringLiteral("Recent comparisons"));
    ASSERT_EQ(list->topLevelItemCount(), 1);
    Q_EMIT list->itemActivated(list->topLevelItem(0), 0);
    settleAll();
    EXPECT_EQ(heads(), words({"third (base)", "second (new)", "first"}));
}

TEST_F(Comparing, AFileIsAddedAndAnotherInFrontKeepsTheColumns) {
    window->compare({path("first.tilescope"), path("second.tilescope")});
    settleAll();
    EXPECT_EQ(heads(), words({"first (base)", "second (new)"}));
    open("third.tilescope");
    window->setBase(0);
    settleAll();
    window->showView(QStringLiteral("compare"));
    EXPECT_EQ(heads(), words({"first (base)", "third (new)"})) << "it was not to be compared";
    window->findChild<QToolButton*>(QStringLiteral("compareAdd"))->click();
    auto* menu = window->findChild<QMenu*>(QStringLiteral("addCompared"));
    ASSERT_NE(menu, nullptr);
    EXPECT_EQ(menu->actions().front()->text(), QStringLiteral("second"));
    menu->actions().front()->trigger();
    settleAll();
    EXPECT_EQ(heads(), words({"first (base)", "third (new)", "second"}));
    tabs().setCurrentIndex(1);
    settleAll();
    EXPECT_EQ(heads(), words({"first (base)", "third", "second (new)"}));
    window->findChild<QToolButton*>(QStringLiteral("compareSwap"))->click();
    settleAll();
    EXPECT_EQ(heads(), words({"second (base)", "third", "first (new)"}));
}

TEST_F(Comparing, WhereNothingIsTheBaseOneCanBeChosenThere) {
    open("first.tilescope");
    open("second.tilescope");
    window->setBase(-1);
    window->showView(QStringLiteral("compare"));
    settleAll();
    window->findChild<QPushButton*>(QStringLiteral("chooseBase"))->click();
    auto* menu = window->findChild<QMenu*>(QStringLiteral("addCompared"));
    ASSERT_NE(menu, nullptr);
    EXPECT_EQ(menu->actions().front()->text(), QStringLiteral("first")) << "but not the one in front";
    menu->actions().front()->trigger();
    settleAll();
    EXPECT_EQ(heads(), words({"first (base)", "second (new)"}));
}

TEST_F(Comparing, AWrongFileIsOneLineAndLosesNothing) {
    window->compare({path("first.tilescope"), path("second.tilescope")});
    settleAll();
    const QStringList before = heads();
    const auto refused = [&](const QByteArray& document, const char* place, const char* remedy) {
        write("bad.tilescope-compare", document);
        QSignalSpy failed(window.get(), &MainWindow::fileFailed);
        window->openFile(path("bad.tilescope-compare"));
        settleAll();
        EXPECT_EQ(failed.size(), 1);
        EXPECT_TRUE(line().contains(path("bad.tilescope-compare"))) << line().toStdString();
        EXPECT_TRUE(line().contains(QLatin1String(place))) << line().toStdString();
        EXPECT_TRUE(line().contains(QLatin1String(remedy))) << line().toStdString();
        EXPECT_FALSE(line().contains(QLatin1Char('\n')));
        EXPECT_EQ(heads(), before) << document.toStdString();
    };
    refused("{\n  \"tilescope-compare\": 1,\n  \"base\"", "line 3", "mend the syntax");
    refused("[1, 2]", "no comparison", "save");
    refused("{}", "no version", "File > Save comparison");
    refused(R"({"tilescope-compare": 2})", "version is 2", "use the one that saved it");
    refused(R"({"tilescope-compare": 1, "base": 7})", "\"base\"", "relative to this file");
    refused(R"({"tilescope-compare": 1, "base": "first.tilescope", "runs": []})", "\"runs\"", "name the");
    refused(R"({"tilescope-compare": 1, "base": "first.tilescope", "runs": [{"file": "./first.tilescope"}]})",
            "runs[0].file", "once");
    refused(R"({"tilescope-compare": 1, "base": "first.tilescope", "runs": [{"file": "second.tilescope",
                "views": {"trace": {"align": {"on": "luck"}}}}]})",
            "align", "use \"beginning\"");

    // One of whose profiles is gone: the others are there.
    write("gone.tilescope-compare",
          R"({"tilescope-compare": 1, "base": "first.tilescope",
              "runs": [{"file": "gone.tilescope"}, {"file": "third.tilescope"}], "front": "third.tilescope"})");
    window->openFile(path("gone.tilescope-compare"));
    settleAll();
    EXPECT_TRUE(line().contains(QStringLiteral("gone.tilescope"))) << line().toStdString();
    EXPECT_EQ(heads(), words({"first (base)", "third (new)"}));
}

/// The new file has a layer more than the base: dense, dense_1 and dense_2.
TEST_F(Comparing, WhatIsMatchedByHandHoldsInAllViewsIsUndoneAndSaved) {
    window->compare({path("first.tilescope"), path("second.tilescope")});
    window->setShowing(Showing::Difference);
    settleAll();
    EXPECT_EQ(rows("matches"), QStringList()) << "which take a while: nobody looks";
    const QStringList before = matched();
    EXPECT_EQ(before.front(), QStringLiteral("no counterpart|dense_2|layer|"));
    const auto added = [&] { // operations of dense_1 that the base does not have
        const QRegularExpression without_base(QStringLiteral("^dense_1/.*\\|–\\|[^|]*\\|[^|]*$"));
        window->showView(QStringLiteral("operations"));
        settleAll();
        const auto count = rows("operations").filter(without_base).size();
        window->showView(QStringLiteral("compare"));
        settleAll();
        return count;
    };
    EXPECT_EQ(added(), 0);

    // dense_2 is the base's dense_1.
    auto* table = choose(QStringLiteral("dense_2"));
    QTest::keyClick(table, Qt::Key_Return);
    auto* dialog = window->findChild<QDialog*>(QStringLiteral("counterpart"));
    ASSERT_NE(dialog, nullptr);
    EXPECT_TRUE(tests::shows(*dialog, QStringLiteral("Which layer of first is dense_2 of second?")));
    QTest::keyClicks(dialog->findChild<QLineEdit*>(), QStringLiteral("se_1"));
    EXPECT_EQ(dialog->findChild<QListWidget*>()->count(), 1);
    EXPECT_EQ(dialog->findChild<QListWidget*>()->item(0)->text(), QStringLiteral("dense_1 (is dense_1)"));
    QTest::keyClick(dialog->findChild<QLineEdit*>(), Qt::Key_Return);
    settleAll();
    EXPECT_EQ(matched().front(), QStringLiteral("dense_1|dense_2|layer|by hand"));
    EXPECT_FALSE(matched().filter(QStringLiteral("no counterpart|dense_1|layer")).isEmpty());
    EXPECT_EQ(added(), 6) << "in the view of operations";

    // What is selected in the other tables is the row to correct.
    Q_EMIT window->findChild<DataTable*>(QStringLiteral("compareOperations"))->keyChosen(1);
    const QModelIndex chosen =
        window->findChild<QWidget*>(QStringLiteral("matches"))->findChild<QTableView*>()->currentIndex();
    EXPECT_EQ(chosen.siblingAtColumn(1).data().toString(), QStringLiteral("dense/Relu"));

    // Saved, and read by the command line and another window.
    const QString saved = path("said.tilescope-compare");
    ASSERT_TRUE(window->saveComparison(saved));
    QFile file(saved);
    ASSERT_TRUE(file.open(QIODevice::ReadOnly));
    EXPECT_TRUE(file.readAll().simplified().contains(
        R"("matches": [ { "part": "layer", "base": "dense_1", "new": "dense_2" } ])"));
    window->close();
    QSettings().clear();
    start();
    window->openFile(saved);
    settleAll();
    EXPECT_EQ(matched().front(), QStringLiteral("dense_1|dense_2|layer|by hand"));

    // Said once more, and all of it taken back but what was saved.
    showMatches();
    table = choose(QStringLiteral("dense"));
    QTest::keyClick(table, Qt::Key_Delete);
    settleAll();
    EXPECT_EQ(matched().filter(QStringLiteral("|by hand")).size(), 3) << "both sides, and what was saved";
    QTest::keyClick(choose(QStringLiteral("dense")), Qt::Key_Z, Qt::ControlModifier);
    settleAll();
    EXPECT_EQ(matched().filter(QStringLiteral("|by hand")).size(), 1);
    QTest::keyClick(choose(QStringLiteral("dense_2")), Qt::Key_Backspace);
    settleAll();
    EXPECT_EQ(matched(), before);
    QTest::keyClick(choose(QStringLiteral("dense_2")), Qt::Key_Z, Qt::ControlModifier);
    settleAll();
    EXPECT_EQ(matched().front(), QStringLiteral("dense_1|dense_2|layer|by hand"));

    // The other way round it says the same.
    window->findChild<QToolButton*>(QStringLiteral("compareSwap"))->click();
    settleAll();
    EXPECT_EQ(matched().front(), QStringLiteral("dense_2|dense_1|layer|by hand"));
}

TEST_F(Comparing, OnlyWhatCanBeReadIsRemembered) {
    window->compare({path("nothing.tilescope"), path("second.tilescope")});
    settleAll();
    press("Alt+Home");
    EXPECT_EQ(comparisons(), QStringList());
    window->compare({path("first.tilescope"), path("second.tilescope"), path("third.tilescope")});
    settleAll();
    press("Alt+Home");
    EXPECT_EQ(comparisons(), words({"second, third against first"}));
}

} // namespace tilescope::ui
