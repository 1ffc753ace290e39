// SPDX-License-Identifier: GPL-3.0-or-later
#include "graph/builder.h"
#include "graph/graph_text.h"
#include "operators/operators.h"

#include <bit>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>

namespace tilescope::graph {
namespace {

const OperatorRegistry& registry() {
    static const OperatorRegistry all = operators::standard_operators();
    return all;
}

Graph parsed(const std::string& text) {
    auto graph = parse(text, registry());
    EXPECT_TRUE(graph.has_value()) << graph.error().line();
    return graph ? std::move(*graph) : Graph();
}

Error refused(const std::string& text) {
    const auto graph = parse(text, registry());
    EXPECT_FALSE(graph.has_value()) << text;
    return graph ? Error() : graph.error();
}

/// Every part of the form, as the printer writes it.
const std::string everything = R"(graph "all of it" {
  layer @dense : "Dense" [2, 3] parameters 15
  layer @"a b" : "Lambda" []
  feed %x : float32 [2, 4]
  feed %labels : int32 [2] linear @dense
  variable %dense/kernel:0 : float32 [4, 3] = 0.5 constraint "max_norm" {axes: [0], max_value: 2.0} @dense
  variable %bias : float32 [3] = [0.5, -1.0, 2.5e-05] frozen
  constant %half : float16 [] = 0.5
  constant %mask : bool [3] = [1, 0, 1]
  %product = matmul(%x, %dense/kernel:0) : float32 [2, 3] @dense
  %x#1 = add(%product, %bias) : float32 [2, 3] backward @"a b" on "/device:IPU:1" shard 1
  %part:0, %part:1 = split(%x) {axis: 1, sizes: [1, 3]} : float32 [2, 1], float32 [2, 3] recompute
  %flat = reshape(%product) {shape: [-1]} : float32 [6]
  %loss = reduce_mean(%flat) : float32 []
  %kernel/new = sgd_update(%dense/kernel:0, %dense/kernel:0) {learning_rate: 0.1} : float32 [4, 3] update
  next %dense/kernel:0 = %kernel/new
  fetch "loss" = %loss loss
  fetch "mean" = %loss metric
  fetch "y" = %x#1
  train %loss "sgd" {momentum: 0.9, nesterov: true} schedule "ExponentialDecay" {decay_steps: 100} scale 128.0 mean
}
)";

} // namespace

TEST(GraphText, ReadsEveryPartOfTheForm) {
    const Graph graph = parsed(everything);
    EXPECT_EQ(graph.name, "all of it");
    ASSERT_EQ(graph.layers.size(), 2U);
    EXPECT_EQ(graph.layers[0].name, "dense");
    EXPECT_EQ(graph.layers[0].output_shape, (Shape{2, 3}));
    EXPECT_EQ(graph.layers[0].parameters, 15);
    EXPECT_EQ(graph.layers[1].name, "a b");
    ASSERT_EQ(graph.feeds.size(), 2U);
    EXPECT_EQ(graph.feeds[1].name, "labels");
    EXPECT_TRUE(graph.feeds[1].linear);
    EXPECT_EQ(graph.value(graph.feeds[1].value).layer, LayerId(0));
    EXPECT_EQ(graph.type(graph.feeds[1].value), (TensorType{DType::Int32, {2}}));
    ASSERT_EQ(graph.variables.size(), 2U);
    EXPECT_EQ(graph.variables[0].name, "dense/kernel:0");
    EXPECT_EQ(graph.variables[0].initial.make().at(11), 0.5);
    EXPECT_TRUE(graph.variables[0].trainable);
    EXPECT_EQ(graph.variables[0].constraint->settings.real("max_value"), 2.0);
    EXPECT_FALSE(graph.variables[1].trainable);
    EXPECT_EQ(graph.variables[1].initial.make().floats()[2], 2.5e-5F);
    EXPECT_EQ(graph.variables[0].next, graph.operations().back().outputs[0]);
    EXPECT_EQ(graph.constants[1].tensor.bools()[1], 0);
    ASSERT_EQ(graph.operations().size(), 6U);
    const Operation& add = graph.operations()[1];
    EXPECT_EQ(add.name, "x");
    EXPECT_EQ(add.phase, Phase::Backward);
    EXPECT_EQ(add.layer, LayerId(1));
    EXPECT_EQ(add.placement, (Placement{"/device:IPU:1", 1}));
    EXPECT_EQ(graph.operations()[2].attributes.integers("sizes"), (std::vector<std::int64_t>{1, 3}));
    EXPECT_EQ(graph.fetches[1].kind, FetchKind::Metric);
    EXPECT_EQ(graph.training->optimiser.schedule->settings.integer("decay_steps"), 100);
    EXPECT_EQ(graph.training->optimiser.loss_scale, 128);
    EXPECT_EQ(graph.training->reduction, GradientReduction::Mean);
}

