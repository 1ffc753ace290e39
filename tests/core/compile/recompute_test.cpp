// SPDX-License-Identifier: GPL-3.0-or-later
#include "graph/builder.h"
#include "tests/core/compile/pass_text.h"

using namespace tilescope;
using graph::DType;
using graph::ValueId;

namespace {

std::string recomputed(const std::string& text, compile::Options options = {}) {
    options.recompute = true;
    return compile::after("recompute", text, options);
}

/// Three layers and their backward pass: `first` is the first one's forward pass, whose result is `behind`,
/// `of_a` its backward pass.
std::string three_layers(const std::string& first, const std::string& behind, const std::string& of_a) {
    return R"(graph "g" {
  layer @a : "Dense" [4]
  layer @b : "Dense" [4]
  layer @c : "Dense" [4]
  feed %x : float32 [4]
)" + first +
           "  %b = exp(" + behind + R"() @b
  %c = exp(%b) @c
  %loss = reduce_sum(%c)
  %gc = multiply(%c, %c) backward @c
  %gb = multiply(%gc, %b) backward @b
)" + of_a + R"(  fetch "loss" = %loss loss
  fetch "gradient" = %ga
  train %loss "sgd" {}
})";
}

/// Two stages of two and one operations; the backward pass reads `a` and `b` under these names.
std::string two_stages(const std::string& again, const std::string& a, const std::string& b) {
    return R"(graph "g" {
  feed %x : float32 [4]
  %a = exp(%x) shard 0
  %b = exp(%a) shard 0
  %c = exp(%b) shard 1
  %loss = reduce_sum(%c) shard 1
  %gc = multiply(%c, %b) backward shard 1
)" + again +
           "  %gb = multiply(%gc, " + b + ") backward shard 0\n  %ga = multiply(%gb, " + a +
           R"() backward shard 0
  fetch "loss" = %loss loss
  fetch "gradient" = %ga
  train %loss "sgd" {}
})";
}

constexpr std::int64_t batch = 32;
constexpr std::int64_t width = 64;

/// `layers` equal layers, relu of a matrix product; `random` of them with dropout behind.
graph::Graph chain(const graph::OperatorRegistry& registry, std::int64_t layers, std::int64_t random = 0) {
    graph::Graph graph;
    graph::Builder build(graph, registry);
    ValueId x = build.feed("x", {DType::Float32, {batch, width}}).value();
    for (std::int64_t i = 0; i < layers; ++i) {
        const std::string name = "layer" + std::to_string(i);
        build.scope.layer = build.layer(name, "Dense");
        const ValueId w = build
                              .variable(name + "/kernel",
                                        graph::HostTensor(graph::TensorType{DType::Float32, {width, width}}))
                              .value();
        x = build.emit("relu", {build.emit("matmul", {x, w})}, {}, name).value();
        if (i < random)
            x = build.emit("dropout", {x}, {{"rate", 0.5}}, name + "/dropout").value();
    }
    build.scope.layer = graph::no_layer;
    const ValueId loss = build.emit("reduce_mean", {build.emit("square", {x})}, {}, "loss").value();
    build.fetch("loss", loss, graph::FetchKind::Loss);
    graph.training = graph::Training{loss, {"sgd", {}}};
    return graph;
}

compile::Executable compiled(std::int64_t layers, bool recompute, std::int64_t random = 0) {
    const auto registry = operators::standard_operators();
    ipu::TargetOverrides overrides;
    overrides.figures["tiles_per_ipu"] = 16;
    compile::Options options;
    options.target = *ipu::find_target("ipu2", overrides);
    options.recompute = recompute;
    auto executable = compile::compile(chain(registry, layers, random), registry, options);
    EXPECT_TRUE(executable.has_value()) << executable.error().line();
    return std::move(*executable);
}

std::size_t count(const compile::Executable& e, const std::string& kind, Phase phase) {
    std::size_t n = 0;
    for (const graph::Operation& op : e.graph.operations())
        n += op.kind == kind && op.phase == phase ? 1 : 0;
    return n;
}

/// Activations of the size of a layer's output that are live when the backward pass begins.
std::int64_t kept_activations(const compile::Executable& e) {
    const auto leaves = e.program.leaves();
    std::int32_t begin = -1;
    for (std::size_t s = 0; s < leaves.size() && begin < 0; ++s)
        if (const std::int32_t op = e.program.step(leaves[s]).operation;
            op >= 0 && e.graph.operation(graph::OpId(op)).phase != Phase::Forward)
            begin = static_cast<std::int32_t>(s);
    std::int64_t kept = 0;
    for (std::size_t v = 0; v < e.program.variables.size(); ++v) {
        const program::Variable& variable = e.program.variables[v];
        const compile::LiveRange& range = e.memory.needed[v];
        const bool forward = variable.operation >= 0 &&
                             e.graph.operation(graph::OpId(variable.operation)).phase == Phase::Forward;
        if (forward && variable.value >= 0 && variable.total_bytes() == batch * width * 4 &&
            range.from < begin && begin <= range.to)
            ++kept;
    }
    return kept;
}

} // namespace

