// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/session/format.h"
#include "ui/sharding/link_labels.h"

#include <QApplication>
#include <QPainterPathStroker>
#include <cmath>
#include <gtest/gtest.h>
#include <set>
#include <tuple>

namespace tilescope::ui {
namespace {

constexpr SystemMetrics metrics{16, 8};
constexpr double window = 1000;

/// Shards in a chain of copies there and back; replicas in a ring of all-reduces.
SystemMap system(std::int64_t shards, std::int64_t replicas) {
    SystemMap map;
    map.shards = shards;
    map.replicas = replicas;
    for (std::int64_t i = 0; i < shards * replicas; ++i) {
        MappedIpu ipu;
        ipu.record = {i, i, "", i / shards, i % shards, -1};
        ipu.layers.resize(3);
        map.ipus.push_back(ipu);
        if (i % shards + 1 < shards)
            map.traffic.links.push_back({i, i + 1, profile::LinkKind::Copy, 1, 100, 10});
        if (i % shards > 0)
            map.traffic.links.push_back({i, i - 1, profile::LinkKind::Copy, 1, 50, 10});
        if (replicas > 1)
            map.traffic.links.push_back(
                {i, (i + shards) % (shards * replicas), profile::LinkKind::AllReduce, 1, 10, 10});
    }
    return map;
}

class Systems : public testing::TestWithParam<std::tuple<std::int64_t, std::int64_t, bool>> {
  protected:
    SystemMap map = system(std::get<0>(GetParam()), std::get<1>(GetParam()));
    SystemLayout layout = SystemLayout::make(map, window, std::get<2>(GetParam()), metrics);
};

TEST_P(Systems, BoxesStandApartWithinTheirReplicasFrame) {
    ASSERT_EQ(layout.boxes.size(), map.ipus.size());
    EXPECT_EQ(layout.frames.size(), map.replicas > 1 ? static_cast<std::size_t>(map.replicas) : 0U);
    EXPECT_LE(layout.size.width(), window);
    for (std::size_t a = 0; a < layout.boxes.size(); ++a) {
        const QRectF& rect = layout.boxes[a].rect;
        EXPECT_TRUE(QRectF(0, 0, window, layout.size.height()).contains(rect));
        for (std::size_t b = 0; b < a; ++b)
            EXPECT_FALSE(rect.intersects(layout.boxes[b].rect)) << a << " and " << b;
        for (const ReplicaFrame& frame : layout.frames)
            EXPECT_EQ(frame.rect.intersects(rect), frame.replica == map.ipus[a].record.replica);
    }
}

TEST_P(Systems, ShardsThatFollowEachOtherStandSideBySide) {
    for (std::size_t l = 0; l < map.traffic.links.size(); ++l)
        if (map.traffic.links[l].kind == profile::LinkKind::Copy) {
            EXPECT_NE(layout.arrows[l].course, LinkArrow::Course::Around);
            EXPECT_LE(layout.arrows[l].path.length(), 8 * metrics.line);
        }
}

TEST_P(Systems, ArrowsGoFromTheEdgeOfTheSenderToTheEdgeOfTheReceiver) {
    ASSERT_EQ(layout.arrows.size(), map.traffic.links.size());
    for (std::size_t l = 0; l < map.traffic.links.size(); ++l) {
        const auto from = static_cast<std::size_t>(map.traffic.links[l].ipu);
        const auto to = static_cast<std::size_t>(map.traffic.links[l].peer);
        const auto at_edge = [](const QRectF& rect, const QPointF& point) {
            return rect.adjusted(-1, -1, 1, 1).contains(point) &&
                   !rect.adjusted(1, 1, -1, -1).contains(point);
        };
        EXPECT_TRUE(at_edge(layout.boxes[from].rect, layout.arrows[l].path.pointAtPercent(0)));
        EXPECT_TRUE(at_edge(layout.boxes[to].rect, layout.arrows[l].tip));
        const double half = layout.arrows[l].width / 2;
        EXPECT_TRUE(
            layout.canvas.contains(layout.arrows[l].path.boundingRect().adjusted(-half, -half, half, half)))
            << l << " is cut";
    }
}

TEST_P(Systems, ArrowKeysReachEveryBox) {
    std::set<std::size_t> reached{0};
    std::vector<std::size_t> open{0};
    while (!open.empty()) {
        const std::size_t box = open.back();
        open.pop_back();
        for (const auto& [dx, dy] : {std::pair{1, 0}, std::pair{-1, 0}, std::pair{0, 1}, std::pair{0, -1}})
            if (const std::size_t next = layout.neighbour(box, dx, dy); reached.insert(next).second)
                open.push_back(next);
    }
    EXPECT_EQ(reached.size(), layout.boxes.size());
}

INSTANTIATE_TEST_SUITE_P(Sizes, Systems,
                         testing::Values(std::tuple{1, 1, false}, std::tuple{2, 1, false},
                                         std::tuple{4, 1, false}, std::tuple{2, 4, false},
                                         std::tuple{16, 1, true}, std::tuple{4, 4, true},
                                         std::tuple{64, 1, true}, std::tuple{1, 64, true},
                                         std::tuple{4, 16, true}));

TEST(SystemLayout, RowsTurnAtTheirEnds) {
    const SystemLayout layout = SystemLayout::make(system(4, 1), 640, false, metrics); // two in a row
    const auto& boxes = layout.boxes;
    EXPECT_EQ(boxes[0].rect.top(), boxes[1].rect.top());
    EXPECT_EQ(boxes[1].rect.left(), boxes[2].rect.left()); // 0 1 / 3 2: as links lie in a machine
    EXPECT_EQ(boxes[0].rect.left(), boxes[3].rect.left());
}

/// What a file has that was trimmed to them.
SystemMap only(SystemMap map, const std::set<std::int64_t>& ids) {
    std::erase_if(map.ipus, [&](const MappedIpu& ipu) { return !ids.contains(ipu.record.id); });
    std::erase_if(map.traffic.links, [&](const profile::LinkTrafficRecord& link) {
        return !ids.contains(link.ipu) || !ids.contains(link.peer);
    });
    return map;
}

TEST(SystemLayout, AFileOfSomeIpusHasNoPlacesOfTheOthers) {
    const SystemLayout two = SystemLayout::make(only(system(8, 1), {3, 5}), 640, false, metrics);
    const SystemLayout like = SystemLayout::make(system(2, 1), 640, false, metrics);
    ASSERT_EQ(two.boxes.size(), 2U);
    EXPECT_EQ(two.boxes[0].rect.size(), like.boxes[0].rect.size());
    EXPECT_EQ(two.boxes[0].rect.left(), like.boxes[0].rect.left());
    EXPECT_EQ(two.boxes[1].rect.left(), like.boxes[1].rect.left());
    EXPECT_EQ(two.boxes[0].rect.top(), two.boxes[1].rect.top());
    EXPECT_EQ(two.size.width(), like.size.width());

    const SystemLayout third = SystemLayout::make(only(system(4, 4), {9, 10}), window, true, metrics);
    ASSERT_EQ(third.frames.size(), 1U);
    EXPECT_EQ(third.frames[0].replica, 2) << "by its number in the run";
    for (const IpuBox& box : third.boxes)
        EXPECT_TRUE(third.frames[0].rect.contains(box.rect));
    EXPECT_LE(third.size.height(), third.boxes[0].rect.height() + 8 * metrics.line) << "one row";
}

/// As a ring goes in a machine: down one column of IPUs and up the next.
TEST(SystemLayout, CollectivesOfReplicasCrossNeitherEachOtherNorTheirNames) {
    SystemMap map = system(4, 4);
    for (profile::LinkTrafficRecord& link : map.traffic.links)
        if (link.kind == profile::LinkKind::AllReduce && link.ipu % 2 != 0)
            std::swap(link.ipu, link.peer);
    const SystemLayout layout = SystemLayout::make(map, 760, true, metrics);
    ASSERT_EQ(layout.frames[1].rect.left(), layout.frames[0].rect.left()) << "replicas one below the other";
    QPainterPathStroker as_drawn;
    as_drawn.setWidth(2);
    std::vector<QPainterPath> collectives;
    for (const LinkArrow& arrow : layout.arrows)
        if (map.traffic.links[arrow.link].kind == profile::LinkKind::AllReduce)
            collectives.push_back(as_drawn.createStroke(arrow.path));
    ASSERT_EQ(collectives.size(), 16U);
    const double longest_name = 10 * metrics.digit;
    for (std::size_t a = 0; a < collectives.size(); ++a) {
        for (std::size_t b = 0; b < a; ++b)
            EXPECT_FALSE(collectives[a].intersects(collectives[b])) << a << " and " << b;
        for (const ReplicaFrame& frame : layout.frames)
            EXPECT_FALSE(collectives[a].intersects(QRectF(frame.rect.left() + metrics.line,
                                                          frame.rect.top() + metrics.line / 2, longest_name,
                                                          metrics.line)))
                << a << " and the name of replica " << frame.replica;
    }
}

TEST(SystemLayout, AnArrowIsAsWideAsItsBytesAndFoundUnderThePointer) {
    const SystemLayout layout = SystemLayout::make(system(2, 1), window, false, metrics);
    ASSERT_EQ(layout.arrows.size(), 2U); // 100 bytes there, 50 back
    EXPECT_DOUBLE_EQ(layout.arrows[0].width, 10);
    EXPECT_DOUBLE_EQ(layout.arrows[1].width, 1.5 + 8.5 / 2);
    EXPECT_EQ(layout.arrowAt(layout.arrows[1].path.pointAtPercent(0.5), 3), 1U);
    EXPECT_EQ(layout.arrowAt({1, 1}, 3), SystemLayout::none);
    EXPECT_EQ(layout.boxAt(layout.boxes[1].rect.center()), 1U);
    EXPECT_EQ(layout.boxAt({1, 1}), SystemLayout::none);
}

/// What of a rectangle an arrow covers as it is drawn, square pixels.
double covered(const QRectF& place, const LinkArrow& arrow) {
    QPainterPathStroker as_drawn;
    as_drawn.setWidth(arrow.width);
    QPainterPath rect;
    rect.addRect(place);
    const QRectF common = as_drawn.createStroke(arrow.path).intersected(rect).boundingRect();
    return common.width() * common.height();
}

class Labels : public testing::TestWithParam<std::tuple<std::int64_t, std::int64_t>> {};

/// Copies also to the second shard from each, as those that skip layers go.
TEST_P(Labels, LieOnNoArrowAndNoBoxAndNotOnEachOther) {
    const auto [shards, replicas] = GetParam();
    SystemMap map = system(shards, replicas);
    for (std::int64_t i = 0; i < shards * replicas; ++i)
        if (i % shards + 2 < shards)
            map.traffic.links.push_back({i, i + 2, profile::LinkKind::Copy, 1, 60, 1234});
    const SystemLayout layout = SystemLayout::make(map, window, false, metrics);
    std::set<std::size_t> all;
    for (std::size_t a = 0; a < layout.arrows.size(); ++a)
        all.insert(a);
    const auto labels = linkLabels(map, layout, QApplication::font(), {}, all, {});
    std::size_t diagonal = 0;
    double overlap = 0;
    for (const LinkLabel& label : labels) {
        EXPECT_FALSE(label.on_paper);
        diagonal += layout.arrows[label.arrow].course == LinkArrow::Course::Around ? 1U : 0U;
        for (const QRectF& place : {label.bytes_place, label.time_place}) {
            for (const LinkArrow& arrow : layout.arrows)
                overlap += covered(place, arrow);
            for (const IpuBox& box : layout.boxes)
                EXPECT_FALSE(box.rect.intersects(place)) << label.arrow;
            for (const LinkLabel& other : labels)
                EXPECT_FALSE(&other != &label &&
                             (other.bytes_place.intersects(place) || other.time_place.intersects(place)))
                    << label.arrow << " and " << other.arrow;
        }
    }
    EXPECT_EQ(overlap, 0);
    EXPECT_GT(diagonal, 0U);
    EXPECT_GE(labels.size() * 2, all.size()) << "of two at least one has a place";
}

INSTANTIATE_TEST_SUITE_P(Sizes, Labels,
                         testing::Values(std::tuple{4, 1}, std::tuple{8, 1}, std::tuple{16, 1},
                                         std::tuple{4, 2}, std::tuple{4, 4}));

/// That no label lies on a box, another label or an arrow, but those on paper on their own.
void expectClear(const std::vector<LinkLabel>& labels, const SystemLayout& layout) {
    double overlap = 0;
    for (const LinkLabel& label : labels) {
        for (std::size_t a = 0; a < layout.arrows.size(); ++a)
            overlap += label.on_paper && a == label.arrow ? 0 : covered(label.bytes_place, layout.arrows[a]);
        for (const IpuBox& box : layout.boxes)
            EXPECT_FALSE(box.rect.intersects(label.bytes_place)) << label.arrow;
        for (const LinkLabel& other : labels)
            EXPECT_FALSE(&other != &label && other.bytes_place.intersects(label.bytes_place))
                << label.arrow << " and " << other.arrow;
        const LinkArrow& own = layout.arrows[label.arrow];
        EXPECT_FALSE(label.bytes_place.contains(own.tip) ||
                     label.bytes_place.contains(own.path.pointAtPercent(0)))
            << "both ends are seen";
    }
    EXPECT_EQ(overlap, 0);
}

std::set<std::size_t> allArrows(const SystemLayout& layout) {
    std::set<std::size_t> all;
    for (std::size_t a = 0; a < layout.arrows.size(); ++a)
        all.insert(a);
    return all;
}

QFont lettersOfBoxes() {
    QFont font = QApplication::font();
    font.setPixelSize(12); // as letters are beside digits of 8 pixels
    return font;
}

/// Four stages in four replicas: what each sends to the next, and back, and to the one behind that; beside
/// each way across there is room.
TEST(LinkLabels, BetweenSmallBoxesAreBytesAloneOfEveryLink) {
    SystemMap map = system(4, 4);
    for (std::int64_t i = 0; i < 16; ++i)
        if (i % 4 + 2 < 4)
            map.traffic.links.push_back({i, i + 2, profile::LinkKind::Copy, 1, 60, 1234});
    for (profile::LinkTrafficRecord& link : map.traffic.links)
        link.bytes <<= 26; // "6.25 GiB" has the most letters
    const SystemLayout layout = SystemLayout::make(map, 1150, true, metrics);
    const auto labels = linkLabels(map, layout, lettersOfBoxes(), {}, allArrows(layout), {});
    std::set<std::size_t> labelled;
    for (const LinkLabel& label : labels) {
        labelled.insert(label.arrow);
        EXPECT_FALSE(label.on_paper && layout.arrows[label.arrow].course == LinkArrow::Course::Across);
        EXPECT_EQ(label.time, QString());
        EXPECT_EQ(label.bytes, formatBytes(map.traffic.of(map.traffic.links[label.arrow]).bytes));
    }
    expectClear(labels, layout);
    EXPECT_EQ(labelled, allArrows(layout));
    const auto pointed_at = linkLabels(map, layout, QApplication::font(), {}, {}, {0});
    ASSERT_EQ(pointed_at.size(), 1U);
    EXPECT_NE(pointed_at[0].time, QString()) << "all that there is to tell";
}

// Eight shards in two rows, in two replicas: what closes the ring goes beside the columns, through the gaps.
TEST(LinkLabels, CollectivesThatGoBesideAColumnHaveTheirBytesAsWell) {
    SystemMap map = system(8, 2);
    for (profile::LinkTrafficRecord& link : map.traffic.links)
        link.bytes <<= 20; // "100 MiB"
    const SystemLayout layout = SystemLayout::make(map, 1050, true, metrics);
    const auto labels = linkLabels(map, layout, lettersOfBoxes(), {}, allArrows(layout), {});
    std::set<std::size_t> labelled;
    for (const LinkLabel& label : labels)
        labelled.insert(label.arrow);
    expectClear(labels, layout);
    EXPECT_GE(labelled.size() + 2, layout.arrows.size()) << "but for two at the most";
}

TEST(LinkLabels, HaveUnitsWhetherTimeOrCyclesAreWanted) {
    SystemMap map = system(4, 1);
    map.clock_hz = 1e9;
    const SystemLayout layout = SystemLayout::make(map, window, false, metrics);
    std::set<std::size_t> all;
    for (std::size_t a = 0; a < layout.arrows.size(); ++a)
        all.insert(a);
    for (const bool cycles : {false, true}) {
        setUnits({cycles, false});
        const auto labels = linkLabels(map, layout, QApplication::font(), {}, all, {});
        EXPECT_FALSE(labels.empty());
        for (const LinkLabel& label : labels) {
            const auto figures = map.traffic.of(map.traffic.links[layout.arrows[label.arrow].link]);
            EXPECT_EQ(label.time, cycles ? formatCycles(std::llround(figures.cycles))
                                         : formatSeconds(figures.cycles * 1e-9));
            EXPECT_TRUE(label.time.contains(cycles ? QStringLiteral("cycles") : QStringLiteral("s")));
        }
    }
    setUnits({});
}

TEST(LinkLabels, OneThatIsAskedForHasAPlaceOnPaperWhereNothingIsClear) {
    const SystemMap map = system(2, 1);
    SystemLayout layout = SystemLayout::make(map, window, false, metrics);
    const QRectF everything(-1000, -1000, 4000, 4000);
    EXPECT_TRUE(linkLabels(map, layout, QApplication::font(), {everything}, {0, 1}, {}).empty());
    const auto labels = linkLabels(map, layout, QApplication::font(), {everything}, {0, 1}, {1});
    ASSERT_EQ(labels.size(), 1U);
    EXPECT_EQ(labels[0].arrow, 1U);
    EXPECT_TRUE(labels[0].on_paper);
}

TEST(SystemLayout, WithoutIpusThereIsNothing) {
    const SystemLayout layout = SystemLayout::make({}, window, false, metrics);
    EXPECT_TRUE(layout.boxes.empty());
    EXPECT_EQ(layout.boxAt({0, 0}), SystemLayout::none);
}

} // namespace
} // namespace tilescope::ui
