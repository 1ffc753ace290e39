// SPDX-License-Identifier: GPL-3.0-or-later
#include "build_paths.h"
#include "tests/app/command_fixture.h"

namespace tilescope::tests {
namespace {

/// Which devices of a system a workload attaches to, and which of their IPUs its shards and stages are.
class DeviceSelection : public CommandTest {
  protected:
    const std::string four_shards = TILESCOPE_SOURCE_DIR "/samples/tutorial_sharding.json"; // IPU 0 is busy
    const std::string pipeline = TILESCOPE_SOURCE_DIR "/samples/keras_mnist_pipelined.json";

    Arguments arguments(const std::string& workload, const std::vector<std::string>& settings) const {
        Arguments all{"profile", workload,       "--estimate", "--epochs", "1",
                      "-o",      "it.tilescope", "--progress", "plain"};
        for (const std::string& setting : settings)
            all.insert(all.end(), {"--set", setting});
        return all;
    }
    Outcome record(const std::string& workload, const std::vector<std::string>& settings) {
        const Outcome outcome = run(arguments(workload, settings));
        EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
        return outcome;
    }
    void expect_refused(const std::string& workload, const std::vector<std::string>& settings,
                        const std::vector<std::string>& parts) {
        const auto before = files();
        expect_failure(run(arguments(workload, settings)), 3, parts);
        EXPECT_EQ(files(), before);
    }
    std::string query(const std::string& sql) {
        return printed({"query", "it.tilescope", sql, "--format", "csv"});
    }
    /// The IPUs of the program, by their ids in the system.
    std::string ipus() { return query("SELECT group_concat(device_id, ' ') AS ids FROM ipu"); }
    std::string attachments() {
        return query("SELECT message FROM log WHERE message LIKE 'TensorFlow device%'");
    }
    /// Stages of the Keras CNN: two at first, up to four with these.
    static std::string four_stages(const std::string& more = {}) {
        return R"(pipeline={"gradient_accumulation_steps_per_replica": 8, "stages": {"max_pooling2d": 1,
                  "conv2d_1": 2, "dense": 3})" +
               more + "}";
    }
    /// Settings that give the pipeline four IPUs.
    static std::vector<std::string> on_four(const std::string& more = {}) {
        return {four_stages(more), "ipu_config.auto_select_ipus=4", "data.train.samples=59904"};
    }
};

TEST_F(DeviceSelection, ADeviceIsSelectedByItsId) {
    record(four_shards, {R"(ipu_config={"select_ipus": 26})"});
    EXPECT_EQ(ipus(), "ids\n13 15 12 14\n");
    EXPECT_EQ(attachments(),
              "message\nTensorFlow device /device:IPU:0 attached to 4 IPUs with Poplar device ID: 26\n");
    record(sample("tutorial_basic"), {"system=pod4", R"(ipu_config={"select_ipus": 2})"});
    EXPECT_EQ(ipus(), "ids\n2\n");
    EXPECT_EQ(attachments(),
              "message\nTensorFlow device /device:IPU:0 attached to 1 IPU with Poplar device ID: 2\n");
}

TEST_F(DeviceSelection, ADeviceThatCannotBeHadIsRefused) {
    expect_refused(four_shards, {R"(ipu_config={"select_ipus": 31})"},
                   {"tutorial_sharding.json: ipu_config.select_ipus: system \"server16\" has no device 31",
                    "0 to 30", "tilescope devices --system server16"});
    expect_refused(four_shards, {R"(ipu_config={"select_ipus": 25})"},
                   {"ipu_config.select_ipus: device 25 is busy: others use its IPU 0", "system.busy"});
    expect_refused(four_shards, {R"(ipu_config={"select_ipus": 0})"}, {"device 0 is busy: others use it"});
    expect_refused(four_shards, {R"(ipu_config={"select_ipus": [24, 16]})"},
                   {"device 16 is busy: /device:IPU:0 has its IPU 5", "no IPU in common"});
    expect_refused(four_shards, {R"(ipu_config={"select_ipus": [24, 24]})"}, {"a device is selected twice"});
    expect_refused(four_shards, {"ipu_config.select_ipus=24"},
                   {"ipu_config.select_ipus: auto_select_ipus and select_ipus are both given", "remove one"});
    expect_refused(four_shards, {R"(ipu_config={"select_ipus": -1})"}, {"select_ipus", "-1"});
    expect_refused(four_shards, {R"(ipu_config={"select_ipus": 20})"}, {"shard 2 on a device of 2 IPU"});
    expect_refused(pipeline, {R"(ipu_config={"select_ipus": 0})"},
                   {"ipu_config.select_ipus", "2 IPUs", "1 are asked for"});
    expect_refused(four_shards, {"system.busy=[24]"}, {"system.busy", "no IPU 24", "0 to 15"});
}

