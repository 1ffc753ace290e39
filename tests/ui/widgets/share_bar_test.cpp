// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/cut_text.h"
#include "ui/widgets/share_bar.h"

#include <QAccessible>
#include <QImage>
#include <QSignalSpy>
#include <QTest>
#include <algorithm>
#include <gtest/gtest.h>
#include <vector>

namespace tilescope::ui {
namespace {

using Part = ShareBar::Part;

QString key(const char* name) {
    return QLatin1String(name);
}

/// 60, 39.9 and 0.1 of 100, of a base that has 50, 49.9 and 0.1.
std::vector<Part> parts() {
    return {{key("compute"), &Theme::compute, 600, key("60.0 %"), 500, key("compute")},
            {key("exchange"), &Theme::exchange, 399, key("39.9 %"), 499, key("exchange")},
            {key("none"), &Theme::host, 0, key("0"), 0, key("none")},
            {key("sync"), &Theme::sync, 1, key("0.1 %"), 1, key("sync")}};
}

/// Pixels of a line of it, in its colours.
std::vector<QColor> line(ShareBar& bar, int y) {
    QImage image(bar.size(), QImage::Format_RGB32);
    image.fill(Qt::white);
    bar.render(&image, {}, {}, QWidget::DrawChildren); // no background
    std::vector<QColor> all;
    all.reserve(static_cast<std::size_t>(image.width()));
    for (int x = 0; x < image.width(); ++x)
        all.push_back(image.pixelColor(x, y));
    return all;
}

long count(const std::vector<QColor>& line, const QColor& color) {
    return std::count(line.begin(), line.end(), color);
}

} // namespace

TEST(ShareBar, PartsHaveAPixelBetweenThemAndWhatIsNarrowIsThere) {
    ShareBar bar;
    bar.setParts(parts());
    bar.resize(500, bar.sizeHint().height());
    const auto pixels = line(bar, 10);
    const Theme& theme = Theme::light();
    EXPECT_EQ(count(pixels, theme.compute), 299) << "300 less the pixel between the two";
    EXPECT_NEAR(static_cast<double>(count(pixels, theme.exchange)), 198, 1.1);
    EXPECT_EQ(pixels[299], QColor(Qt::white));
    EXPECT_NE(pixels[499], theme.exchange) << "half a pixel of sync is drawn as one";
}

TEST(ShareBar, WhatHasChangedByMoreThanAPointIsJoinedBetweenTheBars) {
    ShareBar bar;
    bar.setParts(parts(), key("new"), key("base"));
    bar.resize(500, bar.sizeHint().height());
    const auto between = line(bar, 24);
    EXPECT_GT(std::count_if(between.begin() + 60, between.end(),
                            [](const QColor& color) { return color != QColor(Qt::white); }),
              400);
    auto same = parts();
    for (Part& part : same)
        part.base = part.value;
    same[0].base -= 9; // less than a point
    bar.setParts(same, key("new"), key("base"));
    EXPECT_EQ(count(line(bar, 24), Qt::white), 500);
}

TEST(ShareBar, APartIsChosenByItsBarItsNameOrItsKeys) {
    ShareBar bar;
    bar.setParts(parts());
    bar.resize(500, bar.sizeHint().height());
    bar.show();
    bar.activateWindow();
    ASSERT_TRUE(QTest::qWaitForWindowActive(&bar));
    QSignalSpy chosen(&bar, &ShareBar::partChosen);
    QTest::mouseClick(&bar, Qt::LeftButton, {}, {400, 10});
    EXPECT_EQ(chosen.size(), 0) << "it only tells, until it is asked to lead somewhere";
    EXPECT_EQ(bar.focusPolicy(), Qt::NoFocus);
    bar.setChoosing(key("Sort by it"));
    QTest::mouseClick(&bar, Qt::LeftButton, {}, {400, 10});
    ASSERT_EQ(chosen.size(), 1);
    EXPECT_EQ(chosen[0][0].toString(), key("exchange"));
    QTest::mouseClick(&bar, Qt::LeftButton, {}, bar.part(0).rect.center());
    EXPECT_EQ(chosen.last()[0].toString(), key("compute"));
    bar.setFocus();
    QTest::keyClick(&bar, Qt::Key_Right);
    QTest::keyClick(&bar, Qt::Key_Right);
    QTest::keyClick(&bar, Qt::Key_Return);
    EXPECT_EQ(chosen.last()[0].toString(), key("sync")) << "what is none has no name in the legend";
    EXPECT_EQ(bar.partCount(), 3);
    EXPECT_EQ(bar.part(2).role, QAccessible::Link);
    EXPECT_EQ(bar.focusedPart(), 2);
}

TEST(ShareBar, NamesOfTwoBarsStandInFull) {
    const QStringList names{QStringLiteral("a/new"), QStringLiteral("b/new"), QStringLiteral("c/new"),
                            QStringLiteral("n96"),   QStringLiteral("wide"),  QStringLiteral("mill"),
                            QStringLiteral("run 7"), QStringLiteral("keras")};
    for (const QString& now : names)
        for (const QString& base : names) {
            ShareBar bar;
            bar.setParts({{QStringLiteral("compute"), &Theme::compute, 3, QStringLiteral("3"), 2}}, now,
                         base);
            bar.resize(400, bar.sizeHint().height());
            QStringList drawn;
            for (const tests::DrawnText& text : tests::drawn_texts(bar))
                drawn << text.text;
            EXPECT_TRUE(drawn.contains(now) && drawn.contains(base))
                << now.toStdString() << " and " << base.toStdString() << " are "
                << drawn.join(QStringLiteral(", ")).toStdString();
        }
}

} // namespace tilescope::ui
