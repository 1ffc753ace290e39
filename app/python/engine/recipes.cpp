// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/python/engine/recipes.h"

#include "app/python/engine/arrays.h"
#include "app/python/engine/attributes.h"
#include "app/python/engine/failure.h"
#include "base/try.h"
#include "graph/builder.h"
#include "layers/einsum.h"
#include "layers/hyperbolic.h"
#include "layers/resampling.h"
#include "layers/volumes.h"
#include "training/constraints.h"
#include "training/rate_schedule.h"

#include <functional>
#include <map>
#include <pybind11/stl.h>

namespace py = pybind11;

namespace tilescope::python {
namespace {

using graph::Builder;
using graph::ValueId;

/// A graph as the recipes of core/layers extend it.
struct RecordedOps {
    using Value = ValueId;
    Builder& build;

    graph::Shape shape(ValueId x) const { return build.type(x).shape; }
    ValueId number(ValueId x, double value) const { return build.scalar(value, build.type(x).dtype); }
    Result<ValueId> emit(const std::string& kind, const graph::Operands<ValueId>& operands,
                         graph::Attributes attributes) const {
        return build.emit(kind, operands, std::move(attributes));
    }
};

using Recipe = std::function<Result<ValueId>(Builder&, const std::vector<ValueId>&)>;

/// What a recipe adds to a graph of these inputs, step by step.
py::object recorded(const graph::OperatorRegistry& registry, const std::vector<InputType>& inputs,
                    const Recipe& recipe) {
    graph::Graph graph;
    Builder build(graph, registry);
    std::vector<ValueId> given;
    std::map<ValueId, std::size_t> numbers;
    for (const auto& [dtype, shape] : inputs) {
        given.push_back(
            value_or_throw(build.feed(std::to_string(given.size()), {dtype_named(dtype), shape})));
        numbers.emplace(given.back(), numbers.size());
    }
    const ValueId result = value_or_throw(recipe(build, given));
    if (result == given.front())
        return py::none();
    py::list steps;
    for (const graph::Operation& operation : graph.operations()) {
        py::list operands;
        for (const ValueId input : operation.inputs) {
            const auto number = numbers.find(input);
            operands.append(number == numbers.end() ? py::object(array_of(*graph.constant(input)))
                                                    : py::object(py::int_(number->second)));
        }
        for (const ValueId output : operation.outputs)
            numbers.emplace(output, numbers.size());
        steps.append(py::make_tuple(operation.kind, operands, dict_of(operation.attributes)));
        if (operation.outputs.front() == result)
            break;
    }
    return steps;
}

} // namespace

py::object einsum_recipe(const graph::OperatorRegistry& registry, const std::vector<InputType>& inputs,
                         const std::vector<std::string>& letters, const std::string& result) {
    return recorded(registry, inputs, [&](Builder& build, const std::vector<ValueId>& tensors) {
        std::vector<layers::Lettered<RecordedOps>> operands;
        for (std::size_t i = 0; i < tensors.size(); ++i)
            operands.push_back({tensors[i], letters.at(i)});
        return layers::einsum(RecordedOps{build}, operands, result);
    });
}

py::object hyperbolic_recipe(const graph::OperatorRegistry& registry, const std::string& function) {
    using Functions = layers::Hyperbolic<RecordedOps>;
    return recorded(registry, {{"float32", {}}}, [&](Builder& build, const std::vector<ValueId>& x) {
        const RecordedOps ops{build};
        const Functions functions(ops);
        const std::map<std::string, Result<ValueId> (Functions::*)(const ValueId&) const> all = {
            {"cosh", &Functions::cosh},   {"sinh", &Functions::sinh},   {"asinh", &Functions::asinh},
            {"acosh", &Functions::acosh}, {"atanh", &Functions::atanh}, {"log1p", &Functions::log1p}};
        return (functions.*all.at(function))(x[0]);
    });
}

py::object constraint_recipe(const graph::OperatorRegistry& registry, const std::string& constraint,
                             const py::dict& settings, const InputType& weight) {
    const graph::Constraint wanted{constraint, attributes_of(settings)};
    value_or_throw(training::check_constraint(wanted, weight.second));
    return recorded(registry, {weight}, [&](Builder& build, const std::vector<ValueId>& w) {
        return training::constrained(build, wanted, w[0], {});
    });
}

py::object schedule_recipe(const graph::OperatorRegistry& registry, const std::string& schedule,
                           const py::dict& settings) {
    const graph::RateSchedule wanted{schedule, attributes_of(settings)};
    return recorded(registry, {{"float32", {}}}, [&](Builder& build, const std::vector<ValueId>& step) {
        return training::add_rate(build, wanted, step[0]);
    });
}

py::object volumes_recipe(const graph::OperatorRegistry& registry, const std::string& kind,
                          const std::vector<InputType>& inputs, const py::dict& settings) {
    const auto padding = settings["padding"].cast<graph::Shape>();
    layers::VolumeWindows windows;
    windows.kernel = settings["window"].cast<graph::Shape>();
    windows.strides = settings["strides"].cast<graph::Shape>();
    windows.dilations = settings["dilations"].cast<graph::Shape>();
    windows.groups = settings["groups"].cast<std::int64_t>();
    windows.before = {padding.begin(), padding.begin() + 3};
    windows.after = {padding.begin() + 3, padding.end()};
    return recorded(registry, inputs, [&](Builder& build, const std::vector<ValueId>& in) {
        const RecordedOps ops{build};
        return kind == "conv3d" ? layers::convolve_volumes(ops, in[0], in[1], windows)
                                : layers::pool_volumes(ops, kind.c_str(), in[0], windows);
    });
}

py::object resampled(const std::string& method, std::int64_t in, std::int64_t out, bool half_pixel) {
    if (method == "area")
        return array_of(layers::covering(in, out));
    layers::Resampling r;
    r.in = in;
    r.out = out;
    r.scale = static_cast<double>(out) / static_cast<double>(in);
    r.coordinates = half_pixel ? layers::Coordinates::HalfPixel : layers::Coordinates::Asymmetric;
    if (method == "nearest") {
        r.coordinates = half_pixel ? layers::Coordinates::HalfPixelOfNearest : r.coordinates;
        r.nearest = layers::NearestMode::Floor;
        return py::cast(layers::nearest_places(r));
    }
    r.mode = method == "bicubic" ? layers::ResizeMode::Cubic : layers::ResizeMode::Linear;
    r.cubic = half_pixel ? -0.5 : -0.75; // Keys' kernel; TensorFlow 2 leaves out what lies beyond the ends
    r.exclude_outside = half_pixel && r.mode == layers::ResizeMode::Cubic;
    r.places_between = r.mode == layers::ResizeMode::Cubic ? 1024 : 0;
    return array_of(layers::interpolation(r));
}

} // namespace tilescope::python
