// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/text.h"
#include "tests/app/pipeline_fixture.h"

#include <fstream>

namespace tilescope::tests {
namespace {

TEST_F(Pipeline, GroupedIsFasterThanInterleavedAndThatThanSequential) {
    record("grouped.tilescope");
    record("interleaved.tilescope", {"--set", "pipeline.schedule=Interleaved"});
    record("sequential.tilescope", {"--set", "pipeline.schedule=Sequential"});
    EXPECT_LT(cycles("grouped.tilescope"), cycles("interleaved.tilescope"));
    EXPECT_LT(cycles("interleaved.tilescope"), cycles("sequential.tilescope"));
}

TEST_F(Pipeline, ProfilesSayWhoCutTheModel) {
    record("by_hand.tilescope");
    EXPECT_EQ(query("by_hand.tilescope", "SELECT cut FROM run"), "cut\nby_hand\n");
    record("automatic.tilescope", {"--set", "pipeline.stages=4"});
    EXPECT_EQ(query("automatic.tilescope", "SELECT cut FROM run"), "cut\nautomatic\n");
}

TEST_F(Pipeline, BudgetsHoldEachStageToItsWork) {
    record("grouped.tilescope");
    const auto stages = document({"report", "grouped.tilescope", "--format", "json"})["stages"];
    ASSERT_EQ(stages.size(), 4U);
    std::string expected = "stage,work\n";
    for (const auto& stage : stages)
        expected += stage.at("stage").dump() + "," + stage.at("cycles").dump() + "\n";
    EXPECT_EQ(query("grouped.tilescope",
                    "SELECT stage, sum(end_cycle - start_cycle) AS work FROM pipeline_slot WHERE activity IN "
                    "('forward', 'recompute', 'backward') GROUP BY stage"),
              expected);
    const std::string most = std::to_string(stages[1].at("cycles").get<std::int64_t>());
    write("budget.json", R"({"limits": [{"metric": "stages.*.cycles", "max": )" + most +
                             R"(}, {"metric": "stages.1.memory_bytes", "max": 1}]})");
    const Outcome outcome = run({"check", "grouped.tilescope", "--budget", "budget.json"});
    EXPECT_EQ(outcome.exit_code, 1) << outcome.err;
    EXPECT_TRUE(holds(outcome.out, "met     stages.1.cycles is ")) << outcome.out;
    EXPECT_TRUE(holds(outcome.out, "BROKEN  stages.1.memory_bytes is ")) << outcome.out;
    EXPECT_TRUE(holds(outcome.out, "likely cause: dense1 has most: ")) << outcome.out;
    EXPECT_EQ(run({"check", "grouped.tilescope", "--budget",
                   write("none.json", R"({"limits": [{"metric": "stages.4.cycles", "max": 1}]})")})
                  .exit_code,
              3);
}

/// Plain SQL over the steps that a stage runs on micro-batches, copies between stages left out, adds up to
/// the stage's figure; the cause under its limit is the largest row.
TEST_F(Pipeline, TheCauseUnderALimitCountsWhatTheFigureCounts) {
    record("grouped.tilescope");
    const auto report = document({"report", "grouped.tilescope", "--format", "json"});
    const auto layers = document({"query", "grouped.tilescope", "--format", "json",
                                  "SELECT l.name AS name, sum((sync_cycles + exchange_cycles + "
                                  "compute_cycles) * runs) AS cycles FROM program p JOIN operation o ON "
                                  "o.id = p.operation_id JOIN layer l ON l.id = o.layer_id WHERE "
                                  "p.ipu = 1 AND p.peer < 0 AND p.part = 'micro_batches' AND p.kind NOT IN "
                                  "('sequence', 'repeat') GROUP BY 1 ORDER BY 2 DESC"});
    const auto updates = std::stoll(query("grouped.tilescope", "SELECT runs FROM program WHERE part = "
                                                               "'update' LIMIT 1")
                                        .substr(5));
    std::int64_t sum = 0;
    for (const auto& layer : layers)
        sum += layer.at("cycles").get<std::int64_t>();
    const std::int64_t whole = report["stages"][1]["cycles"].get<std::int64_t>();
    EXPECT_EQ(sum, whole * updates);
    const std::int64_t most = layers[0].at("cycles").get<std::int64_t>();
    write("budget.json", R"({"limits": [{"metric": "stages.1.cycles", "max": 1},
                             {"metric": "stages.1.by_activity.copy", "max": 1},
                             {"metric": "stages.3.utilisation", "min": 1}]})");
    const Outcome outcome = run({"check", "grouped.tilescope", "--budget", "budget.json"});
    EXPECT_TRUE(holds(outcome.out, "likely cause: " + layers[0].at("name").get<std::string>() +
                                       " has most: " + cycles_text(most / updates) +
                                       " per weight update passing micro-batches, without copies between "
                                       "stages (" +
                                       share_text(static_cast<double>(most) / static_cast<double>(sum)) +
                                       ")"))
        << outcome.out;
    EXPECT_TRUE(holds(outcome.out, " per weight update in copies between stages (")) << outcome.out;
    EXPECT_TRUE(holds(outcome.out, " takes most beside its work: ")) << outcome.out;
}

