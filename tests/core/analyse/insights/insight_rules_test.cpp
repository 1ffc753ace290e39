// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/insight_rules.h"
#include "build_paths.h"
#include "tests/core/analyse/insights/told_evidence.h"

#include <algorithm>
#include <fstream>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iterator>
#include <set>
#include <sstream>

namespace tilescope::analyse {
namespace {

std::vector<std::string> codes(const Evidence& evidence) {
    std::vector<std::string> result;
    for (const Insight& insight : found(evidence))
        result.push_back(insight.code);
    return result;
}

/// Evidence that lies just beyond a threshold of a rule, and on it or just before.
struct Case {
    std::string code;
    Evidence beyond, before;
};

std::vector<Case> cases() {
    std::vector<Case> all;
    const auto add = [&](const std::string& code, const Evidence& base,
                         const std::function<void(Evidence&)>& beyond,
                         const std::function<void(Evidence&)>& before) {
        all.push_back({code, with(base, beyond), with(base, before)});
    };
    const auto phase = [](std::int64_t profile::PhaseCycles::*part, std::int64_t cycles) {
        return [part, cycles](Evidence& e) { // the others: 100 cycles of computing in all
            e.phases = profile::PhaseCycles{};
            e.phases->compute = 100 - cycles;
            (*e.phases).*part = cycles;
        };
    };
    const Evidence one_step = with(healthy(), [&](Evidence& e) {
        e.steps_per_execution = 1;
        e.executions = 11;
        phase(&profile::PhaseCycles::host, 31)(e);
    });
    add(
        "host_bound", one_step, [](Evidence&) {}, phase(&profile::PhaseCycles::host, 30));
    add(
        "host_bound", one_step, [](Evidence&) {}, [](Evidence& e) { e.executions = 10; });
    add(
        "host_bound", one_step, [](Evidence&) {}, [](Evidence& e) { e.steps_per_execution = 2; });
    add("host_time", healthy(), phase(&profile::PhaseCycles::host, 31),
        phase(&profile::PhaseCycles::host, 30));
    add(
        "host_time", with(one_step, [](Evidence& e) { e.executions = 10; }), [](Evidence&) {},
        [](Evidence& e) { e.executions = 11; });
    add(
        "global_step_on_ipu", healthy(), [](Evidence& e) { e.counter_on_ipu = true; }, [](Evidence&) {});
    add(
        "training_diverged", healthy(), [](Evidence& e) { e.divergence = "loss is not a number"; },
        [](Evidence&) {});
    const auto highest = [](std::int64_t bytes) {
        return [bytes](Evidence& e) { e.highest->bytes = bytes; };
    };
    add("out_of_memory", healthy(), highest(1001), [](Evidence& e) { e.highest->bytes = 900; });
    add(
        "out_of_memory", healthy(), [](Evidence& e) { e.shortage = "out of streaming memory"; },
        [](Evidence&) {});
    add("tile_nearly_full", healthy(), highest(901), highest(900));
    add("tile_nearly_full", healthy(), highest(1000), [](Evidence& e) { e.highest->bytes = 899; });
    const auto spread = [](std::int64_t fullest, std::int64_t mean) {
        return [=](Evidence& e) {
            e.fullest->bytes = fullest;
            e.total_bytes = mean * 100;
        };
    };
    add("tile_imbalance", healthy(), spread(301, 100), spread(300, 100));
    add("tile_imbalance", healthy(), spread(251, 50), spread(250, 50));
    add("exchange_bound", healthy(), phase(&profile::PhaseCycles::exchange, 51),
        phase(&profile::PhaseCycles::exchange, 50));
    add("inter_ipu_bound", healthy(), phase(&profile::PhaseCycles::inter_ipu, 26),
        phase(&profile::PhaseCycles::inter_ipu, 25));
    add("sync_bound", healthy(), phase(&profile::PhaseCycles::sync, 31),
        phase(&profile::PhaseCycles::sync, 30));
    // All that IPUs do, and just over a tenth of the time, or a tenth.
    for (const auto& [code, part] : {std::pair("exchange_bound", &profile::PhaseCycles::exchange),
                                     std::pair("inter_ipu_bound", &profile::PhaseCycles::inter_ipu),
                                     std::pair("sync_bound", &profile::PhaseCycles::sync)}) {
        const auto idle = [part = part](std::int64_t waiting) {
            return [part, waiting](Evidence& e) {
                e.phases = profile::PhaseCycles{};
                (*e.phases).*part = 11;
                e.phases->waiting = waiting;
            };
        };
        add(code, healthy(), idle(98), idle(99)); // of 109 and 110
    }
    const auto set = [](double cycles, double lost) { // of 1,000
        return [=](Evidence& e) { e.compute_sets = {{"dense/Convolve", 1, 0, 3, cycles, lost}}; };
    };
    const auto code = [](std::int64_t bytes) { return [bytes](Evidence& e) { e.highest_code = bytes; }; };
    add("code_size", healthy(), code(201), code(200)); // of 1,000 bytes
    // 1,000 cycles of one operation beside 9,000 of others.
    const auto operation = [](double exchange, double arranging, double cycles = 1000) {
        return [=](Evidence& e) {
            e.operations = {{"dense/MatMul", 1, 3, 0, cycles, exchange, arranging, cycles}};
            e.operation_cycles = 10000;
            e.arranging = arranging;
        };
    };
    add("exchange_bound_operation", healthy(), operation(501, 0), operation(500, 0));
    add("exchange_bound_operation", healthy(), operation(501, 0, 501), operation(500, 0, 500));
    add("rearrangement_cost", healthy(), operation(0, 2001, 5000), operation(0, 2000, 5000));
    const auto pace = [](double peak_share, double set_cycles) {
        return [=](Evidence& e) {
            e.batch_size = 8;
            e.sync_cycles = 100;
            e.set_cycles = set_cycles;
            e.peak_share = peak_share;
            e.busy = 900;
        };
    };
    add("small_batch", healthy(), pace(0.049, 500), pace(0.05, 500));
    add("small_batch", healthy(), pace(0.01, 999), pace(0.01, 1000));
    add(
        "small_batch", with(healthy(), pace(0.01, 999)), [](Evidence&) {},
        [](Evidence& e) { e.small_graph = true; });
    add(
        "small_batch", with(healthy(), pace(0.01, 999)), [](Evidence&) {},
        [](Evidence& e) { e.batch_size = 0; });
    add("poor_balance", healthy(), set(100, 51), set(100, 50));
    add("poor_balance", healthy(), set(12, 11), set(12, 10));
    // 71 cycles that the others wait, of 1,000 that pass; 69. Or 142 and 138 of an update of 2,000.
    const auto stages = [](double uneven_cycles, double updates) {
        return [=](Evidence& e) {
            e.stages = {900, 1100};
            e.uneven_cycles = uneven_cycles;
            e.updates = updates;
        };
    };
    add("stage_imbalance", on_ipus(2), stages(71, 1), stages(69, 1));
    add("stage_imbalance", on_ipus(2), stages(142, 0.5), stages(138, 0.5));
    add(
        "idle_ipus", on_ipus(2), [](Evidence& e) { e.ipus[1].compute = 0; },
        [](Evidence& e) { e.ipus[1].compute = 1; });
    // 90 % of one IPU's 100,000 bytes may be filled.
    add(
        "spare_ipus", on_ipus(2), [](Evidence& e) { e.total_bytes = 90'000; },
        [](Evidence& e) { e.total_bytes = 90'001; });
    add(
        "spare_ipus", with(on_ipus(2), [](Evidence& e) { e.total_bytes = 90'000; }), [](Evidence&) {},
        [](Evidence& e) { e.ipus[1].replica = 1; });
    return all;
}

} // namespace

TEST(InsightRules, SayNothingOfAHealthyRun) {
    EXPECT_EQ(codes(healthy()), std::vector<std::string>{});
    EXPECT_EQ(codes(on_ipus(2)), std::vector<std::string>{});
    EXPECT_EQ(codes(Evidence()), std::vector<std::string>{}); // nothing is known
}

TEST(InsightRules, SayNothingWhereThereIsNothingToChange) {
    const auto expect_none = [](const char* why, const Evidence& base,
                                const std::function<void(Evidence&)>& change) {
        EXPECT_EQ(codes(with(base, change)), std::vector<std::string>{}) << why;
    };
    const auto computes_nothing = [](Evidence& e) { e.ipus[0].compute = 0; };
    expect_none("no other IPU could have its work", healthy(), computes_nothing);
    expect_none("no engine run has ended", on_ipus(2), [](Evidence& e) {
        for (Evidence::Ipu& ipu : e.ipus)
            ipu.cycles = ipu.compute = 0;
    });
    expect_none("a small graph has no replicas", on_ipus(2), [](Evidence& e) {
        e.small_graph = true;
        e.total_bytes = 90'000;
    });
    expect_none("its memory is not known", on_ipus(2), [](Evidence& e) { e.total_bytes = 0; });
    expect_none("no number of IPUs has the memory", on_ipus(2), [](Evidence& e) {
        e.bytes_per_tile = 0;
        e.highest.reset();
        e.fullest.reset();
    });
}

TEST(InsightRules, EachFindsWhatIsJustBeyondItsThresholdsAndNothingBefore) {
    std::set<std::string> tried;
    for (const Case& c : cases()) {
        tried.insert(c.code);
        EXPECT_EQ(codes(c.beyond), std::vector<std::string>{c.code});
        const auto before = codes(c.before);
        EXPECT_EQ(std::count(before.begin(), before.end(), c.code), 0) << c.code;
    }
    EXPECT_EQ(tried.size(), insight_rules().size());
}

TEST(InsightRules, EachGivesTheFiguresThatItSawAndWhatTheyAreAbout) {
    for (const Case& c : cases()) {
        const auto insights = found(c.beyond);
        const Insight& insight = only(insights, c.code);
        EXPECT_FALSE(insight.figures.empty()) << c.code;
        EXPECT_FALSE(insight.title.empty() || insight.detail.empty()) << c.code;
        for (const InsightFigure& each : insight.figures)
            EXPECT_TRUE(std::set({FigureUnit::Share, FigureUnit::Bytes, FigureUnit::Cycles, FigureUnit::Times,
                                  FigureUnit::Count})
                            .contains(each.unit))
                << c.code << " " << each.name;
    }
}

TEST(InsightRules, StandWithTheWorstFirst) {
    const auto& rules = insight_rules();
    EXPECT_TRUE(std::is_sorted(rules.begin(), rules.end(), [](const Rule& a, const Rule& b) {
        return static_cast<int>(a.severity) > static_cast<int>(b.severity);
    }));
}

TEST(InsightRules, SayOnWhichSideOfAThresholdTheyFind) {
    for (const char* code : {"spare_ipus", "poor_balance", "small_batch"})
        EXPECT_TRUE(find_rule(code)->thresholds.front().below) << code;
    EXPECT_FALSE(find_rule("tile_nearly_full")->thresholds.front().below);
    EXPECT_EQ(find_rule("none"), nullptr);
}

TEST(InsightRules, BytesOfACostAreOverSomething) {
    EXPECT_EQ(find_rule("tile_nearly_full")->cost_is_over(), "90.0 % of the tile");
    EXPECT_EQ(find_rule("code_size")->cost_is_over(), "20.0 % of the tile");
    EXPECT_EQ(find_rule("tile_imbalance")->cost_is_over(), "the mean tile");
    EXPECT_EQ(find_rule("host_bound")->cost_is_over(), "") << "it costs time";
}

// Whether a cut fits into memory only a compilation tells: an analysis proposes none.
TEST(InsightRules, AnUnbalancedPipelineIsToldWithoutACutThatNobodyTried) {
    const auto insights = found(with(on_ipus(4), [](Evidence& e) {
        e.stages = {900, 900, 1300, 900};
        e.uneven_cycles = 290;
    }));
    const Insight& imbalance = only(insights, "stage_imbalance");
    EXPECT_EQ(imbalance.subject.kind, SubjectKind::Stage);
    EXPECT_EQ(imbalance.subject.id, 2);
    EXPECT_EQ(figure(imbalance, "times_the_mean"), 1.3);
    EXPECT_THAT(
        imbalance.detail, // 300 cycles of work beyond the mean of 1,000; 290 of 1,000 are to be had
        testing::StartsWith("Stage 2 works 30.0 % longer than the mean stage, and the others wait for "
                            "it: even stages would gain at most 29.0 % of the time."));
    EXPECT_EQ(figure(imbalance, "lost_share"), 0.29);
    EXPECT_EQ(imbalance.detail.find('{'), std::string::npos);
}

// Stages 0 and 3 share an IPU: together they work as long as stage 1, and that of stage 2 has too much.
TEST(InsightRules, StagesOfOneIpuAreInBalanceTogether) {
    const auto insights = found(with(on_ipus(4), [](Evidence& e) {
        e.stages = {1000, 1000, 1600};
        e.first_stages = {0, 1, 2};
        e.uneven_cycles = 400;
    }));
    EXPECT_NE(
        only(insights, "stage_imbalance")
            .detail.find("The IPU of stage 2 works 33.3 % longer than the mean IPU, and the others wait"),
        std::string::npos);
}

TEST(InsightRules, SeveralIdleIpusAreOneInsight) {
    const auto insights =
        found(with(on_ipus(4), [](Evidence& e) { e.ipus[1].compute = e.ipus[3].compute = 0; }));
    ASSERT_EQ(insights.size(), 1U);
    EXPECT_EQ(insights[0].subject.ipus, (std::vector<std::int64_t>{1, 3}));
    EXPECT_NE(insights[0].detail.find("IPU 1, 3 computes nothing"), std::string::npos);
}

// 24 blocks of a stack on two IPUs: 14 of 100 cycles on one of them, 10 on the other, 60 % of it exchange.
TEST(InsightRules, OperationsThatAreAlikeAreOneInsight) {
    const auto insights = found(with(on_ipus(2), [](Evidence& e) {
        e.elapsed = 10000;
        e.per = "weight update";
        e.operation_cycles = 12000;
        e.operations = {{"layer_*/MatMul", 24, 42, 1, 2400, 1440, 2400, 1400}};
        e.arranging = 2500;
    }));
    const Insight& bound = only(insights, "exchange_bound_operation");
    EXPECT_THAT(bound.detail, testing::StartsWith("layer_*/MatMul × 24 takes 20.0 % of the cycles of "
                                                  "operations, and 60.0 % of that is exchange"));
    EXPECT_EQ(bound.subject.id, 42);
    EXPECT_EQ(bound.subject.ipus, std::vector<std::int64_t>{1});
    EXPECT_EQ(bound.cost, (InsightCost{840, FigureUnit::Cycles, "weight update"})); // 60 % of 1,400
    const Insight& arranging = only(insights, "rearrangement_cost");
    EXPECT_EQ(figure(arranging, "operations"), 24);
    EXPECT_EQ(arranging.cost, (InsightCost{1250, FigureUnit::Cycles, "weight update"})); // of both IPUs 2,500
    EXPECT_THAT(arranging.detail, testing::HasSubstr("layer_*/MatMul × 24 has most: 96.0 % of it, 100.0 % of "
                                                     "its own time"));
}

// Of 24 layers those on IPU 1 lose most: 500 of 800 cycles, while 10,000 pass.
TEST(InsightRules, ComputeSetsThatAreAlikeLoseTogether) {
    const auto insights = found(with(on_ipus(2), [](Evidence& e) {
        e.elapsed = 10000;
        e.per = "weight update";
        e.compute_sets = {{"layer_*/Softmax", 24, 1, 42, 800, 500}};
    }));
    const Insight& uneven = only(insights, "poor_balance");
    EXPECT_EQ(uneven.detail, "layer_*/Softmax \u00d7 24 takes 8.0 % of the time of IPU 1, and the mean tile "
                             "works 37.5 % as long as the slowest: 5.0 % of the time is lost.");
    EXPECT_EQ(uneven.cost, (InsightCost{500, FigureUnit::Cycles, "weight update"}));
    EXPECT_EQ(uneven.subject.id, 42);
    EXPECT_EQ(uneven.subject.ipus, std::vector<std::int64_t>{1});
    EXPECT_EQ(figure(uneven, "compute_sets"), 24);
}

TEST(InsightRules, OfSeveralOperationsThatArrangeTheOneWithMostIsNamed) {
    const auto insights = found(with(healthy(), [](Evidence& e) {
        e.operation_cycles = 10000;
        e.operations = {{"first/MatMul", 1, 3, 0, 1000, 0, 900, 1000},
                        {"second/MatMul", 1, 4, 0, 4000, 0, 2000, 4000}};
        e.arranging = 2900;
    }));
    const Insight& arranging = only(insights, "rearrangement_cost");
    EXPECT_EQ(arranging.subject.id, 4);
    EXPECT_THAT(arranging.detail,
                testing::HasSubstr("second/MatMul has most: 69.0 % of it, 50.0 % of its own time"));
}

TEST(InsightRules, ACostIsTheMostThatThereIsToGain) {
    const auto cost = [](const Evidence& evidence, const char* code) {
        return only(found(evidence), code).cost.value_or(InsightCost{});
    };
    const Evidence timed = with(healthy(), [](Evidence& e) {
        e.elapsed = 1000;
        e.per = "step";
    });
    const Evidence exchange = with(timed, [](Evidence& e) {
        e.phases = profile::PhaseCycles{};
        e.phases->compute = 30;
        e.phases->exchange = 50;
        e.phases->waiting = 20;
    });
    EXPECT_EQ(cost(exchange, "exchange_bound"),
              (InsightCost{500, FigureUnit::Cycles, "step"})); // half of all time
    // 50 of all 100 cycles, as the headline counts; 50 of the 80 in which an IPU is at work.
    EXPECT_THAT(only(found(exchange), "exchange_bound").detail,
                testing::StartsWith("50.0 % of the time, 62.5 % of what is neither the host's nor idle, "));
    const Evidence stages = with(on_ipus(4), [](Evidence& e) {
        e.elapsed = 1000;
        e.per = "micro-batch";
        e.updates = 0.25; // four micro-batches make an update
        e.stages = {900, 900, 1300, 900};
        e.uneven_cycles = 300;
    });
    EXPECT_EQ(cost(stages, "stage_imbalance"), (InsightCost{75, FigureUnit::Cycles, "micro-batch"}));
    const Evidence uneven = with(timed, [](Evidence& e) {
        e.compute_sets = {{"dense/Convolve", 1, 0, 3, 400, 350}};
    });
    EXPECT_EQ(cost(uneven, "poor_balance"), (InsightCost{350, FigureUnit::Cycles, "step"}));
    const auto highest = [&](std::int64_t bytes) {
        return with(timed, [bytes](Evidence& e) { e.highest->bytes = bytes; });
    };
    EXPECT_EQ(cost(highest(1100), "out_of_memory"), (InsightCost{100, FigureUnit::Bytes, {}}));
    EXPECT_EQ(cost(highest(950), "tile_nearly_full"), (InsightCost{50, FigureUnit::Bytes, {}}));
    const Evidence half_host = with(timed, [](Evidence& e) {
        e.steps_per_execution = 1;
        e.phases = profile::PhaseCycles{};
        e.phases->compute = e.phases->host = 50;
    });
    EXPECT_EQ(cost(half_host, "host_bound"), (InsightCost{500, FigureUnit::Cycles, "step"}));
    const auto four = [&](const std::function<void(Evidence&)>& change) {
        return with(with(on_ipus(4), change), [](Evidence& e) {
            e.elapsed = 1000;
            e.per = "step";
        });
    };
    EXPECT_EQ(cost(four([](Evidence& e) { e.ipus[1].compute = 0; }), "idle_ipus"),
              (InsightCost{250, FigureUnit::Cycles, "step"})); // one of four
    EXPECT_EQ(cost(four([](Evidence& e) { e.total_bytes = 90'000; }), "spare_ipus"),
              (InsightCost{750, FigureUnit::Cycles, "step"})); // three of four
    const Evidence heaped = with(timed, [](Evidence& e) {
        e.fullest->bytes = 400;
        e.total_bytes = 100 * 100;
    });
    EXPECT_EQ(cost(heaped, "tile_imbalance"), (InsightCost{300, FigureUnit::Bytes, {}}));
    EXPECT_EQ(cost(with(timed, [](Evidence& e) { e.highest_code = 250; }), "code_size"),
              (InsightCost{50, FigureUnit::Bytes, {}})); // over 20 % of 1,000
    const Insight planned =
        only(found(with(exchange, [](Evidence& e) { e.planned = true; })), "exchange_bound");
    EXPECT_EQ(planned.cost, (InsightCost{500, FigureUnit::Cycles, "step", true}));
    EXPECT_THAT(planned.detail, testing::EndsWith(" These cycles are planned: no engine run has ended."));
    // What takes no time costs none; where no engine run has ended, time is not known.
    const Evidence counter = with(timed, [](Evidence& e) {
        e.counter_on_ipu = true;
        e.phases->host = 0;
    });
    EXPECT_FALSE(only(found(counter), "global_step_on_ipu").cost);
    EXPECT_EQ(codes(with(uneven, [](Evidence& e) { e.elapsed = 0; })), std::vector<std::string>{});
    EXPECT_FALSE(only(found(with(exchange, [](Evidence& e) { e.elapsed = 0; })), "exchange_bound").cost);
}

TEST(InsightRules, AreRankedByTimeOrMemoryWithErrorsFirst) {
    const auto made = [](const char* code, Severity severity, std::optional<InsightCost> cost) {
        Insight insight;
        insight.code = code;
        insight.severity = severity;
        insight.cost = std::move(cost);
        return insight;
    };
    std::vector<Insight> all{made("small", Severity::Warning, InsightCost{10, FigureUnit::Cycles, "step"}),
                             made("memory", Severity::Info, InsightCost{500, FigureUnit::Bytes, {}}),
                             made("large", Severity::Info, InsightCost{90, FigureUnit::Cycles, "step"}),
                             made("none", Severity::Warning, {}),
                             made("error", Severity::Error, InsightCost{1, FigureUnit::Bytes, {}})};
    const auto order = [&](InsightOrder by) {
        rank(all, by);
        std::string codes;
        for (const Insight& each : all)
            codes += each.code + " ";
        return codes;
    };
    EXPECT_EQ(order(InsightOrder::Time), "error large small memory none ");
    EXPECT_EQ(order(InsightOrder::Bytes), "error memory large small none ");
    EXPECT_EQ(order(InsightOrder::Severity), "error small none large memory ");
}

TEST(InsightRules, ArePartOfTheHelpWithTheirThresholdsAndTheReasonsForThem) {
    std::ifstream file(TILESCOPE_SOURCE_DIR "/resources/docs/insights.md");
    const std::string page((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    ASSERT_FALSE(page.empty());
    std::size_t rows = 0;
    for (const Rule& rule : insight_rules()) {
        const std::string heading =
            std::string("## ") + rule.title + "\n\n`" + rule.code + "`, " + to_string(rule.severity) + ". ";
        EXPECT_NE(page.find(heading), std::string::npos) << "should have:\n" << heading;
        for (const Threshold& threshold : rule.thresholds) {
            std::ostringstream row;
            row << "| `" << threshold.name << "` | ";
            if (threshold.unit == FigureUnit::Share)
                row << threshold.value * 100 << " %";
            else
                row << threshold.value << (threshold.unit == FigureUnit::Times ? " times" : "");
            row << " | " << threshold.reason << " |\n";
            EXPECT_NE(page.find(row.str()), std::string::npos) << rule.code << " should have:\n" << row.str();
            ++rows;
        }
    }
    std::size_t rows_of_page = 0;
    for (std::size_t at = page.find("\n| `"); at != std::string::npos; at = page.find("\n| `", at + 1))
        ++rows_of_page;
    EXPECT_EQ(rows_of_page, rows); // no thresholds of rules that are gone
}

} // namespace tilescope::analyse
