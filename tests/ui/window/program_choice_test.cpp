// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/device_program.h"
#include "build_paths.h"
#include "tests/runs_scripts.h"
#include "tests/temporary_folder.h"
#include "tests/ui/shown_text.h"
#include "ui/program/program_view.h"
#include "ui/session/format.h"
#include "ui/window/main_window.h"

#include <QComboBox>
#include <QLabel>
#include <QProcess>
#include <QSettings>
#include <QTreeView>
#include <gtest/gtest.h>

namespace tilescope::ui {
namespace {

using tests::comes_to_show;

/// A real script that trains, evaluates, predicts, and trains again with longer engine runs.
class ProgramChoice : public testing::Test {
  protected:
    static void SetUpTestSuite() {
        if (!tests::runs_scripts())
            return;
        folder = std::make_unique<tests::TemporaryFolder>();
        QProcess run;
        run.start(QStringLiteral(TILESCOPE_BIN_DIR "/tilescope"),
                  {QStringLiteral("run"), QStringLiteral("-o"), path(),
                   QStringLiteral(TILESCOPE_SOURCE_DIR "/tests/app/scripts/programs.py")});
        ASSERT_TRUE(run.waitForFinished(120'000));
        ASSERT_EQ(run.exitCode(), 0) << run.readAllStandardError().toStdString();
    }
    static void TearDownTestSuite() { folder.reset(); }
    void SetUp() override {
        if (!folder)
            GTEST_SKIP() << "this build has no Python";
        QSettings().clear();
        setUnits({.cycles = true});
    }
    void TearDown() override {
        QSettings().clear();
        setUnits({});
    }
    static QString path() { return QString::fromStdString(*folder / "run.tilescope"); }
    static QComboBox& box(const MainWindow& window) {
        return *window.findChild<QComboBox*>(QStringLiteral("deviceProgram"));
    }
    static QString head(const MainWindow& window) {
        return window.findChild<QLabel*>(QStringLiteral("programHead"))->text();
    }
    static void open(MainWindow& window) {
        window.show();
        window.openFile(path());
        settle(window);
    }
    static void settle(const MainWindow& window) {
        ASSERT_TRUE(QTest::qWaitFor([&] { return window.atRest(); }, 20'000));
        QTest::qWait(1);
    }
    static const ProgramTree& tree(const MainWindow& window) {
        return window.findChild<ProgramView*>()->model().tree();
    }
    static std::unique_ptr<tests::TemporaryFolder> folder;
};

std::unique_ptr<tests::TemporaryFolder> ProgramChoice::folder;

TEST_F(ProgramChoice, IsReachedByKeysRememberedAndToldByTheHeadOfEachView) {
    {
        MainWindow window;
        EXPECT_TRUE(box(window).isHidden()) << "no file is open";
        open(window);
        ASSERT_TRUE(box(window).isVisible());
        QStringList names;
        for (int i = 0; i < box(window).count(); ++i)
            names << box(window).itemText(i).section(QLatin1Char(':'), 0, 0);
        EXPECT_EQ(names.join(QStringLiteral(", ")).toStdString(),
                  "training, evaluation, inference, training 2");
        window.showView(QStringLiteral("memory"));
        EXPECT_EQ(head(window), QStringLiteral("training, 1 of 4"));
        QTest::keyClick(&window, Qt::Key_U, Qt::ShiftModifier);
        EXPECT_EQ(head(window), QStringLiteral("training, 1 of 4; not recorded of evaluation"));
        window.showView(QStringLiteral("trace"));
        EXPECT_EQ(head(window), QString()) << "it has the engine runs of all of them";
        window.showView(QStringLiteral("program"));
        EXPECT_EQ(head(window), QStringLiteral("evaluation, 2 of 4"));
        EXPECT_TRUE(comes_to_show(window, QStringLiteral("evaluation: sequential (2 of 4 programs): ")));
        EXPECT_EQ(tree(window).program.name, "evaluation");
        EXPECT_FALSE(tests::shows(window, QStringLiteral("dense/MatMul/weights_grad")));
    }
    MainWindow again;
    open(again);
    EXPECT_EQ(box(again).currentIndex(), 1);
    again.showView(QStringLiteral("program"));
    EXPECT_TRUE(comes_to_show(again, QStringLiteral("evaluation: sequential (2 of 4 programs): ")));
}

// The tree is played through by its own clock, the engine runs were recorded by another: what is between them
// is what launching an engine run takes, the same for all programs.
TEST_F(ProgramChoice, TheTreeOfEachProgramTakesAsLongAsItsEngineRuns) {
    const auto file = std::move(*profile::Profile::open(path().toStdString()));
    const auto programs = analyse::read_device_programs(*file).value();
    ASSERT_EQ(programs.size(), 4U);
    const auto groups = file->execution_groups().value();
    const auto spans = file->schedule_spans().value();
    const std::int64_t runs[] = {4, 2, 2, 1}, batches[] = {16, 8, 8, 8};
    for (const analyse::DeviceProgram& program : programs) {
        const auto tree = ProgramTree::read(*file, program.key).value();
        ASSERT_EQ(tree.program.id, program.id);
        const auto place = static_cast<std::size_t>(program.id);
        EXPECT_EQ(program.ran->executions, runs[place]) << program.key;
        EXPECT_EQ(program.ran->steps, batches[place]) << program.key;
        for (const auto& span : spans)
            if (span.device_program_id == program.id) {
                EXPECT_EQ(tree.launch_cycles, span.first_step_cycle) << program.key;
                EXPECT_EQ(tree.loops.count(analyse::Basis::Step), span.updates) << program.key;
            }
        std::int64_t cycles = 0;
        for (const auto& group : groups)
            for (const auto& span : spans)
                if (group.schedule_id == span.schedule_id && span.device_program_id == program.id)
                    cycles = group.cycles;
        EXPECT_EQ(tree.cycles_per_execution, cycles) << program.key;
        EXPECT_GT(tree.steps[tree.roots.front()].time.bytes, 0) << program.key;
    }
    // The second training does what the first one does, twice as often in an engine run.
    const auto first = ProgramTree::read(*file, "training").value();
    const auto second = ProgramTree::read(*file, "training 2").value();
    ASSERT_EQ(first.steps.size(), second.steps.size());
    for (std::size_t i = 2; i < first.steps.size(); ++i) { // below the loop
        EXPECT_EQ(second.steps[i].name, first.steps[i].name);
        EXPECT_EQ(second.steps[i].part, first.steps[i].part) << first.steps[i].name.toStdString();
        EXPECT_EQ(second.steps[i].time.elapsed, 2 * first.steps[i].time.elapsed)
            << first.steps[i].name.toStdString();
        EXPECT_EQ(second.steps[i].time.bytes, 2 * first.steps[i].time.bytes)
            << first.steps[i].name.toStdString();
        EXPECT_EQ(second.steps[i].balance, first.steps[i].balance);
    }
}

TEST_F(ProgramChoice, FollowsTheStepThatIsSelected) {
    MainWindow window;
    open(window);
    window.showView(QStringLiteral("program"));
    settle(window);
    const auto file = std::move(*profile::Profile::open(path().toStdString()));
    const auto further = file->further_steps().value();
    const auto step = std::find_if(further.begin(), further.end(), [](const auto& each) {
        return each.device_program_id == 2 && each.name == "dense/MatMul";
    });
    ASSERT_NE(step, further.end());
    const auto views = window.findChildren<ProgramView*>();
    Selection s;
    s.program = step->id;
    window.findChild<SelectionModel*>()->set(s);
    settle(window);
    EXPECT_EQ(box(window).currentIndex(), 2);
    EXPECT_EQ(tree(window).program.name, "inference");
    EXPECT_EQ(views.front()->tree().currentIndex().data().toString(), QStringLiteral("dense/MatMul"));
}

} // namespace
} // namespace tilescope::ui
