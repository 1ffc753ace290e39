// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/app/command_fixture.h"

namespace tilescope::tests {
namespace {

class VirtualDevices : public CommandTest {
  protected:
    /// Doubled on the host, a sum on each of two devices, and the product of both on the host.
    std::string workload(const nlohmann::json& second_device = "/device:IPU:1") const {
        const std::string cpu = "/device:CPU:0";
        const nlohmann::json w = {
            {"system", "pod4"},
            {"ipu_config", {{"auto_select_ipus", {1, 2}}}},
            {"graph",
             {{"feeds", {{"a", {1, 2}}, {"b", {10, 20}}, {"c", {100, 200}}}},
              {"nodes",
               {{{"name", "twice"}, {"op", "add"}, {"inputs", {"a", "a"}}, {"device", cpu}},
                {{"name", "first"}, {"op", "add"}, {"inputs", {"twice", "b"}}, {"device", "/device:IPU:0"}},
                {{"name", "second"},
                 {"op", "add"},
                 {"inputs", {"twice", "c"}},
                 {"device", second_device},
                 {"shard", 1}},
                {{"name", "third"},
                 {"op", "multiply"},
                 {"inputs", {"second", "first"}},
                 {"device", second_device},
                 {"shard", 0}},
                {{"name", "out"}, {"op", "subtract"}, {"inputs", {"third", "first"}}, {"device", cpu}}}},
              {"fetches", {"out"}},
              // (2a + c) (2a + b) - (2a + b), by hand
              {"expect", {{"out", {102 * 12 - 12, 204 * 24 - 24}}}}}}};
        return write("devices.json", w.dump());
    }
    std::string query(const std::string& sql) const {
        return printed({"query", "d.tilescope", sql, "--format", "csv"});
    }
};

TEST_F(VirtualDevices, OperationsRunWhereTheirScopeSays) {
    printed({"profile", workload(), "-o", "d.tilescope", "--progress", "none"});
    EXPECT_EQ(query("SELECT id, device, shard FROM ipu"),
              "id,device,shard\n0,/device:IPU:0,0\n1,/device:IPU:1,1\n2,/device:IPU:1,2\n");
    EXPECT_EQ(query("SELECT name, ipu FROM operation"),
              "name,ipu\ntwice,-1\nfirst,0\nsecond,2\nthird,1\nout,-1\n");
    const std::string log = query("SELECT message FROM log");
    EXPECT_TRUE(holds(log, "/device:IPU:0 attached to 1 IPU")) << log;
    EXPECT_TRUE(holds(log, "/device:IPU:1 attached to 2 IPUs")) << log;
}

TEST_F(VirtualDevices, TensorsGoOverTheHostBetweenDevicesAndOverTheLinksWithinOne) {
    printed({"profile", workload(), "-o", "d.tilescope", "--progress", "none"});
    // "second" from IPU 2 to IPU 1 of the same device: two floats.
    EXPECT_EQ(query("SELECT name, ipu, peer, bytes FROM exchange WHERE kind = 'inter_ipu'"),
              "name,ipu,peer,bytes\nthird/copy(second),2,1,8\n");
    // "first" leaves device 0 and enters device 1.
    EXPECT_EQ(query("SELECT ipu, bytes FROM exchange WHERE name = 'third/copy(first)' ORDER BY id"),
              "ipu,bytes\n0,8\n1,8\n");
    // The host's "twice" comes in once and goes on to the other device; its own operations take no step.
    EXPECT_EQ(query("SELECT count(*) AS n FROM program p JOIN operation o ON o.id = p.operation_id WHERE "
                    "o.ipu = -1"),
              "n\n0\n");
    EXPECT_EQ(query("SELECT ipu, bytes FROM exchange WHERE name = 'twice' ORDER BY id"), "ipu,bytes\n0,8\n");
}

TEST_F(VirtualDevices, PlacesThatDoNotExistAreRefused) {
    expect_failure(run({"profile", workload("/device:IPU:2"), "-o", "no.tilescope"}), 3,
                   {"/device:IPU:2", "2 devices", "second"});
    expect_failure(run({"profile", workload("/device:GPU:0"), "-o", "no.tilescope"}), 3,
                   {"/device:GPU:0", "/device:CPU:0"});
    expect_failure(
        run({"profile", workload(), "-o", "no.tilescope", "--set", "ipu_config.auto_select_ipus=[1, 1]"}), 3,
        {"shard 1 on a device of 1 IPU", "second"});
}

} // namespace
} // namespace tilescope::tests
