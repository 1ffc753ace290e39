// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/text.h"
#include "build_paths.h"
#include "tests/app/command_fixture.h"

#include <cmath>
#include <sstream>

namespace tilescope::tests {
namespace {

using nlohmann::ordered_json;

class Compare : public CommandTest {
  protected:
    static ordered_json named(const ordered_json& rows, const std::string& name) {
        for (const auto& row : rows)
            if (row.at("name") == name)
                return row;
        ADD_FAILURE() << "no \"" << name << "\" in " << rows.dump();
        return {};
    }
    const std::string base = record_training("base", {"--set", "fit.batch_size=16"});
    const std::string now = record_training("now");
};

TEST_F(Compare, TheHeadlineHasTheFiguresOfBothReports) {
    const auto document = this->document({"compare", base, now, "--format", "json"});
    const auto of_base = this->document({"report", base, "--format", "json"});
    const auto of_now = this->document({"report", now, "--format", "json"});
    for (const auto& [name, group, key] :
         {std::tuple{"step time", "timing", "step_us"}, std::tuple{"throughput", "timing", "samples_per_s"},
          std::tuple{"cycles of all steps", "timing", "cycles"},
          std::tuple{"fullest tile", "memory", "max_tile_bytes"}}) {
        const ordered_json row = named(document.at("headline"), name);
        EXPECT_EQ(row.at("base").get<double>(), of_base.at(group).at(key).get<double>()) << name;
        EXPECT_EQ(row.at("new").get<double>(), of_now.at(group).at(key).get<double>()) << name;
        const double change = row.at("new").get<double>() - row.at("base").get<double>();
        EXPECT_DOUBLE_EQ(row.at("change").get<double>(), change) << name;
        EXPECT_DOUBLE_EQ(row.at("percent").get<double>(), 100 * change / row.at("base").get<double>())
            << name;
    }
}

TEST_F(Compare, AProfileDoesNotDifferFromItself) {
    const auto document = this->document({"compare", now, now, "--format", "json"});
    ASSERT_FALSE(document.at("headline").empty());
    EXPECT_TRUE(document.at("differs").empty());
    for (const auto& row : document.at("headline")) {
        const bool wall_time = row.at("name") == "compile time"; // of the computer that compiled
        EXPECT_EQ(row.at("change"), wall_time ? ordered_json() : ordered_json(0)) << row.dump();
    }
    EXPECT_TRUE(holds(printed({"compare", now, now}), "no difference in any figure"));
    EXPECT_FALSE(holds(printed({"compare", base, now}), "no difference in any figure"));
}

TEST_F(Compare, WhatWasAskedForIsSaidFirst) {
    const std::string text = printed({"compare", base, now});
    EXPECT_EQ(text.rfind("What differs\n         base  new\n  batch    16   32\n\n", 0), 0U) << text;
    const auto document = this->document({"compare", base, now, "--format", "json"});
    EXPECT_EQ(document.at("differs"),
              ordered_json::parse(R"([{"key": "fit.batch_size", "name": "batch", "base": 16, "new": 32}])"));
    const std::string bow =
        record_training("bow", {"--set", "ipu_config.ipu_model.version=bow", "--seed", "7"});
    const std::string other = printed({"compare", now, bow});
    for (const char* line : {"\n  generation ", "\n  clock ", "1.85 GHz\n", "\n  seed "})
        EXPECT_TRUE(holds(other, line)) << line << other;
}

TEST_F(Compare, LayersOfBothAreSetSideBySide) {
    const std::string text = printed({"compare", base, now});
    const std::string markdown = printed({"compare", base, now, "--format", "markdown"});
    for (const char* layer : {"dense", "flatten"}) {
        EXPECT_TRUE(holds(text, std::string("\n  ") + layer)) << text;
        EXPECT_TRUE(holds(markdown, std::string("\n| ") + layer)) << markdown;
    }
    EXPECT_TRUE(holds(markdown, "| step time | ")) << markdown;
}

TEST_F(Compare, ProfilesOfDifferentModelsAreCompared) {
    const auto document = this->document({"compare", record_tutorial(), now, "--format", "json"});
    const ordered_json steps = named(document.at("headline"), "step time");
    EXPECT_NE(steps.at("change"), 0);
}

TEST_F(Compare, FailsOnWhatItIsToldTo) {
    EXPECT_EQ(run({"compare", now, now, "--fail-on", "any", "--fail-on", "slower"}).exit_code, 0);
    const auto fails = [&](const std::string& a, const std::string& b, const char* on) {
        const Outcome outcome = run({"compare", a, b, "--fail-on", on});
        EXPECT_TRUE(outcome.exit_code == 0 || outcome.exit_code == 1) << outcome.err;
        return outcome.exit_code == 1;
    };
    EXPECT_TRUE(fails(base, now, "any"));
    EXPECT_NE(fails(base, now, "slower"), fails(now, base, "slower")) << "one of the two is slower";
    EXPECT_NE(fails(base, now, "larger"), fails(now, base, "larger"));
}

/// Variants of the Keras CNN, estimated.
class CompareModels : public CommandTest {
  protected:
    static nlohmann::ordered_json named_layer(const nlohmann::ordered_json& document,
                                              const std::string& name) {
        for (const auto& layer : document.at("layers"))
            if (layer.at("name") == name)
                return layer;
        return {};
    }
    nlohmann::ordered_json compared(const std::string& now) const {
        return document({"compare", base, now, "--format", "json"});
    }
    static double sum(const nlohmann::ordered_json& causes) {
        double cycles = 0;
        for (const auto& cause : causes)
            cycles += cause.at("cycles").is_null() ? 0 : cause.at("cycles").get<double>();
        return cycles;
    }
    /// Cycles of the wall clock for each step: what the causes explain on one IPU.
    double step_cycles(const std::string& file) const {
        return document({"report", file, "--format", "json"})["timing"]["elapsed"]["step"]["cycles"];
    }
    const nlohmann::ordered_json model =
        nlohmann::ordered_json::parse(read_file(TILESCOPE_SOURCE_DIR "/samples/models/mnist_cnn.json"));
    const std::string base = record_model("base", model);
};

TEST_F(CompareModels, OfRenamedLayersOnlyTheNamesDiffer) {
    auto renamed = model;
    for (auto& layer : renamed["config"]["layers"])
        layer["config"]["name"] = "my_" + layer["config"]["name"].get<std::string>();
    const auto document = compared(record_model("renamed", renamed));
    EXPECT_TRUE(document.at("causes").empty()) << document.at("causes").dump();
    EXPECT_TRUE(document.at("memory_causes").empty()) << document.at("memory_causes").dump();
    EXPECT_TRUE(document.at("operations").at("added").empty());
    EXPECT_TRUE(document.at("operations").at("removed").empty());
    EXPECT_EQ(document.at("renamed_layers").size(),
              renamed["config"]["layers"].size() - 1); // without the input
    EXPECT_EQ(document.at("renamed_layers").at(0).at("base"), "conv2d");
    EXPECT_EQ(document.at("renamed_layers").at(0).at("new"), "my_conv2d");
    for (const auto& layer : document.at("layers"))
        EXPECT_EQ(layer.at("cycles").at("change"), 0) << layer.dump();
}

// A convolution with its activation as a setting is the same work as one with a layer behind it for that.
TEST_F(CompareModels, AnActivationThatBecameALayerIsToldAsASplit) {
    auto apart = model;
    auto& layers = apart["config"]["layers"] = nlohmann::ordered_json::array();
    for (auto layer : model["config"]["layers"]) {
        const auto activation = layer["config"].value("activation", "linear");
        layer["config"]["activation"] = "linear";
        if (activation == "linear")
            layer["config"].erase("activation");
        layers.push_back(layer);
        if (activation != "linear")
            layers.push_back({{"class_name", "Activation"},
                              {"config",
                               {{"name", layer["config"]["name"].get<std::string>() + "_act"},
                                {"activation", activation}}}});
    }
    const std::string now = record_model("apart", apart);
    const auto check = [&](const nlohmann::ordered_json& document, const nlohmann::ordered_json& first) {
        EXPECT_TRUE(document.at("causes").empty()) << document.at("causes").dump();
        EXPECT_TRUE(document.at("memory_causes").empty()) << document.at("memory_causes").dump();
        EXPECT_TRUE(document.at("operations").at("added").empty()) << document.at("operations").dump();
        EXPECT_TRUE(document.at("operations").at("removed").empty()) << document.at("operations").dump();
        EXPECT_EQ(document.at("split_layers").size(), 3U) << "conv2d, conv2d_1, dense";
        EXPECT_TRUE(holds(document.at("split_layers").dump(), first.dump())) << document.at("split_layers");
        for (const auto& layer : document.at("layers")) {
            EXPECT_EQ(layer.at("cycles").at("change"), 0) << layer.dump();
            EXPECT_EQ(layer.at("memory").at("change"), 0) << layer.dump();
        }
    };
    check(compared(now),
          nlohmann::ordered_json::parse(R"({"base": ["conv2d"], "new": ["conv2d", "conv2d_act"]})"));
    check(document({"compare", now, base, "--format", "json"}),
          nlohmann::ordered_json::parse(R"({"base": ["conv2d", "conv2d_act"], "new": ["conv2d"]})"));
    EXPECT_TRUE(holds(printed({"compare", base, now}), "conv2d + conv2d_act (was conv2d)"));
}

TEST_F(CompareModels, WhatWasMatchedByHandIsComparedAndSaid) {
    auto layers = model;
    for (auto& layer : layers["config"]["layers"])
        if (layer["config"]["name"] == "conv2d_1")
            layer["config"]["name"] = "last";
    const std::string now = record_model("renamed", layers);
    EXPECT_FALSE(named_layer(compared(now), "last").at("by_hand"));
    const auto said = document({"compare", base, now, "--format", "json", "--match", "conv2d=last", "--match",
                                "conv2d_1=", "--match", "=conv2d"});
    EXPECT_EQ(said.at("matched_by_hand"), nlohmann::ordered_json::parse(R"([
        {"part": "layer", "base": "conv2d", "new": "last"}, {"part": "layer", "base": "conv2d_1", "new": null},
        {"part": "layer", "base": null, "new": "conv2d"}])"));
    // The cycles of the layer that it is said to be, as both reports have them.
    const auto cycles = [&](const std::string& file, const char* name) {
        return named_layer(document({"report", file, "--format", "json"}), name).at("cycles");
    };
    const auto row = named_layer(said, "last");
    EXPECT_TRUE(row.at("by_hand"));
    EXPECT_EQ(row.at("base_name"), "conv2d");
    EXPECT_EQ(row.at("cycles").at("base"), cycles(base, "conv2d"));
    EXPECT_EQ(row.at("cycles").at("new"), cycles(now, "last"));
    EXPECT_TRUE(named_layer(said, "conv2d").at("cycles").at("base").is_null());
    EXPECT_NEAR(sum(said.at("causes")), 0, 1e-6) << "the runs are as long as each other";
    EXPECT_EQ(said.at("explained").at("cycles").at("not_explained"), 0);
    EXPECT_TRUE(
        holds(printed({"compare", base, now, "--match", "conv2d=last"}), "last (was conv2d, by hand)"));

    // The same in a file, as the window saves it.
    const std::string saved = write(
        "said.tilescope-compare",
        R"({"tilescope-compare": 1, "base": ")" + base + R"(", "runs": [{"file": ")" + now +
            R"(", "matches": [)" +
            R"({"part": "layer", "base": "conv2d", "new": "last"}, {"part": "layer", "base": "conv2d_1", "new": null},)" +
            R"({"part": "layer", "base": null, "new": "conv2d"}]}]})");
    EXPECT_EQ(document({"compare", saved, "--format", "json"}), said);

