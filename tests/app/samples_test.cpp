// SPDX-License-Identifier: GPL-3.0-or-later
#include "build_paths.h"
#include "tests/app/command_fixture.h"
#include "tests/trace_check.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace tilescope::tests {
namespace {

using nlohmann::json;

/// Models of real size are there for estimates, and name no data set.
bool for_estimates(const json& workload) {
    return workload.value("/data/train/synthetic"_json_pointer, false);
}

std::vector<std::string> sample_names(bool estimates) {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(TILESCOPE_SOURCE_DIR "/samples"))
        if (entry.path().extension() == ".json" &&
            for_estimates(json::parse(read_file(entry.path().string()))) == estimates)
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
    if (const json mapping = pipeline.value("device_mapping", json::array()); !mapping.empty())
        stages = static_cast<std::int64_t>(std::set<std::int64_t>(mapping.begin(), mapping.end()).size());
    return ipus / stages * pipeline.value("gradient_accumulation_steps_per_replica", 1);
}

struct Steps {
    std::int64_t steps = 1;
    Arguments changes;
};

/// Two engine runs of two weight updates each, where the sample trains.
Steps few_steps(const json& workload) {
    if (!workload.contains("data"))
        return {};
    const std::int64_t execution = 2 * batches_per_update(workload);
    Steps few{2 * execution, {"--epochs", "1"}};
    const std::int64_t batch = workload.at("fit").at("batch_size");
    for (const std::string& change : {"data.train.samples=" + std::to_string(few.steps * batch),
                                      "fit.steps_per_epoch=" + std::to_string(few.steps),
                                      "compile.steps_per_execution=" + std::to_string(execution)})
        few.changes.insert(few.changes.end(), {"--set", change});
    if (!for_estimates(workload))
        few.changes.insert(few.changes.end(), {"--set", "data.evaluate.samples=50"});
    return few;
}

std::int64_t append(Arguments& arguments, const Steps& few) {
    arguments.insert(arguments.end(), few.changes.begin(), few.changes.end());
    return few.steps;
}

/// Every sample that is not for estimates, with few steps of one epoch where it trains.
class Samples : public CommandTest, public testing::WithParamInterface<std::string> {};

