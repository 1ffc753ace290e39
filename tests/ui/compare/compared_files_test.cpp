// SPDX-License-Identifier: GPL-3.0-or-later
/// Three files and more: a column for each, of which any may become the base.
#include "tests/system_fixture.h"
#include "tests/temporary_folder.h"
#include "tests/ui/shown_text.h"
#include "ui/compare/compare_view.h"
#include "ui/theme/theme.h"
#include "ui/widgets/data_table.h"

#include <QFileInfo>
#include <QHeaderView>
#include <QSignalSpy>
#include <QTabWidget>
#include <QTableView>
#include <QTest>
#include <QToolButton>
#include <gtest/gtest.h>
#include <stdexcept>

namespace tilescope::ui {
namespace {

using tests::words;

/// Runs of "two", "three" and "four" shards.
struct ComparedFiles : testing::Test {
    ComparedFiles() {
        for (const std::int64_t shards : {2, 3, 4}) {
            const std::string path = folder / (std::string(shards == 2   ? "two"
                                                           : shards == 3 ? "three"
                                                                         : "four") +
                                               ".tilescope");
            EXPECT_TRUE(tests::record_system(path, {shards, 1, true}));
            sources.push_back(ProfileSource::open(QString::fromStdString(path)));
        }
        view.resize(1400, 900);
        view.setSelection(&selection);
    }
    ~ComparedFiles() override { view.setSources({}); }
    void show(const std::vector<int>& files, int front) {
        Sources shown{sources[static_cast<std::size_t>(front)], sources[static_cast<std::size_t>(files[0])]};
        for (const int file : files)
            shown.compared.push_back(sources[static_cast<std::size_t>(file)]);
        view.setSources(shown);
        view.show();
        for (int round = 0; round < 3; ++round) {
            QTest::qWait(1);
            EXPECT_TRUE(QTest::qWaitFor([this] { return pending() == 0; }, 20'000));
        }
    }
    int pending() const {
        int all = 0;
        for (const auto& source : sources)
            all += source->pending();
        return all;
    }
    QTableView& table(const char* column) const {
        for (QTableView* each : view.findChildren<QTableView*>())
            if (each->model()->headerData(0, Qt::Horizontal).toString() == QLatin1String(column))
                return *each;
        throw std::invalid_argument(column);
    }
    QStringList heads(const char* column) const {
        QStringList titles;
        const QAbstractItemModel& model = *table(column).model();
        for (int c = 0; c < model.columnCount(); ++c)
            titles << model.headerData(c, Qt::Horizontal).toString();
        return titles;
    }
    QStringList row(const char* column, const char* name) const {
        const QAbstractItemModel& model = *table(column).model();
        for (int r = 0; r < model.rowCount(); ++r)
            if (model.index(r, 0).data().toString() == QLatin1String(name)) {
                QStringList cells;
                for (int c = 1; c < model.columnCount(); ++c)
                    cells << model.index(r, c).data().toString();
                return cells;
            }
        return {};
    }
    QStringList names(const QSignalSpy& wanted) const {
        QStringList all;
        for (const QString& path : wanted.back()[0].toStringList())
            all << QFileInfo(path).completeBaseName();
        return all;
    }
    QToolButton& button(const char* name, int which = 0) const {
        return *view.findChildren<QToolButton*>(QLatin1String(name))[which];
    }

    tests::TemporaryFolder folder;
    std::vector<std::shared_ptr<ProfileSource>> sources;
    SelectionModel selection;
    CompareView view;
};

} // namespace

TEST_F(ComparedFiles, HaveAColumnEachOfWhichTheFirstIsTheBase) {
    show({0, 1, 2}, 2);
    EXPECT_EQ(heads("Figure"), words({"Figure", "two", "three", "change", "four", "change", "Course"}));
    EXPECT_EQ(heads("Layer").mid(0, 7),
              words({"Layer", "Cycles, two", "three", "change", "four", "change", "Course of cycles"}));
    EXPECT_EQ(heads("Layer").mid(7), words({"Live at the peak step, two", "three", "change", "four", "change",
                                            "Course of live bytes"}));
    // Shard n has a layer of 300 n cycles forward and one of 100 n that updates weights.
    EXPECT_EQ(row("Layer", "layer_2").mid(0, 5), words({"600", "600", "=", "600", "="}));
    EXPECT_EQ(row("Layer", "layer_3").mid(0, 5), words({"200", "200", "=", "200", "="}));
    // The base has no third shard, and the fourth is that of one file alone.
    EXPECT_EQ(row("Layer", "layer_4").mid(0, 5), words({"–", "900", "–", "900", "–"}));
    EXPECT_EQ(row("Layer", "layer_6").mid(0, 5), words({"–", "–", "–", "1,200", "–"}));
    EXPECT_EQ(row("Layer", "layer_2").value(5), QStringLiteral("600 → 600 → 600"));
    EXPECT_EQ(row("Layer", "layer_4").value(5), QStringLiteral("– → 900 → 900"));
    EXPECT_EQ(button("compareHead", 0).text(), QStringLiteral("two (base)"));
    EXPECT_EQ(button("compareHead", 1).text(), QStringLiteral("three"));
    EXPECT_EQ(button("compareHead", 2).text(), QStringLiteral("four (new)"));
    // What is better and what is worse has its colour.
    const auto colour = [&](const QTableView& of, int r, int c) {
        const QRect cell = of.visualRect(of.model()->index(r, c));
        const QImage picture = of.viewport()->grab(cell).toImage();
        const Theme& theme = Theme::of(&of);
        int good = 0, bad = 0;
        for (int y = 0; y < picture.height(); ++y)
            for (int x = 0; x < picture.width(); ++x) {
                good += picture.pixelColor(x, y).rgb() == theme.less().rgb() ? 1 : 0;
                bad += picture.pixelColor(x, y).rgb() == theme.more().rgb() ? 1 : 0;
            }
        return good > bad ? 1 : bad > good ? -1 : 0;
    };
    const QTableView& figures = table("Figure");
    auto* tabs = view.findChild<QTabWidget*>(QStringLiteral("compareParts"));
    for (int i = 0; i < tabs->count(); ++i)
        if (tabs->widget(i)->isAncestorOf(&figures))
            tabs->setCurrentIndex(i);
    for (int r = 0; r < figures.model()->rowCount() && r < 6; ++r)
        for (const int c : {3, 5}) {
            const QModelIndex cell = figures.model()->index(r, c);
            const QString name = cell.siblingAtColumn(0).data().toString();
            const double base = cell.siblingAtColumn(1).data(DataTableModel::SortRole).toDouble();
            const double now = cell.siblingAtColumn(c - 1).data(DataTableModel::SortRole).toDouble();
            const bool more = name == QStringLiteral("throughput (samples/s)");
            const int expected = cell.data().toString() == QStringLiteral("–") || base == now ? 0
                                 : (now > base) == more                                       ? 1
                                                                                              : -1;
            EXPECT_EQ(colour(figures, r, c), expected) << name.toStdString();
        }
    // The causes of each say whose they are.
    QStringList whose;
    const QAbstractItemModel& causes = *table("Cause").model();
    for (int r = 0; r < causes.rowCount(); ++r)
        whose << causes.index(r, 4).data().toString();
    EXPECT_TRUE(whose.contains(QStringLiteral("three")));
    EXPECT_TRUE(whose.contains(QStringLiteral("four")));
}

TEST_F(ComparedFiles, AHeadBecomesTheBaseAndTheOthersStayInPlace) {
    show({0, 1, 2}, 2);
    QSignalSpy wanted(&view, &View::comparisonRequested);
    button("compareHead", 1).click();
    ASSERT_EQ(wanted.size(), 1);
    EXPECT_EQ(names(wanted), words({"three", "two", "four"}));
    Q_EMIT table("Figure").horizontalHeader()->sectionClicked(4);
    ASSERT_EQ(wanted.size(), 2);
    EXPECT_EQ(names(wanted), words({"four", "three", "two"}));
    button("compareHead", 0).click();
    EXPECT_EQ(wanted.size(), 2) << "it is the base";
    button("compareSwap").click();
    EXPECT_EQ(names(wanted), words({"four", "three", "two"}));
    button("compareHead", 1).actions().front()->trigger();
    EXPECT_EQ(names(wanted), words({"two", "four"})) << "taken out";
    QSignalSpy more(&view, &View::comparedFileWanted);
    button("compareAdd").click();
    EXPECT_EQ(more.size(), 1);
}

TEST_F(ComparedFiles, OfTwoTheTablesAreThoseOfBaseAndNew) {
    show({0, 1, 2}, 2);
    show({1, 2}, 2);
    EXPECT_EQ(heads("Figure"), words({"Figure", "Base", "New", "Change"}));
    EXPECT_EQ(heads("Layer").size(), 7);
    EXPECT_TRUE(table("Cause").isColumnHidden(4)) << "there is one file that they are of";
    EXPECT_TRUE(button("compareHead", 1).actions().isEmpty()) << "two are the fewest";
}

} // namespace tilescope::ui
