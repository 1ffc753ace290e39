// SPDX-License-Identifier: GPL-3.0-or-later
#include "build_paths.h"
#include "tests/app/command_fixture.h"

#include <filesystem>
#include <sstream>
#include <tuple>

namespace tilescope::tests {
namespace {

class Check : public CommandTest {
  protected:
    Outcome check(const std::string& limits, const Arguments& more = {}) const {
        Arguments arguments{"check", file, "--budget",
                            write("budget.json", R"({"limits": [)" + limits + "]}")};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return run(arguments);
    }
    const std::string file = record_training();
};

const std::string met = R"({"metric": "timing.steps", "min": 40, "max": 40})";
const std::string too_many = R"({"metric": "timing.steps", "max": 39})";
const std::string too_full = R"({"metric": "memory.max_tile_bytes", "max": 10})";
const std::string too_poor = R"({"metric": "result.epochs.-1.metrics.accuracy", "min": 1.5})";

TEST_F(Check, LimitsThatAreMetEndWithZero) {
    const Outcome outcome = check(met);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_EQ(outcome.err, "");
    EXPECT_TRUE(holds(outcome.out, "timing.steps is 40")) << outcome.out;
    EXPECT_FALSE(holds(outcome.out, "BROKEN")) << outcome.out;
}

TEST_F(Check, EachBrokenLimitIsNamed) {
    const Outcome outcome = check(met + "," + too_many + "," + too_full + "," + too_poor);
    EXPECT_EQ(outcome.exit_code, 1);
    EXPECT_EQ(outcome.err, "tilescope: " + file + ": 3 of 4 limits are broken\n");
    EXPECT_TRUE(holds(outcome.out, "BROKEN  timing.steps is 40, more than 39\n")) << outcome.out;
    EXPECT_TRUE(holds(outcome.out, "BROKEN  memory.max_tile_bytes is ")) << outcome.out;
    EXPECT_TRUE(holds(outcome.out, "BROKEN  result.epochs.-1.metrics.accuracy is ")) << outcome.out;
}

TEST_F(Check, RelativeLimitsCompareWithTheBaseline) {
    // Twice the batch: as many steps, which take longer.
    const std::string base = record_training("base", {"--set", "fit.batch_size=16"});
    const std::string steps = R"({"metric": "timing.steps", "max_increase_percent": 0})";
    const std::string slower = R"({"metric": "timing.by_phase.compute", "max_increase_percent": 0.1})";
    EXPECT_EQ(check(steps, {"--baseline", base}).exit_code, 0);
    const Outcome outcome = check(steps + "," + slower, {"--baseline", base});
    EXPECT_EQ(outcome.exit_code, 1);
    EXPECT_TRUE(holds(outcome.out, "timing.by_phase.compute is ")) << outcome.out;
    EXPECT_TRUE(holds(outcome.err, "1 of 2 limits")) << outcome.err;
    expect_failure(check(steps), 3, {"timing.steps", "needs a baseline", "--baseline"});
}

TEST_F(Check, TheVerdictsAsJUnitXmlAreParsed) {
    EXPECT_EQ(check(met + "," + too_many + "," + too_full, {"--junit", folder / "verdict.xml"}).exit_code, 1);
    const Outcome parsed =
        run_program({"/usr/bin/python3", "-c",
                     "import sys, xml.etree.ElementTree as t\n"
                     "suite = t.parse(sys.argv[1]).getroot()\n"
                     "print(suite.tag, suite.get('tests'), suite.get('failures'))\n"
                     "cases = list(suite.iter('testcase'))\n"
                     "for case in cases:\n"
                     "  print(case.get('name'), [f.get('message') for f in case.iter('failure')])\n"
                     "print('cause:', [f.text for f in suite.iter('failure')])\n"
                     "print('suite:', suite.get('name'), {case.get('classname') for case in cases})\n"
                     "wall = sum(float(case.get('time')) for case in cases)\n"
                     "print('time:', wall == float(suite.get('time')) > 0)\n"
                     "import datetime\n"
                     "begun = datetime.datetime.fromisoformat(suite.get('timestamp') + '+00:00')\n"
                     "print('age:', datetime.datetime.now(datetime.timezone.utc) - begun < "
                     "datetime.timedelta(hours=1))\n",
                     folder / "verdict.xml"});
    EXPECT_EQ(parsed.exit_code, 0) << parsed.err;
    EXPECT_TRUE(holds(parsed.out, " 4 2\n")) << parsed.out;
    EXPECT_TRUE(holds(parsed.out, "timing.steps at most 40, at least 40 []\n")) << parsed.out;
    EXPECT_TRUE(holds(parsed.out, "timing.steps at most 39 ['timing.steps is 40, more than 39']\n"))
        << parsed.out;
    EXPECT_TRUE(holds(parsed.out, "suite: mnist-tf2 {'mnist-tf2'}\n")) << parsed.out;
    EXPECT_TRUE(holds(parsed.out, "cause: [None, 'likely cause: "))
        << "a number of steps has none" << parsed.out;
    EXPECT_TRUE(holds(parsed.out, "time: True\n")) << "the wall time of the run" << parsed.out;
    EXPECT_TRUE(holds(parsed.out, "age: True\n")) << parsed.out;
}

TEST_F(Check, NoTwoCasesInJUnitHaveOneName) {
    const std::string by_name = R"({"metric": "layers.dense.cycles", "max": 1000000})";
    const std::string by_pattern = R"({"metric": "layers.dens*.cycles", "max": 1000000})";
    const std::string lower = R"({"metric": "layers.dense.cycles", "max": 900000})";
    const std::string all = by_name + "," + by_pattern + "," + lower + "," + by_name;
    EXPECT_EQ(check(all, {"--junit", folder / "verdict.xml"}).exit_code, 0);
    const Outcome names =
        run_program({"/usr/bin/python3", "-c",
                     "import sys, xml.etree.ElementTree as t\n"
                     "for case in t.parse(sys.argv[1]).getroot().iter('testcase'): print(case.get('name'))\n",
                     folder / "verdict.xml"});
    std::istringstream lines(names.out);
    std::set<std::string> once;
    std::size_t count = 0;
    for (std::string line; std::getline(lines, line); ++count)
        once.insert(line);
    EXPECT_EQ(once.size(), count) << names.out;
    for (const char* name :
         {"run.status", "layers.dense.cycles at most 1,000,000", "layers.dense.cycles at most 900,000",
          "layers.dense.cycles at most 1,000,000 of layers.dens*.cycles",
          "layers.dense.cycles at most 1,000,000 (2)"})
        EXPECT_TRUE(once.contains(name)) << name << " is not among\n" << names.out;
}

TEST_F(Check, TheVerdictsAsMarkdownAreOneTable) {
    EXPECT_EQ(check(met + "," + too_full, {"--markdown", folder / "verdict.md"}).exit_code, 1);
    std::istringstream page(read_file(folder / "verdict.md"));
    std::size_t rows = 0;
    std::string broken;
    for (std::string line; std::getline(page, line);) {
        rows += line.starts_with("|") ? 1 : 0;
        if (holds(line, "BROKEN"))
            broken = line;
    }
    EXPECT_EQ(rows, 5U) << "head, rule, the run's status and a row for each limit";
    EXPECT_TRUE(holds(broken, "max\\_tile\\_bytes")) << broken;
    EXPECT_TRUE(holds(broken, "at most 10")) << broken;
}

// The root of −1 is no number.
TEST_F(Check, ARunThatMissedWhatItExpectsIsBroken) {
    write("graph.json",
          R"({"name": "roots", "graph": {"nodes": [{"name": "y", "op": "sqrt", "inputs": ["a"]}],
        "feeds": {"a": [4, -1]}, "fetches": ["y"], "expect": {"y": [2, 8]}}})");
    const Outcome missed = run({"profile", "graph.json", "-o", "roots.tilescope", "--progress", "none"});
    EXPECT_EQ(missed.exit_code, 1);
    EXPECT_TRUE(holds(missed.err, "gives [2, nan], expected [2, 8]")) << missed.err;
    write("limits.json", R"({"limits": [{"metric": "timing.steps", "max": 1}]})");
    const Outcome checked = run({"check", "roots.tilescope", "--budget", "limits.json", "--markdown", "-"});
    EXPECT_EQ(checked.exit_code, 1);
    EXPECT_TRUE(holds(checked.out, "BROKEN  run.status is complete, but the run ended with an error: "))
        << checked.out;
    EXPECT_TRUE(holds(checked.err, "the run ended with an error, all 1 limits are met")) << checked.err;
    expect_failure(run({"check", "roots.tilescope", "--budget", "new.json", "--init"}), 3,
                   {"only a complete one can set limits"});
    const Outcome compared = run({"compare", "roots.tilescope", "roots.tilescope"});
    EXPECT_EQ(compared.exit_code, 1) << "as check has it";
    EXPECT_TRUE(holds(compared.err, "roots ended with an error: ")) << compared.err;
}

