// SPDX-License-Identifier: GPL-3.0-or-later
// What the steps below the curve of Liveness are told to be of.
#include "ui/liveness/liveness_curve.h"

#include <gtest/gtest.h>

namespace tilescope::ui {
namespace {

using Band = analyse::Liveness::Band;
using profile::Phase;

/// Two blocks forward, then backward, each of two layers of two steps; a step of no layer within a block, one
/// between two blocks, and the update of the weights.
analyse::Liveness live() {
    analyse::Liveness live;
    live.bands = {{0, 1, "layer_1_attention", Phase::Forward},
                  {2, 2, "", Phase::Forward},
                  {3, 4, "layer_1_output", Phase::Forward},
                  {5, 6, "layer_2_attention", Phase::Forward},
                  {7, 8, "layer_2_output", Phase::Forward},
                  {9, 9, "", Phase::Forward},
                  {10, 11, "layer_2_output", Phase::Backward},
                  {12, 13, "layer_1_output", Phase::Backward},
                  {14, 15, "", Phase::Update}};
    for (std::int64_t step = 0; step < 16; ++step)
        live.points.push_back({step, 100, 0, 100, step});
    live.step_names.resize(16);
    live.bytes_per_tile = 1000;
    live.tiles = 1;
    return live;
}

std::string told(const BandLevels::Level& level) {
    std::string all = level.of.toStdString() + ":";
    for (const Band& band : level.bands)
        all += " " + std::to_string(band.from) + "-" + std::to_string(band.to) + " " + band.name + ";";
    return all;
}

TEST(BlockOfLayer, EndsWithItsFirstNumberWhereMoreFollows) {
    EXPECT_EQ(blockOfLayer("layer_3_attention"), "layer_3");
    EXPECT_EQ(blockOfLayer("conv3_block1_0_conv"), "conv3");
    EXPECT_EQ(blockOfLayer("encoder/12/output"), "encoder/12");
    EXPECT_EQ(blockOfLayer("dense_1"), "dense_1");
    EXPECT_EQ(blockOfLayer("conv2d"), "conv2d");
    EXPECT_EQ(blockOfLayer("embeddings"), "embeddings");
    EXPECT_EQ(blockOfLayer(""), "");
}

TEST(BandLevels, AreLayersBlocksAndPhases) {
    const BandLevels bands(live());
    ASSERT_EQ(bands.levels().size(), 3U);
    EXPECT_EQ(bands.levels()[0].bands.size(), 9U);
    EXPECT_EQ(told(bands.levels()[1]), "Block: 0-4 layer_1; 5-11 layer_2; 12-13 layer_1;");
    EXPECT_EQ(told(bands.levels()[2]), "Phase: 0-8 forward; 10-13 backward; 14-15 update;");
}

TEST(BandLevels, RecomputationIsTheBackwardPassThatItIsFor) {
    analyse::Liveness of = live();
    of.bands[6].phase = Phase::Recompute;
    EXPECT_EQ(told(BandLevels(of).levels()[2]),
              "Phase: 0-8 forward; 10-13 recompute and backward; 14-15 update;");
}

TEST(BandLevels, TheFinestWhoseNamesHaveRoomIsShown) {
    auto data = std::make_shared<analyse::Liveness>(live());
    LivenessCurve curve;
    curve.setData(data, nullptr, false);
    EXPECT_EQ(curve.bandsOf(), QString()) << "none are known";
    curve.setBands(std::make_shared<const BandLevels>(*data));
    curve.show(); // else it has no width yet
    const QFontMetrics metrics = curve.fontMetrics();
    const int room = metrics.horizontalAdvance(QStringLiteral("layer_2_attention")) + 20;
    curve.resize(8 * room + 300, 300); // two of 16 steps have room for the name of a layer
    EXPECT_EQ(curve.bandsOf(), QStringLiteral("Layer"));
    curve.resize(4 * room + 200, 300);
    EXPECT_EQ(curve.bandsOf(), QStringLiteral("Block"));
    curve.resize(190, 300);
    EXPECT_EQ(curve.bandsOf(), QStringLiteral("Phase"));
}

TEST(BandLevels, WithoutLayersThePhasesAreShown) {
    auto data = std::make_shared<analyse::Liveness>(live());
    for (auto& band : data->bands)
        band.name.clear();
    LivenessCurve curve;
    curve.setData(data, nullptr, false);
    curve.setBands(std::make_shared<const BandLevels>(*data));
    curve.show();
    curve.resize(900, 300);
    EXPECT_EQ(curve.bandsOf(), QStringLiteral("Phase")) << "and not blocks, of which there are none";
}

} // namespace
} // namespace tilescope::ui
