// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/profile_fixture.h"
#include "tests/temporary_folder.h"
#include "tests/ui/told_details.h"
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
        view.resize(1200, 900);
        view.setSelection(&selection);
        view.setVisible(true);
        now = record("now", tests::small_fixture);
        show(nullptr);
    }
    ~SummaryDetails() override { view.setSources({}); }
    std::shared_ptr<ProfileSource> record(const char* name, const tests::FixtureSize& size) {
        const std::string path = folder / name + ".tilescope";
        EXPECT_TRUE(tests::record_fixture(path, size));
        return ProfileSource::open(QString::fromStdString(path));
    }
    void show(const std::shared_ptr<ProfileSource>& base) {
        view.setSources({now, base});
        for (int round = 0; round < 3; ++round) {
            QTest::qWait(1);
            EXPECT_TRUE(QTest::qWaitFor(
                [&] { return now->pending() == 0 && (base == nullptr || base->pending() == 0); }, 20000));
        }
        view.activateWindow();
        EXPECT_TRUE(QTest::qWaitForWindowActive(&view));
    }
    void focus(const char* card) {
        auto* found = view.findChild<QWidget*>(QLatin1String(card));
        ASSERT_NE(found, nullptr);
        found->setFocus(Qt::TabFocusReason);
    }

    tests::TemporaryFolder folder;
    std::shared_ptr<ProfileSource> now;
    SelectionModel selection;
    SummaryView view;
    ToldDetails told{view};
};

// Four engine runs of three steps; the fixture says how far off times of whole steps and bytes are.
TEST_F(SummaryDetails, SayWhatTheFiguresRestOn) {
    view.findChild<DataTable*>(QStringLiteral("summaryLayers"))->view()->setFocus(); // no card
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
    EXPECT_EQ(told.value("Value"), QStringLiteral("6913.333 cycles, 6.913 µs"));
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
    const auto base = record("base", {64, 1, 2, 2, 3});
    show(base);
    focus("card trace");
    EXPECT_EQ(told.value("Value"), QStringLiteral("6913.333 cycles, 6.913 µs"));
    const double before = static_cast<double>(tests::fixture_step_cycles({64, 1, 2, 2, 3})) + 1000.0 / 3;
    EXPECT_TRUE(told.value("Base").startsWith(QString::number(before, 'f', 3) + QStringLiteral(" cycles")))
        << told.value("Base").toStdString();
    EXPECT_EQ(told.value("Change"), formatChange(before, 20740.0 / 3));
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