TEST_F(Check, NoVerdictTakesThePlaceOfWhatIsJudged) {
    const std::string base = record_training("base");
    write("limits.json", R"({"limits": [{"metric": "timing.steps", "max": 1000}]})");
    const std::string other = write("notes.txt", "mine\n");
    const auto before = std::tuple(read_file(file), read_file(base), read_file(folder / "limits.json"));
    for (const char* option : {"--junit", "--markdown", "--benchmark"}) {
        const auto written_to = [&](const std::string& to, const Arguments& more = {}) {
            Arguments arguments{"check", file, "--budget", "limits.json", "--baseline", base, option, to};
            arguments.insert(arguments.end(), more.begin(), more.end());
            return run(arguments);
        };
        expect_failure(written_to(file), 2, {std::string(option) + " is the profile that is judged"});
        expect_failure(written_to("./base.tilescope", {"--force"}), 2,
                       {std::string(option) + " is the baseline"});
        expect_failure(written_to("limits.json"), 2, {std::string(option) + " is the budget"});
        const Outcome refused = written_to(other);
        EXPECT_EQ(refused.exit_code, 3);
        EXPECT_TRUE(holds(refused.err, "notes.txt: another file is there")) << refused.err;
        EXPECT_EQ(read_file(other), "mine\n");
        EXPECT_EQ(written_to("new").exit_code, 0);
        EXPECT_EQ(written_to("new").exit_code, 0) << "its own earlier one";
        EXPECT_EQ(run({"check", base, "--budget", "limits.json", option, folder / "new"}).exit_code, 0)
            << "that of another profile, too";
        EXPECT_EQ(written_to("new", {"--force"}).exit_code, 0);
        std::filesystem::remove(folder / "new");
    }
    EXPECT_EQ(run({"check", file, "--budget", "limits.json", "--junit", other, "--force"}).exit_code, 0);
    EXPECT_TRUE(read_file(other).starts_with("<?xml")) << "by force";
    EXPECT_EQ(std::tuple(read_file(file), read_file(base), read_file(folder / "limits.json")), before);
}