/// The steps of the program, each of the stages that it says, take as long as the slots of these stages.
/// While others copy, the ends of a copy wait for each other: that is of the slots alone.
TEST_F(Pipeline, Stage0OfFourStashesSixMicroBatchesAndTheLastNone) {
    record("grouped.tilescope");
    // 2 (S - 1 - s) in the FIFO; with the one in work that is seven on stage 0 and one on stage 3.
    EXPECT_EQ(query("grouped.tilescope",
                    "SELECT ipu, count(*) > 0 AS stashes, min(name LIKE '%/stash of ' || "
                    "(2 * (3 - ipu))) AS deep FROM variable WHERE name LIKE '%/stash of %' "
                    "GROUP BY ipu"),
              "ipu,stashes,deep\n0,1,1\n1,1,1\n2,1,1\n");
    record("sequential.tilescope", {"--set", "pipeline.schedule=Sequential"});
    EXPECT_EQ(
        query("sequential.tilescope", "SELECT count(*) AS n FROM variable WHERE name LIKE '%/stash of %'"),
        "n\n0\n");
}

TEST_F(Pipeline, EachStageRunsEachMicroBatchOnceEachWayAndWaitsForTheRest) {
    record("grouped.tilescope");
    // The forward product of each stage's layer, once for each of 16 micro-batches, on the stage's IPU.
    EXPECT_EQ(
        query(
            "grouped.tilescope",
            "SELECT t.ipu, count(*) AS n FROM trace t JOIN program p ON p.id = t.program_id JOIN operation o "
            "ON o.id = p.operation_id WHERE o.kind = 'matmul' AND o.phase = 'forward' AND p.name LIKE "
            "'%/Convolve' GROUP BY t.ipu"),
        "ipu,n\n0,16\n1,16\n2,16\n3,16\n");
    EXPECT_EQ(
        query("grouped.tilescope",
              "SELECT count(*) AS n FROM execution_ipu i JOIN execution e ON e.id = i.execution_id WHERE "
              "compute + exchange + sync + inter_ipu + host + waiting = e.cycles AND waiting > 0"),
        "n\n4\n");
}

TEST_F(Pipeline, RecomputationKeepsTheInputsOfTheStagesOnly) {
    record("kept.tilescope");
    record("again.tilescope", {"--set", "ipu_config.allow_recompute=true"});
    const std::string stashes =
        "SELECT ipu, count(*) AS n, sum(bytes) AS bytes FROM variable WHERE name LIKE "
        "'%/stash of %' GROUP BY ipu";
    // 64 samples of 784 floats, and six, four and two times as many in the FIFOs.
    EXPECT_EQ(query("again.tilescope", stashes), "ipu,n,bytes\n0,1,1204224\n1,1,802816\n2,1,401408\n");
    // Without it the outputs before and after the activation wait too.
    EXPECT_EQ(query("kept.tilescope", "SELECT count(*) > 3 AS more FROM variable WHERE name LIKE "
                                      "'%/stash of %'"),
              "more\n1\n");
    // Every stage but the last runs its product once more for each micro-batch, in as many cycles.
    const std::string again =
        "SELECT count(*) AS n FROM pipeline_slot WHERE activity = 'recompute' GROUP BY stage";
    EXPECT_EQ(query("again.tilescope", again), "n\n16\n16\n16\n");
    EXPECT_EQ(query("kept.tilescope", again), "n\n");
    const std::string product = "SELECT DISTINCT compute_cycles FROM program p JOIN operation o ON o.id = "
                                "p.operation_id WHERE o.kind "
                                "= 'matmul' AND p.name LIKE 'dense1%/Convolve' AND o.phase = ";
    EXPECT_EQ(query("again.tilescope", product + "'recompute'"),
              query("again.tilescope", product + "'forward'"));
}

