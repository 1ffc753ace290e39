// SPDX-License-Identifier: GPL-3.0-or-later
#include "frame_fixture.h"
#include "ui/runs/runs_view.h"
#include "ui/window/grab_views.h"

#include <QFileInfo>

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

} // namespace tilescope::ui