    const auto wrong = [&](const Arguments& arguments, int code, const std::vector<std::string>& parts) {
        Arguments all{"compare"};
        all.insert(all.end(), arguments.begin(), arguments.end());
        expect_failure(run(all), code, parts);
    };
    wrong({base, now, "--match", "conv2d_2=last"}, 2, {"the base has no layer or operation", "did you mean"});
    wrong({base, now, "--match", "conv2d=last/Conv2D"}, 2, {"one is a layer, the other an operation"});
    wrong({base, now, now, "--match", "conv2d=last"}, 2, {"--match"});
    wrong({saved, base}, 2, {saved, "give it alone"});
    wrong({write("gone.tilescope-compare",
                 R"({"tilescope-compare": 1, "base": ")" + base + R"(", "runs": [{"file": ")" + now +
                     R"(", "matches": [{"part": "layer", "base": "x", "new": "last"}]}]})")},
          3, {"runs[0]: matches[0]", "the base has no layer \"x\""});
}

TEST_F(CompareModels, AWiderLayerIsTheFirstCause) {
    auto wide = model;
    for (auto& layer : wide["config"]["layers"])
        if (layer["config"]["name"] == "conv2d_1")
            layer["config"]["filters"] = 96;
    const std::string now = record_model("wide", wide);
    const auto document = compared(now);
    const auto& first = document.at("causes").at(0);
    EXPECT_EQ(first.at("what"), "conv2d_1");
    EXPECT_EQ(first.at("cycles"), named_layer(document, "conv2d_1").at("cycles").at("change"));
    for (const char* part : {"96], was ", "27,744 parameters, were 18,496", "is planned as AMP",
                             "next best is AMP", " slower: "})
        EXPECT_TRUE(holds(first.at("why"), part)) << first.dump();
    EXPECT_NEAR(sum(document.at("causes")), step_cycles(now) - step_cycles(base), 10) << "rounded to cycles";
    for (const char* list : {"causes", "memory_causes"}) {
        double shares = 0;
        for (const auto& cause : document.at(list)) {
            EXPECT_GE(cause.at("share"), 0) << "also of one that pulls the other way";
            shares += cause.at("share").get<double>();
        }
        EXPECT_NEAR(shares, 1, 1e-9) << list;
    }
    // The bytes of the fullest tile, to the byte.
    EXPECT_EQ(document.at("memory_causes").at(0).at("what"), "conv2d_1")
        << document.at("memory_causes").dump();
    double bytes = 0;
    for (const auto& cause : document.at("memory_causes"))
        bytes += cause.at("bytes").get<double>();
    const auto fullest = [&](const std::string& file) {
        return this->document({"report", file, "--format", "json"})["memory"]["max_tile_bytes_with_gaps"]
            .get<double>();
    };
    EXPECT_EQ(bytes, fullest(now) - fullest(base));
    EXPECT_TRUE(holds(printed({"compare", base, now}), "The fullest tile with gaps needs "))
        << "as the figure is called";
}

