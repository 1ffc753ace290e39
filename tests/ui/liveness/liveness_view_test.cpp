// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/kept_variables.h"
#include "analyse/tile_memory.h"
#include "profile/recorder.h"
#include "tests/ui/shown_text.h"
#include "tests/ui/view_test_support.h"
#include "ui/liveness/kept_page.h"
#include "ui/liveness/liveness_view.h"
#include "ui/session/format.h"
#include "ui/theme/chart_style.h"
#include "ui/theme/theme.h"
#include "ui/widgets/data_table.h"

#include <QComboBox>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableView>
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <map>

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
        EXPECT_GT(shown.source->pending(), 0) << "the window's thread does not list them";
        shown.settle();
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

TEST_F(LivenessTest, EscLeavesTheFieldOfTheTiles) {
    shown.view.activateWindow();
    ASSERT_TRUE(QTest::qWaitForWindowActive(&shown.view));
    auto* field = shown.view.findChild<QLineEdit*>(QStringLiteral("livenessTiles"));
    field->setFocus();
    QTest::keyClicks(field, QStringLiteral("1"));
    QTest::keyClick(field, Qt::Key_Escape);
    shown.settle();
    EXPECT_TRUE(shown.view.findChild<LivenessCurve*>()->hasFocus());
    EXPECT_TRUE(shown.selection.current().tiles.empty()) << "what was typed was not taken";
    EXPECT_EQ(field->text(), QString());
}

// In the field, or in any view; their bytes are what the curve and the table show.
TEST_F(LivenessTest, TilesAreChosenByTheirNumbersOrElsewhere) {
    using Tiles = std::vector<std::int64_t>;
    auto* field = shown.view.findChild<QLineEdit*>(QStringLiteral("livenessTiles"));
    ASSERT_NE(field, nullptr);
    EXPECT_EQ(field->text(), QString());
    const auto is_of = [&](const char* name, const Tiles& tiles) {
        const auto these = *analyse::read_liveness(*file(), 0, tiles);
        const auto& peak = these.points[static_cast<std::size_t>(these.peak())];
        EXPECT_TRUE(
            tests::shows(shown.view, QStringLiteral("peak step of IPU 0 %1:").arg(QLatin1String(name))))
            << name;
        EXPECT_TRUE(tests::shows(shown.view, formatBytes(peak.total()))) << name;
        const auto indices = these.live_at(curve.step());
        ASSERT_EQ(table->model()->rowCount(), static_cast<int>(indices.size())) << name;
        for (std::size_t i = 0; i < indices.size(); ++i)
            EXPECT_EQ(cell(static_cast<int>(i), 1), formatBytes(these.variables[indices[i]].bytes)) << name;
        EXPECT_EQ(shown.selection.current().tiles, tiles) << name;
        EXPECT_EQ(field->text(), QString::fromLatin1(name).section(QLatin1Char(' '), 1)) << name;
    };
    const auto type = [&](const char* text) {
        field->setFocus();
        field->setText(QLatin1String(text));
        QTest::keyClick(field, Qt::Key_Return);
        shown.settle();
    };
    type("1");
    is_of("tile 1", {1});
    type("IPU 0: 1-3, 0");
    is_of("tiles 0-3", {0, 1, 2, 3});
    EXPECT_TRUE(tests::shows(shown.view, QStringLiteral("of the memory of these 4 tiles")));
    type("7000");
    EXPECT_TRUE(tests::shows(shown.view, QStringLiteral("tile 7,000: an IPU has tiles 0 to ")));
    EXPECT_EQ(shown.selection.current().tiles, (Tiles{0, 1, 2, 3}));
    type("fullest 2");
    const auto bytes = *file()->tile_values("memory", 0, 0, "total_with_gaps");
    const Tiles fullest = analyse::fullest_tiles(bytes, 2);
    ASSERT_EQ(fullest.size(), 2U);
    for (std::size_t tile = 0; tile < bytes.size(); ++tile)
        for (const std::int64_t full : fullest)
            EXPECT_TRUE(bytes[tile] <= bytes[static_cast<std::size_t>(full)] ||
                        static_cast<std::int64_t>(tile) == fullest[0] ||
                        static_cast<std::int64_t>(tile) == fullest[1]);
    EXPECT_EQ(shown.selection.current().tiles, fullest);
    Selection other = shown.selection.current();
    other.tiles = {2, 5};
    shown.selection.set(other);
    shown.settle();
    is_of("tiles 2, 5", {2, 5});
    field->clearFocus();
    other.tiles.clear();
    shown.selection.set(other);
    shown.settle();
    EXPECT_EQ(field->text(), QString());
    EXPECT_TRUE(tests::shows(shown.view, QStringLiteral("peak step of IPU 0:")));
}

