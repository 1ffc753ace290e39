// SPDX-License-Identifier: GPL-3.0-or-later
// What views say of a run that has not got as far as what they show.
#include "profile/recorder.h"
#include "tests/temporary_folder.h"
#include "tests/ui/shown_text.h"
#include "ui/session/view.h"
#include "ui/timeline/timeline_widget.h"
#include "ui/widgets/nothing_yet.h"
#include "ui/window/main_window.h"

#include <QSettings>
#include <QTest>
#include <gtest/gtest.h>
#include <unistd.h>

namespace tilescope::ui {
namespace {

using profile::RunActivity;
using profile::RunStatus;

QString told(RunStatus status, const profile::ProgressRecord& progress, const char* error = "") {
    profile::RunRecord run;
    run.status = status;
    run.error = error;
    return nothingYetText(run, progress, QStringLiteral("Graph"));
}

TEST(NothingYet, SaysWhichPassTheCompilerIsAtAndWhatComesAfter) {
    EXPECT_EQ(told(RunStatus::Running, {RunActivity::Compile, 0, 3, 15, 21, 12300}),
              QStringLiteral("Compiling: pass 16 of 21, 12.3 s so far. The view Graph appears after "
                             "the last one."));
    EXPECT_EQ(told(RunStatus::Running, {RunActivity::Prepare, 0, 0, 0, 0, 0}),
              QStringLiteral("The run is being prepared. The view Graph appears once it is compiled."));
}

TEST(NothingYet, SaysHowARunEndedBeforeItWasCompiled) {
    EXPECT_EQ(told(RunStatus::Failed, {RunActivity::Compile, 0, 3, 15, 21, 12300}, "no <such> operator"),
              QStringLiteral("Nothing was compiled: no <such> operator. Summary has how the run ended."));
    EXPECT_EQ(told(RunStatus::Cancelled, {RunActivity::Compile, 0, 3, 15, 21, 12300}),
              QStringLiteral("Nothing was compiled: cancelled. Summary has how the run ended."));
}

TEST(NothingYet, SaysNothingOfARunThatHasGotFurther) {
    EXPECT_EQ(told(RunStatus::Running, {RunActivity::Train, 0, 3, 15, 21, 12300}), QString());
    EXPECT_EQ(told(RunStatus::Complete, {RunActivity::Compile, 0, 3, 15, 21, 12300}), QString());
}

TEST(NothingYet, AllViewsOfAProgramSayItInTheSameWords) {
    QSettings().clear();
    const tests::TemporaryFolder folder;
    profile::RunRecord run;
    run.name = "slow";
    run.device = profile::RunDevice::Ipu;
    run.pid = getpid();
    auto recorder = profile::Recorder::create(folder / "run.tilescope", run);
    ASSERT_TRUE(recorder) << recorder.error().line();
    (*recorder)->set(profile::TargetRecord{"pod4", "ipu2", 1, 1472, 638976, 1.33e9, 6});
    (*recorder)->set(profile::ProgressRecord{RunActivity::Compile, 0, 2, 15, 21, 12300});
    (*recorder)->flush();
    MainWindow window;
    window.show();
    window.openFile(QString::fromStdString(folder / "run.tilescope"));
    const QString words = QStringLiteral("Compiling: pass 16 of 21, 12.3 s so far.");
    for (const char* id : {"memory", "liveness", "program", "operations", "trace", "pipeline", "sharding",
                           "exchange", "compile"}) {
        window.showView(QLatin1String(id));
        ASSERT_TRUE(QTest::qWaitFor([&] { return window.atRest(); }, 20000)) << id;
        const auto views = window.findChildren<View*>();
        const auto shown =
            std::find_if(views.begin(), views.end(), [](const View* view) { return view->isVisible(); });
        ASSERT_NE(shown, views.end()) << id;
        const auto* timeline = (*shown)->findChild<TimelineWidget*>();
        const QString text = timeline != nullptr && timeline->isVisible() ? timeline->emptyText() : QString();
        EXPECT_TRUE(text.contains(words) || tests::shows(**shown, words)) << id;
    }
    ASSERT_TRUE((*recorder)->finish(RunStatus::Complete, ""));
}

} // namespace
} // namespace tilescope::ui
