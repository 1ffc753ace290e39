// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/shown_text.h"
#include "tests/ui/trace/shown_trace.h"
#include "ui/widgets/data_table.h"

#include <QFile>
#include <QSignalSpy>
#include <QTabBar>
#include <QToolButton>
#include <QWheelEvent>

namespace tilescope::ui {
namespace {

class TotalsTabs : public testing::Test {
  protected:
    TotalsTabs() : shown(pipelined()) { shown.settle(); }
    void showTab(TotalsPanel::Tab tab) { shown.view.totals().findChild<QTabBar*>()->setCurrentIndex(tab); }
    QStringList lines() {
        QString text = tests::shown_rows(*shown.view.totals().table().view(), QLatin1Char('|'));
        return text.split(QLatin1Char('\n'), Qt::SkipEmptyParts);
    }
    /// A cell of the row that begins with `name`.
    QString cell(const QString& name, const QString& column) {
        const QStringList all = lines();
        const auto place = all.front().split(QLatin1Char('|')).indexOf(column);
        for (const QString& line : all)
            if (const QStringList cells = line.split(QLatin1Char('|')); cells[0] == name && place >= 0)
                return cells[place];
        ADD_FAILURE() << name.toStdString() << ", " << column.toStdString();
        return {};
    }
    ShownTrace shown;
};

/// Totals of program steps, of a range from 0 on that they fill, at 1 GHz.
void tell(TotalsPanel& panel, const profile::PhaseCycles& phases, std::vector<analyse::TimeTotal> programs) {
    analyse::RangeTotals totals;
    totals.phases = phases;
    totals.programs = std::move(programs);
    panel.show();
    panel.setTotals({0, {0, phases.total()}, 1e9, QStringLiteral("told"), false}, totals, {}, TraceTables());
}

} // namespace

TEST_F(TotalsTabs, RowsTellHowLongTheirPassesTake) {
    const QString name = QStringLiteral("dense/MatMul");
    for (const auto& [column, value] :
         {std::pair("Passes", "400"), std::pair("Mean", "710 ns"), std::pair("P50", "710 ns"),
          std::pair("P99", "800 ns"), std::pair("Longest", "800 ns")})
        EXPECT_EQ(cell(name, QLatin1String(column)), QLatin1String(value)) << column;
    EXPECT_EQ(cell(QStringLiteral("waiting for other IPUs"), QStringLiteral("Passes")), QStringLiteral("–"));
    // A step whose number is 6 modulo 7 computes longest; the seventh is the first of them.
    Q_EMIT shown.view.totals().table().keyActivated(0);
    shown.settle();
    EXPECT_LT(shown.timeline().view().span(), 3000) << "Enter shows the longest";
}

TEST_F(TotalsTabs, WheelAndArrowsReachNoTabThatIsHidden) {
    auto& tabs = *shown.view.totals().findChild<QTabBar*>();
    for (int from = 0; from < tabs.count(); ++from) {
        if (!tabs.isTabVisible(from))
            continue;
        for (const int turn : {-120, 120}) {
            tabs.setCurrentIndex(from);
            const QPointF at = tabs.rect().center();
            QWheelEvent wheel(at, tabs.mapToGlobal(at), {}, {0, turn}, Qt::NoButton, Qt::NoModifier,
                              Qt::NoScrollPhase, false);
            QApplication::sendEvent(&tabs, &wheel);
            EXPECT_TRUE(tabs.isTabVisible(tabs.currentIndex())) << from;
            tabs.setCurrentIndex(from);
            QTest::keyClick(&tabs, turn < 0 ? Qt::Key_Right : Qt::Key_Left);
            EXPECT_TRUE(tabs.isTabVisible(tabs.currentIndex())) << from;
        }
    }
    ASSERT_FALSE(tabs.isTabVisible(TotalsPanel::Kinds));
}

TEST(TotalsOfPasses, AreToldToBeComingUntilTheyAreThere) {
    TotalsPanel panel;
    using Of = analyse::TimeTotal::Of;
    tell(
        panel, {.compute = 300, .waiting = 100},
        {{Of::Step, 7, {.compute = 300}, 3, 100, 300, 300}, {Of::Waiting, -1, {.waiting = 100}, 0, 0, 0, 0}});
    panel.findChild<QTabBar*>()->setCurrentIndex(TotalsPanel::Programs);
    const auto passes = [&] {
        const auto* model = panel.table().view()->model();
        QStringList cells;
        for (int row = 0; row < model->rowCount(); ++row)
            cells << model->index(row, 4).data().toString();
        return cells;
    };
    EXPECT_EQ(passes(), (QStringList{QStringLiteral("…"), QStringLiteral("–")})) << "waiting has no passes";
    panel.setDurations(std::make_shared<const analyse::RangeDurations>());
    EXPECT_EQ(passes(), (QStringList{QStringLiteral("–"), QStringLiteral("–")})) << "none lies whole in it";
}

/// A product of 800 cycles on the slowest tile, 200 on the mean of all; and an addition that all do alike.
TEST(TotalsOfBalance, ComputeSetsAreListedByWhatImbalanceLoses) {
    TotalsPanel panel;
    using Of = analyse::TimeTotal::Of;
    tell(panel, {.compute = 1900, .exchange = 100},
         {{Of::Step, 7, {.compute = 300}, 3, 100, 300, 300},
          {Of::Step, 4, {.compute = 1600, .exchange = 100}, 2, 900, 1600, 400}});
    auto* tabs = panel.findChild<QTabBar*>();
    tabs->setCurrentIndex(TotalsPanel::Balance);
    const QStringList lines = tests::shown_rows(*panel.table().view(), QLatin1Char('|'))
                                  .split(QLatin1Char('\n'), Qt::SkipEmptyParts);
    ASSERT_EQ(lines.size(), 3);
    EXPECT_EQ(lines[0],
              QStringLiteral("Compute set|Lost to imbalance|Time|Of all lost|Of all time|Tile balance|"
                             "Slowest tile, each run|Mean of all tiles|Runs"));
    EXPECT_EQ(lines[1], QStringLiteral("|1,200|1.20 µs|100.0 %|60.0 %|25.0 %|800|200|2"));
    EXPECT_EQ(lines[2], QStringLiteral("|0|0 s|0|0|100.0 %|100|100|3"));
    QSignalSpy chosen(&panel, &TotalsPanel::programChosen);
    QTest::keyClick(panel.table().view(), Qt::Key_Home);
    panel.table().view()->setCurrentIndex(panel.table().view()->model()->index(0, 0));
    ASSERT_GE(chosen.size(), 1);
    EXPECT_EQ(chosen.last()[0].toLongLong(), 4);
}

TEST_F(TotalsTabs, EachIpuTellsWhatItMovesAndHowItUsesItsTiles) {
    shown.view.findChild<QToolButton*>(QStringLiteral("allIpus"))->click();
    shown.settle();
    showTab(TotalsPanel::Ipus);
    ASSERT_EQ(lines().size(), 3) << "a head and two IPUs";
    for (const QString& ipu : {QStringLiteral("IPU 0"), QStringLiteral("IPU 1")}) {
        EXPECT_EQ(cell(ipu, QStringLiteral("Between tiles")), QStringLiteral("1.14 MiB"))
            << "400 x 3,000 bytes";
        EXPECT_EQ(cell(ipu, QStringLiteral("Parallel efficiency")), QStringLiteral("–")) << "not recorded";
    }
    EXPECT_NE(cell(QStringLiteral("IPU 0"), QStringLiteral("Waiting")),
              cell(QStringLiteral("IPU 1"), QStringLiteral("Waiting")));
}

TEST_F(TotalsTabs, MarksAreListedShownAndRemoved) {
    shown.timeline().setRange(std::pair<std::int64_t, std::int64_t>(50'000, 51'000));
    QTest::keyClick(&shown.timeline(), Qt::Key_M, Qt::ShiftModifier);
    shown.settle();
    showTab(TotalsPanel::Marks);
    EXPECT_EQ(lines(), (QStringList{QStringLiteral("Mark|At|Cycle|Length"),
                                    QStringLiteral("mark 1|50 µs|50,000|1 µs")}));
    shown.show(0, 1000);
    Q_EMIT shown.view.totals().table().keyActivated(0);
    EXPECT_LT(shown.timeline().view().from(), 50'000);
    EXPECT_GT(shown.timeline().view().to(), 51'000);
    EXPECT_LT(shown.timeline().view().span(), 5000);
    auto* table = shown.view.totals().table().view();
    table->setCurrentIndex(table->model()->index(0, 0));
    table->setFocus();
    QTest::keyClick(table, Qt::Key_Delete);
    EXPECT_TRUE(shown.timeline().marks().empty());
    EXPECT_EQ(lines().size(), 1);
}

TEST_F(TotalsTabs, TheSliceThatWasClickedIsToldWhole) {
    showTab(TotalsPanel::Slice);
    EXPECT_TRUE(lines().last().startsWith(QStringLiteral("Click a slice")));
    shown.show(2900, 3700); // sync until 3020, exchange until 3120, then 500 of compute
    shown.click(shown.at(3300, LaneKind::Program));
    EXPECT_EQ(cell(QStringLiteral("Program step"), QStringLiteral("Value")),
              QStringLiteral("dense/MatMul/Multiply"));
    EXPECT_TRUE(
        cell(QStringLiteral("Compute"), QStringLiteral("Value")).startsWith(QStringLiteral("500 cycles")));
    QTest::keyClick(&shown.timeline(), Qt::Key_PageDown, Qt::ControlModifier);
    EXPECT_EQ(shown.view.totals().findChild<QTabBar*>()->currentIndex(), int{TotalsPanel::Operations});
    QTest::keyClick(&shown.timeline(), Qt::Key_PageUp, Qt::ControlModifier);
    EXPECT_EQ(shown.view.totals().findChild<QTabBar*>()->currentIndex(), int{TotalsPanel::Slice});
}

TEST_F(TotalsTabs, RSelectsTheRangeOfTheSliceAndShiftGoesToTheNextOfItsName) {
    shown.show(2900, 5000);
    shown.click(shown.at(3300, LaneKind::Program)); // from 3,000 to 3,620
    QTest::keyClick(&shown.timeline(), Qt::Key_R);
    EXPECT_EQ(shown.timeline().range(), (std::pair<std::int64_t, std::int64_t>(3000, 3620)));
    QTest::keyClick(&shown.timeline(), Qt::Key_Escape);
    shown.settle();
    // The copy from 3,620 to 3,920 has another name; the product after it begins at 3,980.
    QTest::keyClick(&shown.timeline(), Qt::Key_Period, Qt::ShiftModifier);
    shown.settle();
    QTest::keyClick(&shown.timeline(), Qt::Key_R);
    EXPECT_EQ(shown.timeline().range(), (std::pair<std::int64_t, std::int64_t>(3980, 4630)));
    QTest::keyClick(&shown.timeline(), Qt::Key_Comma, Qt::ShiftModifier);
    shown.settle();
    QTest::keyClick(&shown.timeline(), Qt::Key_R);
    EXPECT_EQ(shown.timeline().range(), (std::pair<std::int64_t, std::int64_t>(3000, 3620)));
}

TEST_F(TotalsTabs, HomeAndEndGoToTheEdgesAndKeepTheScale) {
    shown.show(50'000, 60'000);
    const double span = shown.timeline().view().span();
    QTest::keyClick(&shown.timeline(), Qt::Key_End);
    EXPECT_NEAR(shown.timeline().view().to(), static_cast<double>(shown.timeline().view().limits().second),
                1);
    EXPECT_NEAR(shown.timeline().view().span(), span, 1);
    QTest::keyClick(&shown.timeline(), Qt::Key_Home);
    EXPECT_NEAR(shown.timeline().view().from(), 0, 1);
}

TEST_F(TotalsTabs, TheRangeIsExportedAsATrace) {
    const tests::TemporaryFolder folder;
    const QString path = QString::fromStdString(folder / "part.json");
    shown.show(2900, 5000);
    shown.click(shown.at(3300, LaneKind::Program));
    QTest::keyClick(&shown.timeline(), Qt::Key_R);
    shown.view.exportRange(path);
    shown.settle();
    QFile file(path);
    ASSERT_TRUE(file.open(QIODevice::ReadOnly));
    const QByteArray trace = file.readAll();
    EXPECT_EQ(trace.count("\"dense/MatMul/Multiply\""), 2) << "one on each IPU";
    EXPECT_EQ(trace.count("\"dense/copy/over links\""), 0) << "which begin where it ends";
    QSignalSpy said(&shown.view, &View::message);
    shown.view.exportRange(QString::fromStdString(folder / "none/part.json"));
    shown.settle();
    EXPECT_TRUE(said.last().at(0).toString().contains(QStringLiteral("cannot be written")));
}

TEST_F(TotalsTabs, TheRangeIsExportedAsAPictureOrAsTheStepsThatAreShown) {
    const tests::TemporaryFolder folder;
    const auto written = [&](const char* name) {
        const QString path = QString::fromStdString(folder / name);
        QSignalSpy said(&shown.view, &View::message);
        shown.view.exportRange(path);
        EXPECT_TRUE(QTest::qWaitFor(
            [&] { return !said.isEmpty() && said.last().at(0).toString().contains(path); }, 20000));
        return said.last().at(0).toString();
    };
    shown.show(2900, 5000);
    shown.click(shown.at(3300, LaneKind::Program));
    QTest::keyClick(&shown.timeline(),
                    Qt::Key_R); // the product of 500 cycles, after 120 of sync and exchange
    ASSERT_EQ(shown.timeline().range(), (std::pair<std::int64_t, std::int64_t>(3000, 3620)));
    EXPECT_TRUE(written("steps.csv").endsWith(QStringLiteral("2 program steps."))) << "one on each IPU";
    QFile file(QString::fromStdString(folder / "steps.csv"));
    ASSERT_TRUE(file.open(QIODevice::ReadOnly));
    const QStringList lines = QString::fromUtf8(file.readAll()).split(QLatin1Char('\n'), Qt::SkipEmptyParts);
    ASSERT_EQ(lines.size(), 3);
    EXPECT_EQ(lines[1].section(QLatin1Char(','), 0, 8),
              QStringLiteral("0,0,0,2,dense/MatMul/Multiply,dense/MatMul,dense,3000,3620"));
    LaneChoice one = shown.view.lanes();
    one.hidden_ipus = {1};
    shown.view.setLanes(one);
    shown.settle();
    EXPECT_TRUE(written("one.csv").endsWith(QStringLiteral("1 program steps.")));

    // The picture is of the range alone: computing fills as much of the lane of phases as of its time.
    written("range.png");
    const QImage picture(QString::fromStdString(folder / "range.png"));
    ASSERT_FALSE(picture.isNull());
    EXPECT_GE(picture.width(), 2400) << "twice the size";
    const QRgb compute = Theme::of(&shown.timeline()).compute.rgb();
    const QRgb exchange = Theme::of(&shown.timeline()).exchange.rgb();
    const int left = (12 + shown.timeline().gutter()) * 2;
    double most = 0;
    for (int y = 0; y < picture.height(); ++y) {
        std::array<double, 2> found{};
        for (int x = left; x < picture.width() - 24; ++x) {
            const QRgb pixel = picture.pixel(x, y);
            found[0] += pixel == compute ? 1 : 0;
            found[1] += pixel == exchange ? 1 : 0;
        }
        if (found[1] > 0 && found[0] + found[1] > 0.9 * (picture.width() - left - 24)) {
            most = std::max(most, found[0]);
            EXPECT_NEAR(found[0] / (picture.width() - left - 24), 500.0 / 620, 0.01);
        }
    }
    EXPECT_GT(most, 0) << "there is such a lane";
    written("range.svg");
    QFile svg(QString::fromStdString(folder / "range.svg"));
    ASSERT_TRUE(svg.open(QIODevice::ReadOnly));
    const QByteArray drawing = svg.readAll();
    EXPECT_TRUE(drawing.contains("<svg"));
    EXPECT_TRUE(drawing.contains("Phases")) << "texts stay texts";
    QSignalSpy said(&shown.view, &View::message);
    shown.view.exportRange(QString::fromStdString(folder / "none/range.png"));
    EXPECT_TRUE(QTest::qWaitFor(
        [&] { return said.last().at(0).toString().contains(QStringLiteral("cannot be written")); }, 20000));
}

} // namespace tilescope::ui
