// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/budget.h"
#include "build_paths.h"
#include "tests/json_schema.h"
#include "tests/temporary_folder.h"

#include <gtest/gtest.h>

namespace tilescope::analyse {
namespace {

const std::string schema_path = std::string(TILESCOPE_SOURCE_DIR) + "/resources/budget.schema.json";

std::string schema_errors(const tests::TemporaryFolder& folder, const std::string& text) {
    std::ofstream(folder / "b.json") << text;
    return tests::schema_errors(schema_path, folder / "b.json");
}

TEST(BudgetSchema, HasOnlyKeysThatCheckReadsAndDescribesThem) {
    const tests::SchemaJson schema = tests::read_schema(schema_path);
    const tests::SchemaProperties properties(schema);
    for (const auto& property : properties.all()) {
        EXPECT_GT(property.schema.value("description", "").size(), 9U) << property.path;
        if (property.path == "limits" || property.path == "limits.metric")
            continue;
        const bool of_a_limit = property.path.starts_with("limits.");
        const std::string key = of_a_limit ? property.path.substr(7) : property.path;
        const std::string value = property.schema["type"] == "number" ? "1" : "\"x\"";
        const std::string extra = ", \"" + key + "\": " + value;
        EXPECT_TRUE(parse_budget("{\"limits\": [{\"metric\": \"x\", \"max\": 1" + (of_a_limit ? extra : "") +
                                     "}]" + (of_a_limit ? "" : extra) + "}",
                                 "b.json"))
            << property.path;
    }
}

TEST(BudgetSchema, AcceptsAndRefusesWhatCheckDoes) {
    const tests::TemporaryFolder folder;
    for (
        const std::string text :
        {R"({"limits": [{"metric": "memory.max_tile_bytes", "max": 600000}]})",
         R"({"$schema": "x", "description": "y", "limits": [{"metric": "timing.step_us", "max_increase_percent": 5,
              "max_decrease_percent": 50.5, "description": "z", "reason": "w", "workload": "mnist*"}, {"metric": "result.epochs.-1.loss", "min": 0}]})"}) {
        EXPECT_TRUE(parse_budget(text, "b.json")) << text;
        EXPECT_EQ(schema_errors(folder, text), "") << text;
    }
    for (const std::string text :
         {R"([])", R"({})", R"({"limits": []})", R"({"limits": [{"max": 1}]})",
          R"({"limits": [{"metric": "x"}]})", R"({"limits": [{"metric": "x", "max": "1"}]})",
          R"({"limits": [{"metric": "x", "most": 1, "max": 1}]})",
          R"({"limit": [{"metric": "x", "max": 1}]})", R"({"limits": [{"metric": 1, "max": 1}]})",
          R"({"limits": [{"metric": "x", "max": 1, "workload": 1}]})"}) {
        EXPECT_FALSE(parse_budget(text, "b.json")) << text;
        EXPECT_NE(schema_errors(folder, text), "") << text;
    }
}

} // namespace
} // namespace tilescope::analyse
