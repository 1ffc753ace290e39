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
    EXPECT_EQ(run_pass("verify", graph).value_or(""), "2 operations, 1 variables");
}

TEST(Verify, RefusesGraphsThatComputeOrGiveNothing) {
    EXPECT_EQ(refused(graph_of("graph \"empty\" {}")).place, "empty");
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

TEST(Verify, NamesTheOperationThatNoIpuRuns) {
    graph::Graph graph = graph_of("graph \"g\" { feed %x : float32 [4] %y = exp(%x) fetch \"y\" = %y }");
    graph.operation(graph::OpId(0)).kind = "of_no_registry";
    EXPECT_EQ(refused(graph).place, "y");
}

} // namespace tilescope::compile
