// SPDX-License-Identifier: GPL-3.0-or-later
#include "ipu/link_cycles.h"
#include "tests/core/compile/pass_program.h"

namespace tilescope::compile {
namespace {

/// A norm over the batch, one over each sample's own values, and their gradients.
std::string norms(const std::string& of_batch, const std::string& group_mean, const std::string& gradients) {
    return R"(graph "g" {
  layer @bn : "BatchNormalization" [8, 4]
  layer @ln : "LayerNormalization" [8, 4]
  feed %x : float32 [8, 4]
  %mean, %variance = )" +
           of_batch + R"( @bn
  %own, %spread = moments(%x) {axes: [-1]} @ln
  %y = normalise(%x, %mean, %variance) {axes: [0]} @bn
  %z = normalise(%y, %own, %spread) {axes: [-1]} @ln
  %dmean, %dvariance = normalise_statistics_gradient(%x, %mean, %variance, %z) {axes: [0]} backward @bn
)" + group_mean +
           "  %dx = moments_gradient(%x, %mean, " + gradients + R"() {axes: [0]} backward @bn
  fetch "z" = %z
  fetch "dx" = %dx
})";
}

const std::string own = norms("moments(%x) {axes: [0]}", "", "%dmean, %dvariance");

Options in_groups(std::int32_t replicas, std::int64_t group) {
    Options options = options_for(1);
    options.schedule.replicas = replicas;
    options.schedule.steps_per_execution = replicas;
    options.norm_replicas = group;
    ipu::IpuIds ipus;
    for (std::int32_t i = 0; i < replicas; ++i)
        ipus.push_back(i);
    options.attachment = {ipu::Topology(16), ipus};
    return options;
}

TEST(ShareNormStatistics, EachReplicaHasItsOwnByDefault) {
    EXPECT_EQ(after("share norm statistics", own, in_groups(4, 1)), normal(own));
}

TEST(ShareNormStatistics, OfABatchAreThoseOfTheGroupAndSoAreTheirGradients) {
    EXPECT_EQ(after("share norm statistics", own, in_groups(4, 2)),
              normal(norms("group_moments(%x) {axes: [0], group: 2}",
                           "  %dx/group_mean:0, %dx/group_mean:1 = group_mean(%dmean, %dvariance) {group: 2} "
                           "backward @bn\n",
                           "%dx/group_mean:0, %dx/group_mean:1")));
}

// The batch may be counted from the end; the gradients of statistics of samples are each replica's own.
TEST(ShareNormStatistics, TheBatchIsTheFirstDimensionHoweverItIsCounted) {
    const std::string made =
        after("share norm statistics", norms("moments(%x) {axes: [-2]}", "", "%dmean, %dvariance"),
              in_groups(4, 2));
    EXPECT_NE(made.find("group_moments(%x) {axes: [-2], group: 2}"), std::string::npos) << made;
    const std::string of_samples = normal(R"(graph "g" {
  feed %x : float32 [8, 4]
  %own, %spread = moments(%x) {axes: [1]}
  %dx = moments_gradient(%x, %own, %own, %spread) {axes: [1]} backward
  fetch "dx" = %dx
})");
    EXPECT_EQ(after("share norm statistics", of_samples, in_groups(4, 2)), of_samples);
}

/// The transfers between IPUs, in their order.
std::vector<program::Step> transfers(const Executable& e) {
    std::vector<program::Step> steps;
    for (const program::StepId id : e.program.leaves())
        if (const program::Step& step = e.program.step(id);
            step.exchange >= 0 &&
            e.program.exchanges[static_cast<std::size_t>(step.exchange)].kind == ExchangeKind::InterIpu)
            steps.push_back(step);
    return steps;
}

// Four channels have 16 bytes of means and as many of the rest.
TEST(ShareNormStatistics, GoAroundARingOfTheGroupForwardAndBackward) {
    EXPECT_TRUE(transfers(executable_after("route exchanges", own, in_groups(8, 1))).empty());
    for (const std::int64_t group : {2, 4}) {
        const Executable e = executable_after("route exchanges", own, in_groups(8, group));
        const auto steps = transfers(e);
        ASSERT_EQ(steps.size(), 4U) << "two phases each";
        for (const program::Step& step : steps) {
            const auto& exchange = e.program.exchanges[static_cast<std::size_t>(step.exchange)];
            EXPECT_TRUE(exchange.ring_phase.has_value());
            EXPECT_EQ(exchange.bytes(), 2 * 16 * (group - 1) / group);
            EXPECT_EQ(exchange.cycles, ipu::link_cycles(e.target, exchange.bytes(), group - 1, 1));
            EXPECT_EQ(step.sync_cycles, ipu::link_sync_cycles(e.target, 1)) << "between neighbours";
        }
    }
}

TEST(ShareNormStatistics, WithinALoopAreRefused) {
    graph::Graph graph = graph_of(loop_text("    %m, %v = moments(%slice) {axes: [0]}\n"
                                            "    %next = add(%state, %m)\n",
                                            "%next", "%slice", "0"));
    EXPECT_TRUE(run_pass("share norm statistics", graph, in_groups(2, 1)));
    const auto said = run_pass("share norm statistics", graph, in_groups(2, 2));
    ASSERT_FALSE(said);
    EXPECT_NE(said.error().line().find("cannot be taken within a loop"), std::string::npos);
}

} // namespace
} // namespace tilescope::compile
