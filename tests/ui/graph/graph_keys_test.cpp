// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/graph/shown_graph.h"
#include "tests/ui/told_details.h"

#include <algorithm>
#include <set>

namespace tilescope::ui {
namespace {

TEST(GraphKeys, ArrowKeysGoFromBoxToBox) {
    ShownGraph shown;
    QTest::mouseClick(&shown.canvas(), Qt::LeftButton, {},
                      shown.at(shown.boxOf("dense", profile::Phase::Forward)));
    QTest::keyClick(&shown.canvas(), Qt::Key_Down);
    EXPECT_EQ(shown.canvas().marks().focus, shown.boxOf("dense_1", profile::Phase::Forward));
    QTest::keyClick(&shown.canvas(), Qt::Key_Up);
    EXPECT_EQ(shown.canvas().marks().focus, shown.boxOf("dense", profile::Phase::Forward));
    QTest::keyClick(&shown.canvas(), Qt::Key_Return); // unfolds
    shown.settle();
    EXPECT_EQ(shown.canvas().scene().boxes.size(), 10U); // kernel, matmul, relu
    QTest::keyClick(&shown.canvas(), Qt::Key_Escape);
    EXPECT_EQ(shown.selection.current(), Selection{});
}

// What is told of an operation is read from the file, what is told of a layer is there at once.
TEST(GraphKeys, DetailsAreOfTheBoxThatWasChosenLastHoweverFast) {
    ShownGraph shown;
    const tests::ToldDetails told(shown.view);
    QTest::mouseClick(&shown.canvas(), Qt::LeftButton, {},
                      shown.at(shown.boxOf("dense", profile::Phase::Forward)));
    QTest::keyClick(&shown.canvas(), Qt::Key_Return); // unfolds
    shown.settle();
    const auto& boxes = shown.canvas().scene().boxes;
    const auto operation = std::ranges::find_if(
        boxes, [](const GraphBox& box) { return box.kind == GraphBox::Kind::Node && box.rect.width() > 0; });
    ASSERT_NE(operation, boxes.end());
    QTest::mouseClick(&shown.canvas(), Qt::LeftButton, {},
                      shown.at(static_cast<std::size_t>(operation - boxes.begin())));
    QTest::mouseClick(&shown.canvas(), Qt::LeftButton, {},
                      shown.at(shown.boxOf("dense_1", profile::Phase::Forward)));
    EXPECT_EQ(told.title(), QStringLiteral("dense_1"));
    shown.settle();
    EXPECT_EQ(told.title(), QStringLiteral("dense_1"));
}

// Wherever the layout puts it: gradients flow back up.
TEST(GraphKeys, UpGoesToWhatMakesAnInputAndDownToWhatReadsTheOutput) {
    ShownGraph shown;
    const auto& scene = shown.canvas().scene();
    int steps = 0;
    for (std::size_t box = 0; box < scene.boxes.size(); ++box)
        for (const bool up : {true, false}) {
            std::set<std::size_t> ends;
            for (const GraphLine& line : scene.lines)
                if ((up ? line.to : line.from) == box)
                    ends.insert(up ? line.from : line.to);
            if (ends.empty() || scene.boxes[box].kind == GraphBox::Kind::Frame)
                continue;
            QTest::mouseClick(&shown.canvas(), Qt::LeftButton, {}, shown.at(box));
            ASSERT_EQ(shown.canvas().marks().focus, box);
            QTest::keyClick(&shown.canvas(), up ? Qt::Key_Up : Qt::Key_Down);
            EXPECT_TRUE(ends.contains(shown.canvas().marks().focus)) << box << (up ? " up" : " down");
            ++steps;
        }
    EXPECT_GT(steps, 6);
}

} // namespace
} // namespace tilescope::ui
