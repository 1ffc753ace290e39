// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/profile_fixture.h"
#include "tests/temporary_folder.h"
#include "tests/ui/shown_text.h"
#include "ui/window/main_window.h"

#include <QComboBox>
#include <QSettings>
#include <gtest/gtest.h>

namespace tilescope::ui {
namespace {

using tests::comes_to_show;

class BasisChooser : public testing::Test {
  protected:
    void SetUp() override {
        QSettings().clear();
        path_ = folder_ / "run.tilescope";
        ASSERT_TRUE(tests::record_fixture(path_));
    }
    void TearDown() override { QSettings().clear(); }
    static QComboBox& box(const MainWindow& window) {
        return *window.findChild<QComboBox*>(QStringLiteral("basis"));
    }
    void open(MainWindow& window) const {
        window.show();
        window.openFile(QString::fromStdString(path_));
        ASSERT_TRUE(QTest::qWaitFor([&] { return window.pendingQueries() == 0; }, 20'000));
    }
    tests::TemporaryFolder folder_;
    std::string path_;
};

TEST_F(BasisChooser, OffersWhatTheFileHasAndIsRemembered) {
    {
        MainWindow window;
        EXPECT_TRUE(box(window).isHidden()) << "no file is open";
        open(window);
        ASSERT_TRUE(box(window).isVisible());
        EXPECT_EQ(box(window).currentText(), QStringLiteral("per step (usual)"));
        EXPECT_EQ(box(window).count(), 1 + 4) << "a training has all of them";
        window.showView(QStringLiteral("program"));
        EXPECT_TRUE(comes_to_show(window, QStringLiteral("elapsed per step")));
        QTest::keyClick(&window, Qt::Key_U);
        EXPECT_EQ(box(window).currentText(), QStringLiteral("per micro-batch"));
        EXPECT_TRUE(comes_to_show(window, QStringLiteral("elapsed per micro-batch")));
        box(window).setCurrentIndex(4);
        Q_EMIT box(window).activated(4);
        EXPECT_TRUE(comes_to_show(window, QStringLiteral("elapsed per execution")));
        window.showView(QStringLiteral("summary"));
        EXPECT_TRUE(comes_to_show(window, QStringLiteral("per execution; shares")));
    }
    MainWindow again;
    open(again);
    EXPECT_EQ(box(again).currentText(), QStringLiteral("per execution"));
    again.showView(QStringLiteral("program"));
    EXPECT_TRUE(comes_to_show(again, QStringLiteral("elapsed per execution")));
}

} // namespace
} // namespace tilescope::ui
