// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/random.h"
#include "graph/scan.h"
#include "tests/core/operators/graph_runner.h"

#include <gtest/gtest.h>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <vector>

/// Every operation that has a gradient, on small tensors.
namespace tilescope::test {

using graph::Attributes;

/// One operation to differentiate: shapes of its float inputs, ranges of their values, and inputs that are no
/// floats and so have no gradient.
struct Case {
    std::vector<Shape> shapes;
    Attributes attributes;
    double low = -1;
    double high = 1;
    std::vector<HostTensor> others;
    std::size_t others_at = std::numeric_limits<std::size_t>::max(); ///< of the inputs; else after the floats
};

using Ints = std::vector<std::int64_t>;

inline HostTensor one_hot_rows(std::int64_t rows, std::int64_t classes) {
    HostTensor labels(graph::TensorType{graph::DType::Float32, {rows, classes}});
    for (std::int64_t r = 0; r < rows; ++r)
        labels.set(r * classes + (r * 2 + 1) % classes, 1);
    return labels;
}

inline HostTensor classes_of(std::vector<std::int32_t> labels) {
    return HostTensor::of_ints({static_cast<std::int64_t>(labels.size())}, labels);
}

inline HostTensor mask(Shape shape) {
    HostTensor m(graph::TensorType{graph::DType::Bool, std::move(shape)});
    for (std::int64_t i = 0; i < m.elements(); ++i)
        m.set(i, i % 2 == 0 ? 1 : 0);
    return m;
}

/// Two states, of which one is only handed on; a sequence; weights [3, 3] and a bias that is read twice.
inline Attributes scan(bool reversed) {
    graph::Graph graph;
    graph::Builder build(graph, registry());
    const ValueId h = build.feed("h", {graph::DType::Float32, {2, 3}}).value();
    const ValueId c = build.feed("c", {graph::DType::Float32, {2, 3}}).value();
    const ValueId x = build.feed("x", {graph::DType::Float32, {2, 3}}).value();
    const ValueId w = build.feed("w", {graph::DType::Float32, {3, 3}}).value();
    const ValueId b = build.feed("b", {graph::DType::Float32, {3}}).value();
    const ValueId z =
        build.emit("add", {build.emit("matmul", {h, w}), build.emit("multiply", {x, b})}).value();
    const ValueId next = build.emit("tanh", {build.emit("add", {z, b})}).value();
    build.fetch("h", next);
    build.fetch("c", c);
    build.fetch("y", build.emit("multiply", {next, x}).value());
    build.fetch("h", next);
    graph::Scan scan{{}};
    scan.body = std::make_shared<graph::Graph>(graph);
    scan.steps = 4;
    scan.states = 2;
    scan.sequences = 1;
    scan.reversed = reversed;
    return scan.attributes();
}

inline const std::string stops = "stop_gradient"; ///< whose gradient is not that of its values

inline std::multimap<std::string, Case> cases() {
    const Shape s{3, 4};
    std::multimap<std::string, Case> all;
    for (const char* name : {"log", "sqrt", "rsqrt", "reciprocal"})
        all.emplace(name, Case{{s}, {}, 0.5, 2});
    for (const char* name : {"add", "subtract", "multiply", "maximum", "minimum"}) {
        all.emplace(name, Case{{s, s}, {}});
        all.emplace(name, Case{{s, {4}}, {}});
        all.emplace(name, Case{{{3, 1}, {2, 1, 4}}, {}});
    }
    all.emplace("divide", Case{{s, {3, 1}}, {}, 0.5, 2});
    all.emplace("power", Case{{s, {4}}, {}, 0.5, 2});
    all.emplace("atan2", Case{{s, {4}}, {}, 0.5, 2});
    all.emplace("atan2", Case{{s, s}, {}, -2, -0.5});
    for (const char* name : {"fmod", "floor_mod"}) { // away from where a is a whole times b
        all.emplace(name, Case{{s, {4}}, {}, 1.1, 2});
        all.emplace(name, Case{{s, s}, {}, -2, -1.1});
    }
    all.emplace("select", Case{{s, s}, {}, -1, 1, {mask(s)}, 0});
    all.emplace("select", Case{{s, {}}, {}, -1, 1, {mask(s)}, 0});
    all.emplace("cast", Case{{s}, {{"dtype", std::string("float32")}}});
    for (const bool ta : {false, true})
        for (const bool tb : {false, true}) {
            const Attributes a{{"transpose_a", ta}, {"transpose_b", tb}};
            all.emplace("matmul", Case{{ta ? Shape{3, 2} : Shape{2, 3}, tb ? Shape{4, 3} : Shape{3, 4}}, a});
            all.emplace(
                "matmul",
                Case{{ta ? Shape{2, 3, 2} : Shape{2, 2, 3}, tb ? Shape{2, 4, 3} : Shape{2, 3, 4}}, a});
        }
    all.emplace("group_mean", Case{{s}, {{"group", std::int64_t{2}}}}); // of replicas that are alike
    for (const char* name : {"group_gather", "group_scatter", "group_all_to_all"})
        all.emplace(name, Case{{{1, 3, 4}}, {{"group", std::int64_t{1}}}});
    all.emplace("conv2d", Case{{{2, 5, 4, 2}, {3, 2, 2, 3}}, {}});
    all.emplace("conv2d",
                Case{{{1, 6, 5, 4}, {3, 3, 2, 6}},
                     {{"strides", Ints{2, 1}}, {"padding", Ints{1, 0, 2, 1}}, {"groups", std::int64_t{2}}}});
    all.emplace("conv2d", Case{{{1, 7, 7, 1}, {2, 3, 1, 2}},
                               {{"dilations", Ints{2, 2}}, {"padding", Ints{0, 1, 1, 0}}}});
    const Attributes pool{{"window", Ints{2, 3}}, {"strides", Ints{1, 2}}, {"padding", Ints{1, 0, 0, 1}}};
    all.emplace("max_pool2d", Case{{{2, 4, 6, 2}}, pool});
    all.emplace("average_pool2d", Case{{{2, 4, 6, 2}}, pool});
    Attributes counted = pool;
    counted.set("count_include_pad", true);
    all.emplace("average_pool2d", Case{{{2, 4, 6, 2}}, counted});
    all.emplace("max_pool2d_gradient", Case{{{2, 4, 6, 2}, {2, 4, 3, 2}, {2, 4, 3, 2}}, pool});
    all.emplace("max_pool2d_picked", Case{{{2, 4, 6, 2}, {2, 4, 6, 2}}, pool});
    counted.set("shape", Ints{2, 4, 6, 2});
    all.emplace("average_pool2d_gradient", Case{{{2, 4, 3, 2}}, counted});
    all.emplace("reshape", Case{{s}, {{"shape", Ints{2, -1}}}});
    all.emplace("recomputation_checkpoint", Case{{s}, {}});
    all.emplace("transpose", Case{{{2, 3, 4}}, {{"permutation", Ints{2, 0, 1}}}});
    all.emplace("slice", Case{{s}, {{"begin", Ints{1, 0}}, {"size", Ints{2, 3}}}});
    all.emplace("pad", Case{{s}, {{"before", Ints{1, 0}}, {"after", Ints{0, 2}}}});
    all.emplace("take", Case{{{2, 3, 2}}, {{"axis", std::int64_t{1}}, {"indices", Ints{2, 0, 2, 1}}}});
    all.emplace("gather", Case{{{2, 3, 2}}, {{"axis", std::int64_t{1}}}, -1, 1, {classes_of({2, 0, 2})}});
    all.emplace("gather", Case{{{3, 2}}, {{"axis", std::int64_t{0}}}, -1, 1, {classes_of({1, 1})}});
    const HostTensor pointers = HostTensor::of_ints({2, 3, 1}, std::vector<std::int32_t>{2, 0, 2, 1, 1, 7});
    all.emplace("gather_nd", Case{{{2, 3, 2}}, {{"batch_dims", std::int64_t{1}}}, -1, 1, {pointers}});
    all.emplace(
        "gather_nd",
        Case{{{2, 3}}, {}, -1, 1, {HostTensor::of_ints({2, 2}, std::vector<std::int32_t>{1, 0, 1, 0})}});
    all.emplace("gather_elements",
                Case{{{3, 2}},
                     {{"axis", std::int64_t{0}}},
                     -1,
                     1,
                     {HostTensor::of_ints({2, 2}, std::vector<std::int32_t>{2, 0, 2, 5})}});
    const HostTensor rows = HostTensor::of_ints({2, 2}, std::vector<std::int32_t>{2, 0, 0, 1});
    const HostTensor twice = HostTensor::of_ints({3, 1}, std::vector<std::int32_t>{1, 0, 1});
    for (const char* reduction : {"none", "add"}) {
        Attributes how{{"reduction", std::string(reduction)}};
        const bool adds = how.text("reduction", "") == "add"; // where indices may be equal
        all.emplace("scatter_nd",
                    Case{{{4, 2}, {adds ? 3 : 2, 2}},
                         how,
                         -1,
                         1,
                         {adds ? twice : HostTensor::of_ints({2, 1}, std::vector<std::int32_t>{3, 1})},
                         1});
        how.set("axis", std::int64_t{0});
        all.emplace("scatter_elements", Case{{{3, 2}, {2, 2}}, how, -1, 1, {rows}, 1});
    }
    for (const bool largest : {true, false})
        all.emplace("top_k", Case{{{3, 5}}, {{"k", std::int64_t{3}}, {"largest", largest}}});
    for (const char* name : {"floor", "ceil", "round"})
        all.emplace(name, Case{{s}, {}, 0.6, 0.9});
    for (const bool reversed : {false, true})
        all.emplace("scan", Case{{{2, 3}, {2, 3}, {4, 2, 3}, {3, 3}, {3}}, scan(reversed)});
    all.emplace("split", Case{{{2, 6, 2}}, {{"axis", std::int64_t{1}}, {"sizes", Ints{1, 3, 2}}}});
    all.emplace("concatenate", Case{{{2, 3}, {2, 1}}, {{"axis", std::int64_t{1}}}});
    all.emplace("broadcast_to", Case{{{3, 1}}, {{"shape", Ints{2, 3, 4}}}});
    for (const char* name : {"reduce_sum", "reduce_mean", "reduce_max", "reduce_min"}) {
        all.emplace(name, Case{{{2, 3, 4}}, {{"axes", Ints{0, 2}}}});
        all.emplace(name, Case{{{2, 3, 4}}, {{"axes", Ints{-1}}, {"keep_dims", true}}});
        all.emplace(name, Case{{s}, {}});
    }
    all.emplace("reduce_prod", Case{{s}, {{"axes", Ints{1}}}, 0.5, 2});
    all.emplace("reduce_prod", Case{{{2, 5, 3}}, {{"axes", Ints{0, 2}}, {"keep_dims", true}}, 0.5, 2});
    all.emplace("reduce_prod", Case{{{2, 3}}, {}});
    all.emplace("softmax", Case{{s}, {}});
    all.emplace("log_softmax", Case{{s}, {}});
    for (const Ints& axes : {Ints{0, 1}, Ints{2}, Ints{1, -1}}) {
        const std::map<std::size_t, Shape> shapes{{1, {2, 3, 1}}, {2, {2, 1, 1}}};
        const Shape statistics = axes[0] == 0 ? Shape{4} : shapes.at(axes.size());
        all.emplace("moments", Case{{{2, 3, 4}}, {{"axes", axes}}});
        all.emplace("normalise", Case{{{2, 3, 4}, statistics, statistics}, {{"axes", axes}}, 0.5, 2});
        all.emplace("moments_gradient",
                    Case{{{2, 3, 4}, statistics, statistics, statistics}, {{"axes", axes}}});
        all.emplace("normalise_gradient", Case{{{2, 3, 4}, statistics}, {{"axes", axes}}, 0.5, 2});
        all.emplace("normalise_statistics_gradient",
                    Case{{{2, 3, 4}, statistics, statistics, {2, 3, 4}}, {{"axes", axes}}, 0.5, 2});
    }
    all.emplace("embedding_lookup", Case{{{5, 3}}, {}, -1, 1, {classes_of({4, 0, 4, 9, 2})}});
    all.emplace("conv2d_input_gradient",
                Case{{{2, 3, 2, 3}, {3, 2, 2, 3}},
                     {{"strides", Ints{2, 1}}, {"padding", Ints{1, 0, 1, 0}}, {"shape", Ints{2, 6, 3, 2}}}});
    all.emplace("conv2d_filter_gradient",
                Case{{{2, 6, 3, 2}, {2, 3, 2, 3}},
                     {{"strides", Ints{2, 1}}, {"padding", Ints{1, 0, 1, 0}}, {"shape", Ints{3, 2, 2, 3}}}});
    all.emplace("embedding_lookup_gradient",
                Case{{{4, 3}}, {{"rows", std::int64_t{5}}}, -1, 1, {classes_of({4, 0, 4, 9})}, 0});
    all.emplace("dropout_gradient", Case{{{4, 6}}, {{"rate", 0.5}, {"salt", std::int64_t{9}}}});
    all.emplace("gaussian_noise", Case{{{4, 6}}, {{"stddev", 0.5}, {"salt", std::int64_t{9}}}});
    all.emplace("dropout", Case{{{4, 6}}, {{"rate", 0.5}, {"salt", std::int64_t{9}}}});
    for (const char* name : {"softmax_gradient", "log_softmax_gradient"})
        all.emplace(name, Case{{s, s}, {}});
    all.emplace("categorical_crossentropy_gradient",
                Case{{s, {3}}, {{"from_logits", true}}, -1, 0.9, {one_hot_rows(3, 4)}, 1});
    all.emplace("categorical_crossentropy_gradient", Case{{s, s, {3}}, {{"from_logits", true}}});
    all.emplace("sparse_categorical_crossentropy_gradient",
                Case{{s, {3}}, {{"from_logits", true}}, -1, 0.9, {classes_of({1, 3, 0})}, 1});
    for (const bool logits : {true, false}) {
        const double low = logits ? -1 : 0.1;
        all.emplace("categorical_crossentropy",
                    Case{{s}, {{"from_logits", logits}}, low, 0.9, {one_hot_rows(3, 4)}});
        all.emplace("categorical_crossentropy",
                    Case{{s, s}, {{"from_logits", logits}}, 0.1, 0.9}); // labels, too
        all.emplace("sparse_categorical_crossentropy",
                    Case{{s}, {{"from_logits", logits}}, low, 0.9, {classes_of({1, 3, 0})}});
    }
    // Every other function of one number, on either side of 0, away from kinks there; and the gradients of
    // those that are differentiated again, from the input or the output and dy.
    const graph::TensorType type{graph::DType::Float32, s};
    for (const std::string& name : registry().names()) {
        const graph::Operator& op = registry().at(name);
        if (!op.elementwise || !op.gradient || all.contains(name) || name == stops)
            continue;
        const bool of_one = op.infer(std::vector{type}, {}).has_value();
        if (!of_one && !name.ends_with("_gradient"))
            continue;
        const std::vector<Shape> shapes(of_one ? 1 : 2, s);
        all.emplace(name, Case{shapes, {}, 0.2, 1.5});
        all.emplace(name, Case{shapes, {}, -1.5, -0.2});
    }
    return all;
}

/// loss = sum(w * op(x ...)) over all outputs with fixed random weights w, so that every element counts
/// differently.
struct Loss {
    graph::Graph graph;
    ValueId value;
    std::vector<ValueId> inputs;     ///< the floats
    std::vector<std::size_t> places; ///< which of the feeds those are
    std::vector<HostTensor> feeds;
};

inline Loss make_loss(const std::string& kind, const Case& c) {
    Loss loss;
    graph::Builder build(loss.graph, registry());
    std::vector<ValueId> inputs;
    const RandomStream random(11, kind);
    std::uint64_t n = 0;
    const auto add_others = [&] {
        for (const HostTensor& other : c.others) {
            inputs.push_back(build.feed("other", other.type()).value());
            loss.feeds.push_back(other);
        }
    };
    for (const Shape& shape : c.shapes) {
        if (inputs.size() == c.others_at)
            add_others();
        HostTensor x(graph::TensorType{graph::DType::Float32, shape});
        for (std::int64_t i = 0; i < x.elements(); ++i)
            x.set(i, c.low + (c.high - c.low) * static_cast<double>(random.uniform(n++)));
        inputs.push_back(build.feed("x", x.type()).value());
        loss.inputs.push_back(inputs.back());
        loss.places.push_back(loss.feeds.size());
        loss.feeds.push_back(std::move(x));
    }
    if (c.others_at >= c.shapes.size())
        add_others();
    const auto outputs = build.add(kind, inputs, c.attributes);
    EXPECT_TRUE(outputs.has_value()) << kind << c.attributes.json();
    std::uint64_t w = 1000;
    loss.value = build.scalar(0);
    for (const ValueId y : *outputs) {
        if (!graph::is_floating(build.type(y).dtype))
            continue;
        HostTensor weights(build.type(y));
        for (std::int64_t i = 0; i < weights.elements(); ++i)
            weights.set(i, 0.5 + static_cast<double>(random.uniform(w++)));
        const ValueId weighted = build.emit("multiply", {y, build.constant("weights", weights)}).value();
        loss.value = build.emit("add", {loss.value, build.emit("reduce_sum", {weighted})}).value();
    }
    return loss;
}

} // namespace tilescope::test
