// SPDX-License-Identifier: GPL-3.0-or-later
#include "profile/recorder.h"
#include "tests/temporary_folder.h"
#include "tests/ui/shown_text.h"
#include "ui/widgets/data_table.h"
#include "ui/window/main_window.h"

#include <QApplication>
#include <QLabel>
#include <QTableView>
#include <QTest>
#include <gtest/gtest.h>

namespace tilescope::ui {
namespace {

using namespace profile;
using Values = std::vector<std::int64_t>;

constexpr std::int64_t ipus = 16;
constexpr std::int64_t tiles = 8;

/// Sixteen IPUs of eight tiles of 10,000 bytes. Tile 5 of IPU 11 must hold the most, 9,000 bytes with gaps;
/// tile 3 of IPU 2 has more live at once (8,500), but ends at 8,600. On the former, "weights" of 1,000 bytes
/// are always live, "activations" of 6,000 live in steps 2 to 4, "mask" of 500 in steps 3 and 4, and
/// "gradients", of 6,400, in step 5 alone: 7,500 at the peak, step 3, for which "activations" are the reason.
Result<void> record_run(const std::string& path) {
    auto recorder = Recorder::create(path, RunRecord{});
    if (!recorder)
        return Failure(recorder.error());
    Recorder& r = **recorder;
    r.set(TargetRecord{"pod16", "ipu2", ipus, tiles, 10'000, 1e9, 6});
    r.add(ProgramRecord{0, -1, 0, StepKind::Sequence, "main"});
    for (std::int64_t step = 0; step < 6; ++step)
        r.add(ProgramRecord{step + 1, 0, step, StepKind::Execute, "step " + std::to_string(step), -1, -1, -1,
                            1, step});
    std::int64_t id = 0;
    for (std::int64_t ipu = 0; ipu < ipus; ++ipu) {
        r.add(IpuRecord{ipu, ipu, "", 0, ipu, ipu});
        Values live(tiles, 1000), with_gaps(tiles, 1000);
        const auto hold = [&](const char* name, std::int64_t tile, std::int64_t bytes, std::int64_t from,
                              std::int64_t to) {
            VariableRecord v;
            v.id = id++;
            v.name = name;
            v.ipu = ipu;
            v.bytes = bytes;
            v.always_live = from < 0;
            v.live_from = from;
            v.live_to = to;
            r.add(v);
            Values by_tile(tiles, 0);
            by_tile[static_cast<std::size_t>(tile)] = bytes;
            r.add_tile_values("variable", v.id, ipu, "bytes", by_tile);
        };
        if (ipu == 11) {
            live[5] = 7500;
            with_gaps[5] = 9000;
            hold("weights", 5, 1000, -1, -1);
            hold("gradients", 5, 6400, 5, 5);
            hold("activations", 5, 6000, 2, 4);
            hold("mask", 5, 500, 3, 4);
        } else if (ipu == 2) {
            live[3] = 8500;
            with_gaps[3] = 8600;
        }
        r.add_tile_values("memory", 0, ipu, "total", live);
        r.add_tile_values("memory", 0, ipu, "total_with_gaps", with_gaps);
        r.add_tile_values("memory", 0, ipu, "always_live", Values(tiles, 1000));
        r.add(LivenessSpanRecord{ipu, 0, 6, 8000, 0, 1000});
    }
    return r.finish(RunStatus::Complete);
}

/// By keys alone, from any view: the fullest tile of 16 IPUs, and the variable that fills it at its peak.
TEST(Story, TheFullestTileOfSixteenIpusAndTheVariableThatFillsIt) {
    const tests::TemporaryFolder folder;
    ASSERT_TRUE(record_run(folder / "run.tilescope"));
    MainWindow window;
    window.resize(1440, 900);
    window.show();
    window.openFile(QString::fromStdString(folder / "run.tilescope"));
    window.activateWindow();
    ASSERT_TRUE(QTest::qWaitForWindowActive(&window));
    const auto settle = [&] {
        QTest::qWait(20);
        ASSERT_TRUE(QTest::qWaitFor([&] { return window.atRest(); }, 20000));
        QTest::qWait(20);
    };
    settle();
    QTest::keySequence(QApplication::focusWidget(), QKeySequence(Qt::CTRL | Qt::Key_3));
    settle();
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_X);
    settle();
    const auto* headline = window.findChild<QLabel*>(QStringLiteral("memoryHeadline"));
    ASSERT_NE(headline, nullptr);
    ASSERT_TRUE(headline->isVisible());
    EXPECT_TRUE(tests::as_read(headline->text())
                    .contains(QStringLiteral("<b>IPU 11 tile 5</b> is the fullest of the run")))
        << headline->text().toStdString();
    EXPECT_TRUE(tests::as_read(headline->text()).contains(QStringLiteral("(90.0 %)")));
    auto* table = window.findChild<DataTable*>(QStringLiteral("tileVariables"));
    ASSERT_NE(table, nullptr);
    ASSERT_TRUE(table->isVisible());
    const QAbstractItemModel* model = table->view()->model();
    ASSERT_EQ(model->rowCount(), 3); // not the gradients, which are larger and live later
    EXPECT_EQ(model->index(0, 0).data().toString(), QStringLiteral("activations"));
    QString caption;
    for (const QLabel* label : table->findChildren<QLabel*>())
        caption += tests::as_read(label->text());
    EXPECT_TRUE(caption.contains(QStringLiteral(
        "Live on IPU 11 tile 5 at its peak step, 3 (step 3): 3 variables, which add up to 7.32 KiB")))
        << caption.toStdString();
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_PageDown, Qt::ControlModifier); // on to the vertices
    settle();
    EXPECT_FALSE(table->isVisible());
}

} // namespace
} // namespace tilescope::ui