/// A view that has a file and a selection, and is not seen yet.
class UnseenLiveness : public testing::Test {
  public:
    UnseenLiveness() {
        EXPECT_TRUE(tests::record_fixture(folder / "run.tilescope"));
        source = ProfileSource::open(QString::fromStdString(folder / "run.tilescope"));
        view.setSelection(&selection);
        view.setSources({source, {}});
    }
    ~UnseenLiveness() override { view.setSources({}); }
    UnseenLiveness(const UnseenLiveness&) = delete;
    UnseenLiveness& operator=(const UnseenLiveness&) = delete;

  protected:
    void settle() {
        for (int round = 0; round < 3; ++round) {
            QTest::qWait(1);
            EXPECT_TRUE(QTest::qWaitFor([&] { return source->pending() == 0; }, 20000));
        }
    }

    tests::TemporaryFolder folder;
    std::shared_ptr<ProfileSource> source;
    SelectionModel selection;
    LivenessView view;
};

// A view asks once it is seen; what was chosen before that is not lost.
TEST_F(UnseenLiveness, ShowsWhatWasChosenBefore) {
    Selection chosen;
    chosen.tiles = {3};
    selection.set(chosen);
    view.show();
    settle();
    EXPECT_TRUE(tests::shows(view, QStringLiteral("peak step of IPU 0 tile 3")));
}

// What was chosen in another file, of more IPUs, is none of this one.
TEST_F(UnseenLiveness, AnIpuThatTheFileHasNotGivesWayToTheFullest) {
    Selection elsewhere;
    elsewhere.lookAt(7);
    elsewhere.tiles = {3};
    selection.set(elsewhere);
    view.show();
    settle();
    EXPECT_TRUE(tests::shows(view, QStringLiteral("peak step of IPU 0:")));
    auto* field = view.findChild<QLineEdit*>(QStringLiteral("livenessTiles"));
    QTest::keyClicks(field, QStringLiteral("3"));
    QTest::keyClick(field, Qt::Key_Return);
    settle();
    EXPECT_TRUE(tests::shows(view, QStringLiteral("peak step of IPU 0 tile 3"))) << "typed, it is chosen";
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
    const QString told = curve.textAt(QPoint(x, 100)); // "step 12, …"
    const auto point = live.point_of(told.section(QLatin1Char(','), 0, 0)
                                         .section(QLatin1Char(' '), 1)
                                         .remove(QLatin1Char(','))
                                         .toLongLong());
    const auto& p = live.points[static_cast<std::size_t>(point)];
    ASSERT_GT(always + rest, 0);
    EXPECT_NEAR(static_cast<double>(always) / (always + rest),
                static_cast<double>(p.always) / static_cast<double>(p.total()), 0.03);
}

// Z: the limit of the fixture is far above what is live.
TEST_F(LivenessTest, TheLimitIsALineOrAboveTheCurve) {
    curve.resize(900, 300);
    const QColor limit = Theme::of(&curve).bad;
    const auto lines = [&] { // rows of the plot that are red from side to side
        const QImage image = curve.grab().toImage();
        int red = 0;
        for (int y = 0; y < image.height(); ++y)
            red += image.pixelColor(300, y) == limit && image.pixelColor(600, y) == limit ? 1 : 0;
        return red;
    };
    const auto& peak = live.points[static_cast<std::size_t>(live.peak())];
    ASSERT_LT(3 * peak.total(), live.bytes_per_tile * live.tiles);
    EXPECT_FALSE(curve.toLimit());
    EXPECT_EQ(lines(), 0);
    curve.setFocus();
    QTest::keyClick(&curve, Qt::Key_Z);
    EXPECT_TRUE(curve.toLimit());
    EXPECT_GT(lines(), 0);
    QTest::keyClick(&curve, Qt::Key_Z);
    EXPECT_EQ(lines(), 0);
}