// Two stages of two layers: with the first layer's result kept, its product is not computed again, and its
// stash of two micro-batches of 64 rows of 784 floats lies beside that of the stage's inputs.
TEST_F(Pipeline, AStageIsComputedAgainFromTheCheckpointsWithinIt) {
    const Arguments two{"--set", "pipeline.stages=[0, 0, 1, 1]",   "--set", "ipu_config.auto_select_ipus=2",
                        "--set", "ipu_config.allow_recompute=true"};
    const auto with = [&](const Arguments& more) {
        Arguments all = two;
        all.insert(all.end(), more.begin(), more.end());
        return all;
    };
    const std::string mode = "pipeline.recomputation_mode=RecomputeAndBackpropagateInterleaved";
    const std::string stashes =
        "SELECT count(*) AS n, sum(bytes) AS bytes FROM variable WHERE stash_depth > 0";
    const std::string again = "SELECT DISTINCT substr(o.name, 1, 6) AS layer FROM operation o WHERE o.kind = "
                              "'matmul' AND o.phase = 'recompute' ORDER BY 1";
    record("whole.tilescope", two);
    EXPECT_EQ(query("whole.tilescope", stashes), "n,bytes\n1,401408\n");
    EXPECT_EQ(query("whole.tilescope", again), "layer\ndense0\ndense1\n");
    record("named.tilescope",
           with({"--set", mode, "--set", R"(model.recomputation_checkpoints=["dense0"])"}));
    EXPECT_EQ(query("named.tilescope", stashes), "n,bytes\n2,802816\n");
    EXPECT_EQ(query("named.tilescope", again), "layer\ndense1\n");
    // A layer of IPU TensorFlow's add-ons in the model says the same.
    nlohmann::json workload = nlohmann::json::parse(std::ifstream(balanced()));
    auto& layers = workload["model"]["keras"]["config"]["layers"];
    const nlohmann::json keep{{"class_name", "RecomputationCheckpoint"}, {"config", {{"name", "keep"}}}};
    layers.insert(layers.begin() + 2, keep);
    workload["pipeline"]["stages"] = {{"dense2", 1}};
    workload["pipeline"]["recomputation_mode"] = "RecomputeAndBackpropagateInterleaved";
    workload["ipu_config"] = {{"auto_select_ipus", 2}, {"allow_recompute", true}};
    printed({"profile", write("layer.json", workload.dump()), "--estimate", "-o", "layer.tilescope",
             "--progress", "none"});
    EXPECT_EQ(query("layer.tilescope", stashes), "n,bytes\n2,802816\n");
    EXPECT_EQ(query("layer.tilescope", again), "layer\ndense1\n");
    EXPECT_EQ(cycles("layer.tilescope"), cycles("named.tilescope"));
    // Of the last stage, what lies behind its checkpoint goes backward before anything is computed again.
    record("last.tilescope", with({"--set", "pipeline.stages=[0, 1, 1, 1]", "--set", mode, "--set",
                                   R"(model.recomputation_checkpoints=["dense2"])"}));
    EXPECT_EQ(query("last.tilescope",
                    "SELECT DISTINCT activity FROM pipeline_slot WHERE stage = 1 AND micro_batch = 0 AND "
                    "activity IN ('forward', 'recompute', 'backward') ORDER BY start_cycle"),
              "activity\nforward\nbackward\nrecompute\n");
    const auto refused = [&](const Arguments& more, const std::vector<std::string>& parts) {
        Arguments all{"profile", balanced(), "--estimate", "-o", "no.tilescope"};
        for (const std::string& each : with(more))
            all.push_back(each);
        expect_failure(run(all), 3, parts);
    };
    refused({"--set", R"(model.recomputation_checkpoints=["dense0"])"},
            {"model.recomputation_checkpoints", "no effect in the recomputation mode",
             "pipeline.recomputation_mode"});
    refused({"--set", mode, "--set", "pipeline.schedule=Interleaved"},
            {"schedule Interleaved does not support", "use RecomputeThenBackpropagate"});
    refused({"--set", "pipeline.recomputation_mode=RecomputeThenBackpropagate", "--set",
             "pipeline.schedule=Sequential"},
            {"schedule Sequential does not support", "use RecomputeAndBackpropagateInterleaved"});
    refused({"--set", "pipeline.recomputation_mode=Never"}, {"there is no mode \"Never\"", "use Auto"});
}

