// SPDX-License-Identifier: GPL-3.0-or-later
#include "build_paths.h"
#include "tests/profile_fixture.h"
#include "tests/temporary_folder.h"
#include "tests/ui/shown_text.h"
#include "ui/window/main_window.h"

#include <QComboBox>
#include <QProcess>
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
        ASSERT_TRUE(QTest::qWaitFor([&] { return window.atRest(); }, 20'000));
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
        window.close();
    }
    MainWindow again;
    again.show();
    again.reopenLastFiles();
    ASSERT_TRUE(QTest::qWaitFor([&] { return again.atRest(); }, 20'000));
    EXPECT_EQ(box(again).currentText(), QStringLiteral("per execution"));
    again.showView(QStringLiteral("program"));
    EXPECT_TRUE(comes_to_show(again, QStringLiteral("elapsed per execution")));
}

TEST_F(BasisChooser, EachFileKeepsItsOwnAndANewOneHasThatOfTheSettings) {
    const std::string other = folder_ / "other.tilescope";
    ASSERT_TRUE(tests::record_fixture(other));
    const auto settled = [](const MainWindow& window) {
        return QTest::qWaitFor([&] { return window.atRest(); }, 20'000);
    };
    MainWindow window;
    open(window);
    QTest::keyClick(&window, Qt::Key_U);
    EXPECT_EQ(box(window).currentText(), QStringLiteral("per micro-batch"));
    window.openFile(QString::fromStdString(other));
    ASSERT_TRUE(settled(window));
    EXPECT_EQ(box(window).currentText(), QStringLiteral("per step (usual)"));
    window.openFile(QString::fromStdString(path_));
    ASSERT_TRUE(settled(window));
    EXPECT_EQ(box(window).currentText(), QStringLiteral("per micro-batch"));
    QSettings().setValue(QStringLiteral("window/basis"), QStringLiteral("execution"));
    const std::string third = folder_ / "third.tilescope";
    ASSERT_TRUE(tests::record_fixture(third));
    window.openFile(QString::fromStdString(third));
    ASSERT_TRUE(settled(window));
    EXPECT_EQ(box(window).currentText(), QStringLiteral("per execution"));
    window.openFile(QString::fromStdString(other));
    ASSERT_TRUE(settled(window));
    EXPECT_EQ(box(window).currentText(), QStringLiteral("per step (usual)"));
}

/// Of a pipeline with a plain run as its base, each of which has another usual basis.
TEST_F(BasisChooser, IsTheSameForAllViewsOfTwoFiles) {
    for (const char* sample : {"keras_mnist_faster", "keras_mnist_pipelined"}) {
        QProcess program;
        program.start(QStringLiteral(TILESCOPE_BIN_DIR "/tilescope"),
                      {QStringLiteral("profile"),
                       QStringLiteral(TILESCOPE_SOURCE_DIR "/samples/%1.json").arg(QLatin1String(sample)),
                       QStringLiteral("-o"), QString::fromStdString(folder_ / sample),
                       QStringLiteral("--estimate")});
        ASSERT_TRUE(program.waitForFinished(120'000));
        ASSERT_EQ(program.exitCode(), 0) << program.readAllStandardError().toStdString();
    }
    MainWindow window;
    window.show();
    window.openFile(QString::fromStdString(folder_ / "keras_mnist_faster"));
    window.openFile(QString::fromStdString(folder_ / "keras_mnist_pipelined"));
    const auto settled = [&] { return QTest::qWaitFor([&] { return window.atRest(); }, 60'000); };
    ASSERT_TRUE(settled());
    EXPECT_EQ(box(window).currentText(), QStringLiteral("per weight update (usual)")) << "of one file";
    window.setBase(0);
    ASSERT_TRUE(settled());
    EXPECT_EQ(box(window).currentText(), QStringLiteral("per micro-batch (usual)"));
    for (const char* view :
         {"summary", "graph", "program", "operations", "sharding", "exchange", "compare"}) {
        ASSERT_TRUE(window.showView(QLatin1String(view)));
        ASSERT_TRUE(settled());
        EXPECT_TRUE(comes_to_show(window, QStringLiteral("per micro-batch"))) << view;
        for (const View* shown : window.findChildren<View*>())
            for (const QString& text : shown->isVisible() ? tests::shown_texts(*shown) : QStringList())
                EXPECT_FALSE(text.contains(QStringLiteral("per weight update")))
                    << view << ": " << text.toStdString();
    }
    window.setShowing(Showing::New);
    ASSERT_TRUE(settled());
    EXPECT_EQ(box(window).currentText(), QStringLiteral("per micro-batch (usual)"))
        << "Compare shows both all the same";
    window.showView(QStringLiteral("operations"));
    ASSERT_TRUE(settled());
    EXPECT_EQ(box(window).currentText(), QStringLiteral("per weight update (usual)"));
}

} // namespace
} // namespace tilescope::ui
