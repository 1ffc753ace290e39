// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/app/command_fixture.h"

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

} // namespace
} // namespace tilescope::tests