TEST_F(CompareModels, AnInsertedLayerDoesNotMoveTheOthers) {
    auto longer = model;
    auto& layers = longer["config"]["layers"];
    for (auto layer = layers.begin(); layer != layers.end(); ++layer)
        if ((*layer)["class_name"] == "Dropout") {
            auto more = *layer;
            more["config"]["name"] = "more";
            layers.insert(layer, more);
            break;
        }
    const auto document = compared(record_model("longer", longer));
    ASSERT_EQ(document.at("causes").size(), 1U) << document.at("causes").dump();
    EXPECT_EQ(document.at("causes").at(0).at("what"), "more");
    EXPECT_EQ(document.at("causes").at(0).at("why"), "a layer more");
}

// Keras counts its layers: one in front takes the name of the first, and all behind it are renamed.
TEST_F(CompareModels, ALayerInFrontOfCountedOnesIsTheOneMore) {
    auto longer = model;
    auto& layers = longer["config"]["layers"];
    for (auto layer = layers.begin(); layer != layers.end(); ++layer)
        if ((*layer)["config"]["name"] == "conv2d") {
            auto first = *layer;
            first["config"]["filters"] = 16;
            first["config"]["padding"] = "same";
            (*layer)["config"]["name"] = "conv2d_1";
            layers.insert(layer, first);
            break;
        }
    for (auto layer = layers.rbegin(); layer != layers.rend(); ++layer)
        if ((*layer)["config"]["name"] == "conv2d_1") {
            (*layer)["config"]["name"] = "conv2d_2";
            break;
        }
    const auto document = compared(record_model("longer", longer));
    EXPECT_EQ(named_layer(document, "conv2d_2").at("base_name"), "conv2d_1");
    // Nothing in it changed, but its bias lies elsewhere: words cross a chip in up to 184 cycles more.
    EXPECT_LE(std::abs(named_layer(document, "conv2d_2").at("cycles").at("change").get<double>()), 184);
    EXPECT_EQ(named_layer(document, "conv2d_1").at("base_name"), "conv2d");
    std::map<std::string, std::string> why;
    for (const auto& cause : document.at("causes"))
        why[cause.at("what")] = cause.at("why");
    EXPECT_EQ(why["conv2d"], "a layer more");
    for (const auto& [what, text] : why)
        if (what == "conv2d_2") {
            EXPECT_NE(text.find("conv2d_2/bias lies on other tiles"), std::string::npos) << text;
        }
}

