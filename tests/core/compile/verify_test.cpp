// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/compile/pass_text.h"

namespace tilescope::compile {

namespace {

Error refused(graph::Graph graph) {
    const auto said = run_pass("verify", graph);
    EXPECT_FALSE(said.has_value());
    return said ? Error() : said.error();
}

} // namespace

TEST(Verify, CountsWhatThereIs) {
    graph::Graph graph = graph_of(R"(graph "g" {
  variable %w : float32 [4] = 1.0
  %a = exp(%w)
  %y = tanh(%a)
  fetch "y" = %y
})");
    EXPECT_EQ(run_pass("verify", graph).value_or(""), "2 operations, 1 variable");
}

TEST(Verify, RefusesGraphsThatComputeOrGiveNothing) {
    const Error empty = refused(graph_of("graph \"empty\" {}"));
    EXPECT_EQ(empty.place, "empty");
    EXPECT_EQ(empty.message, "the graph has no operations");
    const Error error = refused(graph_of("graph \"g\" { feed %x : float32 [4] %y = exp(%x) }"));
    EXPECT_EQ(error.kind, ErrorKind::BadInput);
    EXPECT_EQ(error.message, "the graph fetches nothing");
}

TEST(Verify, NamesTheTensorThatNoIpuHolds) {
    graph::Graph graph = graph_of("graph \"g\" { feed %x : float32 [4] %y = exp(%x) fetch \"y\" = %y }");
    graph.value(graph.fetches[0].value).type.shape = {100000, 100000};
    EXPECT_EQ(refused(graph).place, "y");
    graph.value(graph.fetches[0].value).type.shape = {-1};
    EXPECT_EQ(refused(graph).place, "y");
}

TEST(Verify, NamesTheOperationThatReadsWhatIsMadeLater) {
    graph::Graph graph =
        graph_of("graph \"g\" { feed %x : float32 [4] %a = exp(%x) %y = tanh(%a) fetch \"y\" = %y }");
    graph.set_operations({graph.operations()[1], graph.operations()[0]});
    EXPECT_EQ(refused(graph).place, "y");
}

TEST(Verify, NamesTheOperationThatReadsItself) {
    graph::Graph graph = graph_of("graph \"g\" { feed %x : float32 [4] %y = exp(%x) fetch \"y\" = %y }");
    graph.operation(graph::OpId(0)).inputs[0] = graph.fetches[0].value;
    EXPECT_EQ(refused(graph).place, "y");
}

TEST(Verify, NamesTheOperationThatNoIpuRuns) {
    graph::Graph graph = graph_of("graph \"g\" { feed %x : float32 [4] %y = exp(%x) fetch \"y\" = %y }");
    graph.operation(graph::OpId(0)).kind = "of_no_registry";
    EXPECT_EQ(refused(graph).place, "y");
}

// A table that is read where ids come in and where rows go out.
TEST(Verify, WantsTheStagesOfAVariableOnOneIpu) {
    const std::string text = R"(graph "g" {
  feed %x : float32 [4]
  variable %w : float32 [4] = 1.0
  %a = multiply(%x, %w) shard 0
  %b = tanh(%a) shard 1
  %c = multiply(%b, %w) shard 2
  fetch "y" = %c
})";
    Options options;
    options.schedule.ipus_per_replica = 3;
    graph::Graph graph = graph_of(text);
    EXPECT_TRUE(run_pass("verify", graph, options)) << "shards that are no stages may copy it";
    options.schedule.pipeline = PipelineSchedule::Sequential;
    const auto said = run_pass("verify", graph, options);
    ASSERT_FALSE(said);
    EXPECT_EQ(said.error().message,
              "variable \"w\" is read by stage 0 on IPU 0 and by stage 2 on IPU 2: in a "
              "pipeline it is on one IPU");
    options.schedule.stage_ipus = {0, 1, 0};
    EXPECT_TRUE(run_pass("verify", graph, options));
}

} // namespace tilescope::compile
