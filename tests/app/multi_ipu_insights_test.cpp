// SPDX-License-Identifier: GPL-3.0-or-later
#include "build_paths.h"
#include "tests/app/command_fixture.h"

#include <algorithm>

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
};

// What another cut would give is not known before it is compiled: none is proposed.
TEST_F(MultiIpuInsights, AnUnbalancedPipelineIsToldWithItsLongestStage) {
    const auto unbalanced = report("a.tilescope", {}, "keras_mnist_pipelined");
    const auto& insights = unbalanced["insights"];
    const auto found = std::find_if(insights.begin(), insights.end(),
                                    [](const auto& each) { return each["code"] == "stage_imbalance"; });
    ASSERT_NE(found, insights.end());
    EXPECT_EQ((*found)["subject"]["kind"], "stage");
    EXPECT_EQ((*found)["detail"].get<std::string>().find("fewer cycles"), std::string::npos);
    // Cycles of work of each stage, from the file itself.
    const std::string rows = printed(
        {"query", "a.tilescope",
         "SELECT stage, sum(end_cycle - start_cycle) AS work FROM pipeline_slot WHERE activity IN "
         "('forward', 'backward', 'recompute') AND device_program_id = 0 GROUP BY stage ORDER BY work "
         "DESC LIMIT 1",
         "--format", "csv"});
    const std::string longest = rows.substr(rows.find('\n') + 1);
    EXPECT_EQ(std::to_string((*found)["subject"]["id"].get<int>()), longest.substr(0, longest.find(',')));
    for (const auto& figure : (*found)["figures"])
        if (figure["name"] == "longest_stage_cycles") {
            EXPECT_EQ(figure["value"].get<double>(), std::stod(longest.substr(longest.find(',') + 1)));
        }
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
    EXPECT_TRUE(holds(detail(three, "spare_ipus"), "1 IPU; on 4 as many as 4 replicas"));
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