// The limit's name stands beside the plot, which is the narrower for it.
TEST_F(LivenessTest, AllStepsAreWithinThePlot) {
    const auto at_its_end = [&] {
        int x = curve.width() - 1;
        while (x > 0 && curve.textAt(QPoint(x, 60)).isEmpty())
            --x;
        return curve.textAt(QPoint(x - 1, 60)).section(QLatin1Char(','), 0, 0);
    };
    const QString last = QStringLiteral("step %1").arg(formatCount(live.points.back().step));
    EXPECT_EQ(at_its_end(), last);
    QFont larger = curve.font();
    larger.setPointSizeF(1.5 * larger.pointSizeF());
    curve.setFont(larger);
    EXPECT_EQ(at_its_end(), last);
}

TEST_F(LivenessTest, TheAxisHasRoundBytes) {
    for (const int key : {0, static_cast<int>(Qt::Key_Z)}) { // to the data and to the limit
        if (key != 0)
            QTest::keyClick(&curve, static_cast<Qt::Key>(key));
        const auto marks = curve.axisMarks();
        ASSERT_GE(marks.size(), 3U);
        EXPECT_EQ(marks.front(), 0);
        int exponent = 0;
        EXPECT_EQ(std::frexp(marks[1], &exponent), 0.5) << "a power of two, as 256 KiB";
        for (std::size_t i = 1; i < marks.size(); ++i)
            EXPECT_EQ(marks[i], static_cast<double>(i) * marks[1]);
    }
}

TEST_F(LivenessTest, ADragChoosesStepsAndTheTableHasWhatIsLiveInAnyOfThem) {
    const int left = curve.width() / 4, right = curve.width() / 2;
    QTest::mousePress(&curve, Qt::LeftButton, {}, QPoint(left, 60));
    QTest::mouseMove(&curve, QPoint(right, 60));
    QTest::mouseRelease(&curve, Qt::LeftButton, {}, QPoint(right, 60));
    shown.settle();
    ASSERT_TRUE(curve.range());
    const auto [from, to] = *curve.range();
    ASSERT_LT(from, to);
    const auto indices = live.live_in(from, to);
    EXPECT_GT(indices.size(), live.live_at(from).size());
    EXPECT_EQ(table->model()->rowCount(), static_cast<int>(indices.size()));
    EXPECT_TRUE(tests::shows(
        shown.view,
        QStringLiteral("anywhere in these steps; the most at once is %1 over")
            .arg(formatBytes(live.points[static_cast<std::size_t>(live.peak_in(from, to))].total()))));
    curve.setFocus();
    QTest::keyClick(&curve, Qt::Key_F);
    EXPECT_LT(curve.view().span(), static_cast<double>(live.points.size()));
    EXPECT_LE(curve.view().from(), static_cast<double>(from));
    EXPECT_GE(curve.view().to(), static_cast<double>(to + 1));
    const double before = curve.view().from();
    QTest::keyClick(&curve, Qt::Key_D);
    EXPECT_GT(curve.view().from(), before);
    QTest::keyClick(&curve, Qt::Key_A);
    EXPECT_DOUBLE_EQ(curve.view().from(), before);
    QTest::keyClick(&curve, Qt::Key_F);
    QTest::keyClick(&curve, Qt::Key_Home); // a step again
    shown.settle();
    EXPECT_FALSE(curve.range());
    EXPECT_EQ(curve.step(), live.points.front().step);
    EXPECT_EQ(table->model()->rowCount(), static_cast<int>(live.live_at(curve.step()).size()));
    QTest::keyClick(&curve, Qt::Key_End);
    EXPECT_EQ(curve.step(), live.points.back().step);
}

