// SPDX-License-Identifier: GPL-3.0-or-later
#include "export/chrome_trace.h"
#include "export/csv.h"
#include "export/graph_dot.h"
#include "tests/profile_fixture.h"
#include "tests/temporary_folder.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

using namespace tilescope;
using nlohmann::json;

namespace {

struct Exported : testing::Test {
    tests::TemporaryFolder folder;
    std::unique_ptr<profile::Profile> profile;
    void SetUp() override {
        const std::string path = folder / "fixture.tilescope";
        ASSERT_TRUE(tests::record_fixture(path));
        profile = std::move(*profile::Profile::open(path));
    }
};

std::int64_t count(const std::string& text, const std::string& what) {
    std::int64_t found = 0;
    for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + what.size()))
        ++found;
    return found;
}

} // namespace

TEST_F(Exported, TheChromeTraceIsJsonWhoseSlicesNestAndAddUp) {
    std::ostringstream out;
    ASSERT_TRUE(exports::chrome_trace(*profile, out));
    const json document = json::parse(out.str());
    std::map<std::string, std::int64_t> threads; // name -> thread
    std::map<std::int64_t, double> busy;         // thread -> time
    std::map<std::int64_t, double> last_end;
    for (const auto& event : document.at("traceEvents")) {
        if (event.at("ph") == "M" && event.at("name") == "thread_name")
            threads[event.at("args").at("name")] = event.at("tid");
        if (event.at("ph") != "X")
            continue;
        const std::int64_t thread = event.at("tid");
        const double begin = event.at("ts");
        EXPECT_GE(begin, last_end[thread] - 1e-3) << event.dump(); // in order, none overlaps the one before
        last_end[thread] = begin + event.at("dur").get<double>();
        busy[thread] += event.at("dur").get<double>();
    }
    ASSERT_EQ(threads.size(), 4U);
    EXPECT_NEAR(busy[threads["program steps"]], busy[threads["phases"]], 0.1);
    EXPECT_LT(busy[threads["program steps"]], busy[threads["executions"]]); // host time lies between
    // 3 traced executions of 3 steps of the fixture.
    const double cycle_us = 1e6 / profile->target()->clock_hz;
    const double expected =
        9.0 * static_cast<double>(tests::fixture_step_cycles(tests::small_fixture)) * cycle_us;
    EXPECT_NEAR(busy[threads["program steps"]], expected, expected * 1e-3);
}

TEST_F(Exported, ATableAsCsvHasALinePerRow) {
    std::ostringstream out;
    ASSERT_TRUE(exports::csv(*profile, "operation", out));
    EXPECT_EQ(count(out.str(), "\n"), 1 + tests::small_fixture.operations());
    EXPECT_EQ(out.str().rfind("id,", 0), 0U);
}

TEST_F(Exported, AnUnknownTableIsRefusedWithTheNearestName) {
    std::ostringstream out;
    const auto failed = exports::csv(*profile, "operatoin", out);
    ASSERT_FALSE(failed);
    EXPECT_NE(failed.error().line().find("operation"), std::string::npos);
    EXPECT_EQ(exit_code(failed.error().kind), 2);
    EXPECT_TRUE(out.str().empty());
}

TEST(CsvField, IsQuotedWhereItMustBe) {
    EXPECT_EQ(exports::csv_field("plain"), "plain");
    EXPECT_EQ(exports::csv_field("a,b"), "\"a,b\"");
    EXPECT_EQ(exports::csv_field("say \"hi\""), "\"say \"\"hi\"\"\"");
    EXPECT_EQ(exports::csv_field("two\nlines"), "\"two\nlines\"");
}

TEST_F(Exported, TheGraphHasANodePerOperationAndBalancedBraces) {
    std::ostringstream out;
    ASSERT_TRUE(exports::graph_dot(*profile, out));
    const std::string text = out.str();
    EXPECT_EQ(text.rfind("digraph", 0), 0U);
    EXPECT_EQ(count(text, "{"), count(text, "}"));
    const auto operations = *profile->operations();
    for (const auto& op : operations)
        EXPECT_NE(text.find(op.name), std::string::npos) << op.name;
}
