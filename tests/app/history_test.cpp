// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/app/command_fixture.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>

namespace tilescope::tests {
namespace {

/// Profiles of the dense network, as commits would leave them.
class History : public CommandTest {
  protected:
    void record(const std::string& name, const Arguments& more) const {
        Arguments arguments{"profile",
                            sample("mnist_tf2"),
                            "--estimate",
                            "--progress",
                            "none",
                            "-o",
                            name,
                            "--set",
                            "fit.steps_per_epoch=20",
                            "--set",
                            "compile.steps_per_execution=5"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        printed(arguments);
    }
    void SetUp() override {
        std::filesystem::create_directory(folder / "profiles");
        // Later names were recorded first: the files' own dates count.
        record("profiles/d.tilescope", {});
        record("profiles/c.tilescope", {});
        record("profiles/b.tilescope", {"--set", "fit.batch_size=16", "--label", commit});
        record("profiles/a.tilescope", {"--set", "fit.batch_size=16"});
    }
    const std::string commit = "0123456789abcdef0123456789abcdef01234567";
    double step_us(const std::string& file) const {
        return document({"report", file, "--format", "json"})["timing"]["step_us"];
    }
};

TEST_F(History, FindsTheFirstProfileInWhichAFigureChangedAndWhy) {
    const auto history = document({"history", "profiles", "--format", "json"});
    EXPECT_EQ(history.at("metric"), "timing.step_us");
    EXPECT_EQ(history.at("unit"), "us");
    EXPECT_EQ(history.at("first_change"), 2);
    const auto& runs = history.at("runs");
    ASSERT_EQ(runs.size(), 4U);
    std::string names;
    for (const auto& run : runs) {
        names += std::filesystem::path(run.at("file").get<std::string>()).stem().string() +
                 (run.at("changed") ? "* " : " ");
        EXPECT_DOUBLE_EQ(run.at("value"), step_us(run.at("file")));
    }
    EXPECT_EQ(names, "d c b* a ");
    EXPECT_TRUE(holds(runs.at(2).at("cause"), "batch is 16, was 32")) << runs.at(2).dump();
    const std::string text = printed({"history", "profiles"});
    EXPECT_TRUE(holds(text, "First changed in b: ")) << text;
    EXPECT_TRUE(holds(text, "Against c: batch is 16, was 32")) << text;
    EXPECT_TRUE(
        holds(printed({"history", "profiles/d.tilescope", "profiles/c.tilescope"}), "It never changed"));
    record("longer.tilescope", {"--epochs", "7"});
    EXPECT_TRUE(holds(printed({"history", "profiles/d.tilescope", "longer.tilescope"}), "It never changed"))
        << "the same mean, of other sums";
    EXPECT_EQ(document({"history", "profiles", "--tolerance", "99", "--format", "json"}).at("first_change"),
              nullptr);
}

TEST_F(History, TakesAnyFigureThatLimitsTake) {
    for (const char* figure : {"memory.max_tile_bytes", "layers.dense.cycles",
                               "operations.dense/MatMul.cycles", "ipus.0.memory_bytes"})
        EXPECT_EQ(
            document({"history", "profiles", "--figure", figure, "--format", "json"}).at("first_change"), 2)
            << figure;
    expect_failure(run({"history", "profiles", "--figure", "timing.step_uss"}), 3,
                   {"did you mean \"timing.step_us\"?"});
    expect_failure(run({"history", "profiles", "--figure", "layers.*.cycles"}), 3,
                   {"names 3 figures", "layers."});
    expect_failure(run({"history", "profiles", "--workload", "keras*"}), 3, {"no profile is of a workload"});
    std::filesystem::create_directory(folder / "empty");
    expect_failure(run({"history", "empty"}), 3, {"there are no profiles in the folder"});
}

TEST_F(History, ACommitStandsBesideItsProfile) {
    EXPECT_EQ(document({"report", "profiles/b.tilescope", "--format", "json"}).at("run").at("label"), commit);
    EXPECT_EQ(document({"history", "profiles", "--format", "json"}).at("runs").at(2).at("label"), commit);
    EXPECT_TRUE(holds(printed({"history", "profiles", "--format", "csv"}), "b.tilescope," + commit + ","));
    const std::string text = printed({"history", "profiles"});
    EXPECT_TRUE(holds(text, "  0123456789  ")) << text;
    EXPECT_TRUE(holds(printed({"history", "profiles/b.tilescope", "--format", "svg"}), ">0123456789<"));
}

TEST_F(History, TheCommitIsTheOneThatCiNames) {
    for (const char* variable : {"GIT_COMMIT", "CI_COMMIT_SHA", "GITHUB_SHA"}) {
        setenv(variable, variable, 1);
        record("ci.tilescope", {});
        EXPECT_EQ(document({"report", "ci.tilescope", "--format", "json"}).at("run").at("label"), variable);
    }
    record("told.tilescope", {"--label", "mine"});
    EXPECT_EQ(document({"report", "told.tilescope", "--format", "json"}).at("run").at("label"), "mine");
    for (const char* variable : {"GIT_COMMIT", "CI_COMMIT_SHA", "GITHUB_SHA"})
        unsetenv(variable);
}

TEST_F(History, LeavesOutWhatHasNoFigureAndSaysWhy) {
    record("profiles/e.tilescope", {"--no-remedies", "--set", "fit.batch_size=32"});
    const Outcome full =
        run({"profile", sample("mnist_tf2"), "--estimate", "--progress", "none", "-o", "profiles/f.tilescope",
             "--no-remedies", "--set", "ipu_config.ipu_model.tiles_per_ipu=1", "--set",
             "ipu_config.ipu_model.bytes_per_tile=65536"});
    EXPECT_EQ(full.exit_code, 4);
    printed({"profile", sample("tutorial_basic"), "-o", "profiles/g.tilescope", "--progress", "none"});
    write("profiles/h.tilescope", "no profile");
    const Outcome outcome = run({"history", "profiles", "--format", "json"});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_TRUE(holds(outcome.err, "warning: profiles/h.tilescope: ")) << outcome.err;
    const auto runs = nlohmann::json::parse(outcome.out).at("runs");
    ASSERT_EQ(runs.size(), 7U);
    EXPECT_TRUE(runs.at(4).at("changed")) << "back to the first batch";
    EXPECT_TRUE(runs.at(5).at("value").is_null());
    EXPECT_EQ(runs.at(5).at("absent"), "the run is out of memory");
    EXPECT_FALSE(runs.at(6).at("changed")) << "another workload";
    const auto one = document({"history", "profiles/a.tilescope", "profiles/g.tilescope", "--workload",
                               "mnist*", "--format", "json"});
    EXPECT_EQ(one.at("runs").size(), 1U);
}

TEST_F(History, IsATableInCsvAndAPictureThatNeedsNoOtherFile) {
    std::istringstream csv(printed({"history", "profiles", "--format", "csv"}));
    std::string line;
    std::getline(csv, line);
    EXPECT_EQ(line, "file,label,workload,tool_version,started,status,value,change_percent,changed,cause");
    std::size_t rows = 0;
    for (; std::getline(csv, line); ++rows)
        EXPECT_TRUE(holds(line, ",complete,")) << line;
    EXPECT_EQ(rows, 4U);
    const std::string svg = printed({"history", "profiles", "--format", "svg"});
    const Outcome parsed =
        run_program({"/usr/bin/python3", "-c",
                     "import sys, xml.etree.ElementTree as t\n"
                     "root = t.parse(sys.argv[1]).getroot()\n"
                     "ns = '{http://www.w3.org/2000/svg}'\n"
                     "points = [(float(c.get('cx')), float(c.get('cy')), c.get('r')) for c in root.iter(ns + "
                     "'circle') if "
                     "c.find(ns + 'title') is not None]\n"
                     "print(root.tag == ns + 'svg', len(points), [p[2] for p in points])\n"
                     "print(points[0][1] == points[1][1] > 0, points[2][1] == points[3][1] > points[0][1])\n"
                     "print([k for e in root.iter() for k in e.keys() if 'href' in k or 'src' in k])\n",
                     write("history.svg", svg)});
    EXPECT_EQ(parsed.out, "True 4 ['2.5', '2.5', '5', '2.5']\nTrue True\n[]\n") << parsed.err << svg;
    const std::string page = printed({"history", "profiles", "--format", "html"});
    EXPECT_TRUE(holds(page, "<svg xmlns")) << "the same picture";
}

} // namespace
} // namespace tilescope::tests
