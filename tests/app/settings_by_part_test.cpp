// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/app/command_fixture.h"

namespace tilescope::tests {
namespace {

using nlohmann::json;

/// Settings of IPUs, stages and layers: four dense layers of 784 units, a stage each.
class SettingsByPart : public CommandTest {
  protected:
    std::string workload(const json& policy = nullptr) const {
        json layers = {{{"class_name", "InputLayer"},
                        {"config", {{"name", "x"}, {"batch_input_shape", {nullptr, 784}}}}}};
        for (int i = 0; i < 4; ++i)
            layers.push_back({{"class_name", "Dense"},
                              {"config",
                               {{"name", "dense" + std::to_string(i)},
                                {"units", i < 3 ? 784 : 10},
                                {"activation", i < 3 ? "relu" : "softmax"}}}});
        if (!policy.is_null())
            for (json& layer : layers)
                layer["config"]["dtype"] = policy;
        const json document = {
            {"model",
             {{"keras", {{"class_name", "Sequential"}, {"config", {{"name", "m"}, {"layers", layers}}}}}}},
            {"system", "pod4"},
            {"ipu_config", {{"auto_select_ipus", 4}}},
            {"data", {{"train", {{"synthetic", true}, {"samples", 512}}}}},
            {"compile", {{"loss", "sparse_categorical_crossentropy"}, {"steps_per_execution", 8}}},
            {"fit", {{"batch_size", 64}, {"epochs", 4}}},
            {"pipeline",
             {{"gradient_accumulation_steps_per_replica", 8},
              {"stages", {{"dense1", 1}, {"dense2", 2}, {"dense3", 3}}}}}};
        return write("w.json", document.dump());
    }
    Arguments command(const std::string& name, const Arguments& settings) const {
        Arguments all{"profile", "w.json", "-o", name, "--progress", "none"};
        for (const std::string& each : settings)
            all.insert(all.end(), {"--set", each});
        return all;
    }
    void estimate(const std::string& name, const Arguments& settings) const {
        Arguments all = command(name, settings);
        all.emplace_back("--estimate");
        printed(all);
    }
    /// After three updates of the weights.
    double loss(const Arguments& settings) const {
        printed(command("trained.tilescope", settings));
        return document({"report", "trained.tilescope", "--format", "json"})
            .at("result")
            .at("epochs")
            .back()
            .at("loss");
    }
    std::string query(const std::string& name, const std::string& sql) const {
        return printed({"query", name, sql, "--format", "csv"});
    }
    std::string stashes(const std::string& name, int ipu) const {
        return query(name, "SELECT count(*) AS n, sum(bytes) AS bytes FROM variable WHERE stash_depth > 0 "
                           "AND ipu = " +
                               std::to_string(ipu));
    }
    std::string plans(const std::string& name) const {
        return query(name, "SELECT product, description FROM plan WHERE rank = 0 ORDER BY operation_id");
    }
    void refused(const Arguments& settings, const std::vector<std::string>& parts) const {
        Arguments all = command("no.tilescope", settings);
        all.emplace_back("--estimate");
        expect_failure(run(all), 3, parts);
    }
};

// A stage that is not computed again keeps what it would keep if none were; the others their inputs alone:
// 64 samples of 784 floats, for 6 and 2 micro-batches.
TEST_F(SettingsByPart, StagesAreComputedAgainOrNot) {
    workload();
    estimate("kept.tilescope", {});
    estimate("mixed.tilescope", {"ipu_config.allow_recompute=[true, false, true, true]"});
    EXPECT_EQ(stashes("mixed.tilescope", 0), "n,bytes\n1,1204224\n");
    EXPECT_EQ(stashes("mixed.tilescope", 1), stashes("kept.tilescope", 1));
    EXPECT_EQ(stashes("mixed.tilescope", 2), "n,bytes\n1,401408\n");
    EXPECT_EQ(query("mixed.tilescope",
                    "SELECT DISTINCT stage FROM pipeline_slot WHERE activity = 'recompute' ORDER BY 1"),
              "stage\n0\n2\n");
    // The same by layer, and by IPU of a mapping that puts stage 1 on the last.
    for (const char* rule : {R"({"layers": "dense1", "allow_recompute": false})",
                             R"({"layers": "*1", "stages": [1, 2], "allow_recompute": false})"}) {
        estimate("rules.tilescope",
                 {std::string(R"(ipu_config.allow_recompute=[{"allow_recompute": true}, )") + rule + "]"});
        for (int ipu = 0; ipu < 3; ++ipu)
            EXPECT_EQ(stashes("rules.tilescope", ipu), stashes("mixed.tilescope", ipu)) << rule;
    }
    estimate(
        "mapped.tilescope",
        {"pipeline.device_mapping=[0, 3, 2, 1]",
         R"(ipu_config.allow_recompute=[{"allow_recompute": true}, {"ipus": [3], "allow_recompute": false}])"});
    EXPECT_EQ(query("mapped.tilescope",
                    "SELECT DISTINCT stage FROM pipeline_slot WHERE activity = 'recompute' ORDER BY 1"),
              "stage\n0\n2\n");
}

TEST_F(SettingsByPart, WhatIsComputedAgainChangesNoLoss) {
    workload();
    const double plain = loss({});
    EXPECT_EQ(loss({"ipu_config.allow_recompute=[true, false, true, false]"}), plain);
    EXPECT_EQ(loss({"pipeline=null", "ipu_config.auto_select_ipus=1",
                    "compile.gradient_accumulation_steps_per_replica=8",
                    R"(ipu_config.allow_recompute=[{"layers": "dense*", "allow_recompute": true},
                       {"layers": "dense1", "allow_recompute": false}])"}),
              plain);
    EXPECT_EQ(
        query("trained.tilescope", "SELECT count(*) > 0 AS some FROM operation WHERE phase = 'recompute'"),
        "some\n1\n");
    EXPECT_EQ(query("trained.tilescope", "SELECT count(*) AS n FROM operation o JOIN layer l ON l.id = "
                                         "o.layer_id WHERE phase = 'recompute' AND l.name = 'dense1'"),
              "n\n0\n");
}

TEST_F(SettingsByPart, AListHasAValueForEachIpuOfAReplica) {
    workload();
    const Arguments shared{"pipeline.device_mapping=[0, 1, 0, 1]", "ipu_config.auto_select_ipus=2",
                           "model.dtype=float16"};
    const auto with = [&](const Arguments& more) {
        Arguments all = shared;
        all.insert(all.end(), more.begin(), more.end());
        return all;
    };
    estimate("plain.tilescope", shared);
    estimate("list.tilescope", with({"ipu_config.available_memory_proportion=[0.02, 0.6]",
                                     R"(ipu_config.partials_type=["float32", "float16"])"}));
    estimate("rules.tilescope",
             with({R"(ipu_config.products=[{"stages": [0, 2], "available_memory_proportion": 0.02},
                      {"stages": [1, 3], "partials_type": "float16"}])"}));
    EXPECT_EQ(plans("list.tilescope"), plans("rules.tilescope"));
    EXPECT_NE(plans("list.tilescope"), plans("plain.tilescope"));
}

TEST_F(SettingsByPart, APrecisionForAllIsThatOfEachLayerInTheFile) {
    workload();
    const double whole = loss({"model.dtype=mixed_float16"});
    const double by_rule =
        loss({R"(model.dtype=[{"dtype": "float16"}, {"layers": "*", "dtype": "mixed_float16"}])"});
    EXPECT_EQ(by_rule, whole);
    const double single = loss({});
    EXPECT_NE(whole, single);
    workload("mixed_float16");
    EXPECT_EQ(loss({}), whole);
}

TEST_F(SettingsByPart, StagesAndLayersHavePrecisionsOfTheirOwn) {
    workload();
    const std::string products =
        "SELECT o.stage, t.dtype FROM operation o JOIN operation_output r ON r.operation_id = o.id JOIN "
        "tensor t ON t.id = r.tensor_id WHERE o.kind = 'matmul' AND o.phase = 'forward' ORDER BY 1";
    estimate("stages.tilescope", {R"(model.dtype=["float32", "float16", "float16", "float32"])"});
    EXPECT_EQ(query("stages.tilescope", products),
              "stage,dtype\n0,float32\n1,float16\n2,float16\n3,float32\n");
    estimate("layers.tilescope", {R"(model.dtype=[{"layers": "dense1", "dtype": "float16"},
                                     {"ipus": [2], "dtype": "float16"}])"});
    EXPECT_EQ(query("layers.tilescope", products), query("stages.tilescope", products));
    EXPECT_EQ(query("layers.tilescope", "SELECT dtype FROM tensor WHERE name = 'dense1/kernel'"),
              "dtype\nfloat16\n");
}

TEST_F(SettingsByPart, WhatNoModelHasIsRefusedInALine) {
    workload();
    refused({"ipu_config.available_memory_proportion=[0.2, 0.3]"},
            {"ipu_config.available_memory_proportion", "has 2 values, and a replica 4 IPUs"});
    refused({"ipu_config.available_memory_proportion=[0.2, 0.3, 2, 0.1]"},
            {"available_memory_proportion", "above 0 and up to 1, got 2"});
    refused({"ipu_config.allow_recompute=[true]"},
            {"ipu_config.allow_recompute", "has 1 value, and the model 4 stages or shards"});
    refused({R"(ipu_config.allow_recompute=["yes"])"}, {"allow_recompute", "true or false"});
    refused({R"(ipu_config.allow_recompute=[{"layers": "dens1", "allow_recompute": true}])"},
            {"ipu_config.allow_recompute[0].layers", "no layer \"dens1\"", "dense1"});
    refused({R"(ipu_config.products=[{"ipus": [7], "partials_type": "float16"}])"},
            {"ipu_config.products[0].ipus", "no IPU 7 in a replica of 4", "use 0 to 3"});
    refused({"model.dtype=bfloat16"}, {"model.dtype", "float32, float16 or mixed_float16"});
    refused({R"(model.dtype=[{"stages": [4], "dtype": "float16"}])"},
            {"model.dtype[0].stages", "no stage or shard 4"});
    refused({"pipeline.stages=4", R"(model.dtype=["float32", "float16", "float16", "float32"])"},
            {"model.dtype", "told by stage", "pipeline.stages"});
}

} // namespace
} // namespace tilescope::tests
