// SPDX-License-Identifier: GPL-3.0-or-later
#include "profile/recorder.h"
#include "tests/ui/told_details.h"
#include "tests/ui/view_test_support.h"
#include "ui/liveness/liveness_view.h"
#include "ui/session/format.h"
#include "ui/theme/theme.h"
#include "ui/widgets/legend.h"

#include <QComboBox>
#include <array>
#include <cstdlib>
#include <gtest/gtest.h>

namespace tilescope::ui {
namespace {

using Bytes = std::vector<std::int64_t>;

/// Two IPUs of four tiles of 1,000 bytes: what lives at steps 0, 1, … on the fullest tile of each. On all
/// tiles together 50 bytes are always live, and 50 more at each step. 0: it is not recorded.
tests::ShownView<LivenessView>::Record with(const Bytes& first, const Bytes& second) {
    return [=](const std::string& path) -> Result<void> {
        auto recorder = profile::Recorder::create(path, profile::RunRecord{});
        if (!recorder)
            return Failure(recorder.error());
        profile::Recorder& r = **recorder;
        r.set(profile::TargetRecord{"pod4", "ipu2", 2, 4, 1000, 1e9, 6});
        for (std::int64_t step = 0; step < std::ssize(first); ++step)
            r.add(profile::ProgramRecord{step, -1, step, profile::StepKind::Execute, "step", -1, -1, -1, 1,
                                         step});
        for (std::int64_t ipu = 0; ipu < 2; ++ipu) {
            r.add(profile::IpuRecord{ipu, ipu, "", 0, ipu});
            for (std::int64_t step = 0; step < std::ssize(first); ++step)
                r.add(profile::LivenessSpanRecord{
                    ipu, step, 1, 50, 50, (ipu == 0 ? first : second)[static_cast<std::size_t>(step)]});
        }
        return r.finish(profile::RunStatus::Complete);
    };
}

class FullestLine {
  public:
    explicit FullestLine(const tests::ShownView<LivenessView>::Record& record) : shown(record, {1200, 800}) {
        Selection first = shown.selection.current();
        first.lookAt(0, {});
        shown.selection.set(first);
        shown.settle();
    }
    QRect plot() const { return curve.part(0).rect; } ///< of the first step
    /// How far the line is above the bottom in the middle of a step, as a share of the plot; -1: there is no
    /// line.
    double heightAt(int step) const {
        const QImage image = curve.grab().toImage();
        const QColor line = LivenessCurve::fullestPen(Theme::of(&curve), false).color();
        const QRect place = curve.part(step).rect;
        int rows = 0, sum = 0;
        for (int y = place.top(); y <= place.bottom() && (rows == 0 || y <= sum / rows + 3); ++y)
            if (image.pixelColor(place.center().x() - 20, y) == line) {
                ++rows;
                sum += y;
            }
        return rows == 0 ? -1 : (place.bottom() + 1 - static_cast<double>(sum) / rows) / place.height();
    }
    Legend& legend() const { // that of what is live
        for (auto* each : shown.view.findChildren<Legend*>())
            if (each->isVisible())
                return *each;
        std::abort();
    }
    QString field(int line, int column) const {
        return curve.toText(QLatin1Char(','))
            .section(QLatin1Char('\n'), line, line)
            .section(QLatin1Char(','), column, column);
    }
    void choose(const char* place) {
        auto* ipus = shown.view.findChild<QComboBox*>();
        ipus->setCurrentIndex(ipus->findText(QLatin1String(place)));
        Q_EMIT ipus->activated(ipus->currentIndex());
        shown.settle();
    }