// The backward pass reads the results of three layers, 16 bytes each. Two at once are the fewest: in segments
// of two layers and one, with b, where the second begins, kept. So a runs again, before what reads it.
TEST(Recompute, RunsASegmentAgainBeforeItsBackwardPassReadsIt) {
    const std::string forward = "  %a = exp(%x) @a\n";
    EXPECT_EQ(recomputed(three_layers(forward, "%a", "  %ga = multiply(%gb, %a) backward @a\n")),
              compile::normal(three_layers(forward, "%a",
                                           "  %a/recompute = exp(%x) recompute @a\n"
                                           "  %ga = multiply(%gb, %a/recompute) backward @a\n")));
}

// The first layer has three results that are read, 48 bytes, as much as e, where the second segment begins,
// and those of the two layers behind it. The salt is the same, and so is the mask.
TEST(Recompute, DrawsTheSameRandomNumbersAgain) {
    const std::string forward =
        "  %a = exp(%x) @a\n  %d = dropout(%a) {rate: 0.5, salt: 7} @a\n  %e = exp(%d) @a\n";
    EXPECT_EQ(recomputed(three_layers(forward, "%e",
                                      "  %ge = multiply(%gb, %e) backward @a\n"
                                      "  %gd = multiply(%ge, %d) backward @a\n"
                                      "  %ga = multiply(%gd, %a) backward @a\n")),
              compile::normal(
                  three_layers(forward, "%e",
                               "  %ge = multiply(%gb, %e) backward @a\n"
                               "  %a/recompute = exp(%x) recompute @a\n"
                               "  %d/recompute = dropout(%a/recompute) {rate: 0.5, salt: 7} recompute @a\n"
                               "  %gd = multiply(%ge, %d/recompute) backward @a\n"
                               "  %ga = multiply(%gd, %a/recompute) backward @a\n")));
}

// A stage keeps its inputs only. The last one's backward pass follows at once; what it was sent is there.
TEST(Recompute, RunsEachStageOfAPipelineAgainButTheLast) {
    compile::Options options;
    options.schedule.pipeline = PipelineSchedule::Grouped;
    EXPECT_EQ(recomputed(two_stages("", "%a", "%b"), options),
              compile::normal(two_stages("  %a/recompute = exp(%x) recompute shard 0\n"
                                         "  %b/recompute = exp(%a/recompute) recompute shard 0\n",
                                         "%a/recompute", "%b/recompute")));
}

// A checkpoint in each of two stages: what lies before it is run again, each piece right before its own
// backward pass, and of the last stage that alone. As wholes, stages keep their inputs only.
TEST(Recompute, RunsStagesAgainPieceByPieceFromTheirCheckpoints) {
    const auto text = [](const std::string& of_p, const std::string& p, const std::string& of_b,
                         const std::string& b, const std::string& a, const std::string& of_z,
                         const std::string& z) {
        return R"(graph "g" {
  feed %x : float32 [4]
  %z = exp(%x) shard 0
  %a = exp(%z) shard 0
  %k = recomputation_checkpoint(%a) shard 0
  %b = exp(%k) shard 0
  %d = exp(%b) shard 0
  %p = exp(%d) shard 1
  %q = tanh(%p) shard 1
  %l = recomputation_checkpoint(%q) shard 1
  %c = exp(%l) shard 1
  %loss = reduce_sum(%c) shard 1
  %gc = multiply(%c, %c) backward shard 1
)" + of_p + "  %gp = multiply(%gc, " +
               p + ") backward shard 1\n" + of_b + "  %gb = multiply(%gp, " + b +
               ") backward shard 0\n  %ga = multiply(%gb, " + a + ") backward shard 0\n" + of_z +
               "  %gz = multiply(%ga, " + z + R"() backward shard 0
  fetch "loss" = %loss loss
  fetch "gradient" = %gz
  train %loss "sgd" {}
})";
    };
    const std::string plain = text("", "%p", "", "%b", "%a", "", "%z");
    compile::Options options;
    options.schedule.pipeline = PipelineSchedule::Sequential;
    options.recompute_piecewise = true;
    EXPECT_EQ(recomputed(plain, options),
              compile::normal(text("  %p/recompute = exp(%d) recompute shard 1\n", "%p/recompute",
                                   "  %b/recompute = exp(%k) recompute shard 0\n", "%b/recompute", "%a",
                                   "  %z/recompute = exp(%x) recompute shard 0\n", "%z/recompute")));
    options.schedule.pipeline = PipelineSchedule::Grouped;
    options.recompute_piecewise = false;
    EXPECT_EQ(
        recomputed(plain, options),
        compile::normal(text("", "%p",
                             "  %z/recompute = exp(%x) recompute shard 0\n"
                             "  %a/recompute = exp(%z/recompute) recompute shard 0\n"
                             "  %k/recompute = recomputation_checkpoint(%a/recompute) recompute shard 0\n"
                             "  %b/recompute = exp(%k/recompute) recompute shard 0\n",
                             "%b/recompute", "%a/recompute", "", "%z/recompute")));
}