TEST_F(Pipeline, TheSlotsOfAStageFollowEachOtherFromTheFirstCycleToTheLast) {
    for (const std::string schedule : {"Grouped", "Interleaved", "Sequential", "PopART"}) {
        record("slots.tilescope",
               {"--set", "pipeline.schedule=" + schedule, "--set", "ipu_config.allow_recompute=true"});
        EXPECT_EQ(query("slots.tilescope",
                        "SELECT count(*) AS gaps FROM (SELECT start_cycle, lag(end_cycle, 1, 0) OVER "
                        "(PARTITION BY stage ORDER BY start_cycle) AS before FROM pipeline_slot) WHERE "
                        "start_cycle <> before"),
                  "gaps\n0\n");
        EXPECT_EQ(
            query("slots.tilescope",
                  "SELECT count(DISTINCT n) AS ends FROM (SELECT max(end_cycle) AS n FROM pipeline_slot "
                  "GROUP BY stage)"),
            "ends\n1\n");
        // 16 micro-batches, each once forward and once backward on each of four stages.
        EXPECT_EQ(query("slots.tilescope",
                        "SELECT activity, count(DISTINCT stage || ' ' || micro_batch) AS n "
                        "FROM pipeline_slot WHERE activity IN ('forward', 'backward') "
                        "GROUP BY 1 ORDER BY 1"),
                  "activity,n\nbackward,64\nforward,64\n");
    }
}

TEST_F(Pipeline, InferenceRunsForwardPassesOnly) {
    const std::string workload = balanced();
    const Arguments inference{"--set", "compile.loss=", "--set",
                              "data={\"evaluate\": {\"synthetic\": true, \"samples\": 1024}}"};
    Arguments arguments{"profile", workload, "--estimate", "-o", "i.tilescope", "--progress", "none"};
    arguments.insert(arguments.end(), inference.begin(), inference.end());
    printed(arguments);
    // 16 micro-batches take 16 + 3 slots; each of 4 stages has nothing to do in 3 of them.
    EXPECT_EQ(query("i.tilescope",
                    "SELECT activity, count(DISTINCT stage || ' ' || slot) AS n FROM pipeline_slot WHERE "
                    "activity NOT IN ('copy', 'waiting') GROUP BY 1 ORDER BY 1"),
              "activity,n\nforward,64\nidle,12\n");
    EXPECT_EQ(query("i.tilescope", "SELECT max(slot) AS last FROM pipeline_slot"), "last\n18\n");
}

// Sixteen micro-batches, a product of each of four stages for each: all on one IPU, one after another.
// Out and back: 0 to 1 and 1 to 0, for each of 16 micro-batches, and the gradients the other way.
// Sixteen micro-batches over four stages on two IPUs: slots as on four, in which an IPU works for two stages.
// Gradients are summed: eight micro-batches of 64 and an eighth of the learning rate train as one batch of
// 512.
TEST_F(Pipeline, TrainsAsOnePlainBatchWithTheLearningRateTimesTheMicroBatches) {
    nlohmann::json workload = nlohmann::json::parse(std::ifstream(balanced()));
    workload["ipu_config"]["auto_select_ipus"] = 2;
    workload["pipeline"] = {{"gradient_accumulation_steps_per_replica", 8}, {"stages", {{"dense2", 1}}}};
    workload["compile"]["optimizer"] = {{"name", "sgd"}, {"learning_rate", 0.02}};
    workload["compile"]["steps_per_execution"] = 8;
    workload["fit"] = {{"batch_size", 64}, {"epochs", 8}, {"shuffle", false}};
    const auto losses = [&](const nlohmann::json& run) {
        printed({"profile", write("train.json", run.dump()), "-o", "train.tilescope", "--progress", "none"});
        const auto report = document({"report", "train.tilescope", "--format", "json"});
        std::vector<double> result;
        for (const auto& epoch : report["result"]["epochs"])
            result.push_back(epoch["loss"]);
        return result;
    };
    const auto pipelined = losses(workload);
    const auto mapped = [&](const std::string& mapping, const nlohmann::json& stages,
                            const std::string& schedule = "Sequential") {
        nlohmann::json run = workload;
        run["pipeline"]["schedule"] = schedule;
        run["pipeline"]["stages"] = stages;
        run["pipeline"]["device_mapping"] = nlohmann::json::parse(mapping);
        run["ipu_config"]["auto_select_ipus"] = mapping.find('1') == std::string::npos ? 1 : 2;
        return losses(run);
    };
    const auto one = mapped("[0, 0]", {{"dense2", 1}});
    const auto back = mapped("[0, 1, 0]", {{"dense1", 1}, {"dense3", 2}});
    const auto grouped = mapped("[0, 1, 1, 0]", {{"dense1", 1}, {"dense2", 2}, {"dense3", 3}}, "Grouped");
    workload.erase("pipeline");
    workload["ipu_config"]["auto_select_ipus"] = 1;
    workload["compile"]["optimizer"]["learning_rate"] = 0.02 * 8;
    workload["compile"]["steps_per_execution"] = 1;
    workload["fit"]["batch_size"] = 512;
    const auto plain = losses(workload);
    ASSERT_EQ(pipelined.size(), 8U);
    ASSERT_EQ(plain.size(), 8U);
    EXPECT_GT(plain.front() - plain.back(), 0.1) << "the weights move";
    for (std::size_t i = 0; i < plain.size(); ++i)
        for (const auto& losses_of : {pipelined, one, back, grouped})
            EXPECT_NEAR(losses_of.at(i), plain[i], 1e-4) << "epoch " << i;
}

