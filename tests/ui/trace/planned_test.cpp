// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/never_run.h"
#include "tests/ui/shown_text.h"
#include "tests/ui/told_details.h"
#include "tests/ui/trace/shown_trace.h"
#include "ui/widgets/data_table.h"

#include <QLabel>
#include <QSignalSpy>

namespace tilescope::ui {
namespace {

using profile::RunStatus;
using tests::never_run;

QString told(ShownTrace& shown) {
    const auto* label = shown.view.findChild<QLabel*>(QStringLiteral("tracePlanned"));
    return label->isHidden() ? QString() : label->text();
}

} // namespace

TEST(TracePlanned, ShowsWhatAProgramThatDoesNotFitWouldDo) {
    ShownTrace shown(never_run(RunStatus::OutOfMemory));
    EXPECT_TRUE(told(shown).startsWith(QStringLiteral(
        "<b>Planned: one execution.</b> This program was never run: IPU 0 tile 8 needs 4 KiB of 2 KiB at "
        "step conv/Convolve.")))
        << told(shown).toStdString();
    QSignalSpy wanted(&shown.view, &View::viewRequested);
    auto* label = shown.view.findChild<QLabel*>(QStringLiteral("tracePlanned"));
    ASSERT_TRUE(label->text().contains(QStringLiteral("href='tile:8:0'"))) << label->text().toStdString();
    Q_EMIT label->linkActivated(QStringLiteral("tile:8:0"));
    EXPECT_EQ(shown.selection.current().tiles, std::vector<std::int64_t>{8});
    ASSERT_TRUE(label->text().contains(QStringLiteral("href='summary'")));
    Q_EMIT label->linkActivated(QStringLiteral("summary"));
    ASSERT_EQ(wanted.size(), 2);
    EXPECT_EQ(wanted[0][0].toString(), QStringLiteral("memory"));
    EXPECT_EQ(wanted[1][0].toString(), QStringLiteral("summary"));
    const auto [from, to] = shown.timeline().view().limits();
    EXPECT_EQ(from, 0);
    EXPECT_EQ(to, 160);
    const auto painted = shown.painted(0);
    EXPECT_NEAR(painted[static_cast<std::size_t>(analyse::TimeKind::Compute)], 60.0 / 160, 0.01);
    EXPECT_NEAR(painted[static_cast<std::size_t>(analyse::TimeKind::Host)], 100.0 / 160, 0.01);
}

// Until a slice is chosen, and again once it is let go of.
TEST(TracePlanned, TheWholeOfWhatIsInViewIsToldAtTheSide) {
    ShownTrace shown(never_run(RunStatus::OutOfMemory));
    const tests::ToldDetails told(shown.view);
    shown.show(40, 160); // 60 cycles of the launch, and the step
    EXPECT_EQ(told.title(), QStringLiteral("In view of IPU 0"));
    EXPECT_EQ(told.value("Length"), QStringLiteral("120 cycles (120 ns)"));
    EXPECT_EQ(told.value("Compute"), QStringLiteral("50.0 %, 60 ns"));
    EXPECT_EQ(told.value("Host"), QStringLiteral("50.0 %, 60 ns"));
    EXPECT_EQ(told.value("Exchange"), QString()) << "there is none";
    EXPECT_EQ(told.value("Engine runs"), QString()) << "none has ended";
    shown.click(shown.at(130, LaneKind::Program));
    EXPECT_EQ(told.title(), QStringLiteral("Convolve"));
    shown.show(100, 160);
    EXPECT_EQ(told.title(), QStringLiteral("Convolve")) << "it is what was chosen";
    Q_EMIT shown.timeline().backgroundClicked();
    EXPECT_EQ(told.title(), QStringLiteral("In view of IPU 0"));
    EXPECT_EQ(told.value("Compute"), QStringLiteral("100.0 %, 60 ns"));
}

TEST(TracePlanned, TellsHowLongThePassesOfItsStepsWouldTake) {
    ShownTrace shown(never_run(RunStatus::OutOfMemory));
    shown.settle();
    const QTableView& table = *shown.view.totals().table().view();
    const QStringList lines = tests::shown_rows(table, u'|').split(u'\n').filter(QStringLiteral("conv"));
    ASSERT_EQ(lines.size(), 1);
    EXPECT_TRUE(lines[0].contains(QStringLiteral("|1|60 ns|60 ns|60 ns|60 ns|"))) << lines[0].toStdString();
}

TEST(TracePlanned, SaysNothingOfAFileThatWasClosed) {
    ShownTrace shown(never_run(RunStatus::OutOfMemory));
    shown.view.setSources({});
    EXPECT_EQ(told(shown), QString());
}

TEST(TracePlanned, ARunThatEndedBeforeItsFirstExecutionSaysSo) {
    ShownTrace shown(never_run(RunStatus::Cancelled));
    EXPECT_TRUE(told(shown).contains(QStringLiteral("None ended in this run."))) << told(shown).toStdString();
}

} // namespace tilescope::ui
