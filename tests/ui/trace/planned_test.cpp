// SPDX-License-Identifier: GPL-3.0-or-later
#include "profile/block_builder.h"
#include "profile/recorder.h"
#include "tests/ui/shown_text.h"
#include "tests/ui/trace/shown_trace.h"
#include "ui/widgets/data_table.h"

#include <QLabel>

namespace tilescope::ui {
namespace {

using namespace profile;

/// A program of one step of 60 cycles behind a launch of 100, of which nothing was executed.
ShownTrace::Record never_run(RunStatus status) {
    return [status](const std::string& path) -> Result<void> {
        auto recorder = Recorder::create(path, {});
        if (!recorder)
            return Failure(recorder.error());
        (*recorder)->set(TargetRecord{"ipu", "ipu2", 1, 16, 2048, 1.0e9, 6});
        (*recorder)->add(IpuRecord{0, 0, "a", 0, 0});
        (*recorder)->add(OperationRecord{0, "conv", "conv2d", -1, Phase::Forward});
        (*recorder)->add(ProgramRecord{0, -1, 0, StepKind::Execute, "conv/Convolve", 0});
        if (status == RunStatus::OutOfMemory)
            (*recorder)->add(OversizeTileRecord{0, 8, 4096, 0});
        BlockBuilder block(
            [&](std::vector<BlockPartRecord> parts) { return (*recorder)->add_block(std::move(parts)); });
        block.step(0, 0, 0, 0, 60);
        (*recorder)->add_schedule({{0, 0, 60, 0, 0, 0, 100, 0}}, {{0, 0, 0, 100, 1, 60, block.finish().id}});
        return (*recorder)->finish(status, "");
    };
}

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
    const auto [from, to] = shown.timeline().view().limits();
    EXPECT_EQ(from, 0);
    EXPECT_EQ(to, 160);
    const auto painted = shown.painted(0);
    EXPECT_NEAR(painted[static_cast<std::size_t>(analyse::TimeKind::Compute)], 60.0 / 160, 0.01);
    EXPECT_NEAR(painted[static_cast<std::size_t>(analyse::TimeKind::Host)], 100.0 / 160, 0.01);
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
