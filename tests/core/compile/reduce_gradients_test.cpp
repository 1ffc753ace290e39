// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/compile/pass_text.h"

#include <string>
#include <vector>

namespace tilescope::compile {

namespace {

std::string trained(const std::string& between, const std::string& gradient, const std::string& train,
                    const std::string& more_variables = "") {
    return R"(graph "g" {
  layer @dense : "Dense" [2]
  feed %x : float32 [2]
  variable %w : float32 [2] = 1.0 @dense
)" + more_variables +
           R"(  %loss = reduce_sum(%x)
  %g = multiply(%x, %w) backward @dense shard 1
)" + between +
           "  %w/new = sgd_update(%w, " + gradient + R"() {learning_rate: 0.1} update @dense
  next %w = %w/new
  fetch "loss" = %loss loss
  train %loss "sgd" )" +
           train + "}";
}

} // namespace

TEST(ReduceGradients, LeavesOneBatchForEachUpdateAsItIs) {
    const std::string text = trained("", "%g", "mean");
    EXPECT_EQ(after("reduce gradients", text), normal(text));
}

TEST(ReduceGradients, SumsTheGradientsOfTheReplicasBeforeTheUpdateReadsThem) {
    Options options;
    options.schedule.replicas = 2;
    EXPECT_EQ(after("reduce gradients", trained("", "%g", ""), options),
              normal(trained(
                  "  %w/new/all_reduce = all_reduce(%g) {replicas: 2, scale: 1.0} update @dense shard 1\n",
                  "%w/new/all_reduce", "")));
}

// What accumulates comes right behind what makes the gradient, in each micro-batch.
TEST(ReduceGradients, AddsUpTheMicroBatchesOfOneReplica) {
    Options options;
    options.schedule.accumulation = 4;
    EXPECT_EQ(
        after("reduce gradients", trained("  %behind = exp(%g) backward\n", "%g", ""), options),
        normal(trained("  %w/new/accumulate = accumulate(%w/new/accumulator, %g) backward @dense shard 1\n"
                       "  %behind = exp(%g) backward\n",
                       "%w/new/accumulate", "",
                       "  variable %w/new/accumulator : float32 [2] = 0 frozen @dense\n")));
}

// 1 / (2 replicas x 4 micro-batches).
TEST(ReduceGradients, DividesTheMeanByAllBatchesOfTheUpdate) {
    Options options;
    options.schedule.replicas = 2;
    options.schedule.accumulation = 4;
    EXPECT_EQ(
        after("reduce gradients", trained("", "%g", "mean"), options),
        normal(trained("  %w/new/accumulate = accumulate(%w/new/accumulator, %g) backward @dense shard 1\n"
                       "  %w/new/all_reduce = all_reduce(%w/new/accumulate) {replicas: 2, scale: 0.125} "
                       "update @dense shard 1\n",
                       "%w/new/all_reduce", "mean",
                       "  variable %w/new/accumulator : float32 [2] = 0 frozen @dense\n")));
}

TEST(ReduceGradients, DividesTheMeanOfOneReplicaByItsMicroBatches) {
    Options options;
    options.schedule.accumulation = 4;
    EXPECT_EQ(
        after("reduce gradients", trained("", "%g", "mean"), options),
        normal(trained("  %w/new/accumulate = accumulate(%w/new/accumulator, %g) backward @dense shard 1\n"
                       "  %w/new/all_reduce = all_reduce(%w/new/accumulate) {replicas: 1, scale: 0.25} "
                       "update @dense shard 1\n",
                       "%w/new/all_reduce", "mean",
                       "  variable %w/new/accumulator : float32 [2] = 0 frozen @dense\n")));
}

// Where stages work on different micro-batches at a time, each adds up its part of a gradient; elsewhere, and
// where both parts are of one stage, their sum is added up.
TEST(ReduceGradients, StagesThatOverlapAddUpTheirPartsOfAGradient) {
    const auto text = [](const char* stage, const std::string& accumulating, const std::string& sum,
                         const std::string& variables) {
        return trained("  %h = exp(%x) backward shard " + std::string(stage) + "\n" + accumulating, sum, "",
                       variables);
    };
    const std::string gradient = "  %both = add(%g, %h) backward\n";
    const std::string variable = "  variable %w/new/accumulator : float32 [2] = 0 frozen @dense\n";
    Options options;
    options.schedule.accumulation = 4;
    const std::string whole = gradient +
                              "  %w/new/accumulate = accumulate(%w/new/accumulator, %both) backward "
                              "@dense\n";
    EXPECT_EQ(after("reduce gradients", text("0", gradient, "%both", ""), options),
              normal(text("0", whole, "%w/new/accumulate", variable)));
    options.schedule.pipeline = PipelineSchedule::Grouped;
    EXPECT_EQ(after("reduce gradients", text("1", gradient, "%both", ""), options),
              normal(text("1", whole, "%w/new/accumulate", variable)));
    graph::Graph graph = graph_of(text("0", gradient, "%both", ""));
    ASSERT_TRUE(run_pass("reduce gradients", graph, options));
    std::vector<std::string> added;
    for (const graph::Operation& op : graph.operations())
        if (op.kind == "accumulate")
            added.push_back(graph.value(op.inputs[1]).name + " on " + std::to_string(op.placement.shard));
    EXPECT_EQ(added, (std::vector<std::string>{"g on 1", "h on 0"}));
}

// What the host gets once for each update is added up where it is made, and is each replica's own: neither is
// it reduced over them, nor does a mean of gradients divide it.
TEST(ReduceGradients, AddsUpWhatGoesToTheHostOnce) {
    const auto text = [](const std::string& variables, const std::string& between, const std::string& sum) {
        return "graph \"g\" {\n  feed %x : float32 [2]\n" + variables + "  %y = exp(%x) shard 1\n" + between +
               "  %total = accumulated(" + sum + ") update shard 1\n  fetch \"y\" = %total\n}";
    };
    Options options;
    options.schedule.replicas = 2;
    EXPECT_EQ(after("reduce gradients", text("", "", "%y"), options), normal(text("", "", "%y")));
    options.schedule.accumulation = 4;
    EXPECT_EQ(after("reduce gradients", text("", "", "%y"), options),
              normal(text("  variable %total/accumulator : float32 [2] = 0 frozen\n",
                          "  %total/accumulate = accumulate(%total/accumulator, %y) shard 1\n",
                          "%total/accumulate")));
}

TEST(ReduceGradients, AddsUpWhatGoesToTheHostOfATrainingToo) {
    const std::string total = "  %total = accumulated(%loss) update\n";
    Options options;
    options.schedule.replicas = 2;
    options.schedule.accumulation = 4;
    const std::string made = after("reduce gradients", trained(total, "%g", "mean"), options);
    EXPECT_NE(made.find("accumulate(%total/accumulator, %loss) : float32 []\n"), std::string::npos) << made;
    EXPECT_NE(made.find("%total = accumulated(%total/accumulate) : float32 [] update"), std::string::npos)
        << made;
    EXPECT_EQ(made.find("%total/all_reduce"), std::string::npos) << made;
}

} // namespace tilescope::compile
