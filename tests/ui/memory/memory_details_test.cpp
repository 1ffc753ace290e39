// SPDX-License-Identifier: GPL-3.0-or-later
#include "shown_memory.h"
#include "tests/ui/told_details.h"
#include "ui/session/format.h"

namespace tilescope::ui {
namespace {

using tests::ToldDetails;

template<class Shown>
void choose(Shown& shown, std::int64_t variable, std::vector<std::int64_t> tiles = {}) {
    Selection next = shown.selection.current();
    next.variable = variable;
    next.tiles = std::move(tiles);
    shown.selection.set(next);
    shown.settle();
}

constexpr std::int64_t input = 0, kernel = 4, product = 8; ///< variables of the fixture

TEST(MemoryDetails, OfAVariableSayWhatItIsForAndWhereItLies) {
    tests::ShownView<MemoryView> shown;
    const ToldDetails told(shown.view);
    choose(shown, product);
    EXPECT_EQ(told.title(), QStringLiteral("dense/MatMul"));
    EXPECT_EQ(told.value("Category"), QStringLiteral("Variables"));
    EXPECT_EQ(told.value("Type"), QStringLiteral("float32 [32, 128]"));
    EXPECT_EQ(told.value("Operation"), QStringLiteral("dense/MatMul"));
    EXPECT_EQ(told.value("Layer"), QStringLiteral("dense"));
    EXPECT_EQ(told.value("On all tiles"), QStringLiteral("16 KiB, on 64 tiles"));
    EXPECT_EQ(told.value("Most on"), QStringLiteral("tile 0, 256 B"));
    EXPECT_EQ(told.value("Live"), QStringLiteral("3 steps"));
    EXPECT_EQ(told.value("From"), QStringLiteral("dense/MatMul, step 2"));
    EXPECT_EQ(told.value("To"), QStringLiteral("dense/Relu, step 4"));
    EXPECT_EQ(told.value("Peak of the IPU"), QStringLiteral("not live at dense/WeightGrad, step 20"));
    EXPECT_EQ(told.value("Read by"), QStringLiteral("dense/Relu"));
    EXPECT_EQ(told.value("Moved"), QString()) << "no exchange moves it";
    for (const char* link : {"operation:0:-1'>dense/MatMul<", "layer:0:-1", "tile:0:0", "step:5:-1",
                             "operation:1:-1'>dense/Relu<"})
        EXPECT_TRUE(told.html().contains(QLatin1String(link))) << link << told.html().toStdString();
    choose(shown, kernel);
    EXPECT_EQ(told.value("Live"), QStringLiteral("always"));
    EXPECT_EQ(told.value("Last needed at"), QStringLiteral("dense/Update, step 22"));
    choose(shown, input);
    EXPECT_EQ(told.value("Moved"), QStringLiteral("9 KiB per step, 0.562 times its own bytes"))
        << "12 x 768 of 16,384";
    EXPECT_EQ(told.value("Moved by").count(u'\n'), 8) << "the first of them, and how many more there are";
    EXPECT_TRUE(told.value("Moved by").endsWith(QStringLiteral("and 4 more")));
}

TEST(MemoryDetails, OfOneTileSayWhatItHoldsAndDoes) {
    tests::ShownView<MemoryView> shown;
    const ToldDetails told(shown.view);
    choose(shown, -1, {5});
    EXPECT_EQ(told.title(), QStringLiteral("IPU 0 tile 5"));
    EXPECT_EQ(told.value("With gaps"), QStringLiteral("5.66 KiB of 624 KiB, 0.9 %")) << 5792;
    EXPECT_EQ(told.value("Free"), formatBytes(638'976 - 5792));
    EXPECT_EQ(told.value("Fuller tiles"), QStringLiteral("1 of 64 of its IPU"));
    EXPECT_EQ(told.value("Always live"), formatBytes(2912));
    EXPECT_EQ(told.value("Its peak"), QStringLiteral("dense/WeightGrad, step 20"));
    EXPECT_EQ(told.value("Sends"), QStringLiteral("96 B per step")) << 12 * 8;
    EXPECT_EQ(told.value("Receives"), QStringLiteral("0 B per step"));
    EXPECT_EQ(told.value("Busy"), QStringLiteral("50.0 % of the time in which its IPU computes"));
    EXPECT_TRUE(told.value("On the plan").endsWith(QStringLiteral(", schematic"))) << "a chip of 64 tiles";
    choose(shown, product, {5});
    EXPECT_EQ(told.title(), QStringLiteral("dense/MatMul")) << "a variable comes first";
    EXPECT_EQ(told.value("Free"), formatBytes(638'976 - 5792)) << "and the tile below it";
}

TEST(MemoryDetails, SayThatWhatNeverRanIsPlanned) {
    ShownMemory shown;
    const ToldDetails told(shown.view);
    choose(shown, -1, {2});
    EXPECT_EQ(told.value("Sends"), QStringLiteral("0 B per step, planned"));
}

TEST(MemoryDetails, NameTheFullestTilesWhereNoneOrSeveralAreChosen) {
    ShownMemory shown;
    const ToldDetails told(shown.view);
    choose(shown, -1, {0, 1});
    EXPECT_EQ(told.value("Tiles"), QStringLiteral("2"));
    EXPECT_EQ(told.value("Fullest of these"),
              QStringLiteral("IPU 0 tile 0: 100 B, 10.0 %\nIPU 0 tile 1: 100 B, 10.0 %"));
    choose(shown, -1);
    EXPECT_EQ(told.title(), QStringLiteral("all 2 IPUs"));
    EXPECT_EQ(told.value("Tiles"), QStringLiteral("8"));
    EXPECT_TRUE(told.value("Fullest").startsWith(
        QStringLiteral("IPU 1 tile 2: 950 B, 95.0 %\nIPU 0 tile 2: 110 B, 11.0 %\n")))
        << told.value("Fullest").toStdString();
    EXPECT_EQ(told.value("Of each IPU"),
              QStringLiteral("IPU 1 tile 2: 950 B, 95.0 %\nIPU 0 tile 2: 110 B, 11.0 %"));
    EXPECT_TRUE(told.html().contains(QStringLiteral("tile:2:1")));
}

// Two replicas of two shards.
TEST(MemoryDetails, NameTilesOfReplicasOnce) {
    tests::ShownView<MemoryView> shown([](const std::string& path) -> Result<void> {
        auto recorder = Recorder::create(path, RunRecord{});
        if (!recorder)
            return Failure(recorder.error());
        (*recorder)->set(TargetRecord{"pod4", "ipu2", 4, 2, 1000, 1e9, 6});
        for (std::int64_t ipu = 0; ipu < 4; ++ipu) {
            (*recorder)->add(IpuRecord{ipu, ipu, "", ipu / 2, ipu % 2});
            for (const char* metric : {"total", "total_with_gaps"})
                (*recorder)->add_tile_values("memory", 0, ipu, metric,
                                             ipu % 2 == 0 ? Tiles{100, 200} : Tiles{700, 300});
        }
        return (*recorder)->finish(RunStatus::Complete);
    });
    const ToldDetails told(shown.view);
    choose(shown, -1, {0});
    choose(shown, -1);
    EXPECT_EQ(told.value("Fullest").toStdString(),
              "IPU 1 (also 3) tile 0: 700 B, 70.0 %\nIPU 1 (also 3) tile 1: 300 B, 30.0 %\n"
              "IPU 0 (also 2) tile 1: 200 B, 20.0 %\n"
              "IPU 0 (also 2) tile 0: 100 B, 10.0 %");
    EXPECT_EQ(told.value("Of each IPU").toStdString(),
              "IPU 1 (also 3) tile 0: 700 B, 70.0 %\nIPU 0 (also 2) tile 1: 200 B, 20.0 %");
    EXPECT_EQ(told.value("Tiles"), QStringLiteral("8"));
}

TEST(MemoryDetails, StandAgainstTheBase) {
    tests::ShownView<MemoryView> shown;
    const tests::ShownView<MemoryView> base(tests::FixtureSize{32, 1, 1, 1, 1});
    const ToldDetails told(shown.view);
    shown.view.setSources({shown.source, base.source});
    shown.settle();
    choose(shown, product);
    EXPECT_EQ(told.value("Base"), QStringLiteral("16 KiB, ="));
    choose(shown, product + 9);
    EXPECT_EQ(told.title(), QStringLiteral("dense_1/MatMul"));
    EXPECT_EQ(told.value("Base"), QStringLiteral("does not have it"));
    choose(shown, -1, {40});
    EXPECT_EQ(told.value("Base"), QStringLiteral("does not have it")) << "it has 32 tiles";
    choose(shown, -1, {5});
    EXPECT_FALSE(told.value("Base").isEmpty());
    EXPECT_NE(told.value("Base"), QStringLiteral("does not have it"));
    shown.view.setSources({shown.source});
    shown.settle();
    EXPECT_EQ(told.title(), QStringLiteral("IPU 0 tile 5"));
    EXPECT_EQ(told.value("Base"), QString());
}

} // namespace
} // namespace tilescope::ui
