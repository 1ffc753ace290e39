// SPDX-License-Identifier: GPL-3.0-or-later
// What Memory shows, asked for as SQL.
#include "profile/profile.h"
#include "tests/ui/view_test_support.h"
#include "ui/memory/memory_view.h"
#include "ui/tiles/tile_chart.h"
#include "ui/widgets/data_table.h"

#include <QAction>
#include <QLineEdit>
#include <QSignalSpy>
#include <QTabWidget>
#include <QTableView>
#include <QTreeWidget>

namespace tilescope::ui {
namespace {

struct Asked : tests::ShownView<MemoryView> {
    Asked() {
        tabs = view.findChild<QTabWidget*>();
        EXPECT_NE(tabs, nullptr);
    }
    void type(const char* tiles) {
        auto* field = view.findChild<QLineEdit*>(QStringLiteral("memoryTiles"));
        field->setText(QLatin1String(tiles));
        QTest::keyClick(field, Qt::Key_Return);
        settle();
    }
    /// The answer to what "Open as SQL" of a part asks.
    profile::QueryResult answer(const QWidget& part) {
        QSignalSpy asked(&view, &View::sqlRequested);
        for (QAction* action : part.actions())
            if (action->text() == QStringLiteral("Open as SQL") && action->isVisible())
                action->trigger();
        EXPECT_EQ(asked.size(), 1);
        if (asked.isEmpty())
            return {};
        const std::string sql = asked.front().front().toString().toStdString();
        auto file = profile::Profile::open(source->path().toStdString());
        EXPECT_TRUE(file.has_value());
        auto rows = (*file)->query(sql);
        EXPECT_TRUE(rows.has_value()) << (rows ? "" : rows.error().line()) << '\n' << sql;
        return rows ? *std::move(rows) : profile::QueryResult{};
    }
    DataTable& shownTable(int tab) {
        tabs->setCurrentIndex(tab);
        settle();
        QWidget* page = tabs->currentWidget();
        auto* table = qobject_cast<DataTable*>(page);
        return table != nullptr ? *table : *page->findChild<DataTable*>();
    }
    QTabWidget* tabs = nullptr;
};

std::set<std::string> namesIn(const profile::QueryResult& result) {
    const auto column = std::find(result.columns.begin(), result.columns.end(), "name");
    const auto at = static_cast<std::size_t>(column - result.columns.begin());
    std::set<std::string> names;
    for (const auto& row : result.rows)
        names.insert(row.at(at).text.value_or(""));
    return names;
}

std::set<std::string> namesIn(const DataTable& table) {
    std::set<std::string> names;
    const QAbstractItemModel& model = *table.view()->model();
    for (int row = 0; row < model.rowCount(); ++row)
        names.insert(model.index(row, 0).data().toString().toStdString());
    return names;
}

/// What was asked for one tile comes when two are chosen, whose categories nobody has asked for.
TEST(MemoryTabs, AnAnswerOfOtherTilesIsNotShown) {
    Asked memory;
    memory.type("5");
    auto* field = memory.view.findChild<QLineEdit*>(QStringLiteral("memoryTiles"));
    memory.tabs->setCurrentIndex(0);
    memory.tabs->setCurrentIndex(1);
    field->setText(QStringLiteral("3, 5"));
    QTest::keyClick(field, Qt::Key_Return);
    memory.settle();
    const auto* tree = memory.view.findChild<QTreeWidget*>(QStringLiteral("tileCategories"));
    EXPECT_EQ(tree->topLevelItemCount(), 0);
    memory.tabs->setCurrentIndex(0);
    memory.settle();
    EXPECT_GT(tree->topLevelItemCount(), 0);
    EXPECT_EQ(tree->columnCount(), 4) << "names, two tiles, their difference";
}

TEST(MemoryAsSql, TellsTheSameVariablesExchangesAndComputeSets) {
    enum { Variables = 1, Vertices, Exchanges, ComputeSets };
    for (const char* tiles : {"5", "3, 5, 9", "0-7", "all"}) {
        Asked memory;
        memory.type(tiles);
        for (QAction* action : memory.view.actions())
            if (action->text() == QStringLiteral("Fold alike"))
                action->trigger();
        for (const int tab : {Variables, Exchanges, ComputeSets}) {
            const DataTable& table = memory.shownTable(tab);
            const auto names = namesIn(table);
            EXPECT_FALSE(names.empty()) << tab;
            EXPECT_EQ(namesIn(memory.answer(table)), names) << tiles << ", tab " << tab;
        }
        const DataTable& codelets = memory.shownTable(Vertices);
        EXPECT_EQ(memory.answer(codelets).rows.size(),
                  static_cast<std::size_t>(codelets.view()->model()->rowCount()));
    }
}

TEST(MemoryAsSql, TellsTheBytesOfTheTiles) {
    Asked memory;
    const auto answer = memory.answer(*memory.view.findChild<TileChart*>());
    ASSERT_EQ(answer.rows.size(), 64U);
    const auto bytes = [&](std::size_t row) {
        return std::stoll(answer.rows[row].at(1).text.value_or("-1"));
    };
    EXPECT_GE(bytes(0), bytes(63)) << "the fullest first";
    auto file = profile::Profile::open(memory.source->path().toStdString());
    ASSERT_TRUE(file.has_value());
    const auto values = (*file)->tile_values("memory", 0, 0, "total_with_gaps");
    ASSERT_TRUE(values.has_value());
    EXPECT_EQ(bytes(0), *std::max_element(values->begin(), values->end()));
}

} // namespace
} // namespace tilescope::ui
