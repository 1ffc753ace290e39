// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/app/command_fixture.h"

namespace tilescope::tests {
namespace {

class Report : public CommandTest {
  protected:
    const std::string file = record_training();
};

TEST_F(Report, TheJsonHasTheKeysThatScriptsReadBy) {
    const auto report = document({"report", file, "--format", "json"});
    for (const char* path : {"/run/status",
                             "/run/workload",
                             "/run/label",
                             "/run/tool_version",
                             "/run/seed",
                             "/target/generation",
                             "/target/ipus",
                             "/target/tiles_per_ipu",
                             "/target/bytes_per_tile",
                             "/target/clock_hz",
                             "/result/outputs",
                             "/result/epochs/1/epoch",
                             "/result/epochs/1/loss",
                             "/result/epochs/1/metrics/accuracy",
                             "/result/evaluate",
                             "/timing/cycles_total",
                             "/timing/executions",
                             "/timing/steps",
                             "/timing/step_us",
                             "/timing/samples_per_s",
                             "/timing/by_phase/compute",
                             "/timing/by_phase/exchange",
                             "/timing/by_phase/sync",
                             "/timing/by_phase/inter_ipu",
                             "/timing/by_phase/host",
                             "/timing/compile_s",
                             "/memory/total_bytes",
                             "/memory/total_bytes_with_gaps",
                             "/memory/max_tile_bytes",
                             "/memory/max_tile",
                             "/memory/always_live_bytes",
                             "/memory/by_category",
                             "/ipus/0/id",
                             "/ipus/0/replica",
                             "/ipus/0/stage",
                             "/ipus/0/utilisation",
                             "/ipus/0/memory_bytes",
                             "/insights"})
        EXPECT_TRUE(report.contains(nlohmann::ordered_json::json_pointer(path))) << path;
    EXPECT_EQ(report.at("result").at("epochs").size(), 2U);
    EXPECT_EQ(report.at("timing").at("executions"), 8);
    EXPECT_EQ(report.at("timing").at("steps"), 40);
    // 8 executions of 5 steps: what the phases add up to is what the steps took.
    double cycles = 0;
    for (const auto& [phase, value] : report.at("timing").at("by_phase").items())
        cycles += value.get<double>();
    const double step_us = cycles / 40 / report.at("target").at("clock_hz").get<double>() * 1e6;
    EXPECT_NEAR(report.at("timing").at("step_us").get<double>(), step_us, 1e-6 * step_us);
}

/// Worked out from the variables and where they lie: what each tile holds at its own peak, all of it
/// together, and the most that all tiles hold at one step. These are two figures, with names of their own.
TEST_F(Report, TellsTheSumOfTilePeaksFromWhatIsLiveAtThePeakStep) {
    const auto rows = document(
        {"query", file,
         "WITH held AS (SELECT b.tile, b.value, v.always_live, v.live_from, v.live_to FROM variable v, "
         "  tile_values('variable', v.id, v.ipu, 'bytes') b WHERE b.value > 0),"
         "steps AS (SELECT DISTINCT live_from AS step FROM variable WHERE NOT always_live),"
         "live AS (SELECT s.step, h.tile, sum(h.value) AS bytes FROM steps s, held h "
         "  WHERE h.always_live OR s.step BETWEEN h.live_from AND h.live_to GROUP BY s.step, h.tile),"
         "peaks AS (SELECT max(bytes) AS bytes FROM live GROUP BY tile),"
         "at_steps AS (SELECT sum(bytes) AS bytes FROM live GROUP BY step) "
         "SELECT (SELECT sum(bytes) FROM peaks) AS of_tiles, (SELECT max(bytes) FROM at_steps) AS at_step, "
         "(SELECT max(always_live_bytes + not_always_live_bytes) FROM liveness) AS told",
         "--format", "json"});
    const double of_tiles = rows.at(0).at("of_tiles").get<double>();
    EXPECT_EQ(document({"report", file, "--format", "json"}).at("memory").at("total_bytes"), of_tiles);
    EXPECT_EQ(rows.at(0).at("told"), rows.at(0).at("at_step"));
    EXPECT_GT(of_tiles, rows.at(0).at("at_step").get<double>())
        << "tiles have their peaks at different steps";
    const std::string text = printed({"report", file});
    EXPECT_TRUE(holds(text, "sum of tile peaks")) << text;
    EXPECT_TRUE(holds(text, "live at the peak step")) << text;
}

TEST_F(Report, CategoriesAddUpToTheSumOfTilePeaks) {
    const auto memory = document({"report", file, "--format", "json"}).at("memory");
    std::int64_t sum = 0;
    for (const auto& [category, bytes] : memory.at("by_category").items())
        sum += bytes.get<std::int64_t>();
    EXPECT_EQ(sum, memory.at("total_bytes").get<std::int64_t>());
}

// A Mk2 tile fetches instructions from below its 26 interleaved elements of 16 KiB, the first 212,992 of its
// 638,976 bytes (osmarks/ipu-stack, crates/ipu-target/src/memory.rs).
TEST_F(Report, TellsTheMostCodeOfATileAndHowMuchItMayHave) {
    const std::string most =
        "SELECT b.tile AS tile, sum((b.value + 7) / 8 * 8) AS bytes FROM variable v, "
        "tile_values('variable', v.id, v.ipu, 'bytes') b WHERE v.category IN ('Vertex Code', 'Control Code', "
        "'Internal Exchange Code', 'Host Exchange Code', 'Global Exchange Code') GROUP BY b.tile "
        "ORDER BY 2 DESC, 1 LIMIT 1";
    const auto row = document({"query", file, most, "--format", "json"}).at(0);
    const auto memory = document({"report", file, "--format", "json"}).at("memory");
    EXPECT_EQ(memory.at("max_code_bytes"), row.at("bytes"));
    EXPECT_EQ(memory.at("max_code_tile"), row.at("tile"));
    EXPECT_EQ(memory.at("max_code_tile_ipu"), 0);
    EXPECT_EQ(memory.at("code_limit_bytes"), 212992);
    const std::string text = printed({"report", file, "--section", "memory"});
    EXPECT_TRUE(holds(text, "most code (tile " + row.at("tile").dump() + ")")) << text;
    EXPECT_TRUE(holds(text, "of the first 208 KiB of a tile, where instructions are fetched from")) << text;
}

TEST_F(Report, ARunOnTheHostHasNoFiguresOfTilesAndCycles) {
    record_training("host", {"--set", "device=cpu"});
    const auto report = document({"report", "host.tilescope", "--format", "json"});
    ASSERT_FALSE(report["layers"].empty());
    for (const auto& layer : report["layers"]) {
        for (const char* figure : {"cycles", "flops", "memory_bytes", "always_live_bytes"})
            EXPECT_TRUE(layer[figure].is_null()) << figure;
        for (const auto& phase : layer["by_phase"])
            EXPECT_TRUE(phase.is_null());
        EXPECT_TRUE(layer["parameters"].is_number());
    }
    EXPECT_TRUE(report["timing"]["io_tiles"]["cycles"].is_null());
    EXPECT_TRUE(report["timing"]["evaluation"]["cycles"].is_null());
    EXPECT_EQ(report["absent"]["layers.cycles"], "computed on the host: no tiles and no cycles");
    const std::string layers = printed({"report", "host.tilescope", "--section", "layers"});
    EXPECT_TRUE(holds(layers, "–")) << layers;
    EXPECT_FALSE(holds(layers, "0 B")) << layers;
}

TEST_F(Report, OneSectionIsPrintedAlone) {
    const std::string memory = printed({"report", file, "--section", "memory"});
    EXPECT_TRUE(holds(memory, "Memory")) << memory;
    EXPECT_FALSE(holds(memory, "Insights")) << memory;
    EXPECT_FALSE(holds(memory, "Timing")) << memory;
    const auto both =
        document({"report", file, "--format", "json", "--section", "timing", "--section", "memory"});
    EXPECT_TRUE(both.contains("timing") && both.contains("memory")) << both.dump();
    EXPECT_FALSE(both.contains("layers") || both.contains("insights")) << both.dump();
}

TEST_F(Report, TextAndMarkdownSayTheSameFigures) {
    const auto report = document({"report", file, "--format", "json"});
    for (const char* format : {"text", "markdown", "html"}) {
        const std::string page = printed({"report", file, "--format", format});
        EXPECT_TRUE(holds(page, "mnist-tf2")) << page;
        EXPECT_TRUE(holds(page, "dense_1") || holds(page, "dense\\_1")) << page;
        EXPECT_TRUE(holds(page, "1,472 of 624 KiB")) << page;
        EXPECT_TRUE(holds(page, "synthetic digits stand in")) << page;
    }
}

// Sent by mail or kept as a CI artifact, the page must not ask for anything over the network.
TEST_F(Report, TheHtmlStandsAlone) {
    write("report.html", printed({"report", file, "--format", "html"}));
    const Outcome parsed =
        run_program({"/usr/bin/python3", "-c",
                     "import html.parser, sys\n"
                     "void = {'meta', 'br', 'hr', 'img', 'link', 'input', 'col'}\n"
                     "class Page(html.parser.HTMLParser):\n"
                     "  open = []\n"
                     "  def handle_starttag(self, tag, attributes):\n"
                     "    if tag not in void: self.open.append(tag)\n"
                     "    assert tag not in ('script', 'link', 'iframe', 'img'), tag\n"
                     "    for name, value in attributes:\n"
                     "      if name in ('href', 'src', 'xlink:href', 'srcset', 'action', 'data'):\n"
                     "        assert value.startswith('#'), value\n"
                     "  def handle_endtag(self, tag):\n"
                     "    assert tag in void or self.open.pop() == tag, tag\n"
                     "text = open(sys.argv[1], encoding='utf-8').read()\n"
                     "page = Page(); page.feed(text); page.close()\n"
                     "assert not page.open, page.open\n"
                     "assert 'url(' not in text and '@import' not in text\n"
                     "print('stands alone')\n",
                     folder / "report.html"});
    EXPECT_EQ(parsed.out, "stands alone\n") << parsed.err;
}

} // namespace
} // namespace tilescope::tests
