// SPDX-License-Identifier: GPL-3.0-or-later
#include "frame_fixture.h"
#include "ui/runs/runs_view.h"
#include "ui/window/grab_views.h"

#include <QFileInfo>
#include <QProcess>

namespace tilescope::ui {

TEST_F(Frame, AViewWhosePictureIsNotFinishedIsNamed) {
    window->openFile(path("first.tilescope"));
    const auto saved = grabViews(*window, path("pictures"), 0); // no view is ready at once
    ASSERT_FALSE(saved);
    EXPECT_EQ(saved.error().kind, ErrorKind::System);
    EXPECT_NE(saved.error().message.find(": summary, insights, memory, "), std::string::npos)
        << saved.error().message;
    EXPECT_TRUE(QFileInfo::exists(path("pictures/summary.png"))) << "how far it was";
}

TEST_F(Frame, APictureOfRunsWaitsForItsReader) {
    window->openFile(QString::fromStdString(folder.path().string()));
    const auto* runs = window->findChild<RunsView*>();
    ASSERT_EQ(view(), QStringLiteral("runs"));
    ASSERT_TRUE(runs->reading());
    EXPECT_FALSE(window->atRest());
    EXPECT_TRUE(ui::settle(*window));
    EXPECT_FALSE(runs->reading());
}

#ifdef Q_OS_UNIX
/// As on a machine that is busy with other things: most of the time neither the window nor its readers run.
TEST_F(Frame, APictureWaitsForTheReadersOfAMachineThatIsBusy) {
    ASSERT_TRUE(tests::record_fixture(folder / "large.tilescope", tests::large_fixture));
    QProcess others;
    others.start(QStringLiteral("/bin/sh"),
                 {QStringLiteral("-c"),
                  QStringLiteral("for turn in $(seq 24); do kill -STOP $0; sleep 0.35; "
                                 "kill -CONT $0; sleep 0.03; done"),
                  QString::number(QCoreApplication::applicationPid())});
    ASSERT_TRUE(others.waitForStarted());
    window->openFile(path("large.tilescope"));
    EXPECT_TRUE(ui::settle(*window));
    EXPECT_TRUE(window->atRest());
    for (const char* view : {"memory", "liveness", "graph", "program", "operations", "trace"}) {
        window->showView(QLatin1String(view));
        EXPECT_TRUE(ui::settle(*window));
        EXPECT_TRUE(window->atRest()) << view;
    }
    EXPECT_TRUE(others.state() == QProcess::NotRunning || others.waitForFinished());
}
#endif

} // namespace tilescope::ui
