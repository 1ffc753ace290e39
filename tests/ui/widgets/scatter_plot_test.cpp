// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/cut_text.h"
#include "ui/widgets/scatter_plot.h"

#include <QAccessible>
#include <QSignalSpy>
#include <QTest>
#include <QWheelEvent>
#include <gtest/gtest.h>

namespace tilescope::ui {
namespace {

/// Runs at 0, 10, 20 … 100, each as far up.
class ScatterZoom : public testing::Test {
  protected:
    ScatterZoom() : plot(QStringLiteral("Runs"), QStringLiteral("Run")) {
        const auto axis = [](const char* title) {
            return ScatterAxis{QLatin1String(title),
                               [](double value, double) { return QString::number(value); },
                               ScatterAxis::Kind::Number};
        };
        plot.setAxes(axis("across"), axis("up"));
        std::vector<ScatterPoint> points;
        for (int i = 0; i <= 10; ++i)
            points.push_back({i, i * 10.0, i * 10.0, &Theme::accent, QString::number(i)});
        plot.setPoints(points, {});
        plot.resize(600, 400);
        plot.show();
        plot.setFocus();
        plot.grab(); // its area is known once it is painted
    }
    void wheel(const QPointF& at, int notches) {
        QWheelEvent event(at, plot.mapToGlobal(at), {}, {0, 120 * notches}, Qt::NoButton, Qt::NoModifier,
                          Qt::NoScrollPhase, false);
        QCoreApplication::sendEvent(&plot, &event);
        plot.grab();
    }
    /// What a drag over the whole plot chooses: the points that are in view.
    std::set<std::int64_t> seen() {
        QSignalSpy chosen(&plot, &ScatterPlot::chosen);
        QTest::mousePress(&plot, Qt::LeftButton, {}, {1, 1});
        QTest::mouseMove(&plot, {300, 200});
        QTest::mouseRelease(&plot, Qt::LeftButton, {}, {599, 399});
        return chosen.isEmpty() ? std::set<std::int64_t>() : chosen.last()[0].value<std::set<std::int64_t>>();
    }
    ScatterPlot plot;
};

} // namespace

TEST_F(ScatterZoom, PointsAreToldToScreenReaders) {
    const QAccessibleInterface* whole = QAccessible::queryAccessibleInterface(&plot);
    ASSERT_EQ(whole->childCount(), 11);
    EXPECT_EQ(whole->child(3)->text(QAccessible::Name), QStringLiteral("3"));
    EXPECT_FALSE(whole->child(3)->state().selected);
    plot.activateWindow();
    plot.setFocus();
    ASSERT_TRUE(QTest::qWaitFor([this] { return plot.hasFocus(); }, 2000));
    QTest::keyClick(&plot, Qt::Key_Right);
    QTest::keyClick(&plot, Qt::Key_Right);
    EXPECT_TRUE(whole->child(1)->state().selected);
    EXPECT_EQ(plot.focusedPart(), 1);
    const QPoint at = whole->child(1)->rect().center();
    EXPECT_EQ(whole->childAt(at.x(), at.y()), whole->child(1));
}

namespace {

/// The middle of what a picture has in a colour.
QPoint middleOf(const QImage& image, const QColor& color) {
    QRect found;
    for (int y = 0; y < image.height(); ++y)
        for (int x = 0; x < image.width(); ++x)
            if (image.pixelColor(x, y) == color)
                found |= QRect(x, y, 1, 1);
    return found.center();
}

} // namespace

TEST_F(ScatterZoom, WhatHasNoPlaceAlongTheAxisStandsInAStripBesideIt) {
    plot.setStrips(QStringLiteral("none"), QStringLiteral("endless"));
    plot.setPoints({{1, 10, 10, &Theme::accent, QStringLiteral("inside")},
                    {2, 100, 90, &Theme::accent, QStringLiteral("inside too")},
                    {3, 0.5, 0.5, &Theme::compute, QStringLiteral("without")},
                    {4, 0, 50, &Theme::sync, QStringLiteral("beyond")}},
                   {});
    EXPECT_FALSE(plot.toText(u'\t').contains(QStringLiteral("without\t\t"))) << "none is said to be aside";
    std::vector<ScatterPoint> points{{1, 10, 10, &Theme::accent, QStringLiteral("inside")},
                                     {2, 100, 90, &Theme::accent, QStringLiteral("inside too")},
                                     {3, 0.5, 0.5, &Theme::compute, QStringLiteral("without")},
                                     {4, 0, 50, &Theme::sync, QStringLiteral("beyond")}};
    points[2].aside = ScatterPoint::Aside::Left;
    points[3].aside = ScatterPoint::Aside::Right;
    plot.setPoints(points, {});
    const QImage image = plot.grab().toImage();
    const QPoint left = middleOf(image, Theme::light().compute), right = middleOf(image, Theme::light().sync);
    const QPoint inside = middleOf(image, Theme::light().accent); // between the two
    EXPECT_LT(left.x(), 110);
    EXPECT_GT(right.x(), 540);
    EXPECT_NEAR(right.y(), inside.y(), 2) << "50 is half way between 10 and 90";
    QSignalSpy chosen(&plot, &ScatterPlot::chosen);
    QTest::mouseClick(&plot, Qt::LeftButton, {}, left);
    ASSERT_FALSE(chosen.isEmpty());
    EXPECT_EQ(chosen.last()[0].value<std::set<std::int64_t>>(), std::set<std::int64_t>{3});
    EXPECT_TRUE(plot.toText(u'\t').contains(QStringLiteral("without\t\t\n")));
    EXPECT_TRUE(plot.toText(u'\t').contains(QStringLiteral("beyond\t\t50\n")));
}

TEST_F(ScatterZoom, NamesAndTheRoofOfWhatIsChosenArePainted) {
    std::vector<ScatterPoint> points{{1, 10, 10, &Theme::compute, QStringLiteral("low")},
                                     {2, 100, 100, &Theme::accent, QStringLiteral("high")}};
    plot.setPoints(points, {});
    const QImage plain = plot.grab().toImage();
    points[0].name = QStringLiteral("low");
    points[0].roof = 100;
    plot.setPoints(points, {});
    const QImage named = plot.grab().toImage();
    EXPECT_NE(named, plain);
    plot.setChosen({1});
    const QImage chosen = plot.grab().toImage();
    const int column = middleOf(named, Theme::light().compute).x();
    int dots = 0;
    for (int y = 0; y < chosen.height(); ++y)
        dots += chosen.pixelColor(column, y) == Theme::light().accent ? 1 : 0;
    EXPECT_GT(dots, 50) << "from the point up to its roof";
}

TEST_F(ScatterZoom, TheWheelZoomsAboutThePointerAndZeroShowsAll) {
    EXPECT_EQ(seen().size(), 11U);
    wheel({590, 10}, 5); // to a third, at the upper right corner
    const std::set<std::int64_t> corner = seen();
    EXPECT_TRUE(corner.contains(10));
    EXPECT_FALSE(corner.contains(5));
    EXPECT_LE(corner.size(), 4U);
    wheel({590, 10}, -20);
    EXPECT_EQ(seen().size(), 11U) << "no farther than all";
    wheel({590, 10}, 5);
    QTest::keyClick(&plot, Qt::Key_0);
    plot.grab();
    EXPECT_EQ(seen().size(), 11U);
    wheel({590, 10}, 5);
    QTest::mouseDClick(&plot, Qt::LeftButton, {}, {300, 395});
    plot.grab();
    EXPECT_EQ(seen().size(), 11U);
}

TEST_F(ScatterZoom, FramesWhatIsChosenAndArrowsStayInView) {
    plot.setChosen({4, 6});
    QTest::keyClick(&plot, Qt::Key_F);
    plot.grab();
    EXPECT_EQ(seen(), (std::set<std::int64_t>{4, 5, 6}));
    plot.setChosen({6});
    QTest::keyClick(&plot, Qt::Key_Right);
    plot.grab();
    EXPECT_TRUE(seen().contains(7)) << "it is brought into view";
    QTest::keyClick(&plot, Qt::Key_0);
    plot.setChosen({7});
    plot.grab();
    for (int i = 0; i < 12; ++i)
        QTest::keyClick(&plot, Qt::Key_Plus);
    plot.grab();
    EXPECT_EQ(seen(), (std::set<std::int64_t>{7})) << "keys zoom about the one that is chosen";
    plot.setChosen({});
    QTest::keyClick(&plot, Qt::Key_F);
    plot.grab();
    EXPECT_EQ(seen().size(), 11U) << "where none is chosen, all";
}

TEST_F(ScatterZoom, TheMiddleButtonMovesThePart) {
    wheel({590, 10}, 5);
    EXPECT_FALSE(seen().contains(0));
    for (int times = 0; times < 4; ++times) {
        QTest::mousePress(&plot, Qt::MiddleButton, {}, {100, 380});
        QTest::mouseMove(&plot, {580, 20});
        QTest::mouseRelease(&plot, Qt::MiddleButton, {}, {580, 20});
        plot.grab();
    }
    const std::set<std::int64_t> corner = seen();
    EXPECT_TRUE(corner.contains(0));
    EXPECT_FALSE(corner.contains(10));
}

TEST_F(ScatterZoom, BytesOfManySizesStandAtPowersOfTwo) {
    const auto bytes = [](double value, double) { return QStringLiteral("%1 B").arg(value); };
    plot.setAxes({QStringLiteral("fullest tile"), bytes, ScatterAxis::Kind::Bytes},
                 {QStringLiteral("up"), bytes, ScatterAxis::Kind::Number});
    plot.setPoints({{1, 5000.0, 1.0, &Theme::accent, QStringLiteral("a")},
                    {2, 600'000.0, 2.0, &Theme::accent, QStringLiteral("b")}},
                   {});
    plot.grab();
    QStringList shown;
    for (const auto& [text, place, seen] : tests::drawn_texts(plot))
        shown << text;
    EXPECT_TRUE(shown.contains(QStringLiteral("65536 B"))) << shown.join(QLatin1Char(',')).toStdString();
    EXPECT_FALSE(shown.contains(QStringLiteral("10000 B")));
}

TEST_F(ScatterZoom, AnotherAxisShowsAllAgain) {
    wheel({590, 10}, 5);
    plot.setAxes({QStringLiteral("other"), {}, ScatterAxis::Kind::Number},
                 {QStringLiteral("up"), {}, ScatterAxis::Kind::Number});
    plot.setPoints({{1, 1, 1, &Theme::accent, {}}, {2, 500, 7, &Theme::accent, {}}}, {});
    plot.grab();
    EXPECT_EQ(seen().size(), 2U);
}

TEST_F(ScatterZoom, NamesOfCurvesThatEndTogetherLieClearOfEachOther) {
    plot.setCurves({{QStringLiteral("the first of them"), {{10, 90}, {100, 90}}},
                    {QStringLiteral("the second of them"), {{10, 89}, {100, 89}}},
                    {QStringLiteral("the third of them"), {{10, 88}, {100, 88}}}});
    std::size_t names = 0;
    const auto drawn = tests::drawn_texts(plot);
    for (const tests::DrawnText& one : drawn) {
        if (!one.text.endsWith(QStringLiteral("of them")))
            continue;
        ++names;
        for (const tests::DrawnText& other : drawn)
            EXPECT_TRUE(&one == &other || !one.place.intersects(other.place))
                << one.text.toStdString() << " lies upon " << other.text.toStdString();
    }
    EXPECT_EQ(names, 3U);
}

/// Eight points crowd the end of a level, above and below it.
TEST_F(ScatterZoom, TheNameOfACurveStandsWhereNoPointLiesOnIt) {
    std::vector<ScatterPoint> points{{100, 0, 0, &Theme::accent}, {101, 100, 100, &Theme::accent}};
    for (int i = 0; i < 8; ++i)
        points.push_back({i, 86.0 + i - i % 2, i % 2 == 0 ? 52.5 : 47.5, &Theme::accent});
    const QString limit = QStringLiteral("a limit");
    ScatterCurve curve;
    curve.name = limit;
    curve.points = {{0, 50}, {100, 50}};
    plot.setCurves({curve});
    plot.setPoints(std::move(points), {});
    plot.grab();
    QRectF name;
    for (const tests::DrawnText& each : tests::drawn_texts(plot))
        if (each.text == limit)
            name = each.place;
    ASSERT_FALSE(name.isEmpty());
    const QAccessibleInterface* whole = QAccessible::queryAccessibleInterface(&plot);
    ASSERT_EQ(whole->childCount(), 10);
    for (int i = 0; i < whole->childCount(); ++i)
        EXPECT_FALSE(name.contains(plot.mapFromGlobal(whole->child(i)->rect().center()))) << i;
}

/// Two large points beside each other at the left edge: the name of one finds no room at its right.
TEST_F(ScatterZoom, NamesOfPointsDoNotLieUponTheNumbersOfAnAxis) {
    plot.setStrips(QStringLiteral("none"), {});
    std::vector<ScatterPoint> points{{1, 1, 50, &Theme::accent},
                                     {2, 3, 50, &Theme::compute},
                                     {3, 100, 100, &Theme::accent},
                                     {4, 0, 0, &Theme::accent},
                                     {5, 1, 1, &Theme::accent}};
    points[0].radius = points[1].radius = 14;
    points[0].name = QStringLiteral("max_pooling2d_1/MaxPool");
    points[1].name = QStringLiteral("conv2d_1/Relu/gradient/relu_gradient");
    points[4].aside = ScatterPoint::Aside::Left;
    plot.setPoints(points, {});
    plot.grab();
    const auto drawn = tests::drawn_texts(plot);
    int names = 0;
    for (const tests::DrawnText& one : drawn) {
        if (!one.text.contains(u'/'))
            continue;
        ++names;
        for (const tests::DrawnText& other : drawn)
            EXPECT_TRUE(&one == &other || !one.place.intersects(other.place))
                << one.text.toStdString() << " lies upon " << other.text.toStdString();
    }
    EXPECT_EQ(names, 2);
}

} // namespace tilescope::ui
