// SPDX-License-Identifier: GPL-3.0-or-later
#include "operators/replica_groups.h"

#include "base/try.h"
#include "graph/builder.h"
#include "operators/families.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace tilescope::operators {
namespace {

void mean_of_group(std::span<graph::ComputeContext> lanes) {
    const double share = 1 / static_cast<double>(lanes.size());
    for (std::size_t i = 0; i < lanes[0].outputs.size(); ++i) {
        const std::size_t count = lanes[0].outputs[i]->floats().size();
        for (std::size_t k = 0; k < count; ++k) {
            double sum = 0;
            for (const graph::ComputeContext& c : lanes)
                sum += static_cast<double>(c.inputs[i]->floats()[k]);
            for (const graph::ComputeContext& c : lanes)
                c.outputs[i]->floats()[k] = static_cast<float>(sum * share);
        }
    }
}

/// Writes `of(lane, part, k)` to element k of part `part` of each lane's output, which has `parts` of them.
template<class Of>
void write_parts(std::span<graph::ComputeContext> lanes, std::size_t parts, const Of& of) {
    for (std::size_t lane = 0; lane < lanes.size(); ++lane) {
        const auto out = of.view(*lanes[lane].outputs[0]);
        const std::size_t each = out.size() / parts;
        for (std::size_t i = 0; i < out.size(); ++i)
            out[i] = of(lane, i / each, i % each);
    }
}

/// Elements of the lanes' inputs, floats or whole numbers.
struct Floats {
    std::span<graph::ComputeContext> lanes;
    static std::span<float> view(graph::HostTensor& tensor) { return tensor.floats(); }
    std::span<const float> in(std::size_t lane) const { return lanes[lane].inputs[0]->floats(); }
};
struct Ints {
    std::span<graph::ComputeContext> lanes;
    static std::span<std::int32_t> view(graph::HostTensor& tensor) { return tensor.ints(); }
    std::span<const std::int32_t> in(std::size_t lane) const { return lanes[lane].inputs[0]->ints(); }
};

/// Part r of all outputs is what lane r has; a single lane stands for others that have the same.
template<class Values>
struct Gathered : Values {
    auto operator()(std::size_t, std::size_t part, std::size_t k) const {
        return this->in(std::min(part, this->lanes.size() - 1))[k];
    }
};
/// Part r of lane l's output is part l of lane r's input.
template<class Values>
struct Swapped : Values {
    std::size_t parts = 1;
    auto operator()(std::size_t lane, std::size_t part, std::size_t k) const {
        const auto values = this->in(std::min(part, this->lanes.size() - 1));
        return values[lane * (values.size() / parts) + k];
    }
};

std::size_t parts_of(std::span<graph::ComputeContext> lanes) {
    return static_cast<std::size_t>(lanes[0].attributes.integer(group_attribute, 1));
}

bool whole_numbers(std::span<graph::ComputeContext> lanes) {
    return lanes[0].outputs[0]->type().dtype == graph::DType::Int32;
}

void gather_of_group(std::span<graph::ComputeContext> lanes) {
    if (whole_numbers(lanes))
        write_parts(lanes, parts_of(lanes), Gathered<Ints>{{lanes}});
    else
        write_parts(lanes, parts_of(lanes), Gathered<Floats>{{lanes}});
}

void swap_of_group(std::span<graph::ComputeContext> lanes) {
    const std::size_t parts = parts_of(lanes);
    if (whole_numbers(lanes))
        write_parts(lanes, parts, Swapped<Ints>{{lanes}, parts});
    else
        write_parts(lanes, parts, Swapped<Floats>{{lanes}, parts});
}

/// Lane l gets the sum of part l of all; a single one stands for as many as there are parts.
void scatter_of_group(std::span<graph::ComputeContext> lanes) {
    const std::size_t stands_for = parts_of(lanes) / lanes.size();
    for (std::size_t lane = 0; lane < lanes.size(); ++lane) {
        const auto out = lanes[lane].outputs[0]->floats();
        for (std::size_t k = 0; k < out.size(); ++k) {
            double sum = 0;
            for (const graph::ComputeContext& c : lanes)
                sum += static_cast<double>(c.inputs[0]->floats()[lane * out.size() + k]);
            out[k] = static_cast<float>(sum * static_cast<double>(stands_for));
        }
    }
}

void number_in_group(std::span<graph::ComputeContext> lanes) {
    for (std::size_t lane = 0; lane < lanes.size(); ++lane)
        lanes[lane].outputs[0]->ints()[0] = static_cast<std::int32_t>(lane);
}

Result<std::vector<graph::TensorType>> infer_gathered(std::span<const graph::TensorType> in,
                                                      const graph::Attributes& attributes) {
    TRY(expect_inputs(in, 1));
    graph::TensorType type = in[0];
    type.shape.insert(type.shape.begin(), attributes.integer(group_attribute, 1));
    return std::vector{std::move(type)};
}

/// As many parts as the group has replicas come first.
Result<void> expect_parts(std::span<const graph::TensorType> in, const graph::Attributes& attributes) {
    TRY(expect_inputs(in, 1));
    const std::int64_t group = attributes.integer(group_attribute, 1);
    if (in[0].shape.empty() || in[0].shape[0] != group)
        return shape_error("a tensor [" + std::to_string(group) + ", …], a part for each replica",
                           graph::to_string(in[0]));
    return {};
}

Result<std::vector<graph::TensorType>> infer_scattered(std::span<const graph::TensorType> in,
                                                       const graph::Attributes& attributes) {
    TRY(expect_parts(in, attributes));
    graph::TensorType type = in[0];
    type.shape.erase(type.shape.begin());
    return std::vector{std::move(type)};
}

Result<std::vector<graph::TensorType>> infer_swapped(std::span<const graph::TensorType> in,
                                                     const graph::Attributes& attributes) {
    TRY(expect_parts(in, attributes));
    return std::vector{in[0]};
}

Result<std::vector<graph::TensorType>> infer_number(std::span<const graph::TensorType> in,
                                                    const graph::Attributes&) {
    TRY(expect_inputs(in, 0));
    return std::vector<graph::TensorType>{{graph::DType::Int32, {}}};
}

/// Each of the operations that move parts is the other way round what another one does to gradients.
graph::GradientFunction gradient_by(const char* kind) {
    return [kind](graph::GradientContext& g) -> Result<std::vector<graph::ValueId>> {
        return g.build.add(kind, {g.output_gradients[0]}, g.operation.attributes);
    };
}

struct OfGroupKind {
    const char* name;
    OfGroup compute;
    graph::InferFunction infer;
    const char* gradient; ///< null: none
    const char* summary;
};

const std::vector<OfGroupKind>& kinds_that_move() {
    static const std::vector<OfGroupKind> kinds{
        {"group_gather", gather_of_group, infer_gathered, "group_scatter",
         "y [`group`, …] = x of each of `group` replicas, the same on each of them."},
        {"group_scatter", scatter_of_group, of_floats(infer_scattered), "group_gather",
         "y = the sum over `group` replicas of that part of x [`group`, …] that has this replica's number."},
        {"group_all_to_all", swap_of_group, infer_swapped, "group_all_to_all",
         "y [`group`, …]: part r is that part of replica r's x [`group`, …] that has this replica's number."},
        {"group_index", number_in_group, infer_number, nullptr,
         "y = the number of this replica among `group` of them."},
    };
    return kinds;
}

Result<std::vector<graph::TensorType>> infer_each(std::span<const graph::TensorType> in,
                                                  const graph::Attributes&) {
    return std::vector<graph::TensorType>(in.begin(), in.end());
}

} // namespace

