// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/text.h"
#include "profile/recorder.h"
#include "tests/ui/told_details.h"
#include "tests/ui/view_test_support.h"
#include "ui/session/format.h"
#include "ui/summary/figure_definition.h"
#include "ui/summary/summary_view.h"
#include "ui/widgets/data_table.h"

#include <QTableView>
#include <QTest>
#include <gtest/gtest.h>
#include <memory>

namespace tilescope::ui {
namespace {

using tests::ToldDetails;

class SummaryDetails : public testing::Test {
  protected:
    SummaryDetails() {
        shown.view.setSources({}); // what was told is told again
        show(nullptr);
    }
    void show(const std::shared_ptr<ProfileSource>& base) {
        shown.view.setSources({shown.source, base});
        shown.settle();
        shown.view.activateWindow();
        EXPECT_TRUE(QTest::qWaitForWindowActive(&shown.view));
    }
    void focus(const char* card) {
        auto* found = shown.view.findChild<QWidget*>(QLatin1String(card));
        ASSERT_NE(found, nullptr);
        found->setFocus(Qt::TabFocusReason);
    }

    tests::ShownView<SummaryView> shown{tests::small_fixture, {1200, 900}};
    ToldDetails told{shown.view};
};

// Four engine runs of three steps; the fixture says how far off times of whole steps and bytes are.
TEST_F(SummaryDetails, SayWhatTheFiguresRestOn) {
    shown.view.findChild<DataTable*>(QStringLiteral("summaryLayers"))->view()->setFocus(); // no card
    EXPECT_EQ(told.title(), QStringLiteral("What the figures rest on"));
    EXPECT_EQ(told.value("Times"), QStringLiteral("12 steps in 4 engine runs"));
    EXPECT_EQ(told.value("Layers"), QStringLiteral("per step"));
    EXPECT_EQ(
        told.value("Whole steps"),
        QStringLiteral("predicted at 0.75 to 1.50 of what is published, on average a factor of 1.25 off, of "
                       "4 figures"));
    EXPECT_TRUE(told.value("Memory").endsWith(QStringLiteral(" off, of 2 figures")));
    EXPECT_EQ(told.value("Compute"), QString()) << "the file has no band of it";
}

// A step takes 6,580 cycles and a third of the 1,000 of the host: 6,913.333.
TEST_F(SummaryDetails, AreOfTheCardThatHasTheFocus) {
    focus("card trace");
    EXPECT_EQ(told.title(), QStringLiteral("Step time"));
    EXPECT_EQ(told.value("Value"), QStringLiteral("6,913.333 cycles, 6.913 µs"));
    EXPECT_EQ(told.value("Of"), QStringLiteral("12 steps in 4 engine runs"));
    EXPECT_EQ(told.value("Per"), QStringLiteral("step"));
    EXPECT_TRUE(told.value("Definition")
                    .startsWith(QStringLiteral(
                        "time of the engine runs, launching included, divided by their steps")));
    EXPECT_TRUE(told.value("To trust").contains(QStringLiteral("one, two, three, four")));
    focus("card memory");
    EXPECT_EQ(told.title(), QStringLiteral("Fullest tile with gaps"));
    EXPECT_TRUE(told.value("Value").endsWith(QStringLiteral(" of 638,976 bytes")))
        << told.value("Value").toStdString();
    EXPECT_TRUE(told.html().contains(QStringLiteral("href='tile:"))) << "it leads there";
    // Each tile has 512 of control, 32 of the host's exchange, and 96 + 40 of each of two layers.
    EXPECT_EQ(told.value("Most code"),
              QStringLiteral("816 B on IPU 0 tile 0, 0.4 % of the first 208 KiB of a "
                             "tile, where instructions are fetched from"));
    EXPECT_TRUE(told.value("To trust").contains(QStringLiteral("five, six")));
    QWidget elsewhere;
    elsewhere.setFocusPolicy(Qt::StrongFocus);
    elsewhere.show();
    elsewhere.activateWindow();
    ASSERT_TRUE(QTest::qWaitForWindowActive(&elsewhere));
    elsewhere.setFocus();
    EXPECT_EQ(told.title(), QStringLiteral("Fullest tile with gaps")) << "as when it is read in the panel";
}

TEST_F(SummaryDetails, HaveTheBaseBesideTheFigure) {
    const tests::ShownView<SummaryView> base(tests::FixtureSize{64, 1, 2, 2, 3});
    show(base.source);
    focus("card trace");
    EXPECT_EQ(told.value("Value"), QStringLiteral("6,913.333 cycles, 6.913 µs"));
    const double before = static_cast<double>(tests::fixture_step_cycles({64, 1, 2, 2, 3})) + 1000.0 / 3;
    EXPECT_TRUE(told.value("Base").startsWith(text(fixed_text(before, 3)) + QStringLiteral(" cycles")))
        << told.value("Base").toStdString();
    EXPECT_EQ(told.value("Change"), formatChange(before, 20740.0 / 3));
}

// Out of memory, it is planned: a card has the time that one step takes, and is of no engine run.
TEST_F(SummaryDetails, OfWhatNeverRanNameNoEngineRuns) {
    const tests::ShownView<SummaryView> never([](const std::string& path) -> Result<void> {
        auto recorder = profile::Recorder::create(path, profile::RunRecord{});
        if (!recorder)
            return Failure(recorder.error());
        (*recorder)->set(profile::TargetRecord{"pod4", "ipu2", 1, 4, 1000, 1e9, 6});
        return (*recorder)->finish(profile::RunStatus::OutOfMemory);
    });
    shown.view.setSources({never.source, {}});
    shown.settle();
    shown.view.activateWindow();
    ASSERT_TRUE(QTest::qWaitForWindowActive(&shown.view));
    const QString absent = told.value("Absent"); // of all figures, each reason once
    const QString reason =
        QStringLiteral("out of memory before the first execution: cycles in all, step time, ");
    EXPECT_EQ(absent.count(reason), 1) << absent.toStdString();
    EXPECT_TRUE(absent.contains(QStringLiteral(", by phase, "))) << absent.toStdString();
    EXPECT_FALSE(absent.contains(QLatin1Char('_'))) << "no keys of documents: " << absent.toStdString();
    focus("card trace");
    EXPECT_EQ(told.title(), QStringLiteral("Step time"));
    EXPECT_EQ(told.value("Value"), QString());
    EXPECT_NE(told.value("Absent"), QString());
    EXPECT_EQ(told.value("Of"), QString()) << "no 0 steps in 0 engine runs";
}

TEST(FigureDefinition, IsThatOfThePage) {
    const auto step = definitionOf(QStringLiteral("step time"));
    ASSERT_TRUE(step);
    EXPECT_EQ(step->per, QStringLiteral("step"));
    EXPECT_FALSE(step->text.contains(QLatin1Char('`')));
    EXPECT_FALSE(definitionOf(QStringLiteral("no such figure")));
    for (const char* of_card : {"throughput", "fullest tile with gaps", "rate"})
        EXPECT_TRUE(definitionOf(QLatin1String(of_card))) << of_card;
}

} // namespace
} // namespace tilescope::ui
