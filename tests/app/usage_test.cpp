// SPDX-License-Identifier: GPL-3.0-or-later
#include "build_paths.h"
#include "tests/app/command_fixture.h"

namespace tilescope::tests {
namespace {

const std::vector<std::string> commands{"profile", "report", "compare", "history", "trim",   "check",
                                        "export",  "query",  "summary", "devices", "monitor"};

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

TEST_F(Usage, OptionsThatMayBeRepeatedStandInFrontOfFiles) {
    const std::string file = record_tutorial();
    printed({"report", "--section", "run", "--section", "memory", file});
    printed({"compare", "--fail-on", "any", file, file});
    printed({"profile", "--set", "name=other", sample("tutorial_basic"), "--progress", "none", "-o",
             "b.tilescope"});
    EXPECT_TRUE(holds(printed({"report", "b.tilescope", "--section", "run"}), "other"));
}

TEST_F(Usage, MistakesEndWithTwoAndOneLine) {
    const std::vector<std::pair<Arguments, std::string>> mistakes{
        {{}, "tilescope --help"},
        {{"reprot", "a.tilescope"}, "did you mean \"report\"?"},
        {{"xyzzy"}, "there is no command \"xyzzy\""},
        {{"report"}, "FILE is required"},
        {{"report", "a.tilescope", "--fromat", "json"}, "--fromat"},
        {{"report", "a.tilescope", "--format", "yaml"}, "yaml"},
        {{"compare", "a.tilescope"}, "nothing to compare a.tilescope with"},
        {{"check", "a.tilescope"}, "--budget is required"},
        {{"export", "a.tilescope", "--format", "trace"}, "--output"},
        {{"export", "a.tilescope", "--format", "csv", "-o", "a.csv"}, "--table"},
        {{"export", "a.tilescope", "--format", "dot", "--table", "run", "-o", "a.dot"}, "--table"},
        {{"query", "a.tilescope"}, "SQL is required"},
        {{"profile", sample("tutorial_basic"), "--epochs", "0"}, "a whole number of at least 1, got 0"},
        {{"infer", "a.onnx", "--inputs", "in", "--rtol", "-1"},
         "--rtol: expects a number of at least 0, got -1"},
        {{"infer", "a.onnx", "--inputs", "in", "--atol", "nan"}, "a number of at least 0, got nan"},
        {{"history", "a.tilescope", "--tolerance", "nan"}, "a number of at least 0, got nan"},
        {{"history", "a.tilescope", "--tolerance", "1%"}, "a number of at least 0, got 1%"},
        {{"profile", sample("tutorial_basic"), "--epoch", "1"},
         "profile does not take --epoch; did you mean \"--epochs\"?"},
        {{"profile", sample("tutorial_basic"), "--shape", "n=many"}, "--shape n=many is not NAME=N"},
        {{"profile", sample("tutorial_basic"), "--shape", "n=1000000000"},
         "--shape n=1000000000 is too large; give a number of at most 9 digits"},
        {{"devices", "--system", "pod8"}, "there is no system \"pod8\""},
        {{"profile", sample("tutorial_basic"), "--epochs", "many"}, "--epochs"},
        {{"profile", sample("tutorial_basic"), "--seed", "-1"}, "--seed"},
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

TEST_F(Usage, AWarningIsNoProgress) {
    const Outcome outcome = run(training_command("run.tilescope", 1));
    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_TRUE(holds(outcome.err, "warning: built-in synthetic digits stand in for \"mnist\""))
        << outcome.err;
}

// As on a server: no display, no platform to stand in for one.
TEST_F(Usage, TheWindowSaysHowItIsUsedWithoutADisplay) {
    const std::string window =
        "unset DISPLAY WAYLAND_DISPLAY QT_QPA_PLATFORM; '" TILESCOPE_BIN_DIR "/tilescope-gui' ";
    const Outcome help = run_program({"sh", "-c", window + "--help"});
    EXPECT_EQ(help.exit_code, 0) << help.err;
    EXPECT_TRUE(holds(help.out, "--compare")) << help.out;
    const Outcome version = run_program({"sh", "-c", window + "--version"});
    EXPECT_EQ(version.exit_code, 0) << version.err;
    EXPECT_EQ(version.out.rfind("tilescope ", 0), 0U) << version.out;
}

TEST_F(Usage, TheWindowSaysInALineThatItHasNoDisplay) {
    const Outcome outcome = run_program({"sh", "-c",
                                         "unset WAYLAND_DISPLAY QT_QPA_PLATFORM; DISPLAY= '" TILESCOPE_BIN_DIR
                                         "/tilescope-gui'"});
    EXPECT_EQ(outcome.exit_code, 5) << outcome.err;
    EXPECT_EQ(outcome.err,
              "tilescope-gui: there is no display to open the window on; 'tilescope report' needs none, and "
              "QT_QPA_PLATFORM=offscreen saves pictures with --grab\n");
}

TEST_F(Usage, AnUnknownViewIsAnsweredWithAllViews) {
    const Outcome outcome = run_program(
        {"sh", "-c", "QT_QPA_PLATFORM=offscreen '" TILESCOPE_BIN_DIR "/tilescope-gui' --view nope"});
    EXPECT_EQ(outcome.exit_code, 2) << outcome.err;
    EXPECT_TRUE(holds(outcome.err, "there is no view \"nope\"; there are summary, ") ||
                holds(outcome.err, "--view: there is no view \"nope\"; there are summary, "))
        << outcome.err;
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
