// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/app/command_fixture.h"

#include <filesystem>

namespace tilescope::tests {
namespace {

class Trim : public CommandTest {
  protected:
    std::string asked(const std::string& of, const std::string& sql) const {
        return printed({"query", of, sql, "--format", "csv"});
    }
    static std::uintmax_t size(const std::string& path) { return std::filesystem::file_size(path); }
    const std::string file = record_training(); // two epochs of four engine runs, one of evaluation
};

TEST_F(Trim, KeepsEngineRunsAsTheyWere) {
    const std::string before = read_file(file);
    printed({"trim", file, "--range", "2:5", "-o", "part.tilescope"});
    EXPECT_EQ(read_file(file), before) << "the source is not touched";
    const std::string runs =
        "SELECT id, kind, epoch, first_step, steps, start_cycle, cycles, wall_us FROM execution ";
    EXPECT_EQ(asked("part.tilescope", runs + "ORDER BY id"),
              asked(file, runs + "WHERE id BETWEEN 2 AND 5 ORDER BY id"));
    const std::string losses = "SELECT execution_id, name, value FROM metric ";
    EXPECT_EQ(asked("part.tilescope", losses + "ORDER BY 1, 2"),
              asked(file, losses + "WHERE execution_id BETWEEN 2 AND 5 ORDER BY 1, 2"));
    const std::string trace = "SELECT execution_id, count(*), sum(compute), min(start_cycle) FROM trace ";
    EXPECT_EQ(asked("part.tilescope", trace + "GROUP BY 1"),
              asked(file, trace + "WHERE execution_id BETWEEN 2 AND 5 GROUP BY 1"));
    const auto whole = document({"report", file, "--format", "json"});
    const auto part = document({"report", "part.tilescope", "--format", "json"});
    EXPECT_EQ(part.at("timing").at("steps"), 20) << "4 of 5 steps each";
    EXPECT_EQ(part.at("timing").at("step_us"), whole.at("timing").at("step_us"));
    EXPECT_EQ(part.at("memory"), whole.at("memory"));
    EXPECT_EQ(part.at("layers"), whole.at("layers"));
    printed({"export", "part.tilescope", "--format", "trace", "-o", "part.json"});
    EXPECT_EQ(part.at("run").at("trimmed"), "4 of 9 engine runs") << "two epochs of four, and one";
    EXPECT_EQ(whole.at("run").at("trimmed"), "");
    printed({"trim", "part.tilescope", "--range", "5:9", "-o", "one.tilescope"});
    EXPECT_EQ(asked("one.tilescope", "SELECT trimmed FROM run"),
              "trimmed\n\"4 of 9 engine runs, of these 1 of 4 engine runs\"\n");
    EXPECT_EQ(files().count("part.tilescope.lock"), files().count("training.tilescope.lock"));
}

TEST_F(Trim, WithoutTheNumbersOfTilesItIsSmallerAndSaysTheSame) {
    printed({"trim", file, "--no-tiles", "-o", "small.tilescope"});
    EXPECT_LT(size(folder / "small.tilescope"), size(file));
    EXPECT_EQ(asked("small.tilescope",
                    "SELECT DISTINCT entity FROM tile_array WHERE entity IN ('variable', 'exchange')"),
              "entity\n");
    EXPECT_EQ(asked("small.tilescope", "SELECT sum(value) FROM tile_values('memory', 0, 0, 'total')"),
              asked(file, "SELECT sum(value) FROM tile_values('memory', 0, 0, 'total')"));
    const auto compared = document({"compare", file, "small.tilescope", "--format", "json"});
    EXPECT_EQ(asked("small.tilescope", "SELECT trimmed = '' FROM run"), "trimmed = ''\n1\n")
        << "its figures are those of the run";
    for (const auto& row : compared.at("headline"))
        EXPECT_TRUE(row.at("change").is_null() || row.at("change") == 0) << row.dump();
    EXPECT_TRUE(compared.at("causes").empty());
}

TEST_F(Trim, KeepsTheMemoryAndTheTimeOfSomeIpus) {
    printed({"profile", sample("keras_mnist_pipelined"), "--estimate", "--epochs", "1", "-o",
             "pipeline.tilescope", "--progress", "none"});
    printed({"trim", "pipeline.tilescope", "--ipus", "1", "-o", "one.tilescope"});
    const auto whole = document({"report", "pipeline.tilescope", "--format", "json"});
    const auto one = document({"report", "one.tilescope", "--format", "json"});
    ASSERT_EQ(one.at("ipus").size(), 1U);
    EXPECT_EQ(one.at("ipus").at(0), whole.at("ipus").at(1));
    EXPECT_EQ(one.at("memory").at("total_bytes"), whole.at("ipus").at(1).at("memory_bytes"));
    EXPECT_EQ(one.at("timing").at("step_us"), whole.at("timing").at("step_us"));
    EXPECT_EQ(one.at("timing").at("samples_per_s_per_ipu"), whole.at("timing").at("samples_per_s_per_ipu"));
    EXPECT_NE(printed({"compare", "pipeline.tilescope", "one.tilescope"}).find("was trimmed to 1 of 2 IPUs"),
              std::string::npos);
    EXPECT_EQ(asked("one.tilescope", "SELECT DISTINCT ipu FROM trace"), "ipu\n1\n");
    // What IPU 1 runs is all there, the copies that IPU 0 sends to it too, in the sequences around it.
    for (const char* steps : {"program", "further_step"}) {
        const std::string table = steps;
        const std::string spent =
            "SELECT s.name, s.parent_id, s.peer, count(*), sum(t.sync), sum(t.exchange), "
            "sum(t.compute) FROM trace t JOIN " +
            table + " s ON s.id = t.program_id WHERE t.ipu = 1 GROUP BY s.id";
        const std::string of_it = asked("one.tilescope", spent);
        EXPECT_NE(of_it.find("copy("), std::string::npos) << table;
        EXPECT_EQ(of_it, asked("pipeline.tilescope", spent));
        EXPECT_EQ(asked("one.tilescope", "SELECT count(*) FROM " + table +
                                             " WHERE parent_id >= 0 AND parent_id NOT IN (SELECT id FROM " +
                                             table + ")"),
                  "count(*)\n0\n");
        EXPECT_EQ(asked("one.tilescope", "SELECT count(*) > 0 FROM " + table + " WHERE parent_id < 0"),
                  "count(*) > 0\n1\n");
    }
    EXPECT_EQ(asked("one.tilescope", "SELECT count(*) FROM program WHERE ipu = 0 AND peer <> 1 AND id NOT IN "
                                     "(SELECT parent_id FROM program)"),
              "count(*)\n0\n")
        << "what only IPU 0 runs";
    for (const char* format : {"text", "markdown", "html"})
        printed({"report", "one.tilescope", "--format", format});
    printed({"export", "one.tilescope", "--format", "trace", "-o", "one.json"});
    expect_failure(run({"trim", "pipeline.tilescope", "--ipus", "7", "-o", "none.tilescope"}), 3,
                   {"the first replica has no IPU 7"});
    EXPECT_EQ(files().count("none.tilescope"), 0U);
}

TEST_F(Trim, APartIsNotJudgedAsTheRun) {
    const std::string budget =
        write("budget.json", R"({"limits": [{"metric": "timing.executions", "max": 100}]})");
    printed({"check", file, "--budget", budget});
    printed({"trim", file, "--no-tiles", "-o", "small.tilescope"});
    printed({"check", "small.tilescope", "--budget", budget});
    printed({"trim", file, "--range", "2:5", "-o", "part.tilescope"});
    const Outcome part = run({"check", "part.tilescope", "--budget", budget});
    EXPECT_EQ(part.exit_code, 1);
    EXPECT_EQ(
        part.out.rfind("BROKEN  run.status is complete, but the run was trimmed to 4 of 9 engine runs\n", 0),
        0U)
        << part.out;
    expect_failure(run({"check", "part.tilescope", "--init", "--budget", "new.json"}), 3,
                   {"the run was trimmed to 4 of 9 engine runs"});
    EXPECT_EQ(files().count("new.json"), 0U);
    EXPECT_EQ(run({"compare", file, "part.tilescope", "--fail-on", "slower"}).exit_code, 1);
    printed({"compare", file, "part.tilescope"});
}

TEST_F(Trim, MistakesLeaveNothingBehind) {
    const auto before = files();
    expect_failure(run({"trim", file, "--range", "5:2", "-o", "a.tilescope"}), 2, {"--range", "FROM:TO"});
    expect_failure(run({"trim", file, "--range", "all", "-o", "a.tilescope"}), 2, {"--range", "FROM:TO"});
    expect_failure(run({"trim", file, "--range", "100:200", "-o", "a.tilescope"}), 3,
                   {"no engine run", "0 to "});
    expect_failure(run({"trim", file, "-o", file}), 3, {"into itself"});
    expect_failure(run({"trim", write("text.tilescope", "text"), "-o", "a.tilescope"}), 3,
                   {"no Tilescope profile"});
    expect_failure(run({"trim", file, "-o", write("mine.txt", "mine")}), 3, {"no Tilescope profile"});
    EXPECT_EQ(read_file(folder / "mine.txt"), "mine");
    auto after = files();
    after.erase("text.tilescope");
    after.erase("mine.txt");
    EXPECT_EQ(after, before);
}

} // namespace
} // namespace tilescope::tests
