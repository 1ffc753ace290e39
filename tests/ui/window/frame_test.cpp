// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/summary.h"
#include "frame_fixture.h"
#include "tests/system_fixture.h"
#include "tests/ui/shown_text.h"
#include "ui/insights/insight_place.h"

#include <QAction>
#include <QClipboard>
#include <QComboBox>
#include <QDialog>
#include <QDir>
#include <QLineEdit>
#include <QScrollArea>
#include <QScrollBar>
#include <QTableView>
#include <QTimer>
#include <QTreeWidget>

namespace tilescope::ui {
namespace {

TEST_F(Frame, FilesAreTabsThatSayHowTheirRunsStand) {
    open("first.tilescope");
    open("second.tilescope");
    ASSERT_EQ(tabs().count(), 2);
    EXPECT_EQ(tabs().tabText(0), QStringLiteral("first"));
    EXPECT_EQ(tabs().currentIndex(), 1);
    EXPECT_TRUE(tabs().tabToolTip(0).contains(path("first.tilescope")));
    EXPECT_TRUE(tabs().tabToolTip(0).contains(QStringLiteral("complete")));
    EXPECT_EQ(tabs().accessibleTabName(0), QStringLiteral("first, complete"));
    EXPECT_FALSE(tabs().tabIcon(0).isNull());
    QTest::mouseClick(&tabs(), Qt::LeftButton, {}, tabs().tabRect(0).center());
    EXPECT_TRUE(window->windowTitle().startsWith(QStringLiteral("first")))
        << window->windowTitle().toStdString();
    press("Ctrl+Tab");
    EXPECT_TRUE(window->windowTitle().startsWith(QStringLiteral("second")));
    press("Ctrl+W");
    EXPECT_EQ(window->openPaths(), QStringList{path("first.tilescope")});
    press("Ctrl+Shift+T");
    EXPECT_EQ(window->openPaths().size(), 2);
    QTest::mouseClick(&tabs(), Qt::MiddleButton, {}, tabs().tabRect(0).center());
    EXPECT_EQ(window->openPaths(), QStringList{path("second.tilescope")});
    press("Ctrl+W");
    EXPECT_TRUE(window->openPaths().isEmpty());
    EXPECT_EQ(tabs().count(), 0);
}

TEST_F(Frame, FilesOfOneNameAreToldApartByTheirFolders) {
    ASSERT_TRUE(QDir(path("")).mkpath(QStringLiteral("today")));
    ASSERT_TRUE(tests::record_fixture(folder / "today/first.tilescope"));
    open("first.tilescope");
    EXPECT_EQ(tabs().tabText(0), QStringLiteral("first"));
    open("today/first.tilescope");
    const QString above = QDir(path("")).dirName() + QStringLiteral("/first");
    EXPECT_EQ(tabs().tabText(0), above);
    EXPECT_EQ(tabs().tabText(1), QStringLiteral("today/first"));
    EXPECT_EQ(tabs().accessibleTabName(0), above + QStringLiteral(", complete"));
    EXPECT_EQ(tabs().accessibleTabName(1), QStringLiteral("today/first, complete"));
    EXPECT_TRUE(window->windowTitle().startsWith(QStringLiteral("today/first –")))
        << window->windowTitle().toStdString();
    window->setBase(0);
    press("G, C");
    settle();
    EXPECT_TRUE(tests::shows(*window, QStringLiteral("today/first"))) << "what Compare says";
    press("Ctrl+W");
    EXPECT_EQ(tabs().tabText(0), QStringLiteral("first"));
}

TEST_F(Frame, EachFileIsShownAsItWasLeft) {
    open("first.tilescope");
    press("Ctrl+3");
    const QString first = view();
    open("second.tilescope");
    press("G, T");
    EXPECT_EQ(view(), QStringLiteral("trace"));
    press("Ctrl+Tab");
    EXPECT_EQ(view(), first);
    press("Ctrl+Tab");
    EXPECT_EQ(view(), QStringLiteral("trace"));
}

TEST_F(Frame, TheLastFilesAreOpenedAgainUnlessTheSettingsSayOtherwise) {
    open("first.tilescope");
    open("second.tilescope");
    window->close();
    start();
    window->reopenLastFiles();
    EXPECT_EQ(window->openPaths(), (QStringList{path("first.tilescope"), path("second.tilescope")}));
    EXPECT_EQ(tabs().currentIndex(), 1);
    window->close();
    ASSERT_TRUE(QFile::remove(path("first.tilescope")));
    start();
    window->reopenLastFiles();
    EXPECT_EQ(window->openPaths(), (QStringList{path("first.tilescope"), path("second.tilescope")}))
        << "a missing file keeps its tab";
    window->close();
    QSettings().setValue(QStringLiteral("window/reopen"), false);
    start();
    window->reopenLastFiles();
    EXPECT_TRUE(window->openPaths().isEmpty());
}

TEST_F(Frame, BackAndForwardRestoreViewAndSelection) {
    open("first.tilescope");
    pause();
    press("G, O");
    settle();
    auto* table = window->findChild<QTableView*>();
    ASSERT_NE(table, nullptr);
    pause();
    press("Down"); // chooses an operation
    settle();
    pause();
    const QString chosen = chip("chipSubject").text();
    EXPECT_TRUE(chosen.startsWith(QStringLiteral("operation "))) << chosen.toStdString();
    press("G, T");
    settle();
    pause();
    EXPECT_EQ(view(), QStringLiteral("trace"));
    press("Alt+Left");
    EXPECT_EQ(view(), QStringLiteral("operations"));
    settle();
    EXPECT_EQ(chip("chipSubject").text(), chosen);
    pause();
    QTest::mouseClick(window.get(), Qt::BackButton, {}, window->rect().center());
    settle();
    EXPECT_FALSE(chip("chipSubject").isVisible()) << chip("chipSubject").text().toStdString();
    pause();
    press("Alt+Right");
    pause();
    press("Alt+Right");
    EXPECT_EQ(view(), QStringLiteral("trace"));
}

TEST_F(Frame, BackIsWhereTheViewWasScrolledTo) {
    ASSERT_TRUE(tests::record_fixture(folder / "long.tilescope", {16, 40, 1, 1, 1}));
    open("long.tilescope");
    press("G, O");
    settle();
    auto* grouping = window->findChild<QComboBox*>(QStringLiteral("operationGrouping"));
    ASSERT_NE(grouping, nullptr);
    grouping->setFocus();
    QTest::keyClick(grouping, Qt::Key_End); // one by one
    settle();
    QTableView* table = nullptr;
    for (auto* each : window->findChildren<QTableView*>())
        if (each->isVisible() && each->model()->rowCount() > 100)
            table = each;
    ASSERT_NE(table, nullptr);
    QScrollBar& bar = *table->verticalScrollBar();
    bar.setValue(bar.maximum() / 2);
    const int there = bar.value();
    ASSERT_GT(there, 0);
    pause(); // a moment later one goes on
    press("G, T");
    settle();
    pause();
    bar.setValue(0);
    press("Alt+Left");
    EXPECT_EQ(view(), QStringLiteral("operations"));
    EXPECT_TRUE(QTest::qWaitFor([&] { return bar.value() == there; }, 5000)) << bar.value();
}

TEST_F(Frame, BackIsWhatWasInSight) {
    open("first.tilescope");
    const auto zooming = [&](const char* id) {
        QWidget* found = nullptr;
        for (const View* each : window->findChildren<View*>())
            if (each->id() == QLatin1String(id))
                for (QWidget* part : each->findChildren<QWidget*>())
                    if (found == nullptr && part->metaObject()->indexOfProperty("zoom") >= 0 &&
                        (each->id() != QLatin1String("sharding") || part->isVisible())) // map or matrix
                        found = part;
        return found;
    };
    for (const char* id : {"trace", "memory", "exchange", "graph", "sharding", "operations"}) {
        window->showView(QLatin1String(id));
        settle();
        QWidget* part = zooming(id);
        ASSERT_NE(part, nullptr) << id;
        const QVariant whole = part->property("zoom");
        const QVariantList near = QLatin1String(id) == QLatin1String("trace")      ? QVariantList{100, 900}
                                  : QLatin1String(id) == QLatin1String("memory")   ? QVariantList{2, 12}
                                  : QLatin1String(id) == QLatin1String("exchange") ? QVariantList{0, 8, 4, 8}
                                  : QLatin1String(id) == QLatin1String("graph")    ? QVariantList{0.7, 10, 20}
                                  : QLatin1String(id) == QLatin1String("sharding")
                                      ? QVariantList{2}
                                      : QVariantList{0.1, 0.1, 0.5, 0.5};
        part->setProperty("zoom", near);
        const QVariant zoomed = part->property("zoom");
        EXPECT_NE(zoomed, whole) << id;
        pause();
        window->showView(QStringLiteral("summary"));
        settle();
        pause();
        window->showView(QLatin1String(id));
        settle();
        part->setProperty("zoom", QVariantList());
        EXPECT_TRUE(part->property("zoom").toList().isEmpty()) << id << ": all again";
        pause();
        press("Alt+Left");
        settle();
        pause();
        press("Alt+Left");
        EXPECT_EQ(view(), QLatin1String(id));
        EXPECT_TRUE(QTest::qWaitFor([&] { return part->property("zoom") == zoomed; }, 5000)) << id;
        pause();
        press("Alt+Right");
        settle();
        pause();
        press("Alt+Right");
        EXPECT_TRUE(QTest::qWaitFor([&] { return part->property("zoom").toList().isEmpty(); }, 5000)) << id;
    }
}

TEST_F(Frame, TheStatusBarSaysFileTargetAndState) {
    open("first.tilescope");
    EXPECT_TRUE(status().contains(QStringLiteral("first"))) << status().toStdString();
    EXPECT_TRUE(status().contains(QStringLiteral("complete")));
    EXPECT_TRUE(status().contains(QStringLiteral("ipu2"))) << status().toStdString();
    press("Ctrl+W");
    EXPECT_TRUE(status().isEmpty());
}

TEST_F(Frame, TimeIsShownAsCyclesInEveryView) {
    open("first.tilescope");
    press("G, P");
    settle();
    const auto said = [&](const QString& wanted) {
        for (const QLabel* label : window->findChildren<QLabel*>())
            if (label->isVisible() && label->text().contains(wanted))
                return true;
        return false;
    };
    EXPECT_TRUE(said(QStringLiteral("µs elapsed")));
    press("T");
    settle();
    EXPECT_EQ(chip("chipUnit").text(), QStringLiteral("cycles"));
    EXPECT_TRUE(said(QStringLiteral("cycles elapsed")));
    QTest::mouseClick(&chip("chipUnit"), Qt::LeftButton);
    settle();
    EXPECT_TRUE(said(QStringLiteral("µs elapsed")));
}

TEST_F(Frame, TheRailGivesUpItsWordsThenScrolls) {
    auto* rail = window->findChild<QScrollArea*>(QStringLiteral("rail"));
    const auto style = [&] { return rail->findChild<QToolButton*>()->toolButtonStyle(); };
    window->resize(1280, 1000);
    QTest::qWait(1);
    EXPECT_EQ(style(), Qt::ToolButtonTextUnderIcon);
    window->resize(1280, 560);
    QTest::qWait(1);
    EXPECT_EQ(style(), Qt::ToolButtonIconOnly);
    window->resize(1280, 1000);
    QTest::qWait(1);
    EXPECT_EQ(style(), Qt::ToolButtonTextUnderIcon);
}

TEST_F(Frame, F6GoesThroughThePartsOfTheWindow) {
    open("first.tilescope");
    press("G, O");
    settle();
    QList<const QWidget*> visited;
    for (int i = 0; i < 12; ++i) {
        press("F6");
        ASSERT_NE(QApplication::focusWidget(), nullptr);
        if (!visited.contains(QApplication::focusWidget()))
            visited << QApplication::focusWidget();
    }
    const auto within = [&](const QWidget* part) {
        return std::any_of(visited.begin(), visited.end(),
                           [&](const QWidget* each) { return each == part || part->isAncestorOf(each); });
    };
    EXPECT_TRUE(within(window->findChild<QScrollArea*>(QStringLiteral("rail"))));
    EXPECT_TRUE(within(&tabs()));
    EXPECT_GE(visited.size(), 4);
}

// Memory: chart and map side by side, above the table.
TEST_F(Frame, F6GoesFromLeftToRightAndDown) {
    open("first.tilescope");
    press("Ctrl+3");
    settle();
    const QWidget* chart = QApplication::focusWidget();
    press("F6");
    EXPECT_EQ(QApplication::focusWidget()->mapTo(window.get(), QPoint()).y(),
              chart->mapTo(window.get(), QPoint()).y());
    EXPECT_GT(QApplication::focusWidget()->mapTo(window.get(), QPoint()).x(),
              chart->mapTo(window.get(), QPoint()).x());
    press("F6");
    EXPECT_NE(qobject_cast<QTableView*>(QApplication::focusWidget()), nullptr);
    press("Shift+F6");
    press("Shift+F6");
    EXPECT_EQ(QApplication::focusWidget(), chart);
}

} // namespace
TEST_F(Frame, WhatIsLiveAtThePeakIsCopiedByKeys) {
    open("first.tilescope");
    press("Ctrl+4");
    settle();
    press("P");
    settle();
    press("F6");
    auto* table = qobject_cast<QTableView*>(QApplication::focusWidget());
    ASSERT_NE(table, nullptr) << QApplication::focusWidget()->metaObject()->className();
    QApplication::clipboard()->clear();
    press("Ctrl+A");
    press("Ctrl+C");
    const QStringList lines = QApplication::clipboard()->text().split(QLatin1Char('\n'), Qt::SkipEmptyParts);
    ASSERT_EQ(lines.size(), table->model()->rowCount() + 1);
    EXPECT_TRUE(lines.front().startsWith(QStringLiteral("Variable\tBytes")));
}

TEST_F(Frame, KeysOfAViewStandTogether) {
    open("first.tilescope");
    ASSERT_TRUE(window->showView(QStringLiteral("live")));
    settle();
    bool seen = false;
    QTimer::singleShot(0, window.get(), [&] {
        auto* dialog = qobject_cast<QDialog*>(QApplication::activeModalWidget());
        ASSERT_NE(dialog, nullptr);
        const auto& keys = *dialog->findChild<QTreeWidget*>(QStringLiteral("keysOverview"));
        const auto heads = keys.findItems(QStringLiteral("Live"), Qt::MatchExactly);
        ASSERT_EQ(heads.size(), 1) << "its commands, and what it does with Space";
        QStringList all;
        for (int i = 0; i < heads[0]->childCount(); ++i)
            all << heads[0]->child(i)->text(0);
        EXPECT_TRUE(all.contains(QStringLiteral("Ctrl+."))) << all.join(u'|').toStdString();
        EXPECT_TRUE(all.contains(QStringLiteral("Space")));
        seen = true;
        dialog->reject();
    });
    press("?");
    EXPECT_TRUE(seen);
}

TEST_F(Frame, AQuestionMarkShowsTheKeysThatWorkNow) {
    open("first.tilescope");
    ASSERT_TRUE(window->showView(QStringLiteral("trace")));
    settle();
    bool seen = false;
    QTimer::singleShot(0, window.get(), [&] {
        auto* dialog = qobject_cast<QDialog*>(QApplication::activeModalWidget());
        ASSERT_NE(dialog, nullptr);
        const auto& keys = *dialog->findChild<QTreeWidget*>(QStringLiteral("keysOverview"));
        const auto all = [&keys](const char* group) {
            QStringList shown;
            const auto heads = keys.findItems(QLatin1String(group), Qt::MatchExactly);
            EXPECT_EQ(heads.size(), 1) << group;
            for (int i = 0; !heads.isEmpty() && i < heads[0]->childCount(); ++i)
                if (const auto* item = heads[0]->child(i); !item->isHidden())
                    shown << item->text(0) + QLatin1Char('|') + item->text(1);
            return shown;
        };
        EXPECT_EQ(keys.topLevelItem(0)->text(0), QStringLiteral("Trace"));
        EXPECT_TRUE(
            all("Legends, with the focus").contains(QStringLiteral("Space|hides the entry, or shows it")));
        EXPECT_TRUE(keys.findItems(QStringLiteral("Floor plan, with the focus"), Qt::MatchExactly).isEmpty())
            << "another view's";
        EXPECT_TRUE(all("Trace").contains(QStringLiteral(".; Right|Next slice"))) << "of the time line in it";
        EXPECT_TRUE(all("Trace").contains(QStringLiteral("W|Zoom in: Show less time in more detail")));
        EXPECT_TRUE(all("Everywhere")
                        .contains(QStringLiteral("B|New, base, both or difference: What views show of two "
                                                 "files: the new one, the base, both, the difference")));
        for (const QString& each : all("Trace"))
            EXPECT_FALSE(each.contains(QStringLiteral("micro-batches of"))) << "no other view's";
        dialog->findChild<QLineEdit*>()->setText(QStringLiteral("slice"));
        EXPECT_EQ(all("Trace").size(), 10)
            << "next, previous, both of the same name, its range, frame it, of the lanes above and below, "
               "and two that lengthen the range";
        EXPECT_TRUE(all("Everywhere").isEmpty());
        seen = true;
        dialog->reject();
    });
    press("?");
    EXPECT_TRUE(seen);
}

/// A dot is at the view that a warning leads to, with the words for who does not see it.
TEST_F(Frame, TheRailMarksViewsThatWarningsAreAbout) {
    ASSERT_TRUE(
        tests::record_system(folder / "pipeline.tilescope", {.pipelined = true, .nearly_full = true}));
    open("pipeline.tilescope");
    auto* source = window->findChild<View*>()->sources().current.get();
    std::optional<Result<analyse::Summary>> summary;
    source->ask<analyse::Summary>(
        window.get(), QStringLiteral("test"),
        [](const profile::Profile& file) { return analyse::summarise(file); },
        [&](Result<analyse::Summary> answer) { summary = std::move(answer); });
    settle();
    ASSERT_TRUE(summary && *summary);
    QMap<QString, int> expected; // by title
    for (const analyse::Insight& insight : (*summary)->insights)
        if (insight.severity != analyse::Severity::Info)
            if (const auto place = placeOf(insight, (*summary)->ipus, {}))
                for (const View* each : window->findChildren<View*>())
                    if (each->id() == place->view)
                        ++expected[each->title()];
    EXPECT_FALSE(expected.isEmpty());
    const auto marks = [&] {
        QMap<QString, int> shown;
        for (const auto* button :
             window->findChild<QScrollArea*>(QStringLiteral("rail"))->findChildren<QToolButton*>())
            if (!button->accessibleDescription().isEmpty()) {
                EXPECT_TRUE(button->toolTip().endsWith(button->accessibleDescription()));
                shown[button->text()] =
                    button->accessibleDescription().section(QLatin1Char(' '), 0, 0).toInt();
            }
        return shown;
    };
    EXPECT_EQ(marks(), expected);
    press("Ctrl+W");
    EXPECT_TRUE(marks().isEmpty());
}

} // namespace tilescope::ui
