// SPDX-License-Identifier: GPL-3.0-or-later
#include "build_paths.h"
#include "frame_fixture.h"
#include "ui/theme/application_font.h"

#include <QProcess>
#include <string>

namespace tilescope::ui {

/// The smallest window that the views are made for, with larger text.
struct SmallWindow : Frame {
    SmallWindow() {
        applyFont(*qApp, {}, 150);
        window = std::make_unique<MainWindow>();
        window->resize(1000, 700);
    }
    ~SmallWindow() override { applyFont(*qApp, {}, 100); }
    QString profile(const std::string& sample) const {
        QString file = path((sample + ".tilescope").c_str());
        QProcess program;
        program.start(QStringLiteral(TILESCOPE_BIN_DIR "/tilescope"),
                      {QStringLiteral("profile"),
                       QString::fromStdString(TILESCOPE_SOURCE_DIR "/samples/" + sample + ".json"),
                       QStringLiteral("--estimate"), QStringLiteral("-o"), file});
        EXPECT_TRUE(program.waitForFinished(120'000));
        EXPECT_EQ(program.exitCode(), 0) << program.readAllStandardError().toStdString();
        return file;
    }
};

/// In the order in which the program does it that is asked to compare them.
TEST_F(SmallWindow, StaysAsSmallWhileFilesAreCompared) {
    const QStringList files{profile("keras_mnist"), profile("keras_mnist_faster")};
    for (const QString& file : files)
        window->openFile(file);
    settle();
    window->compare(files);
    window->show();
    settle();
    EXPECT_EQ(window->width(), 1000) << "when it is shown";
    for (const QString& id : window->viewIds()) {
        window->showView(id);
        settle();
        QTest::qWait(20);
        EXPECT_EQ(window->width(), 1000) << id.toStdString();
    }
}

TEST_F(SmallWindow, IsNotWidenedByASentenceInThePlaceOfAView) {
    window->show();
    open("first.tilescope"); // which has no findings
    window->showView(QStringLiteral("insights"));
    settle();
    QTest::qWait(20);
    EXPECT_EQ(window->width(), 1000);
}

} // namespace tilescope::ui
