// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/app/command_fixture.h"

namespace tilescope::tests {
namespace {

const std::vector<std::string> commands{"profile", "report",  "compare", "check",  "export",
                                        "query",   "summary", "devices", "monitor"};

class Usage : public CommandTest {};

TEST_F(Usage, HelpOfEachCommandHasExamples) {
    for (const std::string& command : commands) {
        const std::string help = printed({command, "--help"});
        const auto examples = help.find("Example");
        ASSERT_NE(examples, std::string::npos) << help;
        EXPECT_TRUE(holds(help.substr(examples), "\n  tilescope " + command + " ")) << help;
    }
}

TEST_F(Usage, HelpOfTheProgramListsEveryCommand) {
    const std::string help = printed({"--help"});
    EXPECT_TRUE(holds(help, "Examples:\n")) << help;
    for (const std::string& command : commands)
        EXPECT_TRUE(holds(help, "\n  " + command + " ")) << command;
}

TEST_F(Usage, TheVersionIsPrinted) {
    EXPECT_EQ(printed({"--version"}).rfind("tilescope ", 0), 0U);
}

TEST_F(Usage, MistakesEndWithTwoAndOneLine) {
    const std::vector<std::pair<Arguments, std::string>> mistakes{
        {{}, "tilescope --help"},
        {{"reprot", "a.tilescope"}, "did you mean \"report\"?"},
        {{"xyzzy"}, "there is no command \"xyzzy\""},
        {{"report"}, "FILE is required"},
        {{"report", "a.tilescope", "--fromat", "json"}, "--fromat"},
        {{"report", "a.tilescope", "--format", "yaml"}, "yaml"},
        {{"compare", "a.tilescope"}, "NEW is required"},
        {{"check", "a.tilescope"}, "--budget is required"},
        {{"export", "a.tilescope", "--format", "trace"}, "--output"},
        {{"export", "a.tilescope", "--format", "csv", "-o", "a.csv"}, "--table"},
        {{"export", "a.tilescope", "--format", "dot", "--table", "run", "-o", "a.dot"}, "--table"},
        {{"query", "a.tilescope"}, "SQL is required"},
        {{"profile", sample("tutorial_basic"), "--epochs", "0"}, "--epochs"},
        {{"profile", sample("tutorial_basic"), "--epochs", "many"}, "--epochs"},
        {{"profile", sample("tutorial_basic"), "--seed", "-1"}, "--seed"},
        {{"profile", sample("tutorial_basic"), "--trace", "last:3"}, "first:N, all or none"},
        {{"profile", sample("tutorial_basic"), "--progress", "loud"}, "loud"},
        {{"profile", sample("tutorial_basic"), "--set", "seed"}, "KEY=VALUE"},
    };
    for (const auto& [arguments, part] : mistakes)
        expect_failure(run(arguments), 2, {part});
    EXPECT_EQ(files(), std::set<std::string>{}) << "a mistake writes nothing";
}

TEST_F(Usage, AnUnknownSectionOfAReportIsNamedWithTheNearest) {
    const std::string file = record_tutorial();
    expect_failure(run({"report", file, "--section", "memry"}), 2, {"memry", "did you mean \"memory\"?"});
}

// A profiler for servers must not ask for a desktop's libraries.
TEST(Links, TheCommandLineProgramLinksNoQt) {
    const Outcome ldd = run_program({"ldd", path_of_tilescope()});
    ASSERT_EQ(ldd.exit_code, 0) << ldd.err;
    EXPECT_TRUE(holds(ldd.out, "libsqlite3")) << ldd.out;
    for (const char* other : {"Qt", "libX11", "libxcb", "libGL", "not found"})
        EXPECT_FALSE(holds(ldd.out, other)) << ldd.out;
}

} // namespace
} // namespace tilescope::tests