TEST(GraphText, WritesWhatItReads) {
    EXPECT_EQ(print(parsed(everything)), everything);
}

TEST(GraphText, LeavesOutTypesThatTheOperationSaysAndComments) {
    const Graph graph = parsed(R"(; from a sketch
        graph "g" { feed %x: float32 [2, 4]   ; the input
          %y = relu(%x) %z = transpose(%y) {permutation: [1, 0]}
          fetch "z" = %z })");
    EXPECT_EQ(graph.type(graph.fetches[0].value), (TensorType{DType::Float32, {4, 2}}));
}

TEST(GraphText, KeepsEveryBitOfNumbers) {
    Graph graph;
    Builder build(graph, registry());
    const float infinity = std::numeric_limits<float>::infinity();
    const std::vector<float> floats = {0.1F,   -0.0F,    1.0F / 3,  16777216.0F,
                                       1e-45F, infinity, -infinity, std::numeric_limits<float>::quiet_NaN(),
                                       3.4e38F};
    const ValueId constant = build.constant("c", HostTensor::of_floats({9}, floats));
    const std::vector<double> reals = {1.0, 0.1, 1e300, -2.5e-310, std::numeric_limits<double>::infinity()};
    build
        .emit("relu", {constant},
              {{"reals", reals},
               {"real", 3.0},
               {"whole", std::int64_t{3}},
               {"wide", std::numeric_limits<std::int64_t>::min()},
               {"no_reals", std::vector<double>{}},
               {"no_texts", std::vector<std::string>{}},
               {"no_wholes", std::vector<std::int64_t>{}},
               {"texts", std::vector<std::string>{"a \"b\"", "back\\slash", "line\nbreak", "ümlaut"}}})
        .value();
    const Graph back = parsed(print(graph));
    EXPECT_EQ(back.operations()[0].attributes, graph.operations()[0].attributes);
    for (std::size_t i = 0; i < floats.size(); ++i)
        EXPECT_EQ(std::bit_cast<std::uint32_t>(back.constants[0].tensor.floats()[i]),
                  std::bit_cast<std::uint32_t>(floats[i]))
            << floats[i];
}

TEST(GraphText, KeepsTheBodiesOfLoops) {
    const std::string loop = R"(graph "loop" {
  feed %h : float32 [4]
  feed %x : float32 [3, 4]
  %out:0, %out:1 = scan(%h, %x) {body: graph "step" {
    feed %state : float32 [4]
    feed %slice : float32 [4]
    %next = add(%state, %slice) : float32 [4]
    fetch "next state" = %next
    fetch "slice" = %next
  }, reversed: false, sequences: 1, states: 1, steps: 3} : float32 [4], float32 [3, 4]
  fetch "all" = %out:1
}
)";
    const Graph graph = parsed(loop);
    EXPECT_EQ(graph.operations()[0].attributes.body("body")->operations().size(), 1U);
    EXPECT_EQ(print(graph), loop);
}

TEST(GraphText, CallsValuesOfOneNameByNumbersAndQuotesOtherCharacters) {
    Graph graph;
    Builder build(graph, registry());
    const ValueId a = build.feed("state", {DType::Float32, {2}}).value();
    const ValueId b = build.feed("state", {DType::Float32, {2}}).value();
    build.emit("add", {a, b}, {}, "sum of both").value();
    const std::string text = print(graph);
    EXPECT_NE(text.find("%\"sum of both\" = add(%state, %state#1)"), std::string::npos) << text;
    const Graph back = parsed(text);
    EXPECT_EQ(back.feeds[1].name, "state");
    EXPECT_EQ(back.operations()[0].name, "sum of both");
    EXPECT_EQ(back.operations()[0].inputs[1], back.feeds[1].value);
}

