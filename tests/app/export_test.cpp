// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/app/command_fixture.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <sstream>
#include <tuple>

namespace tilescope::tests {
namespace {

class Export : public CommandTest {
  protected:
    std::string exported(const Arguments& format, const std::string& name) const {
        Arguments arguments{"export", file, "--format"};
        arguments.insert(arguments.end(), format.begin(), format.end());
        arguments.insert(arguments.end(), {"-o", folder / name});
        EXPECT_EQ(printed(arguments), "");
        return folder / name;
    }
    std::int64_t count(const std::string& table) const {
        return document({"query", file, "SELECT count(*) AS n FROM " + table, "--format", "json"})
            .at(0)
            .at("n");
    }
    const std::string file = record_training();
};

TEST_F(Export, TheTraceIsJsonWithEveryTracedStep) {
    const auto trace = nlohmann::json::parse(read_file(exported({"trace"}, "trace.json")));
    std::int64_t slices = 0;
    for (const auto& event : trace.at("traceEvents")) {
        ASSERT_TRUE(event.contains("ph") && event.contains("pid")) << event.dump();
        if (event.at("ph") == "X") {
            ++slices;
            EXPECT_GE(event.at("dur").get<double>(), 0);
        }
    }
    EXPECT_GT(slices, count("trace"));
}

TEST_F(Export, ARangeOfTheTraceHasTheProgramStepsOfItsEngineRuns) {
    using Slice = std::tuple<std::int64_t, std::int64_t, std::string, double, double>;
    const auto program_steps = [&](const Arguments& format) {
        const auto trace = nlohmann::json::parse(read_file(exported(format, "part.json")));
        std::set<std::pair<std::int64_t, std::int64_t>> lanes;
        for (const auto& event : trace.at("traceEvents"))
            if (event.at("ph") == "M" && event.at("args").value("name", "") == "program steps")
                lanes.emplace(event.at("pid"), event.at("tid"));
        EXPECT_FALSE(lanes.empty());
        std::vector<Slice> slices;
        for (const auto& event : trace.at("traceEvents"))
            if (event.at("ph") == "X" && lanes.contains({event.at("pid"), event.at("tid")}))
                slices.emplace_back(event.at("pid"), event.at("tid"), event.at("name"), event.at("ts"),
                                    event.at("dur"));
        return slices;
    };
    const auto bounds = document(
        {"query", file,
         "SELECT min(start_cycle) AS first, max(start_cycle + cycles) AS past, (SELECT clock_hz FROM target) "
         "AS hz FROM execution WHERE id BETWEEN 1 AND 2",
         "--format", "json"});
    const double us = 1e6 / bounds.at(0).at("hz").get<double>();
    const double begin = bounds.at(0).at("first").get<double>() * us - 0.001;
    const double end = bounds.at(0).at("past").get<double>() * us + 0.001;
    std::vector<Slice> expected;
    for (const Slice& slice : program_steps({"trace"}))
        if (std::get<3>(slice) >= begin && std::get<3>(slice) + std::get<4>(slice) <= end)
            expected.push_back(slice);
    ASSERT_FALSE(expected.empty());
    std::filesystem::remove(folder / "part.json");
    EXPECT_EQ(program_steps({"trace", "--range", "1:2"}), expected);
    expect_failure(run({"export", file, "--format", "trace", "--range", "2:1", "-o", "-"}), 2, {"FROM:TO"});
    expect_failure(run({"export", file, "--format", "trace", "--range", "700:800", "-o", "-"}), 3,
                   {"700:800", "the profile has 0 to"});
    expect_failure(run({"export", file, "--format", "dot", "--range", "1:2", "-o", "-"}), 2, {"--range"});
}

TEST_F(Export, EveryTableIsCsvWithALinePerRow) {
    const auto tables = document(
        {"query", file,
         "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite_%'",
         "--format", "json"});
    ASSERT_GT(tables.size(), 20U);
    for (const auto& row : tables) {
        const std::string table = row.at("name");
        const Outcome parsed =
            run_program({"/usr/bin/python3", "-c",
                         "import csv, sys\n"
                         "rows = list(csv.reader(open(sys.argv[1], newline='')))\n"
                         "assert len(set(map(len, rows))) == 1, 'rows of different length'\n"
                         "print(len(rows) - 1)\n",
                         exported({"csv", "--table", table}, table + ".csv")});
        const std::int64_t lines = table == "tile_array" ? 1472 : 1; // a packed array has one for each tile
        EXPECT_EQ(parsed.out, std::to_string(count(table) * lines) + "\n") << table << parsed.err;
    }
}

// The DOT language (graphviz.org/doc/info/lang.html), as far as it is used: quoted strings, braces, nodes,
// edges.
TEST_F(Export, TheGraphIsDotWithEveryOperation) {
    std::string text;
    bool quoted = false;
    int depth = 0;
    const std::string dot = read_file(exported({"dot"}, "graph.dot"));
    for (std::size_t i = 0; i < dot.size(); ++i) {
        if (quoted && dot[i] == '\\')
            ++i;
        else if (dot[i] == '"')
            quoted = !quoted;
        else if (!quoted) {
            depth += dot[i] == '{' ? 1 : dot[i] == '}' ? -1 : 0;
            ASSERT_GE(depth, 0);
            text += dot[i];
        }
    }
    EXPECT_FALSE(quoted);
    EXPECT_EQ(depth, 0);
    EXPECT_NE(text.find("digraph"), std::string::npos);

    std::set<std::string> nodes;
    std::set<std::string> ends;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::string first, second, third;
        words >> first >> second >> third;
        if (second == "->")
            ends.insert({first, third.substr(0, third.find(';'))});
        else if (second.starts_with("[") && first != "node" && first != "edge")
            nodes.insert(first);
    }
    const auto operations = std::count_if(nodes.begin(), nodes.end(),
                                          [](const std::string& node) { return node.starts_with("op"); });
    EXPECT_EQ(operations, count("operation"));
    EXPECT_FALSE(ends.empty());
    for (const std::string& end : ends)
        EXPECT_TRUE(nodes.contains(end)) << end;
}

TEST_F(Export, StdoutGivesTheSameAsAFile) {
    EXPECT_EQ(printed({"export", file, "--format", "dot", "-o", "-"}),
              read_file(exported({"dot"}, "graph.dot")));
}

TEST_F(Export, AnUnknownTableIsNamedWithTheNearestAndLeavesNoFile) {
    const auto before = files();
    expect_failure(run({"export", file, "--format", "csv", "--table", "variabel", "-o", "a.csv"}), 2,
                   {"variabel", "did you mean \"variable\"?"});
    expect_failure(run({"export", file, "--format", "dot", "-o", "nowhere/graph.dot"}), 3,
                   {"nowhere/graph.dot", "check the folder"});
    EXPECT_EQ(files(), before);
}

TEST_F(Export, AnEarlierExportIsReplacedWhole) {
    const auto lengthened = [&](const std::string& name) {
        write(name, read_file(folder / name) + std::string(1 << 20, 'x'));
    };
    const std::vector<std::pair<std::string, Arguments>> all{
        {"graph.dot", {"dot"}}, {"run.json", {"trace"}}, {"variable.csv", {"csv", "--table", "variable"}}};
    for (const auto& [name, format] : all) {
        const std::string first = read_file(exported(format, name));
        lengthened(name);
        EXPECT_EQ(read_file(exported(format, name)), first);
    }
    EXPECT_EQ(files(),
              (std::set<std::string>{"graph.dot", "run.json", "training.tilescope", "variable.csv"}));
}

TEST_F(Export, AnotherFileIsReplacedOnlyByForce) {
    write("notes.txt", "my notes\n");
    for (const Arguments& format : {Arguments{"dot"}, {"trace"}, {"csv", "--table", "variable"}})
        for (const std::string name : {"notes.txt", "training.tilescope"}) {
            const std::string before = read_file(folder / name);
            Arguments arguments{"export", file, "-o", name, "--format"};
            arguments.insert(arguments.end(), format.begin(), format.end());
            expect_failure(run(arguments), 3, {name, "no earlier export", "--force"});
            EXPECT_EQ(read_file(folder / name), before);
        }
    EXPECT_EQ(files(), (std::set<std::string>{"notes.txt", "training.tilescope"}));
    printed({"export", file, "--format", "dot", "-o", "notes.txt", "--force"});
    EXPECT_TRUE(holds(read_file(folder / "notes.txt"), "digraph"));
}

TEST_F(Export, AFileThatIsNamedLikeAHalfWrittenOneIsLeftAlone) {
    write("graph.dot.part", "not yours");
    exported({"dot"}, "graph.dot");
    EXPECT_EQ(read_file(folder / "graph.dot.part"), "not yours");
    EXPECT_EQ(files(), (std::set<std::string>{"graph.dot", "graph.dot.part", "training.tilescope"}));
}

TEST_F(Export, ALinkStaysALinkAndAFailureLeavesWhatItLeadsTo) {
    exported({"dot"}, "graph.dot");
    const std::string graph = read_file(folder / "graph.dot");
    std::filesystem::create_symlink("graph.dot", folder / "link.dot");
    expect_failure(run({"export", file, "--format", "csv", "--table", "nothing", "-o", "link.dot"}), 2, {});
    EXPECT_EQ(read_file(folder / "graph.dot"), graph);
    EXPECT_EQ(read_file(exported({"dot"}, "link.dot")), graph);
    EXPECT_TRUE(std::filesystem::is_symlink(folder / "link.dot"));
}

} // namespace
} // namespace tilescope::tests