OfGroup of_group(const std::string& kind) {
    if (kind == "group_moments" || kind == "group_mean")
        return kind == "group_mean" ? mean_of_group : moments_of_group;
    for (const OfGroupKind& each : kinds_that_move())
        if (kind == each.name)
            return each.compute;
    return nullptr;
}

std::int64_t replicas_of_group(const graph::Graph& graph) {
    std::int64_t count = 1;
    for (const graph::Operation& op : graph.operations())
        if (of_group(op.kind) != nullptr)
            count = std::lcm(count, op.attributes.integer(group_attribute, 1));
    return count;
}

void add_replica_group_operators(graph::OperatorRegistry& registry) {
    graph::Operator op;
    op.name = "group_mean";
    op.summary = "y = the mean of x over `group` replicas, the same on each of them; of several x at once.";
    op.infer = of_floats(infer_each);
    op.compute = [](graph::ComputeContext& c) { mean_of_group({&c, 1}); };
    // That of the sum, `group` times the mean, is the sum of the replicas' gradients, as in IPU TensorFlow
    // (python/ipu/ops/cross_replica_ops_grad.py).
    op.gradient = [](graph::GradientContext& g) -> Result<std::vector<graph::ValueId>> {
        std::vector<graph::ValueId> given = g.output_gradients;
        for (std::size_t i = 0; i < given.size(); ++i)
            if (const graph::ValueId y = g.operation.outputs[i]; given[i] == graph::no_value) {
                TRY(given[i], g.build.emit("subtract", {y, y}));
            }
        return g.build.add("group_mean", given, g.operation.attributes);
    };
    op.stateful = true; // the other replicas of the group compute it at the same time
    registry.add(std::move(op));

    for (const OfGroupKind& each : kinds_that_move()) {
        graph::Operator moves;
        moves.name = each.name;
        moves.summary = each.summary;
        moves.infer = each.infer;
        moves.compute = [compute = each.compute](graph::ComputeContext& c) { compute({&c, 1}); };
        if (each.gradient != nullptr)
            moves.gradient = gradient_by(each.gradient);
        moves.stateful = true;
        registry.add(std::move(moves));
    }
}

} // namespace tilescope::operators
