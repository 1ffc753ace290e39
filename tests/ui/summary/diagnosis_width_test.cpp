// SPDX-License-Identifier: GPL-3.0-or-later
#include "profile/recorder.h"
#include "tests/ui/cut_text.h"
#include "tests/ui/view_test_support.h"
#include "ui/summary/summary_view.h"
#include "ui/theme/application_font.h"
#include "ui/widgets/data_table.h"

#include <QApplication>
#include <QTableView>
#include <gtest/gtest.h>

namespace tilescope::ui {
namespace {

/// A run whose tile is filled by values that are computed again, and with which two changes were tried.
Result<void> record_too_large(const std::string& path) {
    auto recorder = profile::Recorder::create(path, {});
    if (!recorder)
        return Failure(recorder.error());
    profile::Recorder& file = **recorder;
    file.set(profile::TargetRecord{"ipu", "ipu2", 1, 1, 638976, 1e9, 6});
    file.add(profile::IpuRecord{0, 0, "/device:IPU:0", 0, 0, -1});
    for (const char* metric : {"total", "total_with_gaps"})
        file.add_tile_values("memory", 0, 0, metric, std::vector<std::int64_t>{700000});
    for (const auto& [id, name, bytes] : {std::tuple(0, "conv1_conv/Conv2D/recompute", 72294),
                                          std::tuple(1, "pool1_pad/Pad/recompute", 71680),
                                          std::tuple(2, "conv1_relu/Relu/recompute", 69632)}) {
        profile::VariableRecord held;
        held.id = id;
        held.name = name;
        held.category = profile::MemoryCategory::RearrangementBuffers;
        held.bytes = bytes;
        held.live_to = 2;
        file.add(held);
        file.add_tile_values("variable", id, 0, "bytes", std::vector<std::int64_t>{bytes});
    }
    for (const auto& [step, bytes] : {std::pair(0, 100000), std::pair(1, 213606)}) {
        file.add(
            profile::ProgramRecord{step, -1, step, profile::StepKind::Execute, "step", -1, -1, -1, 1, step});
        file.add(profile::LivenessSpanRecord{0, step, 1, 0, bytes, bytes});
    }
    file.add(profile::RemedyRecord{"ipu_config.convolution_options.available_memory_proportion=0.1", 0,
                                   689000, false, 26300});
    return file.finish(profile::RunStatus::OutOfMemory, "tile 0 is too full");
}

class DiagnosisWidth : public testing::TestWithParam<std::pair<int, int>> {};

/// Percent of the text and width of the view: windows of 1,440 and 1,000 pixels with Details and without.
TEST_P(DiagnosisWidth, NoFigureIsCutAndNamesAreToldApart) {
    const auto [percent, width] = GetParam();
    applyFont(*qApp, {}, percent);
    {
        tests::ShownView<SummaryView> shown(record_too_large, QSize(width, 860));
        auto* panel = shown.view.findChild<QWidget*>(QStringLiteral("diagnosis"));
        ASSERT_TRUE(QTest::qWaitFor([&] { return panel->isVisible() && panel->width() > width / 2; }, 20000));
        QTest::qWait(50);
        for (const char* name : {"diagnosisFills", "diagnosisTried"}) {
            const QTableView* rows = shown.view.findChild<DataTable*>(QLatin1String(name))->view();
            ASSERT_GT(rows->model()->rowCount(), 0) << name;
            for (int column = 1; column < rows->model()->columnCount(); ++column) {
                if (rows->isColumnHidden(column))
                    continue;
                const QModelIndex first = rows->model()->index(0, column);
                const QRect place = rows->visualRect(first);
                EXPECT_LE(place.right(), rows->viewport()->width()) << name << " column " << column;
                EXPECT_GE(place.width(), rows->fontMetrics().horizontalAdvance(first.data().toString()))
                    << name << " column " << column;
            }
        }
        const QTableView* fills = shown.view.findChild<DataTable*>(QStringLiteral("diagnosisFills"))->view();
        QStringList names;
        for (const tests::DrawnText& each : tests::drawn_texts(*fills->viewport()))
            if (each.text.endsWith(QStringLiteral("recompute")))
                names << each.text;
        EXPECT_GE(names.size(), 3);
        names.removeDuplicates();
        EXPECT_EQ(names.size(), 3) << names.join(u'|').toStdString();
    }
    applyFont(*qApp, {}, 100);
}

INSTANTIATE_TEST_SUITE_P(Windows, DiagnosisWidth,
                         testing::Values(std::pair(100, 1030), std::pair(100, 950), std::pair(150, 1000),
                                         std::pair(100, 1360), std::pair(200, 1300)));

} // namespace
} // namespace tilescope::ui
