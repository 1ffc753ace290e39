// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/text.h"
#include "base/try.h"
#include "compile/passes.h"
#include "operators/replica_groups.h"
#include "reordering.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

/// A batch norm's statistics become those of the batches of a group of replicas, as IPU TensorFlow's
/// distributed batch norms have them: one all-reduce of mean and power together in the forward pass, one of
/// the gradients of both in the backward pass, and none where the layer is computed again
/// (driver/passes/distributed_batch_norm_decomposer.cc). Statistics of single samples, as layer and group
/// norms have them, stay.
namespace tilescope::compile {
namespace {

using graph::Operation;
using graph::ValueId;

bool of_whole_batch(const graph::Graph& graph, const Operation& op) {
    if (op.kind != "moments")
        return false;
    const std::vector<std::int64_t> axes = op.attributes.integers("axes");
    const auto rank = static_cast<std::int64_t>(graph.type(op.inputs[0]).shape.size());
    return std::any_of(axes.begin(), axes.end(),
                       [rank](std::int64_t axis) { return axis == 0 || axis == -rank; });
}

/// Errors: a loop takes such statistics in each of its steps.
Result<void> check_bodies(const graph::Graph& graph, const std::string& loop = {}) {
    for (const Operation& op : graph.operations()) {
        if (!loop.empty() && of_whole_batch(graph, op))
            return bad_input("statistics of a group of replicas cannot be taken within a loop", loop,
                             "let each replica have its own: set "
                             "norms.experimental.distributed_batch_norm_replica_group_size to 1");
        if (const graph::Body body = op.attributes.body("body"))
            TRY(check_bodies(*body, op.name));
    }
    return {};
}

} // namespace

Result<std::string> share_norm_statistics(Compilation& c) {
    if (c.options.norm_replicas == 1)
        return std::string("each replica normalises by its own batch");
    graph::Graph& graph = c.graph();
    TRY(check_bodies(graph));
    const graph::Attributes group{{operators::group_attribute, c.options.norm_replicas}};
    std::set<std::int32_t> means; // values
    Reordering order(c);
    TRY(auto ordered, order.each([&](Operation& op) -> Result<void> {
        if (of_whole_batch(graph, op)) {
            means.insert(op.outputs[0].value);
            op.kind = "group_moments";
            op.attributes.set(operators::group_attribute, c.options.norm_replicas);
        } else if (op.kind == "moments_gradient" && means.contains(op.inputs[1].value)) {
            TRY(const auto shared,
                order.add("group_mean", {op.inputs[2], op.inputs[3]}, group, op.name + "/group_mean"));
            op.inputs[2] = shared[0];
            op.inputs[3] = shared[1];
        }
        order.place(std::move(op));
        return {};
    }));
    graph.set_operations(std::move(ordered));
    if (means.empty())
        return std::string("no norm has statistics of whole batches");
    return counted_text(static_cast<std::int64_t>(means.size()), "norm has", "norms have") +
           " statistics of " + count_text(c.options.norm_replicas) + " replicas";
}

} // namespace tilescope::compile
