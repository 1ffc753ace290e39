// SPDX-License-Identifier: GPL-3.0-or-later
#include "build_paths.h"
#include "profile/profile.h"
#include "tests/app/command_fixture.h"
#include "tests/core/profile/older_schema.h"

namespace tilescope::tests {
namespace {

class IoTiles : public CommandTest {
  protected:
    /// Of four engine runs of four steps, with some I/O tiles.
    Outcome profiled(const std::string& file, const std::string& io_tiles, const std::string& steps = "4") {
        const std::string cnn = TILESCOPE_SOURCE_DIR "/samples/keras_mnist_faster.json";
        return run({"profile", cnn, "--estimate", "--epochs", "1", "--set", "ipu_config.io_tiles=" + io_tiles,
                    "--set", "fit.steps_per_epoch=16", "--set", "compile.steps_per_execution=" + steps, "-o",
                    file, "--progress", "none"});
    }
    const std::string placed = R"({"num_io_tiles": 32, "place_ops_on_io_tiles": true})";
};

} // namespace

TEST_F(IoTiles, AReportSaysHowManyThereAreAndWhatTheyHide) {
    EXPECT_EQ(profiled("with.tilescope", placed).exit_code, 0);
    EXPECT_EQ(profiled("without.tilescope", "{}").exit_code, 0);
    const auto with = document({"report", "with.tilescope", "--format", "json"});
    const auto without = document({"report", "without.tilescope", "--format", "json"});
    EXPECT_EQ(with["target"]["io_tiles_per_ipu"], 32);
    EXPECT_EQ(with["target"]["tiles_per_ipu"], 1472);
    EXPECT_EQ(without["target"]["io_tiles_per_ipu"], 0);
    EXPECT_EQ(without["timing"]["io_tiles"]["cycles"], 0);
    const auto number = [](const auto& report, const char* key) {
        return report["timing"]["io_tiles"][key].template get<std::int64_t>();
    };
    EXPECT_GT(number(with, "hidden_cycles"), 0);
    EXPECT_LT(number(with, "hidden_cycles"), number(with, "cycles"));
    EXPECT_LT(with["timing"]["cycles"].get<std::int64_t>(), without["timing"]["cycles"].get<std::int64_t>());
    std::int64_t phases = 0;
    for (const auto& [name, cycles] : with["timing"]["by_phase"].items())
        phases += cycles.get<std::int64_t>();
    EXPECT_EQ(phases, with["timing"]["cycles"].get<std::int64_t>());
    const std::string text = printed({"report", "with.tilescope"});
    EXPECT_TRUE(holds(text, "32 of each IPU, the last ones")) << text;
    EXPECT_TRUE(holds(text, "hidden behind compute")) << text;
    EXPECT_FALSE(holds(printed({"report", "without.tilescope"}), "I/O tiles"));
}

TEST_F(IoTiles, ARunSaysWhyNothingOverlaps) {
    const Outcome one = profiled("one.tilescope", placed, "1");
    EXPECT_EQ(one.exit_code, 0);
    EXPECT_TRUE(holds(one.err, "takes turns with compute: an engine run of one batch has no other"))
        << one.err;
    const std::string narrow =
        R"({"num_io_tiles": 2, "place_ops_on_io_tiles": true, "available_memory_proportion": 0.1})";
    const Outcome full = profiled("full.tilescope", narrow);
    EXPECT_TRUE(holds(full.err, "2 I/O tiles have room for less than 127,795")) << full.err;
    EXPECT_EQ(printed({"query", "full.tilescope", "SELECT sum(io_tiles) AS kept FROM device_program"}),
              "kept\n   0\n");
    EXPECT_TRUE(holds(printed({"query", "full.tilescope", "SELECT message FROM log", "--format", "csv"}),
                      "no I/O tiles are kept"));
}

TEST_F(IoTiles, ADamagedFileIsRefusedInOneLine) {
    EXPECT_EQ(profiled("with.tilescope", placed).exit_code, 0);
    profile::run_sql(folder / "with.tilescope", "UPDATE schedule_io SET cycles = 9000000000000000000");
    const Outcome report = run({"report", "with.tilescope"});
    EXPECT_NE(report.exit_code, 0);
    EXPECT_TRUE(holds(report.err, "the file is damaged: I/O tiles exchange for longer than any can"))
        << report.err;
    profile::run_sql(folder / "with.tilescope",
                     "UPDATE schedule_round SET start_cycle = -9000000000000000000 + step");
    EXPECT_FALSE((*profile::Profile::open(folder / "with.tilescope"))->schedule_spans());
}

TEST_F(IoTiles, AnExportAndAPartOfARunHaveTheirTimeLine) {
    EXPECT_EQ(profiled("with.tilescope", placed).exit_code, 0);
    printed({"trim", "with.tilescope", "-o", "part.tilescope", "--range", "1:2"});
    const std::string count = "SELECT count(*) AS rounds FROM schedule_io_round";
    const auto rounds = [](int count) { return "rounds\n     " + std::to_string(count) + "\n"; };
    EXPECT_EQ(printed({"query", "with.tilescope", count}), rounds(6))
        << "first, others, last; and of evaluation";
    EXPECT_EQ(printed({"query", "part.tilescope", count}), rounds(3));
    for (const char* file : {"with", "part"}) {
        const std::string path = std::string(file) + ".json";
        printed({"export", std::string(file) + ".tilescope", "--format", "trace", "-o", path});
        const auto trace = nlohmann::json::parse(read_file(folder / path));
        std::int64_t tracks = 0;
        std::int64_t loads = 0;
        std::int64_t track = -1;
        for (const auto& event : trace["traceEvents"])
            if (event["name"] == "thread_name" && event["args"]["name"] == "I/O tiles") {
                ++tracks;
                track = event["tid"].get<std::int64_t>();
            }
        for (const auto& event : trace["traceEvents"])
            loads += event["ph"] == "X" && event["tid"] == track && event["name"] == "input_1" ? 1 : 0;
        EXPECT_EQ(tracks, 1);
        EXPECT_EQ(loads, std::string(file) == "with" ? 16 + 200 : 8)
            << "one for each batch of training and evaluation";
    }
}

} // namespace tilescope::tests
