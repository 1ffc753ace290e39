// SPDX-License-Identifier: GPL-3.0-or-later
#include "build_paths.h"
#include "frame_fixture.h"
#include "tests/ui/cut_text.h"
#include "ui/theme/application_font.h"
#include "ui/theme/theme.h"

#include <QProcess>

namespace tilescope::ui {
namespace {

/// A run of a pipeline of two stages, and another to compare it with, by the program itself.
class LargerText : public testing::TestWithParam<const char*> {
  protected:
    static void SetUpTestSuite() {
        folder = std::make_unique<tests::TemporaryFolder>();
        for (const char* sample : {"keras_mnist_faster", "keras_mnist_pipelined"}) {
            QProcess program;
            program.start(QStringLiteral(TILESCOPE_BIN_DIR "/tilescope"),
                          {QStringLiteral("profile"),
                           QStringLiteral(TILESCOPE_SOURCE_DIR "/samples/%1.json").arg(QLatin1String(sample)),
                           QStringLiteral("-o"), path(sample), QStringLiteral("--estimate")});
            ASSERT_TRUE(program.waitForFinished(120'000));
            ASSERT_EQ(program.exitCode(), 0) << program.readAllStandardError().toStdString();
        }
    }
    static void TearDownTestSuite() { folder.reset(); }
    LargerText() {
        QSettings().clear();
        applyFont(*qApp, {}, 150);
    }
    ~LargerText() override { applyFont(*qApp, {}, 100); }
    static QString path(const char* sample) {
        return QString::fromStdString(*folder / (std::string(sample) + ".tilescope"));
    }

    static std::unique_ptr<tests::TemporaryFolder> folder;
};

std::unique_ptr<tests::TemporaryFolder> LargerText::folder;

TEST_P(LargerText, IsNotCut) {
    MainWindow window;
    window.resize(1440, 900);
    window.show();
    window.openFile(path("keras_mnist_faster"));
    window.openFile(path("keras_mnist_pipelined"));
    window.setBase(0);
    ASSERT_TRUE(window.showView(QString::fromLatin1(GetParam())));
    ASSERT_TRUE(QTest::qWaitFor([&] { return window.pendingQueries() == 0; }, 60000));
    QTest::qWait(50);
    EXPECT_LE(window.width(), 1440);
    const QStringList cut =
        tests::cut_texts(window, {QStringLiteral("GraphCanvas"), QStringLiteral("SystemCanvas"),
                                  QStringLiteral("TimelineWidget")});
    EXPECT_TRUE(cut.isEmpty()) << cut.join(u'\n').toStdString();
}

INSTANTIATE_TEST_SUITE_P(OfEachView, LargerText,
                         testing::Values("summary", "insights", "memory", "liveness", "graph", "program",
                                         "operations", "trace", "pipeline", "sharding", "exchange", "compile",
                                         "query", "live", "compare"),
                         [](const auto& view) { return std::string(view.param); });

} // namespace
} // namespace tilescope::ui
