// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/headline.h"
#include "analyse/layer_loss.h"
#include "profile/recorder.h"
#include "tests/temporary_folder.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace tilescope::analyse {
namespace {

/// Two IPUs whose tiles have 1,000 bytes; of the fullest, `bytes` are taken.
Summary with_bytes(std::int64_t bytes) {
    Summary s;
    s.target.bytes_per_tile = 1000;
    s.target.clock_hz = 1e9;
    s.ipus = {{0, 0}, {1, 0}};
    s.memory = MemorySummary{};
    s.memory->fullest_with_gaps = {1, 45, bytes};
    return s;
}

TEST(Headline, SaysWhetherItFitsAndHowTightly) {
    EXPECT_EQ(headline(with_bytes(600)).memory,
              "Fits, with 400 B (40.0 %) free on the fullest tile, IPU 1 tile 45.");
    EXPECT_EQ(headline(with_bytes(600)).fit, Fit::Fits);
    EXPECT_EQ(headline(with_bytes(950)).fit, Fit::Fits); // 5 % are free
    EXPECT_EQ(headline(with_bytes(951)).fit, Fit::Tight);
    EXPECT_EQ(headline(with_bytes(980)).memory,
              "Fits, tightly: 20 B (2.0 %) are free on the fullest tile, IPU 1 tile 45.");
    EXPECT_EQ(headline(with_bytes(1000)).fit, Fit::Tight);
    EXPECT_EQ(headline(with_bytes(1500)).fit, Fit::DoesNotFit);
    EXPECT_EQ(headline(with_bytes(1500)).memory,
              "Does not fit: IPU 1 tile 45 needs 1.46 KiB of 1,000 B (150.0 %).");
    EXPECT_EQ(headline(Summary()).fit, Fit::Unknown);
    EXPECT_EQ(headline(Summary()).memory, "");
}

TEST(Headline, WhatIsFreeIsAFigureOfTheReportToo) {
    EXPECT_EQ(document(with_bytes(600)).at("memory").at("free_bytes"), 400);
    EXPECT_EQ(document(with_bytes(1500)).at("memory").at("free_bytes"), -500);
    EXPECT_TRUE(document(Summary()).at("memory").at("free_bytes").is_null());
}

TEST(Headline, SaysWhatTakesTheTime) {
    Summary s = with_bytes(600);
    EXPECT_EQ(headline(s).time, ""); // no engine run has ended
    s.by_phase = profile::PhaseCycles{};
    s.by_phase->compute = 60;
    s.by_phase->exchange = 30;
    s.by_phase->waiting = 10;
    EXPECT_EQ(headline(s).time,
              "Limited by compute, 60.0 % of all IPU time; the largest loss is exchange between "
              "tiles, 30.0 %.");
    s.by_phase->waiting = 110;
    EXPECT_EQ(headline(s).time,
              "Limited by waiting for other IPUs, 55.0 % of all IPU time; computing is 30.0 %.");
}

// That all IPUs together wait tells little of what would make the run shorter.
TEST(Headline, WhatLimitsIsOfTheIpuThatTheOthersWaitFor) {
    Summary s = with_bytes(600);
    s.ipus.resize(3);
    s.by_phase = profile::PhaseCycles{};
    for (std::int64_t i = 0; i < 3; ++i) {
        IpuSummary& ipu = s.ipus[static_cast<std::size_t>(i)];
        ipu.id = i;
        ipu.phases.compute = i == 1 ? 30 : 10;
        ipu.phases.exchange = i == 1 ? 60 : 10;
        ipu.phases.waiting = i == 1 ? 10 : 80;
        *s.by_phase += ipu.phases;
    }
    EXPECT_EQ(headline(s).time, "Limited by exchange between tiles, 60.0 % of the time of IPU 1, which waits "
                                "least; computing is 16.7 % of all IPU time.");
    EXPECT_EQ(headline(s).largest->name, "exchange");
    s.ipus[1].phases.compute = 90;
    s.ipus[1].phases.exchange = 0;
    EXPECT_EQ(headline(s).time, "Limited by compute, 90.0 % of the time of IPU 1, which waits least; the "
                                "largest loss is waiting for other IPUs, 10.0 %.");
}

// Who is the slowest is the answer, not that the others wait.
TEST(Headline, OfAnUnevenPipelineItNamesTheStagesThatTheOthersWaitFor) {
    Summary s = with_bytes(600);
    s.by_phase = profile::PhaseCycles{};
    s.by_phase->compute = 60;
    s.by_phase->waiting = 140;
    for (const std::int64_t work : {100, 196, 200, 198, 50}) {
        StageSummary stage;
        stage.stage.stage = static_cast<std::int64_t>(s.stages.size());
        stage.stage.cycles[PipelineActivity::Forward] = work;
        s.stages.push_back(stage);
    }
    EXPECT_EQ(headline(s).time.find("stage"), std::string::npos) << "no rule found them uneven";
    Insight uneven;
    uneven.code = "stage_imbalance";
    uneven.subject.id = 2;
    uneven.figures = {{"longest_stage_cycles", 200, FigureUnit::Cycles},
                      {"times_the_mean", 1.344, FigureUnit::Times}};
    s.insights = {uneven};
    s.insights[0].figures[1].value = 1.2;
    EXPECT_EQ(headline(s).time.find("stage"), std::string::npos) << "so little is not what limits it";
    s.insights = {uneven};
    EXPECT_EQ(headline(s).time,
              "Limited by stages 1 to 3 of the pipeline, which work up to 34.4 % longer than "
              "the mean stage; computing is 30.0 % of all IPU time.");
    s.stages[1].stage.cycles[PipelineActivity::Forward] = 100;
    s.stages[3].stage.cycles[PipelineActivity::Forward] = 100;
    EXPECT_EQ(headline(s).time, "Limited by stage 2 of the pipeline, which works 34.4 % longer than the mean "
                                "stage; computing is 30.0 % of all IPU time.");
    s.elapsed = 1000; // what even stages gain is compared with what else takes time
    s.insights[0].cost = InsightCost{200, FigureUnit::Cycles, "step", false};
    s.by_phase->exchange = 50; // 20 % of 250
    EXPECT_NE(headline(s).time.find("stage 2"), std::string::npos);
    s.insights[0].cost->value = 199;
    EXPECT_EQ(headline(s).time,
              "Limited by waiting for other IPUs, 56.0 % of all IPU time; computing is 24.0 %.");
    s.by_phase->exchange = 0;
    s.insights[0].cost.reset();
    s.insights[0].figures[0].value = 400; // of an IPU that does two
    EXPECT_EQ(headline(s).time, "Limited by the IPU of stage 2, which works 34.4 % longer than the mean IPU; "
                                "computing is 30.0 % of all IPU time.");
}

TEST(LayerLoss, IsWhatThePeakWouldNotTake) {
    LayerCost layer;
    layer.cycles.compute = 60;
    layer.cycles.exchange = 40;
    EXPECT_EQ(lost_by(layer), 100) << "it only moves data";
    layer.flops = 1000;
    EXPECT_FALSE(lost_by(layer)) << "what the target could is not known";
    layer.peak_share = 0.25;
    EXPECT_EQ(lost_by(layer), 75);
    LayerCost other;
    other.cycles.compute = 80;
    EXPECT_EQ(by_loss({layer, other}).front().cycles.compute, 80);
}

TEST(Headline, CountsTheArithmeticOfAllReplicas) {
    Summary s = with_bytes(600);
    EXPECT_FALSE(flops_per_s(s));
    s.loops.updates = 2;
    s.loops.replicas = 2;
    s.basis = Basis::Step;
    s.elapsed = 2000; // cycles of four steps, two at once: 2 microseconds
    s.layers.resize(1);
    s.layers[0].flops = 1000; // in one of the four steps of this replica's share
    ASSERT_TRUE(flops_per_s(s));
    EXPECT_DOUBLE_EQ(*flops_per_s(s), 1000.0 * 4 * 2 / 2e-6);
    s.ipus.resize(2);
    EXPECT_DOUBLE_EQ(flops_per_s_per_ipu(s).value_or(0), 1000.0 * 4 / 2e-6);
}

/// Tile 1 needs 1,536 of 1,024 bytes; at step 1 two of its three variables are live.
TEST(Diagnosis, SaysWhereWhenAndWhatFillsTheTile) {
    const tests::TemporaryFolder folder;
    profile::RunRecord run;
    run.name = "large";
    run.workload = "{}";
    auto recorder = *profile::Recorder::create(folder / "oom.tilescope", run);
    recorder->set(profile::TargetRecord{"ipu", "ipu2", 1, 2, 1024, 1e9, 6});
    recorder->add(profile::IpuRecord{0, 0, "/device:IPU:0", 0, 0, -1});
    for (const auto& [metric, bytes] : {std::pair("total", std::vector<std::int64_t>{512, 1000}),
                                        std::pair("total_with_gaps", std::vector<std::int64_t>{600, 1536}),
                                        std::pair("always_live", std::vector<std::int64_t>{100, 100})})
        recorder->add_tile_values("memory", 0, 0, metric, bytes);
    const auto add = [&](std::int64_t id, const char* name, std::int64_t bytes, std::int64_t from,
                         std::int64_t to) {
        profile::VariableRecord v;
        v.id = id;
        v.name = name;
        v.category = MemoryCategory::Variables;
        v.bytes = bytes;
        v.live_from = from;
        v.live_to = to;
        recorder->add(v);
        recorder->add_tile_values("variable", id, 0, "bytes", std::vector<std::int64_t>{0, bytes});
    };
    add(0, "early", 500, 0, 0);
    add(1, "large", 700, 1, 1);
    add(2, "small", 300, 0, 1);
    for (std::int64_t step = 0; step < 2; ++step) {
        profile::ProgramRecord p;
        p.id = step;
        p.kind = profile::StepKind::Execute;
        p.name = step == 0 ? "first" : "second";
        p.liveness_step = step;
        recorder->add(p);
        recorder->add(profile::LivenessSpanRecord{0, step, 1, 0, 1000, 1000});
    }
    recorder->add(profile::RemedyRecord{"fit.batch_size=8", 0, 1200, false, 120});
    recorder->add(profile::RemedyRecord{"fit.batch_size=4", 0, 900, true, 60});
    recorder->add(profile::RemedyRecord{"model.shards=2", 2, 1000, true, 80});
    ASSERT_TRUE(recorder->finish(profile::RunStatus::OutOfMemory, "tile 1 is too full"));
    const auto file = *profile::Profile::open(folder / "oom.tilescope");
    const auto found = *diagnose(*file, *summarise(*file));
    ASSERT_TRUE(found);
    EXPECT_EQ(found->worst.tile, 1);
    EXPECT_EQ(found->excess(), 512);
    EXPECT_EQ(found->tiles_over, 1);
    EXPECT_EQ(found->step, "second");
    EXPECT_EQ(found->live_bytes, 1000);
    ASSERT_EQ(found->largest.size(), 2U);
    EXPECT_EQ(found->largest[0].variable.name, "large");
    EXPECT_EQ(found->largest[1].variable.name, "small");
    ASSERT_EQ(found->tried.size(), 3U) << "those that fit come first";
    EXPECT_EQ(found->tried[0].change, "fit.batch_size=4");
    EXPECT_EQ(found->tried[1].change, "model.shards=2");
    EXPECT_EQ(found->tried[2].change, "fit.batch_size=8");

    const auto insights = summarise(*file)->insights;
    ASSERT_FALSE(insights.empty());
    EXPECT_EQ(insights.front().code, "out_of_memory");
    EXPECT_EQ(insights.front().detail,
              "Tile 1 needs 1.50 KiB, gaps included, and has 1 KiB: 512 B too little. It is the only "
              "one. Most is live there, 1,000 B, while second runs. Largest then: large (700 B) and small "
              "(300 B). fit.batch_size=4 was compiled, and fits.");
}

// What is short then is not on a tile: the code, or streaming memory.
TEST(Headline, ARunThatDoesNotFitThoughItsTilesHaveRoomSaysWhatItSaid) {
    Summary summary;
    summary.target.bytes_per_tile = 1000;
    summary.memory = MemorySummary{};
    summary.memory->fullest_with_gaps = {0, 1, 400};
    EXPECT_EQ(headline(summary).fit, Fit::Fits);
    summary.run.status = profile::RunStatus::OutOfMemory;
    summary.run.error = "out of streaming memory; share it";
    EXPECT_EQ(headline(summary).fit, Fit::DoesNotFit);
    EXPECT_EQ(headline(summary).memory, "Does not fit: out of streaming memory; share it.");
}

} // namespace
} // namespace tilescope::analyse
