// SPDX-License-Identifier: GPL-3.0-or-later
#include "ipu/system.h"
#include "ipu/target.h"

#include <gtest/gtest.h>

using namespace tilescope;
using ipu::find_system;
using ipu::find_target;

namespace {

/// Peak operations per second, a multiply-add counting as two.
double peak_flops(const ipu::Target& target, std::int64_t element_bytes) {
    return 2.0 * static_cast<double>(target.peak_macs(element_bytes) * target.tiles_per_ipu) *
           target.clock_hz;
}

} // namespace

// Published peaks: Mk1 124.5 and 31.1 TFLOP/s, Mk2 250 and 62.5, Bow 350 and 87.5.
TEST(Target, PeaksAreThePublishedOnes) {
    struct Row {
        const char* generation;
        double half, single;
    };
    for (const Row& row :
         {Row{"ipu1", 124.5e12, 31.1e12}, {"ipu2", 250e12, 62.5e12}, {"bow", 350e12, 87.5e12}}) {
        const auto target = *find_target(row.generation);
        EXPECT_NEAR(peak_flops(target, 2) / row.half, 1, 0.005) << row.generation;
        EXPECT_NEAR(peak_flops(target, 4) / row.single, 1, 0.01) << row.generation;
    }
}

TEST(Target, MemoryIsThePublishedOne) {
    EXPECT_EQ(find_target("ipu1")->memory_bytes(), 304LL << 20);
    EXPECT_EQ(find_target("ipu2")->memory_bytes() >> 20, 897);
    EXPECT_EQ(find_target("ipu2")->bytes_per_tile, 638976);
}

TEST(Target, OverridesAreChecked) {
    ipu::TargetOverrides few;
    few.figures["tiles_per_ipu"] = 4;
    EXPECT_EQ(find_target("ipu2", few)->tiles_per_ipu, 4);
    few.figures["tiles_per_ipu"] = 0; // the generation's own number
    EXPECT_EQ(find_target("ipu2", few)->tiles_per_ipu, 1472);
    few.figures["tiles_per_ipu"] = -1;
    EXPECT_EQ(exit_code(find_target("ipu2", few).error().kind), 3);
    ipu::TargetOverrides slow;
    slow.figures["clock_hz"] = 0;
    EXPECT_FALSE(find_target("ipu2", slow));
    EXPECT_NE(find_target("ipu3").error().line().find("ipu"), std::string::npos);
}

TEST(System, TheServersMultiIpuDevicesAreInDncOrder) {
    const auto server = *find_system("server16");
    EXPECT_EQ(server.ipus(), 16);
    EXPECT_EQ(server.devices.size(), 31U);
    EXPECT_EQ(server.find(16)->members, (std::vector<std::int32_t>{5, 7}));
    EXPECT_EQ(server.find(24)->members, (std::vector<std::int32_t>{5, 7, 4, 6}));
    EXPECT_EQ(server.find(27)->members, (std::vector<std::int32_t>{9, 11, 10, 8}));
    EXPECT_EQ(server.find(28)->members, (std::vector<std::int32_t>{5, 7, 4, 6, 3, 1, 2, 0}));
    EXPECT_EQ(server.find(30)->members.size(), 16U);
}

TEST(System, FourIpusBesideABusyOneAttachToMultiIpu24) {
    const auto server = *find_system("server16");
    EXPECT_EQ(server.first_free(4, {})->id, 24);
    EXPECT_EQ(server.first_free(4, {0})->id, 24);
    EXPECT_EQ(server.first_free(4, {7})->id, 25);
    EXPECT_EQ(server.first_free(16, {3}), nullptr);
    EXPECT_EQ(server.first_free(3, {}), nullptr);
}

TEST(System, AnM2000HasFourIpusTwoPairsAndAllFour) {
    const auto machine = *find_system("pod4");
    EXPECT_EQ(machine.ipus(), 4);
    EXPECT_EQ(machine.devices.size(), 7U);
    EXPECT_EQ(machine.find(6)->members.size(), 4U);
    const auto pod = *find_system("pod64");
    EXPECT_EQ(pod.ipus(), 64);
    EXPECT_EQ(pod.first_free(64, {})->members.size(), 64U);
    EXPECT_EQ(pod.first_free(32, {3})->members.front(), 32);
    EXPECT_EQ(find_system("pod256")->devices.size(), 511U); // 256 + 128 + … + 1
    EXPECT_EQ(machine.streaming_bytes, 256'000'000'000);    // the datasheets: "up to 256GB Streaming Memory"
    EXPECT_EQ(find_system("server16")->streaming_bytes, 0) << "cards have none";
    EXPECT_NE(find_system("pod5").error().line().find("pod4"), std::string::npos);
}
