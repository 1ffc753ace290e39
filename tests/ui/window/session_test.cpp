// SPDX-License-Identifier: GPL-3.0-or-later
#include "frame_fixture.h"
#include "tests/system_fixture.h"
#include "ui/graph/graph_view.h"
#include "ui/operations/operations_view.h"
#include "ui/trace/trace_view.h"
#include "ui/widgets/data_table.h"

#include <QSplitter>
#include <QTabWidget>

namespace tilescope::ui {
namespace {

class Session : public Frame {
  protected:
    TraceView& trace() { return *window->findChild<TraceView*>(); }
    void again() {
        window->close();
        start();
        window->reopenLastFiles();
        settle();
        QTest::qWait(600); // the window looks four times a second whether all is there
    }
};

TEST_F(Session, EachFileIsShownAsItWasLeft) {
    open("first.tilescope");
    press("G, T");
    settle();
    trace().timeline().setAnimated(false);
    trace().timeline().show(2000, 6000);
    press("G, P");
    settle();
    press("Down");
    press("Down");
    settle();
    const QString subject = chip("chipSubject").text();
    ASSERT_FALSE(subject.isEmpty());
    open("second.tilescope");
    press("G, M");
    settle();
    again();
    EXPECT_EQ(view(), QStringLiteral("memory"));
    tabs().setCurrentIndex(0);
    settle();
    EXPECT_EQ(view(), QStringLiteral("program"));
    EXPECT_EQ(chip("chipSubject").text(), subject);
    press("G, T");
    settle();
    trace().timeline().setAnimated(false);
    EXPECT_TRUE(QTest::qWaitFor([&] { return trace().timeline().view().from() == 2000; }, 5000))
        << trace().timeline().view().from();
    EXPECT_EQ(trace().timeline().view().to(), 6000);
}

TEST_F(Session, AnotherFileOfTheNameIsShownAsNew) {
    open("first.tilescope");
    press("G, P");
    settle();
    press("Down");
    settle();
    ASSERT_TRUE(chip("chipSubject").isVisible());
    window->close();
    ASSERT_TRUE(tests::record_fixture(folder / "first.tilescope", {16, 3, 1, 1, 1}));
    start();
    window->reopenLastFiles();
    settle();
    EXPECT_FALSE(chip("chipSubject").isVisible()) << "its steps are others";
}

TEST_F(Session, TabsAndSizesOfViewsAreKept) {
    open("first.tilescope");
    press("G, L");
    settle();
    const auto of = [&]() -> View& {
        for (View* each : window->findChildren<View*>())
            if (each->id() == QLatin1String("liveness"))
                return *each;
        throw std::runtime_error("no liveness");
    };
    auto* splitter = of().findChild<QSplitter*>();
    const int all = splitter->sizes()[0] + splitter->sizes()[1];
    splitter->setSizes({all / 4, all - all / 4});
    const int upper = splitter->sizes()[0];
    of().findChild<QTabWidget*>()->setCurrentIndex(1);
    again();
    EXPECT_EQ(of().findChild<QTabWidget*>()->currentIndex(), 1);
    EXPECT_NEAR(of().findChild<QSplitter*>()->sizes()[0], upper, 3);
}

TEST_F(Session, TablesAreSortedAsTheyWereByAllOfTheirColumns) {
    open("first.tilescope");
    press("G, O");
    settle();
    const auto table = [&]() -> DataTable& {
        return *window->findChild<OperationsView*>()->findChild<DataTable*>(QStringLiteral("operations"));
    };
    const std::vector<SortKey> keys{
        {1, Qt::AscendingOrder}, {2, Qt::DescendingOrder}, {0, Qt::DescendingOrder}};
    table().sortBy(keys);
    again();
    EXPECT_EQ(table().sortKeys(), keys);
}

TEST_F(Session, APartThatOneFileHidesHasItsRoomWithTheNext) {
    ASSERT_TRUE(tests::record_system(folder / "system.tilescope", {}));
    open("first.tilescope"); // on one IPU: nothing goes over links
    press("G, H");
    settle();
    const auto links = [&]() -> QWidget& {
        return *window->findChild<QWidget*>(QStringLiteral("linkTraffic"));
    };
    ASSERT_FALSE(links().isVisible());
    again();
    open("system.tilescope");
    press("G, H");
    settle();
    auto* tabs = window->findChild<QTabWidget*>(QStringLiteral("shardingTabs"));
    ASSERT_TRUE(tabs->isTabVisible(1));
    tabs->setCurrentIndex(1);
    EXPECT_TRUE(links().isVisible());
    EXPECT_GT(links().height(), 100);
}

TEST_F(Session, TheGraphIsAsNearAsItWas) {
    open("first.tilescope");
    press("G, G");
    settle();
    auto& canvas = window->findChild<GraphView*>()->canvas();
    canvas.zoomTo(1.75);
    again();
    EXPECT_TRUE(QTest::qWaitFor(
        [&] { return qFuzzyCompare(window->findChild<GraphView*>()->canvas().scale(), 1.75); }, 5000));
}

} // namespace
} // namespace tilescope::ui
