// SPDX-License-Identifier: GPL-3.0-or-later
#include "graph/builder.h"
#include "tests/core/compile/pass_text.h"

#include <map>

namespace tilescope::compile {
namespace {

/// A convolution and two dense layers, trained: every pass has something to do.
graph::Graph network() {
    graph::Graph graph;
    graph.name = "network";
    graph::Builder build(graph, registry());
    const auto variable = [&](const std::string& name, graph::Shape shape) {
        return build.variable(name, graph::InitialValue::filled({graph::DType::Float32, std::move(shape)}, 0))
            .value();
    };
    graph::ValueId y = build.feed("x", {graph::DType::Float32, {4, 8, 8, 3}}).value();
    y = build.emit("relu", {build.emit("conv2d", {y, variable("kernel", {3, 3, 3, 8})})}).value();
    y = build.emit("reshape", {y}, {{"shape", graph::Shape{4, -1}}}).value();
    for (const std::int64_t units : {16, 4})
        y = build
                .emit("matmul",
                      {y, variable("dense" + std::to_string(units), {build.type(y).shape[1], units})})
                .value();
    const graph::ValueId loss = build.emit("reduce_mean", {build.emit("square", {y})}).value();
    build.fetch("loss", loss, graph::FetchKind::Loss);
    graph.training = graph::Training{loss, {"sgd", {}}};
    return graph;
}

/// What came of a compilation whose token is raised at its n-th poll, and the pass that had begun last.
struct Ended {
    bool cancelled = false;
    std::string pass;
};
Ended cancelled_at(std::int64_t poll) {
    CancelToken cancel;
    cancel.cancel_at_poll(poll);
    Ended ended;
    const auto executable = compile(
        network(), registry(), options_for(16),
        [&](const std::string& pass, std::size_t, std::size_t) { ended.pass = pass; }, &cancel);
    if (!executable) {
        EXPECT_EQ(executable.error().kind, ErrorKind::Cancelled) << executable.error().line();
        ended.cancelled = true;
    }
    return ended;
}

} // namespace

// The compiler polls once before each pass: a second poll is the pass's own.
TEST(Cancel, IsHeardWithinEveryLongPass) {
    std::int64_t last = 1; // the last poll of a whole compilation, found by doubling and halving
    while (cancelled_at(2 * last).cancelled)
        last *= 2;
    for (std::int64_t step = last; step > 0; step /= 2)
        if (cancelled_at(last + step).cancelled)
            last += step;
    std::map<std::string, std::int64_t> polls; // while the pass was the last that had begun
    for (std::int64_t poll = last; polls["plan, map and lower"] <= 10; --poll) {
        ASSERT_GT(poll, 0);
        const Ended ended = cancelled_at(poll);
        EXPECT_TRUE(ended.cancelled) << poll;
        ++polls[ended.pass];
    }
    for (const char* pass : {"share code", "add code", "analyse liveness", "lay out memory"})
        EXPECT_GT(polls[pass], 1) << pass;
}

TEST(Cancel, ATokenThatIsNotRaisedChangesNothing) {
    const CancelToken cancel;
    const auto with = compile(network(), registry(), options_for(16), {}, &cancel);
    const auto without = compile(network(), registry(), options_for(16));
    ASSERT_TRUE(with.has_value() && without.has_value());
    EXPECT_EQ(with->program.print(), without->program.print());
    EXPECT_EQ(with->memory.addresses, without->memory.addresses);
}

} // namespace tilescope::compile
