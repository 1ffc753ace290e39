// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/cut_text.h"
#include "ui/widgets/parallel_axes.h"

#include <QImage>
#include <QScrollArea>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTest>
#include <gtest/gtest.h>

namespace tilescope::ui {
namespace {

using Keys = std::set<std::int64_t>;

/// Four runs over a batch, a schedule in words and a time; the last one has no time.
class Axes : public testing::Test {
  protected:
    Axes() : chart(QStringLiteral("Runs"), QStringLiteral("Run")), chosen(&chart, &ParallelAxes::chosen) {
        const auto number = [](double value) { return QString::number(value); };
        std::vector<ParallelAxis> axes{
            {QStringLiteral("batch"), number, {}},
            {QStringLiteral("schedule"), {}, {QStringLiteral("Grouped"), QStringLiteral("Sequential")}},
            {QStringLiteral("time"), number, {}}};
        chart.setLines(axes, {{1, {8.0, 0.0, 30.0}, &Theme::good, QStringLiteral("a")},
                              {2, {16.0, 1.0, 20.0}, &Theme::good, QStringLiteral("b")},
                              {3, {32.0, 0.0, 10.0}, &Theme::warning, QStringLiteral("c")},
                              {4, {64.0, 1.0, std::nullopt}, &Theme::bad, QStringLiteral("d")}});
        chart.resize(600, 400);
        chart.show();
        chart.setFocus();
    }
    Keys last() const { return chosen.isEmpty() ? Keys() : chosen.last()[0].value<Keys>(); }
    void key(Qt::Key which, Qt::KeyboardModifiers with = {}) { QTest::keyClick(&chart, which, with); }
    /// Of an axis: each has a third of the width between margins of ten pixels.
    static int x(int axis) { return 10 + 580 * (2 * axis + 1) / 6; }

