// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/data_table.h"
#include "ui/widgets/yielding_split.h"

#include <QApplication>
#include <QTabBar>
#include <QTabWidget>
#include <QTableView>
#include <QTest>
#include <gtest/gtest.h>
#include <memory>

namespace tilescope::ui {
namespace {

struct Shown {
    Shown() {
        upper->setFocusPolicy(Qt::StrongFocus);
        upper->setMinimumHeight(120);
        tables->setDocumentMode(true);
        tables->addTab(table, QStringLiteral("Links"));
        tables->addTab(new DataTable(QStringLiteral("Replicas"), {{QStringLiteral("Name")}}),
                       QStringLiteral("Replicas"));
        split->setSizes({300, 200});
    }
    void show(int height) {
        split->resize(800, height);
        split->show();
        split->activateWindow();
        EXPECT_TRUE(QTest::qWaitForWindowActive(split.get()));
        upper->setFocus();
        QTest::qWait(1);
    }
    int lower() const { return split->sizes().at(1); }
    QWidget* upper = new QWidget;
    DataTable* table = new DataTable(QStringLiteral("Links"), {{QStringLiteral("Name")}});
    QTabWidget* tables = new QTabWidget;
    std::unique_ptr<YieldingSplit> split = std::make_unique<YieldingSplit>(upper, tables, 440);
};

TEST(YieldingSplit, SharesTheHeightWhereThereIsEnough) {
    Shown shown;
    shown.show(600);
    EXPECT_FALSE(shown.split->folds());
    const int before = shown.lower();
    EXPECT_GT(before, 200);
    shown.table->view()->setFocus();
    EXPECT_EQ(shown.lower(), before);
}

TEST(YieldingSplit, FoldsTheLowerPartToItsTabsUntilItHasTheFocus) {
    Shown shown;
    shown.show(360);
    EXPECT_TRUE(shown.split->folded());
    EXPECT_EQ(shown.lower(), shown.tables->tabBar()->height());
    EXPECT_GT(shown.upper->height(), 300);
    shown.table->view()->setFocus();
    EXPECT_FALSE(shown.split->folded());
    EXPECT_EQ(shown.upper->height(), 120);
    EXPECT_GT(shown.table->height(), 180);
    shown.upper->setFocus();
    EXPECT_TRUE(shown.split->folded());
    QTest::mouseClick(shown.tables->tabBar(), Qt::LeftButton, {},
                      shown.tables->tabBar()->tabRect(1).center());
    EXPECT_FALSE(shown.split->folded()) << "a click on a tab opens it";
    EXPECT_EQ(shown.tables->currentIndex(), 1);
    EXPECT_TRUE(shown.tables->currentWidget()->isAncestorOf(QApplication::focusWidget()));
}

TEST(YieldingSplit, ComesBackToWhatBothHadOnceThereIsHeightAgain) {
    Shown shown;
    shown.show(600);
    shown.split->setSizes({250, 350});
    shown.split->resize(800, 601); // what was set is what both have
    const QList<int> roomy = shown.split->sizes();
    shown.split->resize(800, 360);
    EXPECT_TRUE(shown.split->folded());
    EXPECT_EQ(shown.split->roomySizes(), roomy);
    shown.split->resize(800, 601);
    EXPECT_FALSE(shown.split->folds());
    EXPECT_EQ(shown.split->sizes(), roomy);
}

TEST(YieldingSplit, GivesMostOfTheHeightToAPictureWhileThatIsInFront) {
    Shown shown;
    shown.tables->addTab(new QWidget, QStringLiteral("Picture"));
    shown.split->giveMostTo(shown.tables->widget(2), *shown.tables);
    shown.show(600);
    const QList<int> for_rows = shown.split->sizes();
    ASSERT_LT(for_rows.at(1), 300);
    shown.tables->setCurrentIndex(2);
    EXPECT_GT(shown.lower(), 350);
    EXPECT_EQ(shown.split->roomySizes(), for_rows) << "which is what is remembered";
    shown.tables->setCurrentIndex(1);
    EXPECT_EQ(shown.split->sizes(), for_rows);

    shown.tables->setCurrentIndex(2);
    shown.split->setSizes({400, 600 - 400 - shown.split->handleWidth()});
    Q_EMIT shown.split->splitterMoved(400, 1); // as the handle does
    const QList<int> dragged = shown.split->sizes();
    shown.tables->setCurrentIndex(0);
    EXPECT_EQ(shown.split->sizes(), dragged) << "stays";
}

TEST(YieldingSplit, APictureHasMostOfTheHeightAgainOnceThereIsSome) {
    Shown shown;
    shown.tables->addTab(new QWidget, QStringLiteral("Picture"));
    shown.split->giveMostTo(shown.tables->widget(2), *shown.tables);
    shown.show(600);
    const QList<int> for_rows = shown.split->sizes();
    shown.tables->setCurrentIndex(2);
    shown.split->resize(800, 360);
    ASSERT_TRUE(shown.split->folds());
    EXPECT_EQ(shown.split->roomySizes(), for_rows);
    shown.split->resize(800, 600);
    EXPECT_GT(shown.lower(), 350);

    shown.split->hide();
    shown.tables->setCurrentIndex(1);
    shown.tables->setCurrentIndex(2);
    EXPECT_EQ(shown.split->roomySizes(), for_rows) << "while it is hidden, too";
    shown.split->show();
    shown.tables->setCurrentIndex(0);
    EXPECT_EQ(shown.split->sizes(), for_rows);
}

} // namespace
} // namespace tilescope::ui