TEST_F(DeviceSelection, NumbersThatNoDeviceHasAreRefusedWithTheNearest) {
    const auto refused = [&](const std::string& ipus, const std::vector<std::string>& parts) {
        expect_refused(four_shards, {"ipu_config.auto_select_ipus=" + ipus}, parts);
    };
    refused("3", {"ipu_config.auto_select_ipus: 3 IPUs are no power of two", "use 2 or 4"});
    refused("12", {"12 IPUs", "use 8 or 16"});
    refused("20", {"20 IPUs", "use 16"});
    refused("32", {"\"server16\" has no device of 32 IPUs", "use 16"});
    refused("16", {"system.busy: no device of 16 IPUs", "is free for /device:IPU:0"});
    refused("[4, 6]", {"6 IPUs", "use 4 or 8"});
    refused("[]", {"auto_select_ipus: the list is empty"});
    refused("[4, \"2\"]", {"expects whole numbers", "\"2\""});
    refused("0", {"from 1 to 65,535", "0"});
    refused("[4, 4, 4, 4]", {"auto_select_ipus: no device of 4 IPUs", "free for /device:IPU:3"});
}

TEST_F(DeviceSelection, EachEntryOfAListIsADeviceAndTheGraphHasTheIpusOfAll) {
    record(four_shards, {"ipu_config.auto_select_ipus=[4, 2, 1]"});
    EXPECT_EQ(attachments(), "message\n"
                             "TensorFlow device /device:IPU:0 attached to 4 IPUs with Poplar device ID: 24\n"
                             "TensorFlow device /device:IPU:1 attached to 2 IPUs with Poplar device ID: 18\n"
                             "TensorFlow device /device:IPU:2 attached to 1 IPU with Poplar device ID: 2\n");
    EXPECT_EQ(ipus(), "ids\n5 7 4 6 3 1 2\n");
    EXPECT_EQ(query("SELECT id, state FROM device WHERE id IN (0, 1, 2, 8, 18, 19)"),
              "id,state\n0,busy\n1,attached\n2,attached\n8,free\n18,attached\n19,attached\n");
    record(four_shards, {R"(ipu_config={"select_ipus": [27, 3]})"});
    EXPECT_EQ(attachments(), "message\n"
                             "TensorFlow device /device:IPU:0 attached to 4 IPUs with Poplar device ID: 27\n"
                             "TensorFlow device /device:IPU:1 attached to 1 IPU with Poplar device ID: 3\n");
    EXPECT_EQ(ipus(), "ids\n9 11 10 8 3\n");
}

TEST_F(DeviceSelection, ALaterConfigurationResetsTheEarlierWithAWarning) {
    const Outcome outcome = record(
        four_shards,
        {R"(ipu_config=[{"auto_select_ipus": 4, "ipu_model": {"version": "bow"}}, {"auto_select_ipus": 8},
                        {"select_ipus": 27}])"});
    EXPECT_EQ(query("SELECT level, message FROM log WHERE level = 'warning'"),
              "level,message\nwarning,ipu_config 2 of 3 resets the existing IPU configuration\n"
              "warning,ipu_config 3 of 3 resets the existing IPU configuration\n");
    EXPECT_TRUE(holds(outcome.err, "warning: ipu_config 3 of 3 resets")) << outcome.err;
    EXPECT_EQ(ipus(), "ids\n9 11 10 8\n");
    EXPECT_EQ(query("SELECT generation FROM target"), "generation\nipu2\n"); // nothing of the first is left
    record(four_shards, {R"(ipu_config=[{"auto_select_ipus": 4}])"});
    EXPECT_EQ(query("SELECT count(*) AS n FROM log WHERE level = 'warning'"), "n\n0\n");
    expect_refused(four_shards, {"ipu_config=[]"}, {"ipu_config: the list of configurations is empty"});
    expect_refused(four_shards, {R"(ipu_config=[{"auto_select_ipus": 0}, {"auto_select_ipus": 4}])"},
                   {"ipu_config[0].auto_select_ipus", "from 1 to 65,535"});
    expect_refused(four_shards, {R"(ipu_config=[{}, {"select_ipu": 24}])"},
                   {"ipu_config[1].select_ipu", "did you mean \"select_ipus\"?"});
}

