// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/view_test_support.h"
#include "ui/liveness/liveness_view.h"
#include "ui/session/format.h"
#include "ui/theme/theme.h"
#include "ui/timeline/overview_strip.h"

#include <QComboBox>
#include <QJsonObject>
#include <QLabel>
#include <QSignalSpy>
#include <gtest/gtest.h>
#include <memory>

namespace tilescope::ui {
namespace {

/// Steps 0 to 4, of which 1 and 4 take no time: 10, 0, 30, 60 and 0 cycles.
std::shared_ptr<analyse::Liveness> five() {
    auto live = std::make_shared<analyse::Liveness>();
    live->bytes_per_tile = 1000;
    live->tiles = 1;
    for (std::int64_t step = 0; step < 5; ++step) {
        live->points.push_back({step, 10, step == 1 ? 900 : 100 * step, 0, step});
        live->step_names.push_back("step");
    }
    live->starts = {0, 10, 10, 40, 100, 100};
    live->bands = {{0, 1, "first", {}}, {2, 4, "second", {}}};
    return live;
}

using Points = std::pair<std::size_t, std::size_t>;

} // namespace

TEST(StepAxis, HasEachStepAsWideAsItsTime) {
    const StepAxis axis(five(), true);
    ASSERT_TRUE(axis.byTime());
    EXPECT_EQ(axis.first(), 0);
    EXPECT_EQ(axis.last(), 100);
    EXPECT_EQ(axis.at(0.5), 5);
    EXPECT_EQ(axis.begin(1), 10);
    EXPECT_EQ(axis.end(1), 10) << "it takes no time";
    EXPECT_EQ(axis.middle(2), 25);
    EXPECT_EQ(axis.end(4), 100);
    for (const double step : {0.0, 0.25, 2.5, 3.75})
        EXPECT_DOUBLE_EQ(axis.stepAt(axis.at(step)), step);
    EXPECT_EQ(axis.pointAt(9.9), 0);
    EXPECT_EQ(axis.pointAt(10), 2);
    EXPECT_EQ(axis.pointAt(39), 2);
    EXPECT_EQ(axis.pointAt(-3), 0);
}

TEST(StepAxis, NoStepIsLostAlsoWhereItTakesNoTime) {
    const StepAxis axis(five(), true);
    EXPECT_EQ(axis.points(0, 10), (Points{0, 1}));
    EXPECT_EQ(axis.points(10, 11), (Points{1, 3}));
    EXPECT_EQ(axis.points(20, 21), (Points{2, 3}));
    EXPECT_EQ(axis.points(39, 99), (Points{2, 4}));
    EXPECT_EQ(axis.points(99, 100), (Points{3, 5})) << "the last one, too";
    EXPECT_EQ(axis.points(100, 110), (Points{0, 0}));
    const StepAxis steps(five(), false);
    EXPECT_EQ(steps.points(1, 3), (Points{1, 3}));
    EXPECT_EQ(steps.points(4.2, 4.3), (Points{4, 5}));
    EXPECT_EQ(steps.points(5, 6), (Points{0, 0}));
    EXPECT_EQ(steps.last(), 5);
}

TEST(StepAxis, IsOfStepsWhereTheirTimeIsNotKnown) {
    const auto unknown = five();
    unknown->starts.clear();
    EXPECT_FALSE(StepAxis(unknown, true).byTime());
}

TEST(LivenessByTime, StepsAreAsWideAsTheyTakeAndTheOthersKeepTheirPlaces) {
    LivenessCurve curve;
    curve.resize(900, 400);
    curve.setData(five(), nullptr, false);
    curve.setBands(std::make_shared<const BandLevels>(*five()));
    curve.setByTime(true);
    const auto width = [&](int part) { return curve.part(part).rect.width(); };
    EXPECT_NEAR(width(3), 2 * width(2), 2);
    EXPECT_NEAR(width(2), 3 * width(0), 4);
    const QRect last = curve.part(3).rect;
    EXPECT_TRUE(curve.textAt(last.center()).startsWith(QStringLiteral("step 3, step: 310 B live")))
        << curve.textAt(last.center()).toStdString();
    EXPECT_TRUE(
        curve.textAt(last.center()).contains(QStringLiteral("; from 40 cycles of the pass, for 60 cycles")));
    EXPECT_TRUE(
        curve.toText(QLatin1Char(','))
            .startsWith(QStringLiteral(
                "step,start_cycle,cycles,always_live_bytes,not_always_live_bytes,fullest_tile_bytes,name\n"
                "0,0,10,10,0,,step\n1,10,0,10,900,,step\n")));
    QSignalSpy chosen(&curve, &LivenessCurve::stepChosen);
    QTest::mouseClick(&curve, Qt::LeftButton, {}, last.center());
    ASSERT_EQ(chosen.size(), 1);
    EXPECT_EQ(chosen.takeFirst().first().toLongLong(), 3);
    QTest::mousePress(&curve, Qt::LeftButton, {}, curve.part(2).rect.center());
    QTest::mouseMove(&curve, last.center());
    QTest::mouseRelease(&curve, Qt::LeftButton, {}, last.center());
    EXPECT_EQ(curve.range(), std::optional(LivenessCurve::Steps(2, 3)));
}

// The peak, step 1, has no width: its column is as high as it is.
TEST(LivenessByTime, APeakThatTakesNoTimeIsSeen) {
    LivenessCurve curve;
    curve.resize(900, 400);
    curve.setData(five(), nullptr, false);
    curve.setByTime(true);
    const QRect area = curve.part(0).rect.united(curve.part(3).rect);
    const QImage image = curve.grab().toImage();
    const QColor panel = Theme::of(&curve).panel;
    const auto height = [&](int x) { // rows from the bottom that are painted
        int y = area.bottom() - 2;
        while (y > area.top() && image.pixelColor(x, y) != panel)
            --y;
        return (area.bottom() - y) / static_cast<double>(area.height());
    };
    EXPECT_LT(height(area.left() + area.width() / 20), 0.1) << "10 of 955 bytes";
    EXPECT_GT(height(curve.part(2).rect.left()), 0.9);
    EXPECT_NEAR(height(area.left() + area.width() / 4), 210 / 955.5, 0.03);
}

TEST(LivenessByTime, TheStepsInViewStaySo) {
    LivenessCurve curve;
    curve.resize(900, 400);
    auto live = std::make_shared<analyse::Liveness>();
    live->tiles = 1;
    live->starts = {0};
    for (std::int64_t step = 0; step < 100; ++step) {
        live->points.push_back({step, 10, step, 0, step});
        live->step_names.push_back("step");
        live->starts.push_back(live->starts.back() + 1 + step);
    }
    curve.setData(live, nullptr, false);
    curve.setZoom({40.0, 60.0});
    curve.setByTime(true);
    EXPECT_DOUBLE_EQ(curve.view().from(), 40 * 41 / 2.0);
    EXPECT_DOUBLE_EQ(curve.view().to(), 60 * 61 / 2.0);
    EXPECT_EQ(curve.zoom(), (QVariantList{40.0, 60.0}));
    EXPECT_EQ(curve.partCount(), 20);
    curve.setByTime(false);
    EXPECT_EQ(curve.view().from(), 40);
    EXPECT_EQ(curve.view().to(), 60);
    curve.showAll();
    curve.setByTime(true);
    EXPECT_EQ(curve.zoom(), QVariantList()) << "all of them";
}

TEST(LivenessOverview, ItsHandlesMoveTheEndsOfTheView) {
    LivenessCurve curve;
    curve.resize(900, 400);
    auto live = five();
    live->starts.clear();
    for (std::int64_t step = 5; step < 1000; ++step) {
        live->points.push_back({step, 10, 0, 0, step});
        live->step_names.push_back("step");
    }
    curve.setData(live, nullptr, false);
    const QRect all = curve.part(0).rect.united(curve.part(curve.partCount() - 1).rect);
    const int y = OverviewStrip::height(curve.fontMetrics()) / 2;
    ASSERT_LT(y, all.top());
    QSignalSpy chosen(&curve, &LivenessCurve::stepChosen);
    const auto drag = [&](int from, int to) {
        QTest::mousePress(&curve, Qt::LeftButton, {}, QPoint(from, y));
        QTest::mouseMove(&curve, QPoint(to, y));
        QTest::mouseRelease(&curve, Qt::LeftButton, {}, QPoint(to, y));
    };
    drag(all.right() - 2, all.left() + all.width() / 2);
    EXPECT_EQ(curve.view().from(), 0);
    EXPECT_NEAR(curve.view().to(), 500, 3);
    drag(all.left() + 2, all.left() + all.width() / 4);
    EXPECT_NEAR(curve.view().from(), 250, 3);
    EXPECT_NEAR(curve.view().to(), 500, 3);
    drag(all.left() + all.width() / 2 + 100, all.left() + all.width() / 2 + 100);
    EXPECT_NEAR((curve.view().from() + curve.view().to()) / 2, 500 + 100 * 1000.0 / all.width(), 3);
    EXPECT_NEAR(curve.view().span(), 250, 3);
    EXPECT_EQ(chosen.size(), 0) << "it chooses what is seen, no step";
    EXPECT_FALSE(curve.range());
    const QString first = curve.textAt(QPoint(all.left() + 1, y)); // "step 1, …"
    EXPECT_LT(first.section(QLatin1Char(','), 0, 0).section(QLatin1Char(' '), 1).toInt(), 3)
        << "of the whole, whatever is in view: " << first.toStdString();
}

TEST(LivenessByTime, IsChosenInTheBarOrByKeyAndRemembered) {
    tests::ShownView<LivenessView> shown;
    auto& curve = *shown.view.findChild<LivenessCurve*>();
    auto* across = shown.view.findChild<QComboBox*>(QStringLiteral("livenessAxis"));
    auto* title = shown.view.findChild<QLabel*>(QStringLiteral("livenessTitle"));
    const auto live =
        *analyse::read_liveness(*profile::Profile::open(shown.source->path().toStdString()).value(), 0);
    EXPECT_EQ(across->currentText(), QStringLiteral("by program step"));
    EXPECT_TRUE(title->text().startsWith(QStringLiteral("Live bytes per program step, ")));
    const std::int64_t step = curve.step();
    curve.setFocus();
    QTest::keyClick(&curve, Qt::Key_T, Qt::ShiftModifier);
    EXPECT_TRUE(curve.byTime());
    EXPECT_EQ(curve.step(), step);
    EXPECT_EQ(across->currentText(), QStringLiteral("by time"));
    EXPECT_TRUE(title->text().startsWith(
        QStringLiteral("Live bytes over one pass of the program, all tiles of IPU 0: ")));
    EXPECT_TRUE(title->text().endsWith(formatTime(live.pass_cycles(), 1e9)));
    const QJsonObject state = shown.view.saveState();
    across->setCurrentIndex(0);
    Q_EMIT across->activated(0);
    EXPECT_FALSE(curve.byTime());
    shown.view.restoreState(state);
    EXPECT_TRUE(curve.byTime());
    LivenessView later;
    later.restoreState(state);
    later.setSources({shown.source, nullptr});
    later.show();
    EXPECT_TRUE(QTest::qWaitFor([&] { return later.findChild<LivenessCurve*>()->byTime(); }, 20000));
    EXPECT_EQ(later.findChild<QComboBox*>(QStringLiteral("livenessAxis"))->currentIndex(), 1);
    later.setSources({});
}

} // namespace tilescope::ui