TEST_F(CompareModels, OfModelsOfOneSizeTheSettingOfALayerIsSaid) {
    auto linear = model;
    for (auto& layer : linear["config"]["layers"])
        if (layer["config"]["name"] == "conv2d")
            layer["config"]["activation"] = "linear";
    const std::string text = printed({"compare", base, record_model("linear", linear)});
    EXPECT_TRUE(holds(text, "conv2d: activation relu")) << text;
    EXPECT_TRUE(holds(text, "conv2d: activation linear")) << text;
}

// A micro-batch on one of two IPUs is not what a step of both takes.
TEST_F(CompareModels, TheStepIsSaidFirstWhereAMicroBatchGivesAnotherAnswer) {
    printed({"profile", sample("keras_mnist_8ipu"), "--estimate", "--epochs", "1", "-o", "eight.tilescope",
             "--progress", "none"});
    const std::string text = printed({"compare", base, "eight.tilescope"});
    ASSERT_GT(step_cycles(base), step_cycles("eight.tilescope"));
    EXPECT_TRUE(holds(text, "as fast as base: ")) << text;
    EXPECT_TRUE(holds(text, " per step. Counted per micro-batch, ")) << text;
}

TEST_F(CompareModels, SeveralRunsAreColumnsBesideTheBase) {
    auto wide = model;
    for (auto& layer : wide["config"]["layers"])
        if (layer["config"]["name"] == "conv2d_1")
            layer["config"]["filters"] = 96;
    const std::string other = record_model("wide", wide);
    const std::string slow = record_model("slow", model, {"--set", "compile.steps_per_execution=1"});
    const auto document = this->document({"compare", base, other, slow, "--format", "json"});
    EXPECT_EQ(document.at("base"), base);
    ASSERT_EQ(document.at("runs").size(), 2U);
    for (std::size_t i = 0; i < 2; ++i) { // each is the comparison of two
        const std::string file = i == 0 ? other : slow;
        EXPECT_EQ(document.at("runs").at(i).at("file"), file);
        EXPECT_EQ(document.at("runs").at(i).at("comparison"), compared(file));
    }
    const std::string text = printed({"compare", base, other, slow});
    const std::string figures = text.substr(text.find("\nFigures ("));
    std::string columns = figures.substr(figures.find("  step time"));
    columns = columns.substr(0, columns.find('\n'));
    for (const auto& [file, unit] : {std::pair{base, "µs"}, std::pair{other, "µs"}, std::pair{slow, "ms"}}) {
        const double us = this->document({"report", file, "--format", "json"})["timing"]["step_us"];
        const std::string amount =
            unit == std::string("ms") ? fixed_text(us / 1000, 2) : std::to_string(std::lround(us));
        EXPECT_TRUE(holds(columns, " " + amount + " " + unit)) << file << columns;
    }
    // In a sentence for each run, the one that `compare` has of the two.
    for (const std::string& file : {other, slow}) {
        const std::string two = printed({"compare", base, file});
        const std::string sentence = two.substr(two.find("In short"));
        const std::size_t start = sentence.find('\n') + 1;
        const std::string line = sentence.substr(start, sentence.find('\n', start) - start);
        EXPECT_GT(line.size(), 20U) << two;
        EXPECT_TRUE(holds(text, line)) << line << text;
    }
    EXPECT_TRUE(holds(text, "\n  wide  conv2d_1 ")) << text;
    EXPECT_TRUE(holds(text, "\n  slow  launching engine runs ")) << text;
    // Another base.
    EXPECT_EQ(
        this->document({"compare", base, other, slow, "--base", slow, "--format", "json"}).at("runs").at(0),
        nlohmann::ordered_json(
            {{"file", base}, {"comparison", this->document({"compare", slow, base, "--format", "json"})}}));
    const Outcome fails = run({"compare", base, base, slow, "--fail-on", "slower"});
    EXPECT_EQ(fails.exit_code, 1);
    EXPECT_TRUE(holds(fails.err, "slow: a step takes longer")) << fails.err;
}

