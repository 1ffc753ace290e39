// SPDX-License-Identifier: GPL-3.0-or-later
#include "build_paths.h"
#include "tests/app/command_fixture.h"

namespace tilescope::tests {
namespace {

class MultiIpuInsights : public CommandTest {
  protected:
    /// The Keras CNN for one epoch, estimated.
    nlohmann::json report(const std::string& name, const Arguments& settings,
                          const std::string& sample = "keras_mnist_faster") {
        Arguments arguments{"profile",    TILESCOPE_SOURCE_DIR "/samples/" + sample + ".json",
                            "--estimate", "--epochs",
                            "1",          "-o",
                            name,         "--progress",
                            "none"};
        for (const std::string& setting : settings) {
            arguments.push_back("--set");
            arguments.push_back(setting);
        }
        printed(arguments);
        return document({"report", name, "--format", "json"});
    }
    static std::string detail(const nlohmann::json& report, const std::string& code) {
        for (const auto& insight : report["insights"])
            if (insight["code"] == code)
                return insight["detail"];
        return {};
    }
    double update_cycles(const std::string& name) {
        const std::string answer =
            printed({"query", name, "SELECT max(end_cycle) FROM pipeline_slot", "--format", "csv"});
        return std::stod(answer.substr(answer.find('\n')));
    }
};

TEST_F(MultiIpuInsights, TheBetterCutOfAnUnbalancedPipelineIsBetter) {
    const std::string text = detail(report("a.tilescope", {}, "keras_mnist_pipelined"), "stage_imbalance");
    const std::string begin = "pipeline.stages = ";
    const auto at = text.find(begin);
    ASSERT_NE(at, std::string::npos) << text;
    const std::string stages = text.substr(at + begin.size(), text.find('}') + 1 - at - begin.size());
    const auto share = text.find("takes ");
    const double promised = std::stod(text.substr(share + 6)) / 100;
    report("b.tilescope", {"pipeline.stages=" + stages}, "keras_mnist_pipelined");
    // The promise is of the longest stage; the ramps and the shorter stages make a weight update longer.
    const double ratio = update_cycles("b.tilescope") / update_cycles("a.tilescope");
    EXPECT_LT(ratio, 0.95) << stages;
    EXPECT_NEAR(1 - ratio, promised, 0.15) << stages;
}

TEST_F(MultiIpuInsights, ABalancedPipelineHasNothingToSayOfItsStages) {
    EXPECT_EQ(detail(report("a.tilescope", {R"(pipeline.stages={"conv2d_1": 1})"}, "keras_mnist_pipelined"),
                     "stage_imbalance"),
              "");
}

TEST_F(MultiIpuInsights, IpusWithNothingToDoAreNamed) {
    const auto three = report("a.tilescope", {"system=pod4", "ipu_config.auto_select_ipus=4",
                                              R"(model.shards={"conv2d_1": 1, "dense": 2})"});
    EXPECT_TRUE(holds(detail(three, "idle_ipus"), "IPU 3 computes nothing"));
    EXPECT_TRUE(holds(detail(three, "spare_ipus"), "1 IPU(s); on 4 as many as 4 replicas"));
    const auto one = report("b.tilescope", {});
    EXPECT_EQ(detail(one, "idle_ipus") + detail(one, "spare_ipus"), "");
}

TEST_F(MultiIpuInsights, ACounterOnTheIpuCostsASwapOfProgramsForEachEngineRun) {
    const Arguments steps{"compile.steps_per_execution=1", "fit.steps_per_epoch=8"};
    const auto with = [&](const std::string& place) {
        Arguments settings = steps;
        settings.push_back("compile.global_step=" + place);
        return report(place + ".tilescope", settings);
    };
    const auto none = with("none");
    const auto cpu = with("cpu");
    const auto ipu = with("ipu");
    EXPECT_EQ(cpu["timing"]["cycles_total"], none["timing"]["cycles_total"]);
    EXPECT_EQ(detail(cpu, "global_step_on_ipu"), "");
    EXPECT_TRUE(holds(detail(ipu, "global_step_on_ipu"), "8 engine runs"));
    // At least another launch of 2 ms for each of the eight engine runs.
    EXPECT_GT(ipu["timing"]["step_us"].get<double>(), none["timing"]["step_us"].get<double>() + 2000);
}

} // namespace
} // namespace tilescope::tests
