// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme/application_font.h"
#include "ui/widgets/line_chart.h"

#include <QApplication>
#include <QChartView>
#include <QGraphicsTextItem>
#include <QLabel>
#include <QTest>
#include <QValueAxis>
#include <cmath>
#include <gtest/gtest.h>

namespace tilescope::ui {
namespace {

/// Loss over three epochs, and an evaluation after the last.
class Curves : public testing::Test {
  protected:
    Curves() : chart(QStringLiteral("epoch")) {
        Curve loss{QStringLiteral("loss"), &Theme::compute, {{1, 2.5}, {2, 1.25}, {3, 0.5}}};
        Curve evaluated{QStringLiteral("loss, evaluation"), &Theme::compute, {{3, 0.75}}};
        evaluated.marks = true;
        chart.setCurves({loss, evaluated});
        chart.resize(600, 300);
        chart.show();
        EXPECT_TRUE(QTest::qWaitForWindowExposed(&chart));
        chart.grab();
    }
    LineChart chart;
};

} // namespace

TEST_F(Curves, ArrowsReadAllOfThemPointByPoint) {
    EXPECT_EQ(chart.readOut(), QString());
    QTest::keyClick(&chart, Qt::Key_Right);
    EXPECT_EQ(chart.readOut(), QStringLiteral("epoch 1  ·  loss 2.5"));
    QTest::keyClick(&chart, Qt::Key_Right);
    EXPECT_EQ(chart.readOut(), QStringLiteral("epoch 2  ·  loss 1.25"));
    QTest::keyClick(&chart, Qt::Key_End);
    EXPECT_EQ(chart.readOut(), QStringLiteral("epoch 3  ·  loss 0.5  ·  loss, evaluation 0.75"));
    EXPECT_EQ(chart.accessibleDescription(), chart.readOut());
    auto* shown = chart.findChild<QLabel*>(QStringLiteral("readOut"));
    EXPECT_TRUE(shown->isVisible());
    EXPECT_EQ(shown->text(), chart.readOut());
    QTest::keyClick(&chart, Qt::Key_Left);
    EXPECT_EQ(chart.readOut(), QStringLiteral("epoch 2  ·  loss 1.25"));
    QTest::keyClick(&chart, Qt::Key_Escape);
    EXPECT_EQ(chart.readOut(), QString());
    EXPECT_FALSE(shown->isVisible());
}

TEST_F(Curves, ThousandsAreWrittenInWhole) {
    chart.setCurves({{QStringLiteral("KiB"), &Theme::compute, {{0, 420}, {1, 1371.5}, {2, 12345}}}});
    chart.grab();
    QTest::keyClick(&chart, Qt::Key_End);
    EXPECT_EQ(chart.readOut(), QStringLiteral("epoch 2  ·  KiB 12,345"));
    const auto axes = chart.findChild<QChartView*>()->chart()->axes(Qt::Vertical);
    ASSERT_EQ(axes.size(), 1);
    EXPECT_EQ(static_cast<const QValueAxis*>(axes[0])->labelFormat(), QStringLiteral("%.0f"))
        << "not 1.5e+04";
}

TEST_F(Curves, MillionsAlongAnAxisHaveAllTheirDigitsParted) {
    chart.setCurves({{QStringLiteral("cycles"), &Theme::compute, {{0, 0}, {1, 1e8}, {2, 3e8}}}});
    QStringList labels;
    const auto stands = [&](const QString& wanted) { // they are laid out when the chart is drawn
        labels.clear();
        for (const QGraphicsItem* item : chart.findChild<QChartView*>()->scene()->items())
            if (const auto* label = qgraphicsitem_cast<const QGraphicsTextItem*>(item))
                labels << label->toPlainText();
        return labels.contains(wanted);
    };
    EXPECT_TRUE(QTest::qWaitFor([&] { return stands(QStringLiteral("300,000,000")); }, 5000))
        << labels.join(u'|').toStdString();
}

TEST_F(Curves, ThePointerReadsTheNearestPoints) {
    QTest::mouseMove(&chart, {330, 150});
    EXPECT_EQ(chart.readOut(), QStringLiteral("epoch 2  ·  loss 1.25"));
    QTest::mouseMove(&chart, {540, 150});
    EXPECT_TRUE(chart.readOut().startsWith(QStringLiteral("epoch 3"))) << chart.readOut().toStdString();
}

/// Qt Charts writes dots in the place of labels that have no room.
TEST(LongCurves, HaveRoundStepsAsFarApartAsTheirLabelsAreWide) {
    LineChart chart(QStringLiteral("program step"));
    chart.setCurves({Curve{QStringLiteral("live"), &Theme::compute, {{8, 1}, {2000, 3}, {5864, 2}}}});
    chart.resize(300, 200);
    chart.show();
    ASSERT_TRUE(QTest::qWaitForWindowExposed(&chart));
    const auto axis = [&] {
        return qobject_cast<QValueAxis*>(
            chart.findChild<QChartView*>()->chart()->axes(Qt::Horizontal).front());
    };
    EXPECT_EQ(std::fmod(axis()->tickInterval(), 1000), 0) << axis()->tickInterval();
    EXPECT_EQ(axis()->tickAnchor(), 0);
    const double narrow = axis()->tickInterval();
    chart.resize(900, 200);
    QTest::qWait(1);
    EXPECT_LT(axis()->tickInterval(), narrow) << "more have room";
    chart.setCurves({Curve{QStringLiteral("loss"), &Theme::compute, {{1, 1}, {2, 3}, {3, 2}}}});
    EXPECT_EQ(axis()->tickInterval(), 1) << "epochs are whole";
}

TEST(LineChart, AsLowAsItMayBeItsAxisHasNumbers) {
    for (const int percent : {100, 200}) {
        applyFont(*qApp, {}, percent);
        {
            LineChart chart(QStringLiteral("epoch"));
            chart.setCurves({{QStringLiteral("loss"), &Theme::compute, {{1, 2.5}, {2, 1.25}, {3, 0.5}}}});
            chart.resize(600, chart.minimumHeight());
            chart.show();
            EXPECT_TRUE(QTest::qWaitForWindowExposed(&chart));
            chart.grab();
            QStringList labels;
            for (QGraphicsItem* item : chart.findChild<QChartView*>()->scene()->items())
                if (const auto* label = qgraphicsitem_cast<QGraphicsTextItem*>(item))
                    labels << label->toPlainText();
            EXPECT_GE(labels.size(), 5) << percent;
            for (const QString& label : labels)
                EXPECT_FALSE(label.contains(QStringLiteral("..."))) << percent << ": " << label.toStdString();
        }
    }
    applyFont(*qApp, {}, 100);
}

} // namespace tilescope::ui
