// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/analyse/insights/told_evidence.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <utility>

/// What findings say in words.
namespace tilescope::analyse {

TEST(InsightTexts, WhatDoesNotFitIsToldWithItsCausesAndWhatWasCompiled) {
    const auto detail = [](const Diagnosis& diagnosis) {
        return only(found(with(healthy(),
                               [&](Evidence& e) {
                                   e.highest->bytes = 1100;
                                   e.diagnosis = diagnosis;
                               })),
                    "out_of_memory")
            .detail;
    };
    Diagnosis d;
    d.tiles_over = 12;
    EXPECT_THAT(detail(d), testing::EndsWith("100 B too little. 12 tiles are over."));
    d.tiles_over = 1;
    d.step = "dense/MatMul";
    d.live_bytes = 900;
    for (const auto& [name, bytes] :
         {std::pair("kernel", 500), std::pair("x", 200), std::pair("y", 100), std::pair("bias", 50)}) {
        profile::VariableOnTiles variable;
        variable.variable.name = name;
        variable.bytes = bytes;
        d.largest.push_back(variable);
    }
    d.tried = {{"model.shards=2", 2, 900, true, 80}, {"fit.batch_size=8", 0, 1200, false, 120}};
    EXPECT_THAT(detail(d), testing::EndsWith("It is the only one. Most is live there, 900 B, while "
                                             "dense/MatMul runs. Largest then: kernel (500 B), x (200 B) and "
                                             "y (100 B). model.shards=2 on 2 IPUs was compiled, and fits."));
    d.tried = {{"fit.batch_size=8", 0, 1200, false, 120}};
    EXPECT_THAT(detail(d), testing::EndsWith(" The one change that was compiled does not fit either."));
    d.tried.push_back({"fit.batch_size=4", 0, 1100, false, 60});
    EXPECT_THAT(detail(d), testing::EndsWith(" None of the 2 changes that were compiled fits."));
    const auto insight = only(found(with(healthy(),
                                         [&](Evidence& e) {
                                             e.highest->bytes = 1100;
                                             e.diagnosis = d;
                                         })),
                              "out_of_memory");
    EXPECT_EQ(figure(insight, "tiles_over"), 1);
    EXPECT_EQ(figure(insight, "live_bytes"), 900);
}

TEST(InsightTexts, ASmallBatchIsToldWithThePaceOfItsComputeSets) {
    const auto insights = found(with(healthy(), [](Evidence& e) {
        e.batch_size = 8;
        e.sync_cycles = 100;
        e.set_cycles = 352.25;
        e.peak_share = 0.0051;
        e.busy = 900;
    }));
    const Insight& small = only(insights, "small_batch");
    EXPECT_EQ(small.detail,
              "The mean compute set takes 352 cycles, 3.52 times as long as a sync, and the tiles "
              "compute at 0.5 % of their peak. A batch larger than 8 gives each step more to do: "
              "twice as large, it halves the time of a sample at most.");
    EXPECT_EQ(small.cost, (InsightCost{450, FigureUnit::Cycles, "step"}));
    EXPECT_EQ(small.subject.name, "fit.batch_size");
}

TEST(InsightTexts, TimeOfTheHostIsToldByWhatItGoesTo) {
    const Evidence half = with(healthy(), [](Evidence& e) { // of 1,000 cycles
        e.phases = profile::PhaseCycles{};
        e.phases->compute = e.phases->host = 50;
        e.host.launch = 100;
        e.host.answers = 600;
        e.host.feeds = 296;
        e.host.results = 4;
    });
    const auto of = [&](const std::function<void(Evidence&)>& change) {
        return only(found(with(half, change)), "host_time");
    };
    const Insight waits = of([](Evidence&) {});
    EXPECT_EQ(waits.detail,
              "50.0 % of the time goes to the host: 60.0 % of that to waiting for its answer where streams "
              "begin and end, 29.6 % to data in, 10.0 % to launching engine runs. A larger batch waits less "
              "often for as many samples, and I/O tiles (ipu_config.io_tiles) wait beside compute.");
    EXPECT_EQ(waits.cost, (InsightCost{500, FigureUnit::Cycles, "step"}));
    EXPECT_EQ(figure(waits, "results_share"), 0.004);
    EXPECT_THAT(of([](Evidence& e) {
                    e.host.feeds = 1300; // of 2,000
                    e.host.results = 0;
                }).detail,
                testing::HasSubstr("65.0 % of that to data in, 30.0 % to waiting for its answer"));
    EXPECT_THAT(of([](Evidence& e) { e.host.launch = 700; }).detail,
                testing::EndsWith(" More steps in each (steps_per_execution) share a launch."));
    // A small graph has none of these settings.
    EXPECT_THAT(of([](Evidence& e) { e.small_graph = true; }).detail,
                testing::EndsWith(" One engine run that does more, as a loop of steps does, shares them."));
    EXPECT_THAT(of([](Evidence& e) {
                    e.small_graph = true;
                    e.host = HostTime();
                    e.host.feeds = 1;
                }).detail,
                testing::EndsWith("100.0 % of that to data in."));
    EXPECT_EQ(of([](Evidence& e) { e.host = HostTime(); }).detail, "50.0 % of the time goes to the host.");
}

TEST(InsightTexts, OnlyWhatHasABatchOrReplicasIsToldToChangeThem) {
    const auto detail = [](const Evidence& base, std::int64_t profile::PhaseCycles::*part, const char* code) {
        return only(found(with(base,
                               [&](Evidence& e) {
                                   e.phases = profile::PhaseCycles{};
                                   (*e.phases).*part = 100;
                               })),
                    code)
            .detail;
    };
    const auto sync = [&](std::int64_t batch, bool small) {
        const Evidence of = with(healthy(), [&](Evidence& e) {
            e.batch_size = batch;
            e.small_graph = small;
        });
        return detail(of, &profile::PhaseCycles::sync, "sync_bound");
    };
    EXPECT_THAT(sync(8, false), testing::EndsWith(" A larger batch makes them longer."));
    EXPECT_THAT(sync(8, true), testing::EndsWith(" Fewer and longer ones would sync less."));
    EXPECT_THAT(sync(0, false), testing::EndsWith(" Fewer and longer ones would sync less."));
    const auto copies = [&](std::int64_t replica) {
        const Evidence of = with(on_ipus(2), [&](Evidence& e) { e.ipus[1].replica = replica; });
        return detail(of, &profile::PhaseCycles::inter_ipu, "inter_ipu_bound");
    };
    EXPECT_THAT(copies(0), testing::EndsWith(" what one shard or stage needs of another."));
    EXPECT_THAT(copies(1), testing::EndsWith(" More gradient accumulation makes the second rarer."));
}

TEST(InsightTexts, ATileIsNamedWithItsIpuWhereThereAreSeveral) {
    const auto one = found(with(healthy(), [](Evidence& e) { e.highest = Evidence::Tile{0, 45, 950}; }));
    EXPECT_NE(only(one, "tile_nearly_full").detail.find("Tile 45 needs 95"), std::string::npos);
    const auto several = found(with(on_ipus(4), [](Evidence& e) { e.highest = Evidence::Tile{3, 45, 950}; }));
    const Insight& full = only(several, "tile_nearly_full");
    EXPECT_NE(full.detail.find("Tile 45 of IPU 3 needs 95"), std::string::npos) << full.detail;
    EXPECT_EQ(full.subject.kind, SubjectKind::Tile);
    EXPECT_EQ(full.subject.ipus, std::vector<std::int64_t>{3});
    EXPECT_EQ(full.subject.id, 45);
    EXPECT_EQ(figure(full, "tile_bytes"), 950);
}

} // namespace tilescope::analyse