    ParallelAxes chart;
    QSignalSpy chosen;
};

TEST_F(Axes, AxesAndLinesAreToldToScreenReaders) {
    ASSERT_EQ(chart.partCount(), 3 + 4);
    EXPECT_EQ(chart.part(0).name, QStringLiteral("batch"));
    EXPECT_EQ(chart.part(0).role, QAccessible::List);
    EXPECT_EQ(chart.part(0).value, QStringLiteral("8 to 64"));
    EXPECT_EQ(chart.part(1).value, QStringLiteral("Grouped to Sequential"));
    EXPECT_EQ(chart.part(4).name, QStringLiteral("b"));
    EXPECT_EQ(chart.focusedPart(), 0);
    key(Qt::Key_Right);
    EXPECT_EQ(chart.focusedPart(), 1) << "another axis";
    key(Qt::Key_Left);
    key(Qt::Key_Up);
    EXPECT_EQ(chart.focusedPart(), 3) << "the lowest line along it";
    EXPECT_TRUE(chart.part(3).selected);
    key(Qt::Key_Up, Qt::ShiftModifier);
    EXPECT_EQ(chart.focusedPart(), 0) << "its range, which has an end now";
    EXPECT_TRUE(chart.part(0).selected);
    EXPECT_EQ(chart.part(0).value, QStringLiteral("16 to 64"));
}

TEST_F(Axes, ADragAlongAnAxisKeepsTheLinesThatCrossItThere) {
    QTest::mousePress(&chart, Qt::LeftButton, {}, {x(2), 5});
    QTest::mouseRelease(&chart, Qt::LeftButton, {}, {x(2), 5});
    EXPECT_FALSE(chart.narrowed()) << "a click is no range";
    const auto drag = [&](int axis, int from, int to) {
        QTest::mousePress(&chart, Qt::LeftButton, {}, {x(axis), from});
        QMouseEvent move(QEvent::MouseMove, QPointF(x(axis), to), chart.mapToGlobal(QPointF(x(axis), to)),
                         Qt::NoButton, Qt::LeftButton, {});
        QCoreApplication::sendEvent(&chart, &move);
        QTest::mouseRelease(&chart, Qt::LeftButton, {}, {x(axis), to});
    };
    drag(2, 200, 395); // the lower half of the times: 10 and 20, and none where there is no time
    EXPECT_EQ(last(), (Keys{2, 3}));
    EXPECT_EQ(chart.kept(), (Keys{2, 3}));
    drag(1, 300, 395); // and of the schedules Grouped, which stands below
    EXPECT_EQ(last(), Keys{3});
    QTest::mouseClick(&chart, Qt::LeftButton, {}, {x(2), 100});
    EXPECT_EQ(last(), (Keys{1, 3})) << "a click on an axis lets go of its range";
    key(Qt::Key_0);
    EXPECT_FALSE(chart.narrowed());
    EXPECT_EQ(chart.kept().size(), 4U);
}

TEST_F(Axes, KeysDoTheSame) {
    key(Qt::Key_Up);
    EXPECT_EQ(last(), Keys{1}) << "the least batch";
    key(Qt::Key_Up);
    EXPECT_EQ(last(), Keys{2});
    QSignalSpy activated(&chart, &ParallelAxes::activated);
    key(Qt::Key_Return);
    ASSERT_EQ(activated.size(), 1);
    EXPECT_EQ(activated[0][0].toLongLong(), 2);
    key(Qt::Key_Up, Qt::ShiftModifier); // the range begins at the next batch
    EXPECT_EQ(last(), (Keys{2, 3, 4}));
    key(Qt::Key_Right);
    key(Qt::Key_Right);
    key(Qt::Key_Down, Qt::ShiftModifier); // of 20 and 10 the least
    EXPECT_EQ(last(), Keys{3});
    key(Qt::Key_Delete);
    EXPECT_EQ(last(), (Keys{2, 3, 4}));
}

TEST_F(Axes, AClickChoosesALineAndCtrlAnother) {
    // Between the first two axes the lines of a and c end at Grouped, those of b and d at Sequential.
    const int bottom = 400 - chart.fontMetrics().height() - 10;
    QTest::mouseClick(&chart, Qt::LeftButton, {}, {(x(0) + x(1)) / 2, bottom}); // 8, Grouped: both are least
    EXPECT_EQ(last(), Keys{1});
    const int top = 2 * chart.fontMetrics().height() + 12;
    QTest::mouseClick(&chart, Qt::LeftButton, Qt::ControlModifier, {(x(0) + x(1)) / 2, top});
    EXPECT_EQ(last(), (Keys{1, 4}));
    EXPECT_EQ(chart.toText(QLatin1Char(',')),
              QStringLiteral("Run,batch,schedule,time\na,8,Grouped,30\nb,16,Sequential,20\n"
                             "c,32,Grouped,10\nd,64,Sequential,\n"));
}

/// Twelve axes, most of them with the long keys of settings.
TEST_F(Axes, TitlesWrapAndTheChartIsAsWideAsTheyNeed) {
    const auto number = [](double value) { return QString::number(value); };
    std::vector<ParallelAxis> axes;
    ParallelLine line{1, {}, &Theme::good, QStringLiteral("a")};
    for (int i = 0; i < 12; ++i) {
        axes.push_back({QStringLiteral("ipu_config.available_memory_proportion %1").arg(i), number, {}});
        line.values.push_back(i);
    }
    QStringList names;
    for (int i = 0; i < 40; ++i)
        names << QStringLiteral("workload %1").arg(i);
    axes.push_back({QStringLiteral("workload"), {}, names});
    line.values.push_back(7.0);
    QScrollArea area;
    area.setWidgetResizable(true);
    auto* wide = new ParallelAxes(QStringLiteral("Runs"), QStringLiteral("Run"));
    wide->setLines(axes, {line});
    area.setWidget(wide);
    area.resize(600, 300);
    area.show();
    EXPECT_TRUE(QTest::qWaitForWindowExposed(&area));
    EXPECT_GT(wide->width(), 600);
    EXPECT_EQ(tests::cut_in(*wide).join(QLatin1Char('\n')).toStdString(), "");
    for (const auto& [text, place, seen] : tests::drawn_texts(*wide))
        EXPECT_FALSE(text.contains(QChar(0x2026))) << text.toStdString();
    for (int i = 0; i < 12; ++i)
        QTest::keyClick(wide, Qt::Key_Right);
    EXPECT_EQ(area.horizontalScrollBar()->value(), area.horizontalScrollBar()->maximum())
        << "the axis that the keys are at is in sight";
}

TEST_F(Axes, WordsOfAxesBesideEachOtherStayApart) {
    const auto number = [](double value) { return QStringLiteral("%1 samples").arg(value); };
    const QStringList words{QStringLiteral("bert-large-pod16-grouped"), QStringLiteral("between them"),
                            QStringLiteral("keras-mnist-pipelined-interleaved")};
    chart.setLines({{QStringLiteral("workload"), {}, words},
                    {QStringLiteral("throughput"), number, {}},
                    {QStringLiteral("schedule"), {}, words},
                    {QStringLiteral("settings"), {}, words}},
                   {{1, {0.0, 1e6, 0.0, 0.0}, &Theme::good, QStringLiteral("a")},
                    {2, {1.0, 3e6, 1.0, 1.0}, &Theme::good, QStringLiteral("b")},
                    {3, {2.0, 7e6, 2.0, 2.0}, &Theme::good, QStringLiteral("c")}});
    chart.resize(chart.minimumWidth(), 260);
    const auto texts = tests::drawn_texts(chart);
    EXPECT_EQ(texts.size(), 4U + 2 + 9) << "titles, ends and words";
    constexpr double apart = 3; // pixels
    for (std::size_t i = 0; i < texts.size(); ++i)
        for (std::size_t j = 0; j < i; ++j) {
            const QRectF& a = texts[i].place;
            const QRectF& b = texts[j].place;
            const double both = std::min(a.bottom(), b.bottom()) - std::max(a.top(), b.top());
            const double between = std::max(a.left(), b.left()) - std::min(a.right(), b.right());
            EXPECT_TRUE(both < 1 || between >= apart)
                << texts[i].text.toStdString() << " touches " << texts[j].text.toStdString();
        }
    EXPECT_EQ(tests::cut_in(chart).join(QLatin1Char('\n')).toStdString(), "");
}

TEST_F(Axes, WhatIsOutsideOfARangeIsFaint) {
    const auto strongest = [&] { // of the red line, which is the only one at the top
        const QImage image = chart.grab().toImage();
        const int y = 2 * chart.fontMetrics().height() + 12;
        int red = 0;
        for (int dy = -2; dy <= 2; ++dy) {
            const QColor pixel = image.pixelColor((x(0) + x(1)) / 2, y + dy);
            red = std::max(red, pixel.hsvSaturation());
        }
        return red;
    };
    const int before = strongest();
    key(Qt::Key_Down, Qt::ShiftModifier); // all batches but 64
    EXPECT_EQ(last(), (Keys{1, 2, 3}));
    EXPECT_LT(strongest(), before / 2);
}

} // namespace
} // namespace tilescope::ui