TEST_F(LivenessTest, EnterLeadsToTheProgramOrToMemory) {
    QSignalSpy went(&shown.view, &View::viewRequested);
    curve.setFocus();
    QTest::keyClick(&curve, Qt::Key_Return);
    ASSERT_EQ(went.size(), 1);
    EXPECT_EQ(went.takeFirst().first().toString(), QStringLiteral("program"));
    EXPECT_EQ(shown.selection.current().program,
              live.points[static_cast<std::size_t>(live.point_of(curve.step()))].program);
    table->setFocus();
    table->selectRow(0);
    QTest::keyClick(table, Qt::Key_Return);
    ASSERT_EQ(went.size(), 1);
    EXPECT_EQ(went.first().first().toString(), QStringLiteral("memory"));
    EXPECT_EQ(shown.selection.current().variable, live.variables[live.live_at(curve.step()).front()].id);
}

TEST_F(LivenessTest, TheRowUnderThePointerIsLaidOverTheCurve) {
    const auto indices = live.live_at(curve.step());
    const auto passing = std::find_if(indices.begin(), indices.end(),
                                      [&](std::size_t i) { return !live.variables[i].always_live; });
    ASSERT_NE(passing, indices.end());
    const int row = static_cast<int>(passing - indices.begin());
    const QImage before = curve.grab().toImage();
    const QPoint at = table->visualRect(table->model()->index(row, 0)).center();
    table->scrollTo(table->model()->index(row, 0));
    QTest::mouseMove(table->viewport(), at + QPoint(2, 0));
    QTest::mouseMove(table->viewport(), at);
    Q_EMIT table->entered(table->model()->index(row, 0)); // what the pointer does where there is one
    EXPECT_NE(curve.grab().toImage(), before);
    QEvent leave(QEvent::Leave);
    QCoreApplication::sendEvent(table->viewport(), &leave);
    EXPECT_EQ(curve.grab().toImage(), before);
}

TEST_F(LivenessTest, ARowThatIsPassedWhileAnotherFileIsReadEndsNothing) { // it was a crash
    ASSERT_GT(table->model()->rowCount(), 0);
    shown.view.setSources({shown.source}); // which is read anew
    Q_EMIT table->entered(table->model()->index(0, 0));
    shown.settle();
    EXPECT_GT(table->model()->rowCount(), 0);
}

TEST_F(LivenessTest, TheLastUseOfEachVariableIsTold) {
    const auto indices = live.live_at(curve.step());
    int told = 0;
    for (std::size_t i = 0; i < indices.size(); ++i) {
        const auto last = live.last_use(live.variables[indices[i]]);
        EXPECT_EQ(cell(static_cast<int>(i), 5), last ? formatCount(*last) : QStringLiteral("–"));
        told += last ? 1 : 0;
    }
    EXPECT_GT(told, 0);
}

/// Two IPUs of one tile of 100 bytes; on the second lies more than it has, from step 1 on.
Result<void> record_too_large(const std::string& path) {
    auto recorder = profile::Recorder::create(path, profile::RunRecord{});
    if (!recorder)
        return Failure(recorder.error());
    profile::Recorder& r = **recorder;
    r.set(profile::TargetRecord{"pod4", "ipu2", 2, 1, 100, 1e9, 6});
    for (std::int64_t step = 0; step < 3; ++step)
        r.add(
            profile::ProgramRecord{step, -1, step, profile::StepKind::Execute, "step", -1, -1, -1, 1, step});
    for (std::int64_t ipu = 0; ipu < 2; ++ipu) {
        r.add(profile::IpuRecord{ipu, ipu, "", 0, ipu});
        for (std::int64_t step = 0; step < 3; ++step) {
            const std::int64_t bytes = ipu == 0 ? 50 : 90 + 20 * step;
            r.add(profile::LivenessSpanRecord{ipu, step, 1, 50, bytes - 50, bytes});
        }
        r.add_tile_values("memory", 0, ipu, "total", std::vector<std::int64_t>{ipu == 0 ? 50 : 130});
        r.add_tile_values("memory", 0, ipu, "total_with_gaps",
                          std::vector<std::int64_t>{ipu == 0 ? 50 : 130});
    }
    return r.finish(profile::RunStatus::OutOfMemory);
}