TEST(Recompute, LeavesAGraphThatIsNotTrainedOrNotToBeRecomputed) {
    const std::string inference = R"(graph "g" {
  feed %x : float32 [4]
  %y = exp(%x)
  fetch "y" = %y
})";
    EXPECT_EQ(recomputed(inference), compile::normal(inference));
    const std::string training = two_stages("", "%a", "%b");
    EXPECT_EQ(compile::after("recompute", training), compile::normal(training));
}

// Of two results of each layer, those behind b are kept where b is named; with a and b also those behind a.
TEST(Recompute, KeepsTheResultsOfNamedLayers) {
    const auto text = [](const std::string& again, const std::string& a1, const std::string& a2,
                         const std::string& b1) {
        return R"(graph "g" {
  layer @a : "Dense" [4]
  layer @b : "Dense" [4]
  layer @c : "Dense" [4]
  feed %x : float32 [4]
  %a1 = exp(%x) @a
  %a2 = tanh(%a1) @a
  %b1 = exp(%a2) @b
  %b2 = tanh(%b1) @b
  %c1 = exp(%b2) @c
  %loss = reduce_sum(%c1)
  %g1 = multiply(%c1, %b2) backward @c
)" + again + "  %g2 = multiply(%g1, " +
               b1 + ") backward @b\n  %g3 = multiply(%g2, " + a2 + ") backward @b\n" +
               (a1 == "%a1/recompute" && a2 == "%a2" ? std::string("  %a1/recompute = exp(%x) recompute @a\n")
                                                     : std::string()) +
               "  %g4 = multiply(%g3, " + a1 + R"() backward @a
  fetch "loss" = %loss loss
  fetch "gradient" = %g4
  train %loss "sgd" {}
})";
    };
    const std::string plain = text("", "%a1", "%a2", "%b1");
    compile::Options options;
    options.checkpoints = {"b"};
    EXPECT_EQ(recomputed(plain, options),
              compile::normal(text("  %a1/recompute = exp(%x) recompute @a\n"
                                   "  %a2/recompute = tanh(%a1/recompute) recompute @a\n"
                                   "  %b1/recompute = exp(%a2/recompute) recompute @b\n",
                                   "%a1/recompute", "%a2/recompute", "%b1/recompute")));
    options.checkpoints = {"a", "b"};
    EXPECT_EQ(recomputed(plain, options), compile::normal(text("  %b1/recompute = exp(%a2) recompute @b\n",
                                                               "%a1/recompute", "%a2", "%b1/recompute")));
    options.checkpoints = {"c"};
    EXPECT_EQ(recomputed(plain, options).find("%b2/recompute") != std::string::npos, true)
        << "the loss alone comes behind it";
}

TEST(Recompute, NamesTheNearestLayerToOneThatIsNot) {
    const auto registry = operators::standard_operators();
    compile::Options options;
    options.host_only = true;
    options.recompute = true;
    options.checkpoints = {"layr3"};
    const auto executable = compile::compile(chain(registry, 4), registry, options);
    ASSERT_FALSE(executable);
    EXPECT_EQ(executable.error().message,
              "there is no layer \"layr3\" whose result recomputation could keep");
    EXPECT_NE(executable.error().remedy.find("layer3"), std::string::npos) << executable.error().remedy;
}

// Sixteen equal layers: while the backward pass of segment k runs, the ends of the k segments before it are
// there, and its own layers. Six at once are the fewest, with segments of 6, 5, 4 and 1 layers (6 + 5 + 4 + 3
// = 18 >= 16, but 5 + 4 + 3 + 2 + 1 = 15): when it begins, three ends and the last layer are kept.
TEST(Recompute, KeepsTheEndsOfSegmentsAndTheWholeLastOne) {
    EXPECT_EQ(kept_activations(compiled(16, false)), 16);
    const auto again = compiled(16, true);
    EXPECT_EQ(kept_activations(again), 4);
    // Of each of the first three segments, the layers before its end run again.
    EXPECT_EQ(count(again, "matmul", Phase::Recompute), 5U + 4U + 3U);
    EXPECT_EQ(count(compiled(16, false), "matmul", Phase::Recompute), 0U);
}

// Each layer has two results to keep. Eight at once are the fewest, in segments of 4, 3, 3, 2, 2, 1 and 1
// layers; their ends are results of dropout, and not made again.
TEST(Recompute, RunsDropoutAgainButWhereASegmentEnds) {
    const auto again = compiled(16, true, 16);
    EXPECT_EQ(count(again, "dropout", Phase::Forward), 16U);
    EXPECT_EQ(count(again, "matmul", Phase::Recompute), 4U + 3U + 3U + 2U + 2U + 1U);
    EXPECT_EQ(count(again, "dropout", Phase::Recompute), 3U + 2U + 2U + 1U + 1U + 0U);
}

TEST(Recompute, SharesTheCodeOfTheForwardPass) {
    const auto again = compiled(16, true);
    for (const program::ComputeSet& set : again.program.compute_sets)
        if (set.operation >= 0 && set.name.find("Convolve") != std::string::npos &&
            again.graph.operation(graph::OpId(set.operation)).phase == Phase::Recompute) {
            EXPECT_TRUE(set.shared) << set.name;
        }
}