TEST_F(Check, BrokenLimitsAreAnnotatedForGitHub) {
    const Outcome outcome = check(met + "," + too_many, {"--github"});
    EXPECT_TRUE(holds(outcome.out, "\n::error title=Tilescope budget::timing.steps is 40, more than 39\n"))
        << outcome.out;
    EXPECT_TRUE(holds(check(too_full, {"--github"}).out, "more than 10%0Alikely cause: ")) << "in one line";
    EXPECT_FALSE(holds(check(met, {"--github"}).out, "::error"));
}

TEST_F(Check, ACauseCountsWhatItsFigureCounts) {
    const Outcome host = check(R"({"metric": "timing.by_phase.host", "max": 1})");
    EXPECT_TRUE(holds(host.out, "launching engine runs has most: ")) << host.out;
    const Outcome always = check(R"({"metric": "memory.always_live_bytes", "max": 1})");
    EXPECT_TRUE(holds(always.out, " live during the whole run")) << always.out;
    EXPECT_FALSE(holds(always.out, "at the peak")) << always.out;
}

TEST_F(Check, NamesThatNoDocumentMayHoldAreMadeSafe) {
    auto model =
        nlohmann::ordered_json::parse(read_file(TILESCOPE_SOURCE_DIR "/samples/models/mnist_cnn.json"));
    for (auto& layer : model["config"]["layers"])
        if (layer["config"]["name"] == "conv2d")
            layer["config"]["name"] = "a\xEF\xBF\xBE\x1B[31m\xC2\x9B"
                                      "b";
    const std::string named = record_model("names", model);
    write("budget.json", R"({"limits": [{"metric": "layers.*.cycles", "max": 0}]})");
    const Outcome outcome = run({"check", named, "--budget", "budget.json", "--junit", "j.xml"});
    EXPECT_EQ(outcome.exit_code, 1) << outcome.err;
    const std::string junit = read_file(folder / "j.xml");
    const std::string report = printed({"report", named}),
                      markdown = printed({"report", named, "--format", "markdown"});
    for (const std::string* text : {&junit, &report, &markdown}) {
        EXPECT_TRUE(holds(*text, "\xEF\xBF\xBD")) << "U+FFFD stands for each";
        for (const char* unsafe : {"\x1B", "\xEF\xBF\xBE", "\xC2\x9B"})
            EXPECT_FALSE(holds(*text, unsafe)) << *text;
    }
}