TEST(LivenessOfWhatDoesNotFit, OpensAtTheFullestIpuAndItsFirstStepOverTheLimit) {
    tests::ShownView<LivenessView> shown(tests::ShownView<LivenessView>::Record(&record_too_large),
                                         QSize(1200, 800));
    EXPECT_TRUE(tests::shows(shown.view, QStringLiteral("peak step of IPU 1")));
    EXPECT_EQ(shown.view.findChild<LivenessCurve*>()->step(), 1);
    const auto choose = [&](const char* place) {
        auto* ipus = shown.view.findChild<QComboBox*>();
        ipus->setCurrentIndex(ipus->findText(QLatin1String(place)));
        Q_EMIT ipus->activated(ipus->currentIndex());
        shown.settle();
    };
    choose("IPU 0");
    EXPECT_TRUE(tests::shows(shown.view, QStringLiteral("peak step of IPU 0")));
    choose("all IPUs");
    EXPECT_TRUE(tests::shows(shown.view, QStringLiteral("peak step of all 2 IPUs")));
    EXPECT_TRUE(tests::shows(shown.view, QStringLiteral("all tiles of all 2 IPUs")));
    auto* tiles = shown.view.findChild<QLineEdit*>(QStringLiteral("livenessTiles"));
    EXPECT_TRUE(tiles->parentWidget()->isHidden()) << "of which IPU?";
    Selection elsewhere = shown.selection.current();
    elsewhere.program = 0;
    shown.selection.set(elsewhere);
    shown.settle();
    EXPECT_TRUE(tests::shows(shown.view, QStringLiteral("peak step of all 2 IPUs"))) << "a step has no IPU";
    elsewhere.lookAt(1);
    elsewhere.tiles = {0};
    shown.selection.set(elsewhere);
    shown.settle();
    EXPECT_TRUE(tests::shows(shown.view, QStringLiteral("peak step of IPU 1 tile 0")));
}

TEST(LivenessOfARunOnTheCpu, SaysThatThereIsNone) {
    tests::ShownView<LivenessView> shown(
        [](const std::string& path) {
            profile::RunRecord run;
            run.device = profile::RunDevice::Cpu;
            return (*profile::Recorder::create(path, run))->finish(profile::RunStatus::Complete);
        },
        QSize(1200, 800));
    EXPECT_TRUE(tests::shows(shown.view, QStringLiteral("This run used the CPU: no tiles")));
    EXPECT_FALSE(shown.view.findChild<QPushButton*>(QStringLiteral("pageOffer"))->isVisible())
        << "the file names no workload";
}

TEST_F(LivenessTest, WhatIsKeptIsListedWithWhatItSavesAtThePeak) {
    const auto kept = analyse::kept_variables(live);
    ASSERT_TRUE(kept);
    ASSERT_FALSE(kept->variables.empty());
    auto* rows = shown.view.findChild<DataTable*>(QStringLiteral("keptVariables"))->view()->model();
    ASSERT_EQ(rows->rowCount(), static_cast<int>(kept->variables.size()));
    const auto& first = kept->variables.front();
    EXPECT_EQ(rows->index(0, 0).data().toString().toStdString(), live.variables[first.index].name);
    EXPECT_EQ(rows->index(0, 3).data().toString(),
              first.saved > 0 ? formatBytesDifference(-static_cast<double>(first.saved))
                              : QStringLiteral("0"));
    ASSERT_TRUE(first.needed);
    EXPECT_EQ(rows->index(0, 5).data().toString(), formatCount(first.needed->second));
    curve.setFocus();
    QTest::keySequence(&curve, QKeySequence(QStringLiteral("Ctrl+PgDown")));
    EXPECT_EQ(kept->saved, 0) << "the peak of the fixture needs its only weights";
    EXPECT_TRUE(
        tests::shows(shown.view, QStringLiteral("Freeing them at their last use does not lower the peak")));
}

// As versions before recorded it: of what is always live no step was told.
TEST(LivenessOfAnOlderFile, WhatIsKeptIsNotRecorded) {
    tests::ShownView<LivenessView> shown;
    LivenessView::Read read;
    read.live = std::make_shared<const analyse::Liveness>(
        *analyse::read_liveness(*profile::Profile::open(shown.source->path().toStdString()).value(), 0));
    KeptPage page;
    page.setKept(read);
    page.show();
    EXPECT_EQ(page.title(), QStringLiteral("Kept too long"));
    EXPECT_TRUE(tests::shows(page, QStringLiteral("Not recorded by the version that made this file")));
}

