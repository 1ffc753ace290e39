// SPDX-License-Identifier: GPL-3.0-or-later
// Pipelines of which an IPU has several stages.
#include "tests/app/pipeline_fixture.h"

#include <filesystem>
#include <fstream>

namespace tilescope::tests {
namespace {

using SharedStages = Pipeline;

TEST_F(SharedStages, TheSlotsOfAStageAreTheStepsThatSayTheyAreItsOwn) {
    for (const std::string schedule : {"Grouped", "Sequential"}) // others want an IPU for each stage
        for (const char* mapping : {"[0, 1, 1, 0]", "[0, 1, 0, 1]"}) {
            record("run.tilescope",
                   {"--set", "pipeline.schedule=" + schedule, "--set",
                    std::string("pipeline.device_mapping=") + mapping, "--set",
                    "ipu_config.auto_select_ipus=2", "--set", "ipu_config.allow_recompute=true"});
            const std::string slots = query(
                "run.tilescope", "SELECT stage, activity, sum(end_cycle - start_cycle) AS cycles FROM "
                                 "pipeline_slot WHERE activity IN ('forward', 'recompute', 'backward') GROUP "
                                 "BY 1, 2 ORDER BY 1, 2");
            EXPECT_TRUE(holds(slots, "\n3,")) << schedule << slots;
            EXPECT_EQ(query("run.tilescope",
                            "SELECT stage, activity, sum((sync_cycles + exchange_cycles + compute_cycles) * "
                            "runs) / (SELECT runs FROM program WHERE part = 'update' LIMIT 1) AS cycles FROM "
                            "program WHERE activity IN ('forward', 'recompute', 'backward') GROUP BY 1, 2 "
                            "ORDER BY 1, 2"),
                      slots)
                << schedule << mapping;
            if (schedule == "Sequential") // stages of one IPU need no copies
                continue;
            // Each stage gives the next what it made, and the gradient comes back.
            EXPECT_EQ(query("run.tilescope",
                            "SELECT DISTINCT stage, peer_stage FROM program WHERE activity = "
                            "'copy' ORDER BY 1, 2"),
                      "stage,peer_stage\n0,1\n1,0\n1,2\n2,1\n2,3\n3,2\n")
                << schedule << mapping;
        }
}

TEST_F(SharedStages, StagesOfOneIpuTakeTurns) {
    const Arguments one{
        "--set", "pipeline.schedule=Sequential",      "--set", "ipu_config.auto_select_ipus=1",
        "--set", "pipeline.device_mapping=[0,0,0,0]", "--set", "ipu_config.allow_recompute=true"};
    record("one.tilescope", one);
    EXPECT_EQ(query("one.tilescope", "SELECT count(*) AS n, max(stage) AS stage FROM ipu"), "n,stage\n1,0\n");
    EXPECT_EQ(query("one.tilescope", "SELECT count(*) AS n FROM exchange WHERE kind = 'inter_ipu'"),
              "n\n0\n");
    EXPECT_EQ(query("one.tilescope", "SELECT stage, ipu FROM operation WHERE kind = 'matmul' AND phase = "
                                     "'forward' ORDER BY id"),
              "stage,ipu\n0,0\n1,0\n2,0\n3,0\n");
    EXPECT_EQ(query("one.tilescope", "SELECT activity, count(*) AS n FROM pipeline_slot WHERE activity IN "
                                     "('forward', 'recompute', 'backward') GROUP BY 1 ORDER BY 1"),
              "activity,n\nbackward,64\nforward,64\nrecompute,48\n");
    EXPECT_EQ(query("one.tilescope",
                    "SELECT count(*) AS gaps FROM (SELECT start_cycle, lag(end_cycle, 1, 0) OVER "
                    "(PARTITION BY stage ORDER BY start_cycle) AS before FROM pipeline_slot) "
                    "WHERE start_cycle <> before"),
              "gaps\n0\n");
    const std::string work = " IN ('forward', 'recompute', 'backward', 'update') ";
    EXPECT_EQ(
        query("one.tilescope",
              "SELECT count(*) AS at_once FROM pipeline_slot a JOIN pipeline_slot b ON a.stage < b.stage AND "
              "a.start_cycle < b.end_cycle AND b.start_cycle < a.end_cycle WHERE a.activity" +
                  work + "AND b.activity" + work),
        "at_once\n0\n");
    const auto stages = document({"report", "one.tilescope", "--format", "json"})["stages"];
    ASSERT_EQ(stages.size(), 4U);
    for (const auto& stage : stages)
        EXPECT_EQ(stage["memory_bytes"], stages[0]["memory_bytes"]);
}

TEST_F(SharedStages, AMappingMayComeBackToAnEarlierIpu) {
    record("back.tilescope", {"--set", "pipeline.schedule=Sequential", "--set",
                              "ipu_config.auto_select_ipus=2", "--set", "pipeline.device_mapping=[0,1,1,0]"});
    EXPECT_EQ(query("back.tilescope", "SELECT stage, ipu FROM operation WHERE kind = 'matmul' AND phase = "
                                      "'forward' ORDER BY id"),
              "stage,ipu\n0,0\n1,1\n2,1\n3,0\n");
    EXPECT_EQ(
        query(
            "back.tilescope",
            "SELECT t.ipu, count(*) AS n FROM trace t JOIN program p ON p.id = t.program_id JOIN operation o "
            "ON o.id = p.operation_id WHERE o.kind = 'matmul' AND o.phase = 'forward' AND p.name LIKE "
            "'%/Convolve' GROUP BY t.ipu"),
        "ipu,n\n0,32\n1,32\n");
    EXPECT_EQ(query("back.tilescope",
                    "SELECT stage, count(DISTINCT micro_batch) AS n FROM pipeline_slot WHERE "
                    "activity = 'copy' AND micro_batch >= 0 GROUP BY 1"),
              "stage,n\n0,16\n1,16\n2,16\n3,16\n");
}

TEST_F(SharedStages, SchedulesThatDoNotGoWithTwoStagesOfOneIpuSaySo) {
    const std::string workload = balanced();
    const auto refused = [&](const std::string& schedule, const std::vector<std::string>& parts) {
        expect_failure(run({"profile", workload, "--estimate", "-o", "no.tilescope", "--set",
                            "ipu_config.auto_select_ipus=2", "--set", "pipeline.schedule=" + schedule,
                            "--set", "pipeline.device_mapping=[0,1,1,0]"}),
                       3, parts);
    };
    refused("Interleaved",
            {"stages 1 and 2 are both mapped to IPU 1", "'Interleaved' does not currently support",
             "the schedule Grouped or Sequential"});
}

TEST_F(SharedStages, GroupedStagesOfOneIpuShareItsSlots) {
    record("four.tilescope");
    record("two.tilescope",
           {"--set", "ipu_config.auto_select_ipus=2", "--set", "pipeline.device_mapping=[0,1,1,0]"});
    EXPECT_GT(cycles("two.tilescope"), cycles("four.tilescope"));
    // N + 2 (S - 1) slots; each stage makes each pass once; FIFOs by stage: 2 (S - 1 - s) micro-batches.
    EXPECT_EQ(query("two.tilescope", "SELECT max(slot) AS last FROM pipeline_slot"), "last\n21\n");
    EXPECT_EQ(query("two.tilescope", "SELECT activity, count(DISTINCT stage || ' ' || micro_batch) AS n FROM "
                                     "pipeline_slot WHERE activity IN ('forward', 'backward') GROUP BY 1"),
              "activity,n\nbackward,64\nforward,64\n");
    EXPECT_EQ(query("two.tilescope",
                    "SELECT DISTINCT o.stage, v.ipu, v.stash_depth AS depth FROM variable v JOIN operation o "
                    "ON o.id = v.operation_id WHERE v.stash_depth > 0 ORDER BY 1"),
              "stage,ipu,depth\n0,0,6\n1,1,4\n2,1,2\n");
    // Between stages 1 and 2 a copy of 64 rows of 784 floats waits on the IPU, and one of their gradients.
    const std::string between = "FROM variable WHERE name LIKE '%/for stage %' ORDER BY substr(name, -1)";
    EXPECT_EQ(query("two.tilescope", "SELECT substr(name, -7) AS whose, ipu, bytes, always_live " + between),
              "whose,ipu,bytes,always_live\nstage 1,1,200704,1\nstage 2,1,200704,1\n");
    EXPECT_EQ(query("four.tilescope", "SELECT count(*) AS n " + between), "n\n0\n");
    // What one stage does of a micro-batch comes a slot after what the stage before it did.
    EXPECT_EQ(query("two.tilescope", "SELECT DISTINCT b.slot - a.slot AS later FROM pipeline_slot a JOIN "
                                     "pipeline_slot b ON b.micro_batch = a.micro_batch AND b.stage = a.stage "
                                     "+ 1 AND b.activity = a.activity WHERE a.activity = 'forward'"),
              "later\n1\n");
    const std::string work = " IN ('forward', 'backward', 'update') ";
    EXPECT_EQ(
        query("two.tilescope",
              "SELECT a.stage AS a, b.stage AS b FROM pipeline_slot a JOIN pipeline_slot b ON a.stage < "
              "b.stage AND a.start_cycle < b.end_cycle AND b.start_cycle < a.end_cycle WHERE "
              "a.activity" +
                  work + "AND b.activity" + work + "GROUP BY 1, 2"),
        "a,b\n0,1\n0,2\n1,3\n2,3\n")
        << "stages work side by side, but those of one IPU never do";
    const auto copies = query("two.tilescope", "SELECT stage, count(DISTINCT micro_batch) AS n FROM "
                                               "pipeline_slot WHERE activity = 'copy' AND micro_batch >= 0 "
                                               "GROUP BY 1");
    EXPECT_EQ(copies, "stage,n\n0,16\n1,16\n2,16\n3,16\n");
}

TEST_F(SharedStages, TheMnistSampleTrainsOverStagesThatShareIpusAsOnOne) {
    nlohmann::json workload = nlohmann::json::parse(std::ifstream(sample("keras_mnist_pipelined")));
    nlohmann::json model = nlohmann::json::parse(std::ifstream(
        std::filesystem::path(sample("keras_mnist_pipelined")).parent_path() / "models/mnist_cnn.json"));
    for (nlohmann::json& layer : model["config"]["layers"])
        if (layer["class_name"] == "Dropout") // each micro-batch has a mask of its own
            layer["config"]["rate"] = 0;
    workload["model"]["keras"] = model;
    workload["data"] = {{"train", {{"synthetic", true}, {"one_hot", 10}, {"samples", 4800}}}};
    workload["compile"]["steps_per_execution"] = 600;
    workload["fit"] = {{"batch_size", 8}, {"epochs", 1}, {"shuffle", false}};
    workload["pipeline"]["gradient_accumulation_steps_per_replica"] = 6;
    workload["pipeline"]["stages"] = {{"max_pooling2d_1", 1}, {"dense", 2}};
    workload["pipeline"]["device_mapping"] = {0, 1, 0};
    const auto loss = [&] {
        printed(
            {"profile", write("mnist.json", workload.dump()), "-o", "mnist.tilescope", "--progress", "none"});
        return document({"report", "mnist.tilescope", "--format", "json"})["result"]["epochs"][0]["loss"]
            .get<double>();
    };
    const double grouped = loss();
    workload["pipeline"]["schedule"] = "PopART";
    workload["pipeline"]["offload_activations"] = true;
    EXPECT_EQ(loss(), grouped);
    workload.erase("pipeline");
    workload["ipu_config"]["auto_select_ipus"] = 1;
    workload["compile"]["optimizer"]["learning_rate"] = 0.06;
    workload["compile"]["steps_per_execution"] = 100;
    workload["fit"]["batch_size"] = 48;
    const double plain = loss();
    EXPECT_LT(plain, 2.2) << "it has learned";
    EXPECT_NEAR(grouped, plain, 1e-4) << "mean of a hundred updates";
}

TEST_F(SharedStages, APopartStageComesBackToAnEarlierIpu) {
    const Arguments back{
        "--set", "pipeline.schedule=PopART",     "--set", "ipu_config.auto_select_ipus=2",
        "--set", "pipeline.stages=[0, 1, 2, 2]", "--set", "pipeline.device_mapping=[0, 1, 0]"};
    record("back.tilescope", back);
    EXPECT_EQ(
        query("back.tilescope",
              "SELECT stage, activity, micro_batch FROM pipeline_slot WHERE slot = 8 AND stage <> 1 AND "
              "activity IN ('forward', 'backward') ORDER BY start_cycle"),
        "stage,activity,micro_batch\n0,forward,8\n2,forward,6\n2,backward,6\n0,backward,4\n");
    const auto refused = [&](const Arguments& settings, const std::vector<std::string>& parts) {
        Arguments all{
            "profile", balanced(), "--estimate", "-o", "no.tilescope", "--set", "pipeline.schedule=PopART"};
        all.insert(all.end(), settings.begin(), settings.end());
        expect_failure(run(all), 3, parts);
    };
    refused({"--set", "ipu_config.auto_select_ipus=2", "--set", "pipeline.device_mapping=[0,1,1,0]"},
            {"stages 1 and 2 are both mapped to IPU 1", "consecutive stages of one IPU are one stage"});
    refused({"--set", "pipeline.gradient_accumulation_steps_per_replica=6", "--set",
             "compile.steps_per_execution=6"},
            {"must equal at least the number of pipeline stages (7)", "use 7 or more"});
    refused({"--set", "pipeline.recomputation_mode=RecomputeThenBackpropagate"},
            {"schedule PopART does not support 'RecomputeThenBackpropagate'"});
}

} // namespace
} // namespace tilescope::tests