TEST_F(CompareModels, LaunchesOfTheHostAndTheClockAreCauses) {
    const std::string slow = record_model("slow", model, {"--set", "compile.steps_per_execution=1"});
    const auto launches = compared(slow).at("causes");
    EXPECT_EQ(launches.at(0).at("what"), "launching engine runs");
    EXPECT_TRUE(holds(launches.at(0).at("why"), "one for every step, was for every ")) << launches.dump();
    EXPECT_NEAR(sum(launches), step_cycles(slow) - step_cycles(base), 10);

    const std::string bow = record_model("bow", model, {"--set", "ipu_config.ipu_model.version=bow"});
    const auto clock = compared(bow).at("causes");
    // What the host does takes as long beside any clock, but for rounding to whole cycles: the clock makes
    // all of the change.
    const auto bridge = compared(bow).at("bridge");
    const double by = bridge.at("new_us").get<double>() - bridge.at("base_us").get<double>();
    EXPECT_LT(by, -1) << "a faster clock saves microseconds of a step";
    for (const auto& part : bridge.at("parts"))
        EXPECT_NEAR(part.at("us").get<double>(), part.at("what") == "the clock" ? by : 0, 0.2) << part.dump();
    const auto history = document({"history", base, bow, "--format", "json"});
    const std::string cause = history.at("runs").at(1).at("cause");
    const std::size_t told = cause.find("1.85 GHz");
    EXPECT_NE(told, std::string::npos) << cause;
    EXPECT_EQ(cause.find("1.85 GHz", told + 1), std::string::npos) << "once is enough: " << cause;
    EXPECT_EQ(clock.at(0).at("what"), "the clock");
    EXPECT_TRUE(holds(clock.at(0).at("why"), "1.85 GHz, was 1.33 GHz")) << clock.dump();
}

} // namespace
} // namespace tilescope::tests
