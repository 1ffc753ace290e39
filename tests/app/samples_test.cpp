// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/app/command_fixture.h"

#include <algorithm>
#include <filesystem>

namespace tilescope::tests {
namespace {

using nlohmann::json;

std::vector<std::string> sample_names() {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(TILESCOPE_SOURCE_DIR "/samples"))
        if (entry.path().extension() == ".json")
            names.push_back(entry.path().stem().string());
    std::sort(names.begin(), names.end());
    return names;
}

/// Batches of all replicas that go into one update of the weights.
std::int64_t batches_per_update(const json& workload) {
    const std::int64_t ipus = workload.value("/ipu_config/auto_select_ipus"_json_pointer, 1);
    const json pipeline = workload.value("pipeline", json::object());
    std::int64_t stages = 1;
    for (const json& stage : pipeline.value("stages", json::object()))
        stages = std::max(stages, stage.get<std::int64_t>() + 1);
    return ipus / stages * pipeline.value("gradient_accumulation_steps_per_replica", 1);
}

/// Every sample, with few steps of one epoch where it trains.
class Samples : public CommandTest, public testing::WithParamInterface<std::string> {};

TEST_P(Samples, RunToTheEnd) {
    const json workload = json::parse(read_file(sample(GetParam())));
    Arguments arguments{"profile", sample(GetParam()), "-o", folder / "run.tilescope"};
    std::int64_t steps = 1;
    if (workload.contains("data")) {
        const std::int64_t execution = 2 * batches_per_update(workload);
        steps = 2 * execution;
        const std::int64_t batch = workload.at("fit").at("batch_size");
        for (const std::string& change :
             {"data.train.samples=" + std::to_string(steps * batch), std::string("data.evaluate.samples=50"),
              "fit.steps_per_epoch=" + std::to_string(steps),
              "compile.steps_per_execution=" + std::to_string(execution)})
            arguments.insert(arguments.end(), {"--set", change});
        arguments.insert(arguments.end(), {"--epochs", "1"});
    }
    printed(arguments);

    const auto report = document({"report", "run.tilescope", "--format", "json"});
    EXPECT_EQ(report.at("run").at("status"), "complete");
    EXPECT_EQ(report.at("run").at("workload"), workload.at("name"));
    EXPECT_EQ(report.at("timing").at("steps"), steps);
    if (workload.value("device", "ipu") == "ipu") {
        EXPECT_GT(report.at("timing").at("cycles_total").get<std::int64_t>(), 0);
        EXPECT_GT(report.at("memory").at("total_bytes").get<std::int64_t>(), 0);
    }
    if (!workload.contains("data"))
        return;
    ASSERT_EQ(report.at("result").at("epochs").size(), 1U);
    const double loss = report.at("result").at("epochs").at(0).at("loss");
    EXPECT_GT(loss, 1.5); // a guess among ten classes costs ln 10 = 2.3
    EXPECT_LT(loss, 3.5);
    const double accuracy = report.at("result").at("evaluate").at("accuracy");
    EXPECT_GE(accuracy, 0);
    EXPECT_LE(accuracy, 1);
    EXPECT_TRUE(holds(report.at("run").at("data_note"), "synthetic")) << "digits stand in for absent files";
}

INSTANTIATE_TEST_SUITE_P(Every, Samples, testing::ValuesIn(sample_names()),
                         [](const auto& named) { return named.param; });

// The tutorial: a = [1 1], b = [0 1], c = [1 5]; (a + b) + (a + c).
TEST_F(CommandTest, TheTutorialsGraphGivesThreeAndEight) {
    const std::string file = record_tutorial();
    const auto report = document({"report", "--format", "json", file});
    EXPECT_EQ(report.at("result").at("outputs").at("out"), json({3, 8}));
}

TEST_F(CommandTest, AResultOtherThanExpectedEndsWithOne) {
    const Outcome outcome = run({"profile", sample("tutorial_basic"), "-o", "wrong.tilescope", "--set",
                                 "graph.expect.out=[3, 9]", "--progress", "none"});
    expect_failure(outcome, 1, {"out", "[3, 8]", "[3, 9]"});
    const auto report = document({"report", "--format", "json", "wrong.tilescope"});
    EXPECT_EQ(report.at("run").at("status"), "complete");
    EXPECT_EQ(report.at("result").at("outputs").at("out"), json({3, 8}));
}

TEST_F(CommandTest, AProfileIsNamedForItsWorkloadWhereNoNameIsGiven) {
    printed({"profile", sample("tutorial_basic"), "--progress", "none"});
    EXPECT_EQ(files(), std::set<std::string>{"tutorial_basic.tilescope"});
}

TEST_F(CommandTest, ProgressGoesToStderrAndCanBeSilenced) {
    const Outcome plain = run({"profile", sample("tutorial_basic"), "--progress", "plain"});
    EXPECT_EQ(plain.out, "");
    EXPECT_TRUE(holds(plain.err, "Compiling")) << plain.err;
    EXPECT_FALSE(holds(plain.err, "\r")) << plain.err;
    const Outcome none = run({"profile", sample("tutorial_basic"), "--progress", "none"});
    EXPECT_EQ(none.out + none.err, "");
}

} // namespace
} // namespace tilescope::tests