// A hundred updates of the tutorial's CNN: six micro-batches of eight, three stages out and back.
// Sixteen micro-batches over four stages: 16 + 2 * 4 - 2 slots, in each of which every stage has a forward
// and a backward pass; stashes of 7, 5 and 3 micro-batches of 64 rows of 784 floats.
TEST_F(Pipeline, PopartsScheduleMakesBothPassesInASlot) {
    const std::string popart = "pipeline.schedule=PopART";
    record("popart.tilescope", {"--set", popart, "--set", "ipu_config.allow_recompute=true"});
    EXPECT_EQ(query("popart.tilescope", "SELECT max(slot) AS last FROM pipeline_slot"), "last\n21\n");
    EXPECT_EQ(
        query("popart.tilescope",
              "SELECT stage, slot, activity, micro_batch FROM pipeline_slot WHERE slot = 10 AND activity "
              "IN ('forward', 'backward') ORDER BY stage, start_cycle"),
        "stage,slot,activity,micro_batch\n0,10,forward,10\n0,10,backward,4\n1,10,forward,9\n"
        "1,10,backward,5\n2,10,forward,8\n2,10,backward,6\n3,10,forward,7\n3,10,backward,7\n");
    EXPECT_EQ(query("popart.tilescope", "SELECT ipu, stash_depth AS depth, bytes FROM variable WHERE "
                                        "stash_depth > 0 ORDER BY 1"),
              "ipu,depth,bytes\n0,7,1404928\n1,5,1003520\n2,3,602112\n");
    EXPECT_EQ(query("popart.tilescope", "SELECT schedule FROM run"), "schedule\nPopART\n");
    // One meeting in a slot instead of two: no slower than the same work in halves.
    record("grouped.tilescope", {"--set", "ipu_config.allow_recompute=true"});
    EXPECT_LE(cycles("popart.tilescope"), cycles("grouped.tilescope"));
    // An evaluation goes forward only, as under Grouped.
    printed({"profile", balanced(), "--estimate", "-o", "i.tilescope", "--progress", "none", "--set", popart,
             "--set", "compile.loss=", "--set",
             "data={\"evaluate\": {\"synthetic\": true, \"samples\": 1024}}"});
    EXPECT_EQ(query("i.tilescope", "SELECT max(slot) AS last FROM pipeline_slot"), "last\n18\n");
}