TEST(GraphText, ShortTextsLeaveOutLargeTensorsWhichAreReadAsZeros) {
    Graph graph;
    Builder build(graph, registry());
    const HostTensor many = HostTensor::of_floats({65}, [] {
        std::vector<float> values(65, 1.0F);
        values[3] = 2.0F;
        return values;
    }());
    build.constant("many", many);
    build.variable("made", InitialValue({DType::Float32, {2}}, [](std::uint64_t) { return 7.0; })).value();
    build.variable("equal", InitialValue::filled({DType::Float32, {1000}}, 0.5)).value();
    const std::string text = print(graph, TensorText::Short);
    EXPECT_NE(text.find("%many : float32 [65] = ..."), std::string::npos) << text;
    EXPECT_NE(text.find("%made : float32 [2] = ..."), std::string::npos) << text;
    EXPECT_NE(text.find("%equal : float32 [1000] = 0.5"), std::string::npos) << text;
    EXPECT_EQ(parsed(text).constants[0].tensor.at(3), 0);
    EXPECT_EQ(parsed(print(graph)).constants[0].tensor.at(3), 2);
}

TEST(GraphText, SaysWhereItIsWrongAndWhy) {
    struct Case {
        std::string text, place, message;
    };
    const std::string head = "graph \"g\" {\n  feed %x : float32 [2, 4]\n";
    for (const Case& c : std::vector<Case>{
             {"", "line 1, column 1", "expected \"graph\", found the end of the text"},
             {"graph g {}", "line 1, column 7", "expected the graph's name in quotes, found \"g\""},
             {head, "line 3, column 1", "found the end of the text"},
             {head + "} x", "line 3, column 3", "the graph has ended, \"x\" does not belong to it"},
             {head + "  %y = relu(%xx)\n}", "line 3, column 13", "there is no %xx above"},
             {head + "  %y = relu(%x, %x)\n}", "line 3, column 8", "1"},
             {head + "  %y = rellu(%x)\n}", "line 3, column 8", "operation \"rellu\" is not known"},
             {head + "  %y = relu(%x) : float32 [8]\n}", "line 3, column 17",
              "relu makes float32 [2, 4] here"},
             {head + "  %y, %z = relu(%x)\n}", "line 3, column 12", "relu makes 1 values, not 2"},
             {head + "  %y = relu(%x)\n  %y = relu(%x)\n}", "line 4, column 3", "is there already"},
             {head + "  %x = relu(%x)\n}", "line 3, column 3", "%x is there already"},
             {head + "  feed %x : float32 [1]\n}", "line 3, column 8", "%x is there already"},
             {head + "  %y = relu(%x) @dense\n}", "line 3, column 17", "there is no layer @dense above"},
             {head + "  %y = relu(%x) shard 99999\n}", "line 3, column 23", "no system has shard 99999"},
             {head + "  %y = transpose(%x) {permutation: [1.0, 0.0]}\n}", "line 3, column 8", "another type"},
             {head + "  %y = relu(%x) {a: 1, a: 2}\n}", "line 3, column 24", "\"a\" is there twice"},
             {head + "  feed %f : float64 [2]\n}", "line 3, column 13", "\"float64\" is no type"},
             {head + "  feed %f : float32 [-1]\n}", "line 3, column 21", "shape [-1]"},
             {head + "  feed %f : float32 [99999999999, 9]\n}", "line 3, column 21",
              "more than an IPU can hold"},
             {head + "  feed %f : float32 [99999999999999999999]\n}", "line 3, column 22",
              "expected an extent"},
             {head + "  constant %c : float32 [2] = [1.0]\n}", "line 3, column 35",
              "expected \",\", found \"]\""},
             {head + "  constant %c : int32 [] = 1.5\n}", "line 3, column 28", "expected a whole number"},
             {head + "  constant %c : int32 [] = 3000000000\n}", "line 3, column 28",
              "expected a whole number"},
             {head + "  constant %c : float32 [99999999] = 1\n}", "line 3, column 17",
              "too large for a text"},
             {head + "  next %x = %x\n}", "line 3, column 8", "%x is no variable"},
             {head + "  variable %v : float32 [2] = 0\n  next %v = %x\n}", "line 4, column 13",
              "the next value is"},
             {head + "  fetch \"y = %x\n}", "line 3, column 9", "the text in quotes has no end"},
             {head + "  fetch \"\\q\" = %x\n}", "line 3, column 11", "an unknown escape"},
             {head + "  \x01\n}", "line 3, column 3", "nothing begins with this character"},
             {head + "  % = relu(%x)\n}", "line 3, column 3", "a label without a name"}}) {
        const Error error = refused(c.text);
        EXPECT_EQ(error.kind, ErrorKind::BadInput);
        EXPECT_EQ(error.place, c.place) << error.line();
        EXPECT_NE(error.message.find(c.message), std::string::npos) << error.line();
    }
}