    tests::ShownView<LivenessView> shown;
    LivenessCurve& curve = *shown.view.findChild<LivenessCurve*>();
};

/// The rows of pixels that a line may be off by, as a share of the plot.
double rowsOf(const FullestLine& of, int rows) {
    return static_cast<double>(rows) / of.plot().height();
}

// Four tiles have 4,000 bytes of which 100 are live: the curve does not reach up to the limit, and each of
// the axes ends a twentieth above the most of its own, 400 bytes.
TEST(FullestLine, HasAnAxisOfItsOwnBelowTheLimit) {
    const FullestLine of(with({100, 200, 400, 300}, {1, 1, 1, 1}));
    ASSERT_FALSE(of.curve.toLimit());
    const std::array bytes{100, 200, 400, 300};
    for (int step = 0; step < 4; ++step)
        EXPECT_NEAR(of.heightAt(step), bytes[static_cast<std::size_t>(step)] / 420.0, rowsOf(of, 2)) << step;
    EXPECT_EQ(of.curve.tileMarks(), (std::vector<double>{0, 128, 256, 384}));
    EXPECT_EQ(of.legend().partCount(), 3);
    EXPECT_EQ(of.legend().part(2).name, QStringLiteral("fullest tile, axis at the right"));
}

// One line stands for the limit of all tiles and of each, a twentieth below the top of both axes.
TEST(FullestLine, SharesTheLineOfTheLimitWithTheCurve) {
    FullestLine of(with({100, 200, 400, 300}, {1, 1, 1, 1}));
    of.curve.setFocus();
    QTest::keyClick(&of.curve, Qt::Key_Z);
    ASSERT_TRUE(of.curve.toLimit());
    EXPECT_NEAR(of.heightAt(2), 400 / 1050.0, rowsOf(of, 2));
    EXPECT_NEAR(of.heightAt(0), 100 / 1050.0, rowsOf(of, 2));
    const QImage image = of.curve.grab().toImage();
    std::vector<double> red;
    for (int y = of.plot().top(); y <= of.plot().bottom(); ++y)
        if (image.pixelColor(of.plot().center().x() - 20, y) == Theme::of(&of.curve).bad)
            red.push_back((of.plot().bottom() + 1.0 - y) / of.plot().height());
    ASSERT_FALSE(red.empty());
    for (const double height : red)
        EXPECT_NEAR(height, 1000 / 1050.0, rowsOf(of, 2)) << "the curve's is at 4,000 of 4,200";
}

// Tiles are over their memory though 100 of 4,000 bytes are live: the axis at the right has its limit within.
TEST(FullestLine, OfTilesThatAreTooFullIsAboveTheirLimit) {
    const FullestLine of(with({800, 2000, 900}, {1, 1, 1}));
    EXPECT_NEAR(of.heightAt(1), 2000 / 2100.0, rowsOf(of, 2));
    const QImage image = of.curve.grab().toImage();
    int rows = 0;
    for (int y = of.plot().top(); y <= of.plot().bottom(); ++y)
        if (image.pixelColor(of.plot().center().x() - 20, y) == Theme::of(&of.curve).bad) {
            ++rows;
            EXPECT_NEAR((of.plot().bottom() + 1.0 - y) / of.plot().height(), 1000 / 2100.0, rowsOf(of, 2));
        }
    EXPECT_GT(rows, 0);
    EXPECT_TRUE(of.curve.part(1).value.contains(
        QStringLiteral("; 1.95 KiB on the fullest tile, 200.0 % of its memory")))
        << of.curve.part(1).value.toStdString();
}

TEST(FullestLine, OfAllIpusIsThatOfTheFullestOfThem) {
    FullestLine of(with({100, 200, 400}, {600, 1, 500}));
    of.choose("all IPUs");
    EXPECT_NEAR(of.heightAt(0), 600 / 630.0, rowsOf(of, 2));
    EXPECT_NEAR(of.heightAt(1), 200 / 630.0, rowsOf(of, 2));
    EXPECT_NEAR(of.heightAt(2), 500 / 630.0, rowsOf(of, 2));
    EXPECT_EQ(of.field(1, 3), QStringLiteral("600"));
}

TEST(FullestLine, IsHiddenAndShownByTheLegend) {
    FullestLine of(with({100, 200, 400, 300}, {1, 1, 1, 1}));
    Legend& legend = of.legend();
    legend.setFocus();
    QTest::keyClick(&legend, Qt::Key_Right);
    QTest::keyClick(&legend, Qt::Key_Right);
    QTest::keyClick(&legend, Qt::Key_Space);
    EXPECT_EQ(of.heightAt(2), -1);
    EXPECT_TRUE(of.curve.tileMarks().empty()) << "it has no axis either";
    EXPECT_GT(of.curve.axisMarks().size(), 2U);
    EXPECT_EQ(of.legend().partCount(), 3) << "from where it comes back";
    QTest::keyClick(&legend, Qt::Key_Space);
    EXPECT_GT(of.heightAt(2), 0.9);
}

TEST(FullestLine, IsReadOutAndCopied) {
    const FullestLine of(with({100, 200, 400, 300}, {1, 1, 1, 1}));
    const QString step =
        QStringLiteral("100 B live, of which 50 B always; 400 B on the fullest tile, 40.0 % of its memory");
    EXPECT_EQ(of.curve.part(2).value, step);
    EXPECT_TRUE(of.curve.textAt(of.curve.part(2).rect.center()).endsWith(step));
    EXPECT_EQ(of.field(0, 3), QStringLiteral("fullest_tile_bytes"));
    EXPECT_EQ(of.field(3, 3), QStringLiteral("400"));
}

TEST(FullestLine, IsAbsentWhereItWasNotRecorded) {
    FullestLine of(with({0, 0, 0}, {1, 1, 1}));
    const tests::ToldDetails told(of.shown.view);
    EXPECT_FALSE(of.curve.hasFullest());
    EXPECT_EQ(of.heightAt(1), -1);
    EXPECT_TRUE(of.curve.tileMarks().empty());
    EXPECT_EQ(of.legend().partCount(), 2);
    EXPECT_EQ(of.curve.part(1).value, QStringLiteral("100 B live, of which 50 B always"));
    EXPECT_EQ(of.field(1, 3), QString());
    Q_EMIT of.curve.stepChosen(2);
    of.shown.settle();
    EXPECT_EQ(told.value("Live"), QStringLiteral("100 B, 2.5 % of 3.91 KiB"));
    EXPECT_EQ(told.value("Fullest tile"), QString());
}

TEST(FullestLine, OfOneTileIsNoOther) {
    tests::ShownView<LivenessView> shown;
    const auto& curve = *shown.view.findChild<LivenessCurve*>();
    EXPECT_TRUE(curve.hasFullest());
    Selection tile = shown.selection.current();
    tile.lookAt(0, {5});
    shown.selection.set(tile);
    shown.settle();
    EXPECT_FALSE(curve.hasFullest());
    EXPECT_TRUE(curve.tileMarks().empty());
    EXPECT_TRUE(curve.part(20).value.endsWith(QStringLiteral("; 0.9 % of its memory")))
        << curve.part(20).value.toStdString();
    tile.lookAt(0, {5, 6});
    shown.selection.set(tile);
    shown.settle();
    EXPECT_TRUE(curve.hasFullest());
}

TEST(FullestLine, OfTheBaseIsBesideIt) {
    FullestLine of(with({100, 200, 400, 300}, {1, 1, 1, 1}));
    const FullestLine base(with({50, 50, 800, 50}, {1, 1, 1, 1}));
    of.shown.view.setSources({of.shown.source, base.shown.source});
    of.shown.settle();
    EXPECT_NEAR(of.heightAt(1), 200 / 840.0, rowsOf(of, 2)) << "the axis has room for the base";
    const QImage image = of.curve.grab().toImage();
    const QColor line = LivenessCurve::fullestPen(Theme::of(&of.curve), true).color();
    const QRect step = of.curve.part(2).rect.adjusted(40, 0, -40, 0);
    const int row = step.bottom() - static_cast<int>(800 / 840.0 * step.height());
    int dashes = 0;
    for (int x = step.left(); x <= step.right(); ++x) {
        bool drawn = false;
        for (int y = row - 2; y <= row + 2; ++y)
            drawn = drawn || image.pixelColor(x, y) == line;
        dashes += drawn ? 1 : 0;
    }
    EXPECT_GT(dashes, step.width() / 2) << "the base's";
    EXPECT_LT(dashes, step.width() * 19 / 20) << "which is dashed";
    of.shown.view.setSources({of.shown.source, base.shown.source, true});
    of.shown.settle();
    EXPECT_FALSE(of.curve.hasFullest()) << "the difference is of all tiles together";
    EXPECT_TRUE(of.curve.tileMarks().empty());
    of.shown.view.setSources({});
}

} // namespace
} // namespace tilescope::ui
