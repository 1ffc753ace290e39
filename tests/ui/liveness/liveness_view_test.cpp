// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/shown_text.h"
#include "tests/ui/view_test_support.h"
#include "ui/liveness/liveness_view.h"
#include "ui/session/format.h"
#include "ui/theme/chart_style.h"
#include "ui/theme/theme.h"
#include "ui/widgets/data_table.h"

#include <QTableView>
#include <gtest/gtest.h>

namespace tilescope::ui {
namespace {

class LivenessTest : public testing::Test {
  protected:
    LivenessTest()
        : curve(*shown.view.findChild<LivenessCurve*>()), live(*analyse::read_liveness(*file(), 0)),
          table(shown.view.findChild<DataTable*>(QStringLiteral("liveVariables"))->view()) {}
    std::unique_ptr<profile::Profile> file() const {
        return *profile::Profile::open(shown.source->path().toStdString());
    }
    QString cell(int row, int column) const { return table->model()->index(row, column).data().toString(); }

    tests::ShownView<LivenessView> shown;
    LivenessCurve& curve;
    analyse::Liveness live;
    QTableView* table;
};

} // namespace

TEST_F(LivenessTest, BeginsAtThePeakAndNamesIt) {
    ASSERT_FALSE(live.points.empty());
    const auto& peak = live.points[static_cast<std::size_t>(live.peak())];
    EXPECT_EQ(curve.step(), peak.step);
    EXPECT_TRUE(
        tests::shows(shown.view, QStringLiteral("Step %1 of %2").arg(peak.step).arg(live.points.size())));
    EXPECT_TRUE(tests::shows(shown.view, formatBytes(static_cast<double>(peak.total()))));
}

TEST_F(LivenessTest, TheTableHasTheVariablesOfTheStepLargestFirst) {
    for (const std::int64_t step : {live.points.front().step, live.points.back().step}) {
        curve.stepChosen(step);
        const auto indices = live.live_at(step);
        ASSERT_EQ(table->model()->rowCount(), static_cast<int>(indices.size()));
        for (std::size_t i = 0; i < indices.size(); ++i)
            EXPECT_EQ(cell(static_cast<int>(i), 0), QString::fromStdString(live.variables[indices[i]].name));
    }
}

TEST_F(LivenessTest, KeysMoveStepByStepAndBackToThePeak) {
    curve.setFocus();
    const std::int64_t peak = curve.step();
    QTest::keyClick(&curve, Qt::Key_Comma);
    const std::int64_t before = curve.step();
    EXPECT_TRUE(before < peak || peak == live.points.front().step);
    QTest::keyClick(&curve, Qt::Key_Period);
    QTest::keyClick(&curve, Qt::Key_Period);
    EXPECT_GT(curve.step(), before);
    QTest::keyClick(&curve, Qt::Key_P);
    EXPECT_EQ(curve.step(), peak);
}

TEST_F(LivenessTest, AStepIsTheProgramStepOfAllViewsAndBack) {
    const auto& last = live.points.back();
    curve.stepChosen(last.step);
    EXPECT_EQ(shown.selection.current().program, last.program);
    Selection other = shown.selection.current();
    other.program = live.points.front().program;
    shown.selection.set(other);
    EXPECT_EQ(curve.step(), live.points.front().step);
}

TEST_F(LivenessTest, TheCurveIsAsHighAsWhatIsLive) {
    curve.resize(900, 300);
    const QImage image = curve.grab().toImage();
    const Theme& theme = Theme::light();
    const QImage hatch = liveBrush(theme, false).textureImage();
    int always = 0;
    int rest = 0;
    const int x = 500; // away from the marks
    for (int y = 0; y < image.height(); ++y) {
        const QColor pixel = image.pixelColor(x, y);
        always += pixel == liveBrush(theme, true).color() ? 1 : 0;
        rest += pixel == hatch.pixelColor(0, 0) || pixel == hatch.pixelColor(2, 0) ? 1 : 0;
    }
    const double plot = 900 - 84 - 16;
    const auto point =
        live.point_of(static_cast<std::int64_t>((x - 84) / plot * static_cast<double>(live.points.size())));
    const auto& p = live.points[static_cast<std::size_t>(point)];
    ASSERT_GT(always + rest, 0);
    EXPECT_NEAR(static_cast<double>(always) / (always + rest),
                static_cast<double>(p.always) / static_cast<double>(p.total()), 0.03);
}

} // namespace tilescope::ui