TEST(GraphText, RefusesBodiesThatLieTooDeep) {
    std::string text;
    for (int i = 0; i < 100000; ++i)
        text += "graph \"g\" { %y = scan() {body: ";
    EXPECT_NE(refused(text).message.find("deep in each other"), std::string::npos);
}

// Each text is one place away from a sound one. What is read all the same is sound again.
TEST(GraphText, DamagedTextsAreRefusedOrReadButNeverCrash) {
    const std::string loop = R"(graph "l" {
  layer @r : "RNN" [4]
  feed %h : float32 [2, 4]
  feed %x : float32 [3, 2, 4]
  variable %w : float32 [4, 4] = 0.5
  constant %c : float32 [2] = [1.0, 2.0]
  %out:0, %out:1 = scan(%h, %x, %w) {body: graph "s" {
    feed %s : float32 [2, 4]
    feed %i : float32 [2, 4]
    feed %w : float32 [4, 4]
    %n = matmul(%s, %w)
    fetch "n" = %n
    fetch "i" = %i
  }, reversed: true, sequences: 1, states: 1, steps: 3} @r
  %t = transpose(%out:1) {permutation: [2, 0, 1]}
  fetch "t" = %t
}
)";
    std::size_t read = 0;
    const auto look = [&](const std::string& text) {
        if (const auto graph = parse(text, registry())) {
            const std::string printed = print(*graph);
            EXPECT_EQ(print(parsed(printed)), printed);
            ++read;
        }
    };
    using namespace std::string_literals;
    const std::string others = "\"%@{}[](),:=.#;-0 9ae\n\x00\xff"s;
    for (const std::string& sound : {everything, loop})
        for (std::size_t i = 0; i < sound.size(); ++i) {
            look(sound.substr(0, i));
            look(sound.substr(i));
            look(std::string(sound).erase(i, 1));
            look(std::string(sound).erase(i, 9));
            look(std::string(sound).insert(i, 1, sound[i]));
            look(std::string(sound).replace(i, 1, 1, others[i % others.size()]));
            look(std::string(sound).insert(i, 1, others[(i / 7) % others.size()]));
        }
    EXPECT_GT(read, 100U); // spaces, names and numbers may be others
}

TEST(GraphText, OperationsHaveNamesOfTheirOwnWhateverTheyAreGiven) {
    Graph graph;
    Builder build(graph, registry());
    const ValueId x = build.feed("x", {DType::Float32, {2}}).value();
    build.emit("relu", {x}, {}, "y_1").value();
    build.emit("relu", {x}, {}, "y").value();
    build.emit("relu", {x}, {}, "y").value();
    build.emit("relu", {x}, {}, "y").value();
    std::vector<std::string> names;
    for (const Operation& op : graph.operations())
        names.push_back(op.name);
    EXPECT_EQ(names, (std::vector<std::string>{"y_1", "y", "y_2", "y_3"}));
}

} // namespace tilescope::graph
