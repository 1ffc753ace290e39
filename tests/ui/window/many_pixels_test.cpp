// SPDX-License-Identifier: GPL-3.0-or-later
#include "build_paths.h"
#include "tests/profile_fixture.h"
#include "tests/temporary_folder.h"

#include <QImage>
#include <QProcess>
#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>

namespace tilescope::ui {
namespace {

/// What is drawn at a size in pixels instead of in points, or kept as a picture of the wrong size, would be
/// half as large or lie elsewhere.
TEST(ManyPixels, AtTwiceAsManyEveryViewHasTheSameInTheSamePlaces) {
    const tests::TemporaryFolder folder;
    ASSERT_TRUE(tests::record_fixture(folder / "run.tilescope"));
    for (const char* scale : {"1", "2"}) {
        QProcess grab;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(QStringLiteral("HOME"), QString::fromStdString(folder.path()));
        environment.insert(QStringLiteral("XDG_CONFIG_HOME"), QString::fromStdString(folder / "config"));
        environment.insert(QStringLiteral("QT_SCALE_FACTOR"), QLatin1String(scale));
        grab.setProcessEnvironment(environment);
        grab.start(QStringLiteral(TILESCOPE_BIN_DIR "/tilescope-gui"),
                   {QString::fromStdString(folder / "run.tilescope"), QStringLiteral("--size"),
                    QStringLiteral("1000x700"), QStringLiteral("--theme"), QStringLiteral("light"),
                    QStringLiteral("--grab"), QString::fromStdString(folder / scale)});
        ASSERT_TRUE(grab.waitForFinished(200'000));
        ASSERT_EQ(grab.exitCode(), 0) << grab.readAllStandardError().toStdString();
    }
    int views = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder / "1")) {
        const std::string name = entry.path().filename().string();
        const QImage one(QString::fromStdString(entry.path().string()));
        const QImage two(QString::fromStdString(folder / "2/" + name));
        ASSERT_EQ(two.size(), one.size() * 2) << name;
        constexpr int block = 50; // large enough for letters to be drawn a little differently in it
        const auto blocks = [&](const QImage& image) {
            return image.scaled(one.width() / block, one.height() / block, Qt::IgnoreAspectRatio,
                                Qt::SmoothTransformation);
        };
        const QImage of_one = blocks(one);
        const QImage of_two = blocks(two);
        int most = 0;
        QPoint where;
        for (int y = 0; y < of_one.height(); ++y)
            for (int x = 0; x < of_one.width(); ++x)
                if (const int by = std::abs(qGray(of_one.pixel(x, y)) - qGray(of_two.pixel(x, y)));
                    by > most) {
                    most = by;
                    where = QPoint(x, y) * block;
                }
        constexpr int noticed = 12; // of 255
        EXPECT_LT(most, noticed) << name << " at " << where.x() << ", " << where.y();
        ++views;
    }
    EXPECT_EQ(views, 16);
}

} // namespace
} // namespace tilescope::ui
