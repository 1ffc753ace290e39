// SPDX-License-Identifier: GPL-3.0-or-later
#include "profile/recorder.h"
#include "tests/ui/shown_text.h"
#include "tests/ui/view_test_support.h"
#include "ui/insights/insights_view.h"
#include "ui/widgets/data_table.h"

#include <QComboBox>
#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>
#include <gtest/gtest.h>

namespace tilescope::ui {
namespace {

/// One IPU of two tiles of 1,024 bytes, of which the second holds 1,000. One engine run of a step: 1,000
/// cycles of which exchange takes 600.
Result<void> record(const std::string& path) {
    profile::RunRecord run;
    run.name = "full";
    run.workload = "{}";
    run.batch_size = 1;
    auto recorder = *profile::Recorder::create(path, run);
    recorder->set(profile::TargetRecord{"ipu", "ipu2", 1, 2, 1024, 1e9, 6});
    recorder->add(profile::IpuRecord{0, 0, "/device:IPU:0", 0, 0, -1});
    for (const char* metric : {"total", "total_with_gaps", "always_live"})
        recorder->add_tile_values("memory", 0, 0, metric, std::vector<std::int64_t>{100, 1000});
    return recorder->finish(profile::RunStatus::Complete);
}

class Insights : public testing::Test {
  protected:
    DataTable& table(const char* name) { return *shown.view.findChild<DataTable*>(QLatin1String(name)); }
    QString cell(const char* name, int row, int column) {
        return table(name).view()->model()->index(row, column).data().toString();
    }
    tests::ShownView<InsightsView> shown{record};
};

TEST_F(Insights, StandWithTheirCostTheirPlaceAndTheRuleBehindThem) {
    ASSERT_EQ(table("findings").view()->model()->rowCount(), 1);
    EXPECT_EQ(cell("findings", 0, 0), QStringLiteral("A tile is nearly full"));
    EXPECT_EQ(cell("findings", 0, 1), QStringLiteral("78 B")); // 1,000 less 90 % of 1,024
    EXPECT_EQ(cell("findings", 0, 3), QStringLiteral("tile 1"));
    EXPECT_EQ(cell("findings", 0, 4), QStringLiteral("warning"));
    EXPECT_TRUE(tests::shows(shown.view, QStringLiteral("1 finding.")));
    EXPECT_TRUE(tests::shows(shown.view, QStringLiteral("Tile 1 needs 97.7 % of its memory")));
    EXPECT_EQ(cell("insightRule", 0, 0), QStringLiteral("tile share"));
    EXPECT_EQ(cell("insightRule", 0, 1), QStringLiteral("90.0 %"));
    EXPECT_EQ(cell("insightRule", 0, 2), QStringLiteral("a slightly larger batch or layer no longer fits"));
}

TEST_F(Insights, EnterAndTheButtonsLeadToThePlaceAndTheHelp) {
    QSignalSpy view(&shown.view, &View::viewRequested);
    QSignalSpy help(&shown.view, &View::helpRequested);
    QTableView* list = table("findings").view();
    list->setFocus();
    list->setCurrentIndex(list->model()->index(0, 0));
    QTest::keyClick(list, Qt::Key_Return);
    ASSERT_EQ(view.size(), 1);
    EXPECT_EQ(view.first().first().toString(), QStringLiteral("memory"));
    EXPECT_EQ(shown.selection.current().tiles, std::vector<std::int64_t>{1});
    auto* place = shown.view.findChild<QPushButton*>(QStringLiteral("insightPlace"));
    EXPECT_EQ(place->text(), QStringLiteral("Show the tile in Memory"));
    QTest::mouseClick(place, Qt::LeftButton);
    EXPECT_EQ(view.size(), 2);
    QTest::mouseClick(shown.view.findChild<QPushButton*>(QStringLiteral("insightHelp")), Qt::LeftButton);
    ASSERT_EQ(help.size(), 1);
    EXPECT_EQ(help.first().at(1).toString(), QStringLiteral("A tile is nearly full"));
}

} // namespace
} // namespace tilescope::ui