TEST_F(DeviceSelection, ShardsTakeTheIpusInTheSelectionOrder) {
    const auto selected = [&](const std::string& order) {
        record(four_shards, {"ipu_config.selection_order=" + order});
        return ipus();
    };
    EXPECT_EQ(selected("AUTO"), "ids\n5 7 4 6\n"); // not a pipeline: as the device lists them
    EXPECT_EQ(selected("ZIGZAG"), "ids\n5 7 4 6\n");
    EXPECT_EQ(selected("SNAKE"), "ids\n5 7 6 4\n");
    EXPECT_EQ(selected("HOOF"), "ids\n5 4 6 7\n");
    expect_refused(four_shards, {"ipu_config.selection_order=snake"},
                   {"ipu_config.selection_order", "\"snake\"", "AUTO, ZIGZAG, SNAKE or HOOF"});
}

TEST_F(DeviceSelection, StagesAreASnakeUnlessMapped) {
    record(pipeline, on_four());
    EXPECT_EQ(ipus(), "ids\n0 1 3 2\n");
    EXPECT_EQ(query("SELECT stage FROM ipu"), "stage\n0\n1\n2\n3\n");
    record(pipeline, on_four(R"(, "device_mapping": [3, 1, 0, 2])"));
    EXPECT_EQ(ipus(), "ids\n3 1 0 2\n");
    auto settings = on_four(R"(, "device_mapping": [3, 1, 0, 2])");
    settings.emplace_back("ipu_config.selection_order=SNAKE"); // 0 1 3 2
    record(pipeline, settings);
    EXPECT_EQ(ipus(), "ids\n2 1 0 3\n");
}

TEST_F(DeviceSelection, EachReplicaMapsItsOwnShareOfTheDevice) {
    record(sample("keras_mnist_8ipu"), {"pipeline.device_mapping=[1, 0]"});
    EXPECT_EQ(query("SELECT device_id, replica, stage FROM ipu"),
              "device_id,replica,stage\n1,0,0\n0,0,1\n3,1,0\n2,1,1\n5,2,0\n4,2,1\n7,3,0\n6,3,1\n");
}

TEST_F(DeviceSelection, CopiesBeyondANeighbourTakeLongerToSync) {
    const std::string longest = "SELECT max(p.sync_cycles) AS sync FROM program p JOIN exchange e ON "
                                "p.exchange_id = e.id WHERE e.kind = 'inter_ipu'";
    record(pipeline, on_four());
    EXPECT_EQ(query(longest), "sync\n500\n");
    record(pipeline, on_four(R"(, "device_mapping": [0, 1, 2, 3])"));
    EXPECT_EQ(query(longest), "sync\n540\n"); // 1 over 0 to 2: 15 ns there and back
}

TEST_F(DeviceSelection, MappingsThatDoNotFitAreRefused) {
    const auto refused = [&](const std::string& mapping, const std::vector<std::string>& parts) {
        expect_refused(pipeline, on_four(R"(, "device_mapping": )" + mapping), parts);
    };
    refused("[0, 1, 2]",
            {"pipeline.device_mapping: the mapping has 3 entries for 4 stages", "of each stage"});
    refused("[0, 1, 2, 4]", {"stage 3 is mapped to IPU 4", "4 stages have IPUs 0 to 3"});
    refused("[0, 1, 2, -1]", {"stage 3 is mapped to IPU -1"});
    refused("[0, 1, 2, \"3\"]", {"expects a list with the IPU of each stage"});
    refused("2", {"expects a list with the IPU of each stage, got 2"});
}

} // namespace
} // namespace tilescope::tests
