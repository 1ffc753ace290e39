// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/session/chosen_ipu.h"
#include "ui/session/selection.h"
#include "ui/session/subject_link.h"

#include <gtest/gtest.h>

namespace tilescope::ui {
namespace {

using Tiles = std::vector<std::int64_t>;

TEST(Selection, AnotherIpuLetsGoOfTheTilesAndTheSameOneDoesNot) {
    Selection s;
    s.lookAt(2, {3, 4});
    EXPECT_EQ(s.ipu, 2);
    EXPECT_EQ(s.tiles, (Tiles{3, 4}));
    s.lookAt(2);
    EXPECT_EQ(s.tiles, (Tiles{3, 4}));
    s.lookAt(0);
    EXPECT_EQ(s.tiles, Tiles{});
    EXPECT_TRUE(s.ipu_chosen) << "the first that is chosen is chosen";
}

TEST(Selection, NoTilesChooseNoIpu) {
    Selection s;
    s.lookAt(2, {});
    EXPECT_EQ(s, Selection{});
    s.lookAt(1, {5});
    s.lookAt(2, {});
    EXPECT_EQ(s.ipu, 1) << "its tiles are let go of";
    EXPECT_EQ(s.tiles, Tiles{});
}

TEST(Selection, IsOfOneIpuOnceThatOrATileIsChosen) {
    EXPECT_FALSE(Selection{}.ofOneIpu());
    for (const std::int64_t ipu : {0, 3}) {
        Selection s;
        s.lookAt(ipu);
        EXPECT_TRUE(s.ofOneIpu()) << ipu;
        EXPECT_TRUE(ChosenIpu{}.in(s)) << ipu;
    }
    Selection tile;
    tile.tiles = {0};
    EXPECT_TRUE(tile.ofOneIpu());
}

TEST(Selection, ALinkToWhatIsOnTheFirstIpuChoosesItToo) {
    for (const QString& link : {linkTo(Subject::Ipu, 0), linkTo(Subject::Operation, 5, 0),
                                linkTo(Subject::MicroBatch, 1, 0), linkTo(Subject::Tile, 7, 0)}) {
        const auto s = followed(link, {});
        ASSERT_TRUE(s) << link.toStdString();
        EXPECT_TRUE(s->ipu_chosen) << link.toStdString();
        EXPECT_EQ(s->ipu, 0) << link.toStdString();
    }
    EXPECT_FALSE(followed(linkTo(Subject::Operation, 5), {})->ipu_chosen) << "it names none";
}

TEST(SelectionModel, LooksAtTheFirstIpuUntilOneIsChosen) {
    SelectionModel model;
    model.setFirstIpu(3);
    EXPECT_EQ(model.current().ipu, 3);
    EXPECT_FALSE(model.current().ofOneIpu());
    Selection layer;
    layer.layer = 5;
    model.set(layer);
    EXPECT_EQ(model.current().ipu, 3) << "who chooses a layer chooses no IPU";
    Selection chosen = model.current();
    chosen.lookAt(7);
    model.set(chosen);
    model.setFirstIpu(0); // of another file
    EXPECT_EQ(model.current().ipu, 7);
    chosen.ipu_chosen = false;
    model.set(chosen);
    EXPECT_EQ(model.current().ipu, 0);
}

} // namespace
} // namespace tilescope::ui
