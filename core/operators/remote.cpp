// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/try.h"
#include "operators/families.h"
#include "operators/interpreter.h"

/// Loads and stores of variables that live in streaming memory: their values do not change.
namespace tilescope::operators {
namespace {

Result<std::vector<graph::TensorType>> infer_load(std::span<const graph::TensorType> in,
                                                  const graph::Attributes&) {
    TRY(expect_inputs(in, in.size() == 2 ? 2 : 1));
    if (in.back().shape != in[0].shape)
        return shape_error("a tensor like the variable", to_string(in.back()) + " for " + to_string(in[0]));
    return std::vector<graph::TensorType>{in[0]};
}

} // namespace

void add_remote_operators(graph::OperatorRegistry& registry) {
    graph::Operator load;
    load.name = "remote_load";
    load.summary =
        "y = a variable that lives in streaming memory, on tiles; laid out like a second input. Gathered "
        "from "
        "`replicas` replicas of which each has a share there, or that share itself, where they are `shares`.";
    load.infer = infer_load;
    load.compute = copy_first;
    registry.add(std::move(load));

    graph::Operator store;
    store.name = "remote_store";
    store.summary = "variable' = x, in streaming memory, from (x, variable).";
    store.infer = same_as_first(2);
    store.compute = copy_first;
    store.in_place = graph::InPlace::Any;
    registry.add(std::move(store));
}

} // namespace tilescope::operators
