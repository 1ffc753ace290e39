// SPDX-License-Identifier: GPL-3.0-or-later
#include "graph/builder.h"
#include "tests/core/compile/pass_text.h"

#include <string>
#include <utility>
#include <vector>

namespace tilescope::compile {
namespace {

/// Dense layers, transposed between, and trained over several batches: every pass has something to do.
graph::Graph network(std::int64_t layers) {
    graph::Graph graph;
    graph.name = "network";
    graph::Builder build(graph, registry());
    const auto emit = [&](const char* kind, const std::vector<graph::ValueId>& inputs,
                          graph::Attributes attributes = {}) {
        return build.emit(kind, inputs, std::move(attributes)).value();
    };
    graph::ValueId y = build.feed("x", {graph::DType::Float32, {8, 8}}).value();
    for (std::int64_t layer = 0; layer < layers; ++layer) {
        const std::string name = "dense" + std::to_string(layer);
        build.scope.layer = build.layer(name, "Dense");
        const auto kernel =
            build.variable(name, graph::InitialValue::filled({graph::DType::Float32, {8, 8}}, 0)).value();
        y = emit("relu", {emit("matmul", {y, kernel})});
        y = emit("transpose", {y}, {{"permutation", graph::Shape{1, 0}}});
    }
    const graph::ValueId loss = emit("reduce_mean", {emit("square", {y})});
    build.fetch("loss", loss, graph::FetchKind::Loss);
    graph.training = graph::Training{loss, {"sgd", {}}};
    return graph;
}

Options options() {
    Options options = options_for(16);
    options.schedule.accumulation = 2;
    options.schedule.steps_per_execution = 2;
    options.recompute = true;
    return options;
}

/// How often a pass asks whether it is to end: the highest poll of its own at which a raised token ends it.
std::int64_t polls_of(const std::string& pass, std::int64_t layers) {
    const auto heard_at = [&](std::int64_t poll) {
        CancelToken cancel;
        const auto executable = compile(
            network(layers), registry(), options(),
            [&](const std::string& started, std::size_t, std::size_t) {
                cancel.cancel_at_poll(started == pass ? poll : 0);
            },
            &cancel);
        if (!executable) {
            EXPECT_EQ(executable.error().kind, ErrorKind::Cancelled) << executable.error().line();
        }
        return !executable.has_value();
    };
    std::int64_t last = 1; // found by doubling and halving
    while (heard_at(2 * last))
        last *= 2;
    for (std::int64_t step = last / 2; step > 0; step /= 2)
        if (heard_at(last + step))
            last += step;
    return last - 1; // but for the compiler's own, when the pass has ended
}

} // namespace

TEST(Cancel, EveryPassAsksAgainAfterABoundedAmountOfWork) {
    constexpr std::int64_t few = 4;
    constexpr std::int64_t many = 16;
    for (const Pass& pass : passes())
        EXPECT_GE(polls_of(pass.name, many) - polls_of(pass.name, few), many - few) << pass.name;
}

TEST(Cancel, ATokenThatIsNotRaisedChangesNothing) {
    const CancelToken cancel;
    const auto with = compile(network(4), registry(), options(), {}, &cancel);
    const auto without = compile(network(4), registry(), options());
    ASSERT_TRUE(with.has_value() && without.has_value());
    EXPECT_EQ(with->program.print(), without->program.print());
    EXPECT_EQ(with->memory.addresses, without->memory.addresses);
}

} // namespace tilescope::compile