// BERT's way: the last stage is back on the first IPU, whose passes take turns in their order.
// Six, four and two micro-batches of 64 rows of 784 floats, what the stages keep with recomputation.
TEST_F(Pipeline, StashesMayLieInStreamingMemory) {
    const Arguments again{"--set", "ipu_config.allow_recompute=true"};
    const Arguments offloaded{"--set", "ipu_config.allow_recompute=true", "--set",
                              "pipeline.offload_activations=true"};
    record("tiles.tilescope", again);
    record("streamed.tilescope", offloaded);
    EXPECT_EQ(query("streamed.tilescope",
                    "SELECT ipu, bytes, streaming_bytes AS streamed FROM variable WHERE "
                    "stash_depth > 0 ORDER BY ipu"),
              "ipu,bytes,streamed\n0,0,1204224\n1,0,802816\n2,0,401408\n");
    const auto memory = [&](const std::string& name) {
        return document({"report", name, "--format", "json"})["memory"];
    };
    EXPECT_EQ(memory("streamed.tilescope")["streaming_bytes"], 1204224 + 802816 + 401408);
    EXPECT_LT(memory("streamed.tilescope")["total_bytes"], memory("tiles.tilescope")["total_bytes"]);
    EXPECT_GT(cycles("streamed.tilescope"), cycles("tiles.tilescope"));
    expect_failure(run({"profile", balanced(), "--estimate", "-o", "no.tilescope", "--set",
                        "pipeline.offload_activations=true", "--set", "pipeline.schedule=Sequential"}),
                   3, {"pipeline.offload_activations", "no activations wait in a stash"});
    expect_failure(run({"profile", balanced(), "--estimate", "-o", "no.tilescope", "--set",
                        "pipeline.offload_activations=true", "--set", "system=server16"}),
                   3, {"offload_activations needs streaming memory", "pod4"});
}

TEST_F(Pipeline, ThreeStagesLeaveTheFourthIpuIdle) {
    record("three.tilescope", {"--set", "pipeline.stages=[0, 1, 2, 2]", "--set",
                               "pipeline.gradient_accumulation_steps_per_replica=6", "--set",
                               "compile.steps_per_execution=6", "--set", "fit.steps_per_epoch=6"});
    EXPECT_EQ(query("three.tilescope", "SELECT group_concat(stage, ' ') AS stages FROM ipu"),
              "stages\n0 1 2 -1\n");
    // N + 2 (S - 1) slots of the Grouped schedule.
    EXPECT_EQ(query("three.tilescope", "SELECT max(stage) AS last, max(slot) AS slot FROM pipeline_slot"),
              "last,slot\n2,9\n");
    EXPECT_EQ(query("three.tilescope", "SELECT DISTINCT ipu, substr(name, -1) AS depth FROM variable WHERE "
                                       "name LIKE '%/stash of %' ORDER BY 1"),
              "ipu,depth\n0,4\n1,2\n");
}

TEST_F(Pipeline, StagesMayBeAListOrANumber) {
    record("list.tilescope", {"--set", "pipeline.stages=[0, 1, 2, 3]"});
    record("number.tilescope", {"--set", "pipeline.stages=4"});
    record("named.tilescope");
    // Three layers of one size and a small one: the balanced cut leaves each its stage.
    EXPECT_EQ(cycles("list.tilescope"), cycles("named.tilescope"));
    EXPECT_EQ(cycles("number.tilescope"), cycles("named.tilescope"));
    EXPECT_TRUE(holds(query("number.tilescope", "SELECT message FROM log"), "before dense1, dense2, dense3"));
}

TEST_F(Pipeline, NumbersThatDoNotFitAreRefusedWithTheNearestThatDo) {
    const std::string workload = balanced();
    const auto refused = [&](const std::string& setting, const std::vector<std::string>& parts) {
        expect_failure(run({"profile", workload, "--estimate", "-o", "no.tilescope", "--set", setting}), 3,
                       parts);
    };
    refused("pipeline.gradient_accumulation_steps_per_replica=12",
            {"12", "multiple of 8", "Grouped", "4 stages", "16"});
    refused(R"(pipeline.stages={"dense2": 2})", {"stage 1 has no layer"});
    refused(R"(pipeline.stages={})", {"two stages"});
    refused("pipeline.stages=[0, 1]", {"2 numbers", "4 layers"});
    refused("pipeline.stages=[0, 1, 0, 1]", {"dense2", "stage 0", "stage 1 makes"});
    refused("pipeline.stages=8", {"8 IPUs", "4 are asked for"});
    refused("pipeline.schedule=Groupd", {"Groupd", "Grouped"});
    refused(R"(pipeline.stages={"dense9": 1})", {"dense9", "dense"});
    refused("compile.steps_per_execution=8", {"8", "16 accumulated"});
    EXPECT_EQ(files(), std::set<std::string>{"balanced.json"});
}

} // namespace
} // namespace tilescope::tests