TEST_F(Check, ANewBudgetIsOneThatItsProfileJustMeets) {
    record_training("base");
    EXPECT_EQ(run({"check", "base.tilescope", "--init", "--budget", "mine.json"}).exit_code, 0);
    EXPECT_EQ(run({"check", "base.tilescope", "--budget", "mine.json"}).exit_code, 0);
    expect_failure(run({"check", "base.tilescope", "--init", "--budget", "mine.json"}), 3,
                   {"mine.json", "there already"});
    record_training("larger", {"--set", "fit.batch_size=40"});
    const Outcome larger = run({"check", "larger.tilescope", "--budget", "mine.json"});
    EXPECT_EQ(larger.exit_code, 1) << larger.err;
    EXPECT_TRUE(holds(larger.out, "BROKEN  timing.step_us")) << larger.out;
}

TEST_F(Check, WritesWhatItJudgedForDashboards) {
    record_training("base");
    write("budget.json", R"({"limits": [{"metric": "operations.*/MatMul.cycles", "max": 1},
                                        {"metric": "timing.samples_per_s", "min": 1},
                                        {"metric": "result.epochs.-1.loss", "max": 0}]})");
    EXPECT_EQ(
        run({"check", "base.tilescope", "--budget", "budget.json", "--benchmark", "list.json"}).exit_code, 1);
    const auto list = nlohmann::json::parse(read_file(folder / "list.json"));
    std::map<std::string, std::string> units;
    for (const auto& entry : list) {
        units[entry.at("name")] = entry.at("unit");
        EXPECT_GT(entry.at("value").get<double>(), 0);
    }
    EXPECT_EQ(units, (std::map<std::string, std::string>{{"operations.dense/MatMul.cycles", "cycles"},
                                                         {"operations.dense_1/MatMul.cycles", "cycles"},
                                                         {"timing.samples_per_s", "samples/s"},
                                                         {"result.epochs.-1.loss", ""}}));
}

TEST_F(Check, LimitsAreForTheWorkloadsThatTheyName) {
    const auto limit = [](const std::string& workload) {
        return R"({"metric": "timing.steps", "max": 1, "workload": ")" + workload + "\"}";
    };
    EXPECT_EQ(check(met + "," + limit("keras*")).exit_code, 0);
    const Outcome named = check(met + "," + limit("mnist*"));
    EXPECT_EQ(named.exit_code, 1);
    EXPECT_TRUE(holds(named.err, "1 of 2 limits are broken")) << named.err;
    expect_failure(check(limit("keras*")), 3, {"no limit is for the workload \"mnist-tf2\""});
}

TEST_F(Check, ListsWithoutNamesAreNamedByPosition) {
    const Outcome outcome = check(R"({"metric": "ipus.*.memory_bytes", "max": 1})");
    EXPECT_EQ(outcome.exit_code, 1) << outcome.err;
    EXPECT_TRUE(holds(outcome.out, "BROKEN  ipus.0.memory_bytes is ")) << outcome.out;
}

