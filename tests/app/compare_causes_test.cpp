// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/text.h"
#include "build_paths.h"
#include "tests/app/command_fixture.h"

#include <cmath>
#include <numeric>

namespace tilescope::tests {
namespace {

using nlohmann::ordered_json;

/// Pairs of runs that differ in one thing, and what the causes make of it: the figures are added up once more
/// in SQL over both profiles.
class CompareCauses : public CommandTest {
  protected:
    std::string record(const std::string& name, const std::string& workload,
                       const Arguments& more = {}) const {
        Arguments arguments{"profile", workload, "--progress", "none", "-o", name + ".tilescope"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        printed(arguments);
        return name + ".tilescope";
    }
    std::string cnn(const std::string& name, const Arguments& more = {}) const {
        Arguments arguments{"--estimate", "--epochs", "1"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return record(name, TILESCOPE_SOURCE_DIR "/samples/keras_mnist_faster.json", arguments);
    }
    /// The CNN of two stages, cut in front of `layer`.
    /// Further options are of the command.
    std::string cut(const std::string& layer, const std::vector<std::string>& options = {}) const {
        ordered_json stages;
        bool second = false;
        for (const std::string name :
             {"conv2d", "max_pooling2d", "conv2d_1", "max_pooling2d_1", "flatten", "dropout", "dense"}) {
            second = second || name == layer;
            stages[name] = second ? 1 : 0;
        }
        std::vector<std::string> all{"--estimate", "--set", "pipeline.stages=" + stages.dump()};
        all.insert(all.end(), options.begin(), options.end());
        return record("cut_" + layer, TILESCOPE_SOURCE_DIR "/samples/keras_mnist_pipelined.json", all);
    }
    /// y = relu(a + b), of which the host reads what `fetches` says.
    std::string sum_and_relu(const std::string& name, const ordered_json& fetches) const {
        const ordered_json on_ipu = "/device:IPU:0";
        const ordered_json sum{{"name", "sum"}, {"op", "add"}, {"inputs", {"a", "b"}}, {"device", on_ipu}};
        const ordered_json out{{"name", "out"}, {"op", "relu"}, {"inputs", {"sum"}}, {"device", on_ipu}};
        const ordered_json graph{
            {"nodes", {sum, out}}, {"feeds", {{"a", {1.0, -1.0}}, {"b", {0.5, 0.25}}}}, {"fetches", fetches}};
        const ordered_json workload{{"name", "sum"}, {"graph", graph}};
        return record(name, write(name + ".json", workload.dump()));
    }
    ordered_json compared(const std::string& base, const std::string& now) const {
        return document({"compare", base, now, "--format", "json"});
    }
    double number(const std::string& file, const std::string& sql) const {
        const auto rows = document({"query", file, sql, "--format", "json"});
        return rows.at(0).begin()->is_null() ? 0 : rows.at(0).begin()->get<double>();
    }
    /// Cycles of one engine run of the program steps of which `where` holds.
    double cycles(const std::string& file, const std::string& where) const {
        return number(file,
                      "SELECT SUM((sync_cycles + exchange_cycles + compute_cycles) * runs) FROM program "
                      "WHERE kind NOT IN ('sequence', 'repeat') AND " +
                          where);
    }
    double updates(const std::string& file) const {
        return number(file, "SELECT MAX(repeats) FROM program WHERE kind = 'repeat' AND name = 'steps'");
    }
    /// All causes without parts, and the parts of the others.
    static std::vector<ordered_json> leaves(const ordered_json& causes) {
        std::vector<ordered_json> all;
        for (const auto& cause : causes)
            if (!cause.contains("parts"))
                all.push_back(cause);
            else
                for (const auto& part : leaves(cause.at("parts")))
                    all.push_back(part);
        return all;
    }
    static ordered_json leaf(const ordered_json& causes, const std::string& kind, const std::string& what,
                             const std::string& words) {
        for (const auto& part : leaves(causes))
            if (part.at("kind") == kind && part.at("what") == what &&
                holds(part.at("why").get<std::string>(), words))
                return part;
        ADD_FAILURE() << "no " << kind << " of " << what << ": " << words << " in " << causes.dump(1);
        return {};
    }
    static double sum(const std::vector<ordered_json>& causes, const char* unit) {
        return std::accumulate(causes.begin(), causes.end(), 0.0, [&](double all, const auto& cause) {
            return all + (cause.at(unit).is_null() ? 0 : cause.at(unit).template get<double>());
        });
    }
    /// Parts add up to their causes, and these, with what is not explained, to the change of both files.
    void expect_sums(const ordered_json& document, double cycles, double bytes) const {
        const auto check = [&](const char* list, const char* unit, double change) {
            double unexplained = 0;
            for (const auto& part : leaves(document.at(list)))
                unexplained += part.at("kind") == "not explained" ? part.at(unit).get<double>() : 0;
            const auto& told = document.at("explained").at(unit);
            EXPECT_NEAR(sum(leaves(document.at(list)), unit), change, 1e-3) << document.at(list).dump(1);
            EXPECT_NEAR(told.at("change").get<double>(), change, 1e-3);
            EXPECT_NEAR(told.at("not_explained").get<double>(), unexplained, 1e-6);
            EXPECT_NEAR(told.at("explained").get<double>() + told.at("not_explained").get<double>(), change,
                        1e-3);
        };
        check("causes", "cycles", cycles);
        check("memory_causes", "bytes", bytes);
    }
    /// Cycles of all IPUs of the run for each weight update, by the executions of training.
    double ipu_cycles(const std::string& file, double per_execution) const {
        return number(file, "SELECT 1.0 * SUM(cycles) / COUNT(*) FROM execution WHERE kind = 'train'") *
               number(file, "SELECT COUNT(*) FROM ipu WHERE replica = 0") / per_execution;
    }
    double fullest(const std::string& file) const {
        return document({"report", file, "--format", "json"})["memory"]["max_tile_bytes_with_gaps"];
    }
    double change_of_time(const std::string& base, const std::string& now) const {
        return ipu_cycles(now, updates(now)) - ipu_cycles(base, updates(base));
    }
};

TEST_F(CompareCauses, OfAProfileAndItselfThereAreNone) {
    const std::string file = cnn("base");
    const auto document = compared(file, file);
    EXPECT_TRUE(document.at("causes").empty());
    EXPECT_TRUE(document.at("memory_causes").empty());
    EXPECT_EQ(document.at("explained").at("cycles"),
              ordered_json::parse(R"({"change": 0.0, "explained": 0.0, "not_explained": 0.0})"));
    EXPECT_FALSE(holds(printed({"compare", file, file}), "Why"));
}

TEST_F(CompareCauses, TheLaunchesOfTheHostMakeAStepForEachLaunchSlow) {
    const std::string base = cnn("base");
    const std::string now =
        record("slow", TILESCOPE_SOURCE_DIR "/samples/keras_mnist.json", {"--estimate", "--epochs", "1"});
    const auto document = compared(base, now);
    ASSERT_EQ(document.at("causes").size(), 1U) << document.at("causes").dump(1);
    EXPECT_EQ(document.at("causes").at(0).at("kind"), "launches");
    EXPECT_EQ(document.at("causes").at(0).at("why"), "one for every step, was for every 937");
    EXPECT_TRUE(document.at("memory_causes").empty());
    // One step in each engine run: its program has no loop over them.
    const double change = ipu_cycles(now, 1) - ipu_cycles(base, updates(base));
    EXPECT_NEAR(document.at("explained").at("cycles").at("explained").get<double>(), change, 1);
}

TEST_F(CompareCauses, AnotherClockMakesOtherCyclesOfTheHostsTimeAlone) {
    const std::string base = cnn("base");
    const std::string now = cnn("bow", {"--set", "ipu_config.ipu_model.version=bow"});
    const auto document = compared(base, now);
    for (const auto& cause : leaves(document.at("causes")))
        EXPECT_EQ(cause.at("kind"), "clock") << cause.dump();
    EXPECT_TRUE(document.at("causes").at(0).at("cycles").is_null()) << "it changes no cycles of the IPU";
    expect_sums(document, change_of_time(base, now), 0);
    EXPECT_EQ(document.at("explained").at("cycles").at("not_explained"), 0);
}

TEST_F(CompareCauses, AnotherPlanAndTheTensorsThatItMoves) {
    const std::string base = cnn("base");
    const std::string now = cnn("small", {"--set", "ipu_config.available_memory_proportion=0.02"});
    const auto document = compared(base, now);
    expect_sums(document, change_of_time(base, now), fullest(now) - fullest(base));
    EXPECT_EQ(document.at("explained").at("cycles").at("not_explained"), 0);

    const std::string moved = "conv2d_1/Conv2D/gradient/conv2d_input_gradient";
    leaf(document.at("causes"), "plan", moved, "is planned as AMP nx1 on 1,408 tiles, was AMP nx1 on 1,456");
    const auto change = [&](const std::string& operation) {
        const std::string its_steps = "name LIKE '" + operation + "/%'";
        return (cycles(now, its_steps) - cycles(base, its_steps)) / updates(now);
    };
    std::vector<ordered_json> of_it;
    for (const auto& part : leaves(document.at("causes")))
        if (part.at("what") == moved)
            of_it.push_back(part);
    EXPECT_EQ(sum(of_it, "cycles"), change(moved));

    // What it gives lies on other tiles, so that the pooling before it has other ways to bring it.
    const std::string reader = "max_pooling2d/MaxPool/gradient/max_pool2d_gradient";
    const auto tiles = [&](const std::string& file) {
        const double count =
            number(file, "SELECT COUNT(*) FROM variable v, tile_values('variable', v.id, v.ipu, 'bytes') b "
                         "WHERE v.name = '" +
                             moved + "' AND b.value > 0");
        return count_text(std::llround(count)) + " tiles";
    };
    const auto mapping = leaf(document.at("causes"), "tile mapping", reader,
                              moved + " lies on " + tiles(now) + ", was on " + tiles(base));
    EXPECT_EQ(mapping.at("cycles"), change(reader));

    // A file without the numbers of tiles does not say where anything lies.
    printed({"trim", now, "--no-tiles", "-o", "bare.tilescope"});
    leaf(compared(base, "bare.tilescope").at("causes"), "not explained", reader, "");
}

TEST_F(CompareCauses, ANewRearrangementIsNamedWithItsOperand) {
    const std::string base = cnn("base");
    auto model = nlohmann::json::parse(read_file(TILESCOPE_SOURCE_DIR "/samples/models/mnist_cnn.json"));
    for (auto& layer : model["config"]["layers"])
        if (layer["config"]["name"] == "conv2d_1")
            layer["config"]["filters"] = 72; // with which the input does not lie as the plan wants it
    auto workload = nlohmann::json::parse(read_file(TILESCOPE_SOURCE_DIR "/samples/keras_mnist_faster.json"));
    workload["model"]["keras"] = write("wide.model.json", model.dump());
    const std::string now =
        record("wide", write("wide.json", workload.dump()), {"--estimate", "--epochs", "1"});
    const std::string rearranged = "name = 'conv2d_1/Conv2D/Rearrange(weights)'";
    ASSERT_EQ(cycles(base, rearranged), 0) << "the pair has to differ in it";
    const auto document = compared(base, now);
    EXPECT_EQ(document.at("causes").at(0).at("what"), "conv2d_1");
    EXPECT_EQ(document.at("memory_causes").at(0).at("what"), "conv2d_1");
    const auto part = leaf(document.at("causes"), "rearrangement", "conv2d_1/Conv2D",
                           "its input (max_pooling2d/MaxPool) is rearranged in front of it, was not");
    // The plan loads the input as weights. With the exchange that brings them to it, the step before.
    EXPECT_EQ(part.at("cycles"), (cycles(now, rearranged) +
                                  cycles(now, "id = (SELECT id - 1 FROM program WHERE " + rearranged + ")")) /
                                     updates(now));
    expect_sums(document, change_of_time(base, now), fullest(now) - fullest(base));
}

TEST_F(CompareCauses, ALostFusionNamesBothOperationsAndWhy) {
    const std::string base = sum_and_relu("fused", {"out"});
    const std::string now = sum_and_relu("apart", {"out", "sum"});
    const auto document = compared(base, now);
    const auto part =
        leaf(document.at("causes"), "fusion", "out",
             "sum and out are no longer fused (out was: add, relu), since sum goes to the host");
    EXPECT_EQ(part.at("cycles"),
              cycles(now, "name LIKE 'sum/%' OR name LIKE 'out/%'") - cycles(base, "name LIKE 'out/%'"));
    leaf(document.at("memory_causes"), "fusion", "sum/add/vertex state", "no longer fused");
    EXPECT_TRUE(document.at("operations").at("removed").empty());
    EXPECT_EQ(document.at("operations").at("added"), ordered_json({"sum"}));
    leaf(compared(now, base).at("causes"), "fusion", "out", "sum and out are fused, were not");
}

TEST_F(CompareCauses, CopiesBetweenIpusAreNamedWithTheirTensorAndTheirEnds) {
    const std::string base = cut("max_pooling2d_1");
    const std::string now = cut("flatten");
    const auto document = compared(base, now);
    const auto copied = [&](const std::string& file, const std::string& step) { // on both IPUs
        return 2 * cycles(file, "name = '" + step + "'") / updates(file);
    };
    const auto added = leaf(document.at("causes"), "copy between IPUs", "flatten/Reshape",
                            "max_pooling2d_1/MaxPool is copied from IPU 0 to IPU 1 (400 KiB), was not");
    EXPECT_EQ(added.at("cycles"), copied(now, "flatten/Reshape/copy(max_pooling2d_1/MaxPool)"));
    const auto lost = leaf(document.at("causes"), "copy between IPUs", "max_pooling2d_1/MaxPool",
                           "conv2d_1/Relu is no longer copied from IPU 0 to IPU 1 (1.89 MiB)");
    EXPECT_EQ(lost.at("cycles"), -copied(base, "max_pooling2d_1/MaxPool/copy(conv2d_1/Relu)"));
    expect_sums(document, change_of_time(base, now), fullest(now) - fullest(base));
}

TEST_F(CompareCauses, WhatStaysOnItsIpuForALaterStageIsNotSaidToLeaveIt) {
    const std::vector<std::string> together{"--set", "pipeline.device_mapping=[0, 0]", "--set",
                                            "ipu_config.auto_select_ipus=1"};
    const std::string base = cut("max_pooling2d_1", together);
    const std::string now = cut("flatten", together);
    const auto document = compared(base, now);
    leaf(document.at("causes"), "stash", "flatten/Reshape",
         "max_pooling2d_1/MaxPool is kept for a later stage of the same IPU, was not");
    leaf(document.at("causes"), "stash", "max_pooling2d_1/MaxPool",
         "conv2d_1/Relu is no longer kept for a later stage of the same IPU");
    EXPECT_FALSE(holds(document.at("causes").dump(), "between IPUs"));
}

/// Two stages; that of the convolutions is the longer one, and one of them grows.
TEST_F(CompareCauses, WaitingNamesTheOperationThatTheOtherIpusWaitFor) {
    const std::string sample = TILESCOPE_SOURCE_DIR "/samples/keras_mnist_pipelined.json";
    const std::string base = record("base", sample, {"--estimate", "--epochs", "1"});
    auto model = nlohmann::json::parse(read_file(TILESCOPE_SOURCE_DIR "/samples/models/mnist_cnn.json"));
    for (auto& layer : model["config"]["layers"])
        if (layer["config"]["name"] == "conv2d_1")
            layer["config"]["filters"] = 96;
    auto workload = nlohmann::json::parse(read_file(sample));
    workload["model"]["keras"] = write("wide.model.json", model.dump());
    const std::string now =
        record("wide", write("wide.json", workload.dump()), {"--estimate", "--epochs", "1"});
    const auto document = compared(base, now);
    ordered_json waiting;
    for (const auto& cause : document.at("causes"))
        if (cause.at("kind") == "waiting")
            waiting = cause;
    ASSERT_FALSE(waiting.is_null()) << document.at("causes").dump(1);
    const auto waits = [&](const std::string& file) {
        return number(file, "SELECT SUM(waiting) FROM execution_ipu WHERE execution_id = "
                            "(SELECT MIN(id) FROM execution WHERE kind = 'train')") /
               updates(file);
    };
    EXPECT_EQ(waiting.at("cycles"), waits(now) - waits(base));
    EXPECT_EQ(waiting.at("parts").at(0).at("what"), "conv2d_1");
    EXPECT_TRUE(waiting.at("why").get<std::string>().starts_with("conv2d_1: Conv2D/gradient/conv2d_input_"));
    // It has no other stage beside it that is as long: IPU 1 waits for all that it does more.
    const std::string grown = "conv2d_1/Conv2D/gradient/conv2d_input_gradient";
    const std::string its_steps = "name LIKE '" + grown + "/%'";
    const auto part = leaf(waiting.at("parts"), "waiting", grown, "is waited for +");
    EXPECT_TRUE(holds(part.at("why"), " on IPU 0, its slowest tile +")) << part;
    EXPECT_EQ(part.at("cycles"), (cycles(now, its_steps) - cycles(base, its_steps)) / updates(now));
    EXPECT_EQ(document.at("explained").at("cycles").at("not_explained"), 0);
    expect_sums(document, change_of_time(base, now), fullest(now) - fullest(base));
}

TEST_F(CompareCauses, WhatNothingAccountsForIsSaidInEveryForm) {
    const std::string base = cnn("base");
    const std::string now = cnn("other");
    // As if another version of the tool took a step for dearer, with the same plan on the same tiles.
    const Outcome edited = run_program({"sqlite3", folder / now,
                                        "UPDATE stored_program SET compute_cycles = compute_cycles + 1000 "
                                        "WHERE id = (SELECT id FROM program "
                                        "WHERE name = 'max_pooling2d/MaxPool/MaxPooling')"});
    if (edited.exit_code != 0)
        GTEST_SKIP() << "the sqlite3 shell is not installed: " << edited.err;
    const auto document = compared(base, now);
    leaf(document.at("causes"), "not explained", "max_pooling2d/MaxPool", "");
    EXPECT_EQ(document.at("explained").at("cycles").at("not_explained"), 1000);
    for (const char* format : {"text", "markdown", "html"}) {
        const std::string page = printed({"compare", base, now, "--format", format});
        EXPECT_TRUE(holds(page, "not explained")) << page;
        EXPECT_TRUE(holds(page, "+1,000")) << page;
    }
    const std::string three = printed({"compare", base, now, base});
    EXPECT_TRUE(holds(three, "         not explained  +1,000")) << three;
}

} // namespace
} // namespace tilescope::tests