TEST_P(Samples, RunToTheEnd) {
    const json workload = json::parse(read_file(sample(GetParam())));
    Arguments arguments{"profile", sample(GetParam()), "-o", folder / "run.tilescope"};
    const std::int64_t steps = append(arguments, few_steps(workload));
    printed(arguments);

    const auto report = document({"report", "run.tilescope", "--format", "json"});
    EXPECT_EQ(report.at("run").at("status"), "complete");
    EXPECT_EQ(report.at("run").at("workload"), workload.at("name").get<std::string>());
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

INSTANTIATE_TEST_SUITE_P(Every, Samples, testing::ValuesIn(sample_names(false)),
                         [](const auto& named) { return named.param; });

/// Samples for estimates, on IPUs of a few large tiles: what they say is consistent, and every operation can
/// be laid out.
class EstimatedSamples : public CommandTest, public testing::WithParamInterface<std::string> {};

TEST_P(EstimatedSamples, AreEstimatedWithoutData) {
    const json workload = json::parse(read_file(sample(GetParam())));
    printed({"profile", sample(GetParam()), "--estimate", "-o", folder / "run.tilescope", "--set",
             "ipu_config.ipu_model.tiles_per_ipu=64", "--set",
             "ipu_config.ipu_model.bytes_per_tile=16777216"});
    const auto report = document({"report", "run.tilescope", "--format", "json"});
    EXPECT_EQ(report.at("run").at("status"), "complete");
    EXPECT_EQ(report.at("run").at("workload"), workload.at("name").get<std::string>());
    const std::int64_t samples = workload.at("data").at("train").at("samples");
    const std::int64_t batch = workload.at("fit").at("batch_size");
    EXPECT_EQ(report.at("timing").at("steps").get<std::int64_t>() * batch, samples);
    EXPECT_EQ(report.at("ipus").size(), workload.value("/ipu_config/auto_select_ipus"_json_pointer, 1U));
}

TEST_P(EstimatedSamples, FitIntoTheirOwnIpus) {
    printed({"profile", sample(GetParam()), "--estimate", "-o", folder / "run.tilescope"});
    const auto report = document({"report", "run.tilescope", "--format", "json"});
    EXPECT_EQ(report.at("run").at("status"), "complete");
}

INSTANTIATE_TEST_SUITE_P(Every, EstimatedSamples, testing::ValuesIn(sample_names(true)),
                         [](const auto& named) { return named.param; });

/// What every sample exports is read by strict readers, and by the programs that it is meant for where they
/// are installed.
class ExportedSamples : public CommandTest, public testing::WithParamInterface<std::string> {
  protected:
    void SetUp() override {
        json workload = json::parse(read_file(sample(GetParam())));
        if (for_estimates(workload) && std::getenv("TILESCOPE_LONG_TESTS") == nullptr)
            GTEST_SKIP() << "takes minutes: set TILESCOPE_LONG_TESTS";
        if (workload.value("device", "ipu") != "ipu")
            GTEST_SKIP() << "a processor has no simulated time line";
        Arguments arguments{"profile", sample(GetParam()), "--estimate", "-o", "run.tilescope"};
        if (workload.contains("pipeline")) { // two turns of eight stages
            workload["pipeline"]["gradient_accumulation_steps_per_replica"] = 16;
            arguments.insert(arguments.end(),
                             {"--set", "pipeline.gradient_accumulation_steps_per_replica=16"});
        }
        append(arguments, few_steps(workload));
        printed(arguments);
    }
};

TEST_P(ExportedSamples, AsATraceOfMeetingNanoseconds) {
    printed({"export", "run.tilescope", "--format", "trace", "-o", "run.json"});
    std::ifstream file(folder / "run.json");
    const CheckedTrace trace = check_trace(file);
    EXPECT_EQ(trace.problems, std::vector<std::string>());

    const std::string slices_of_ipus =
        "SELECT ipu.id AS ipu, count(*) AS slices, "
        "sum(sync + exchange + compute) * 1e9 / (SELECT clock_hz FROM target) AS ns "
        "FROM trace JOIN ipu ON ipu.id = trace.ipu WHERE sync + exchange + compute > 0 GROUP BY ipu.id";
    const auto profile = document({"query", "run.tilescope", slices_of_ipus, "--format", "json"});
    EXPECT_FALSE(profile.empty());
    for (const auto& row : profile) {
        const std::string process = "IPU " + std::to_string(row.at("ipu").get<int>()) + " ";
        const auto of_ipu = [&](const std::string& lane) {
            for (const auto& [names, found] : trace.lanes)
                if (names.first.starts_with(process) && names.second == lane)
                    return found;
            return CheckedTrace::Lane{};
        };
        const std::int64_t slices = row.at("slices");
        EXPECT_EQ(of_ipu("program steps").slices, slices);
        EXPECT_NEAR(of_ipu("program steps").outermost_ns, row.at("ns").get<double>(), slices);
        EXPECT_EQ(of_ipu("phases").outermost_ns, of_ipu("program steps").outermost_ns);
    }
    const std::string passes_of_batches =
        "SELECT count(*) AS n, count(DISTINCT micro_batch) AS batches FROM pipeline_slot "
        "WHERE device_program_id = 0 AND activity IN ('forward', 'backward')";
    const auto passes = document({"query", "run.tilescope", passes_of_batches, "--format", "json"}).at(0);
    const std::int64_t arrows = passes.at("n").get<int>() - passes.at("batches").get<int>();
    EXPECT_EQ(trace.arrows.empty(), arrows == 0);
    if (arrows > 0) {
        EXPECT_EQ(static_cast<std::int64_t>(trace.arrows.size()) % arrows, 0) << "of each weight update";
    }
}

// Perfetto's own reader, through a script that loads its trace processor.
TEST_P(ExportedSamples, AsATraceThatPerfettoReadsWhole) {
    const std::string script = TILESCOPE_SOURCE_DIR "/../shared/tools/perfetto/perfetto-check.mjs";
    if (!std::filesystem::exists(script))
        GTEST_SKIP() << "no script for Perfetto's trace processor beside the checkout";
    printed({"export", "run.tilescope", "--format", "trace", "-o", "run.json"});
    const Outcome read = run_program({"node", script, folder / "run.json"});
    if (read.exit_code == 3 || read.exit_code == 127)
        GTEST_SKIP() << "Perfetto's trace processor is not installed: " << read.out << read.err;
    EXPECT_EQ(read.exit_code, 0) << read.out.substr(0, 2000) << read.err;
}

TEST_P(ExportedSamples, AsAGraphThatDotDraws) {
    printed({"export", "run.tilescope", "--format", "dot", "-o", "graph.dot"});
    const Outcome drawn = run_program({"dot", "-Tsvg", "-o", folder / "graph.svg", folder / "graph.dot"});
    if (drawn.exit_code == 127)
        GTEST_SKIP() << "Graphviz is not installed";
    EXPECT_EQ(drawn.exit_code, 0);
    EXPECT_EQ(drawn.err, "");
    const std::string svg = read_file(folder / "graph.svg");
    const auto operations =
        document({"query", "run.tilescope", "SELECT count(*) AS n FROM operation", "--format", "json"});
    std::int64_t boxes = 0;
    for (auto at = svg.find("<title>op"); at != std::string::npos; at = svg.find("<title>op", at + 1))
        boxes += svg.find("&#45;&gt;", at) > svg.find("</title>", at) ? 1 : 0; // no edge
    EXPECT_EQ(boxes, operations.at(0).at("n"));
}

INSTANTIATE_TEST_SUITE_P(Small, ExportedSamples, testing::ValuesIn(sample_names(false)),
                         [](const auto& named) { return named.param; });
INSTANTIATE_TEST_SUITE_P(Large, ExportedSamples, testing::ValuesIn(sample_names(true)),
                         [](const auto& named) { return named.param; });

// Keras prints 25,636,712 parameters for keras.applications.ResNet50. The published encoders of BERT have
// 109,482,240 (base, uncased) and 335,141,888 (large, uncased) with their pooler; the heads have a dense
// layer, a normalisation, a word for each row of the vocabulary, and two classes.
TEST_F(CommandTest, TheSampleModelsHaveAsManyParametersAsThePublishedOnes) {
    const auto head = [](std::int64_t width) {
        return width * width + width + 2 * width + width * 30522 + 30522 + 2 * width + 2;
    };
    const auto parameters = [&](const std::string& model) {
        const std::string text =
            printed({"summary", std::string(TILESCOPE_SOURCE_DIR "/samples/models/") + model + ".json"});
        std::string digits = text.substr(text.find("Total params: ") + 14);
        digits = digits.substr(0, digits.find('\n'));
        std::erase(digits, ',');
        return std::stoll(digits);
    };
    EXPECT_EQ(parameters("resnet50"), 25636712);
    EXPECT_EQ(parameters("resnet50_unbiased"), 25636712 - 26560); // one for each channel of its convolutions
    EXPECT_EQ(parameters("bert_base"), 109482240 + head(768));
    EXPECT_EQ(parameters("bert_large"), 335141888 + head(1024));
    // 122 words fewer, no biases in attention, and a head that has the words' table.
    EXPECT_EQ(parameters("bert_large_tied"),
              335141888 - 122 * 1024 - 24 * 4 * 1024 + 1024 * 1024 + 1024 + 2 * 1024 + 2 * 1024 + 2);
}

// The tutorial: a = [1 1], b = [0 1], c = [1 5]; (a + b) + (a + c).
TEST_F(CommandTest, TheTutorialsGraphGivesThreeAndEight) {
    const std::string file = record_tutorial();
    const auto report = document({"report", "--format", "json", file});
    EXPECT_EQ(report.at("result").at("outputs").at("out"), nlohmann::ordered_json({3, 8}));
}

TEST_F(CommandTest, AResultOtherThanExpectedEndsWithOne) {
    const Outcome outcome = run({"profile", sample("tutorial_basic"), "-o", "wrong.tilescope", "--set",
                                 "graph.expect.out=[3, 9]", "--progress", "none"});
    expect_failure(outcome, 1, {"out", "[3, 8]", "[3, 9]"});
    const auto report = document({"report", "--format", "json", "wrong.tilescope"});
    EXPECT_EQ(report.at("run").at("status"), "complete");
    EXPECT_EQ(report.at("result").at("outputs").at("out"), nlohmann::ordered_json({3, 8}));
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