/// With a base beside it, in the mode of differences.
class LivenessAgainst : public LivenessTest {
  protected:
    void compare(const tests::FixtureSize& size) {
        base = std::make_unique<tests::ShownView<LivenessView>>(size);
        shown.view.setSources({shown.source, base->source, true});
        for (int round = 0; round < 2; ++round) {
            shown.settle();
            base->settle();
        }
        before =
            *analyse::read_liveness(*profile::Profile::open(base->source->path().toStdString()).value(), 0);
    }
    void TearDown() override { shown.view.setSources({}); }
    using Bytes = std::map<std::string, std::int64_t>;
    static Bytes at(const analyse::Liveness& of, std::int64_t step) {
        Bytes bytes;
        for (const std::size_t i : of.live_at(step))
            bytes[of.variables[i].name] += of.variables[i].bytes;
        return bytes;
    }
    QStringList column(int c) const {
        QStringList cells;
        for (int row = 0; row < table->model()->rowCount(); ++row)
            cells << cell(row, c);
        return cells;
    }
    std::unique_ptr<tests::ShownView<LivenessView>> base;
    analyse::Liveness before;
};

TEST_F(LivenessAgainst, TheSameRunNothingDiffers) {
    compare(tests::small_fixture);
    const auto same = static_cast<std::int64_t>(live.live_at(curve.step()).size());
    EXPECT_EQ(column(0), QStringList{QStringLiteral("%1 unchanged").arg(same)});
    EXPECT_EQ(cell(0, 3), QStringLiteral("="));
    EXPECT_TRUE(tests::shows(shown.view, QStringLiteral("which is the same; together = over all tiles")));
    EXPECT_TRUE(tests::shows(shown.view, QStringLiteral("= against the peak step of run")));
    const QStringList lines = curve.toText(QLatin1Char(',')).split(QLatin1Char('\n'), Qt::SkipEmptyParts);
    ASSERT_EQ(lines.size(), static_cast<qsizetype>(live.points.size()) + 1);
    EXPECT_TRUE(lines[0].contains(QStringLiteral("more_than_base_bytes")));
    for (const QString& line : lines.mid(1))
        EXPECT_EQ(line.section(QLatin1Char(','), 4, 4), QStringLiteral("0"));
}

TEST_F(LivenessAgainst, ALargerRunTheStepOfTheSameNameIsCompared) {
    compare({64, 3, 2, 2, 3});
    const std::int64_t first = live.points.front().step; // the infeed, in both
    ASSERT_EQ(before.step_names.front(), live.step_names.front());
    curve.stepChosen(first);
    shown.settle();
    const Bytes now = at(live, first), then = at(before, before.points.front().step);
    std::int64_t by = 0;
    QStringList removed;
    for (const auto& [name, bytes] : now)
        by += bytes;
    for (const auto& [name, bytes] : then) {
        by -= bytes;
        if (!now.contains(name))
            removed << QString::fromStdString(name);
    }
    ASSERT_FALSE(removed.empty()) << "the base has one layer more";
    EXPECT_TRUE(
        tests::shows(shown.view, formatSignedBytes(static_cast<double>(by)) + QStringLiteral(" over all")));
    curve.showAll();
    EXPECT_EQ(curve.toText(QLatin1Char(',')).section(QLatin1Char('\n'), 1, 1).section(QLatin1Char(','), 4, 4),
              QString::number(by));
    EXPECT_TRUE(tests::shows(shown.view, QStringLiteral("has changed the most")));
    const QImage image = curve.grab().toImage(); // less than the base alone: the base is the larger run
    int less = 0;
    for (int y = 0; y < image.height(); ++y)
        less += image.pixelColor(image.width() / 2, y) == Theme::of(&curve).less() ? 1 : 0;
    EXPECT_GT(less, 10);
    QStringList shown_as_removed;
    for (int row = 0; row < table->model()->rowCount(); ++row)
        if (cell(row, 1) == QStringLiteral("–"))
            shown_as_removed << cell(row, 0);
    removed.sort();
    shown_as_removed.sort();
    EXPECT_EQ(shown_as_removed, removed);
}

} // namespace tilescope::ui