TEST_F(Check, ABrokenLimitSaysItsLikelyCause) {
    // Against a baseline: what the change is made of, the wider layer with its bytes and its cycles.
    const std::string base = record_training("base", {"--set", "fit.batch_size=16"});
    const Outcome relative = check(R"({"metric": "timing.step_us", "max_increase_percent": 0.1},
                                      {"metric": "layers.dense.cycles", "max_increase_percent": 0.1},
                                      {"metric": "operations.dense/MatMul.cycles", "max_increase_percent": 0.1},
                                      {"metric": "memory.max_tile_bytes_with_gaps", "max_increase_percent": 0})",
                                   {"--baseline", base});
    EXPECT_EQ(relative.exit_code, 1) << relative.err;
    std::size_t causes = 0;
    for (std::size_t at = 0;
         (at = relative.out.find("likely cause: batch is 32, was 16; ", at)) != std::string::npos; ++at)
        ++causes;
    EXPECT_EQ(causes, 4U) << relative.out;
    const std::string operation = relative.out.substr(relative.out.find("operations.dense/MatMul.cycles"));
    EXPECT_TRUE(holds(operation.substr(0, operation.find("memory.")), "was 16; is planned as AMP"))
        << operation;
    EXPECT_TRUE(holds(relative.out, " cycles per step (")) << relative.out;
    EXPECT_TRUE(holds(relative.out, " on the fullest tile")) << relative.out;
    // On its own: what the figure is mostly made of.
    const Outcome absolute = check(R"({"metric": "timing.by_phase.exchange", "max": 1},
                                      {"metric": "layers.dense.cycles", "max": 1},
                                      {"metric": "operations.dense/MatMul.cycles", "max": 1},
                                      {"metric": "ipus.0.memory_bytes", "max": 1},
                                      {"metric": "memory.by_category.Variables", "max": 1},
                                      {"metric": "memory.max_tile_bytes", "max": 1}, )" +
                                   met);
    for (const char* cause : {"dense has most: ", "MatMul takes ", "planned as AMP", "of IPU 0",
                              "live at the peak step", "on tile "})
        EXPECT_TRUE(holds(absolute.out, cause)) << cause << absolute.out;
    // Of a phase: the operation that has most of it.
    const Outcome phase = check(R"({"metric": "layers.dense.by_phase.exchange", "max": 1})");
    const std::string most_exchange =
        "SELECT name, MAX(exchange_cycles) FROM operation_cost WHERE layer = 'dense'";
    const auto slowest = document({"query", file, most_exchange, "--format", "json"});
    EXPECT_TRUE(
        holds(phase.out, "likely cause: " + slowest.at(0).at("name").get<std::string>() + " takes ") &&
        holds(phase.out, " cycles of exchange per "))
        << phase.out << slowest.dump();
    EXPECT_FALSE(holds(absolute.out.substr(absolute.out.rfind("met ")), "likely")) << absolute.out;
}

TEST_F(Check, BadBudgetsAreRefusedInOneLine) {
    expect_failure(check(R"({"metric": "timing.step", "max": 1})"), 3,
                   {"budget.json", "\"timing.step\"", "did you mean \"timing.steps\"?"});
    expect_failure(check(R"({"metric": "timing.steps", "most": 1})"), 3,
                   {"budget.json: limits[0]", "unknown key \"most\""});
    expect_failure(check(R"({"metric": "timing.steps"})"), 3, {"limits[0]", "without a bound"});
    expect_failure(check(""), 3, {"budget.json: there are no limits"});
    expect_failure(check("}"), 3, {"budget.json: not "});
    expect_failure(run({"check", file, "--budget", "none.json"}), 3, {"none.json: there is no such file"});
    const Outcome nowhere = check(met, {"--junit", "nowhere/verdict.xml"});
    EXPECT_EQ(nowhere.exit_code, 3);
    EXPECT_TRUE(holds(nowhere.err, "nowhere/verdict.xml: ")) << nowhere.err;
}

} // namespace
} // namespace tilescope::tests
