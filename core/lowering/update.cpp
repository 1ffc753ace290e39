// SPDX-License-Identifier: GPL-3.0-or-later
#include "families.h"
#include "ipu/elementwise_cycles.h"

namespace tilescope::lowering {
namespace {

/// An optimiser's update: the gradient comes to where the variable lives, slots lie beside it, and all are
/// updated in place by one compute set. `kinds` is the arithmetic of one element. Not `in_place`: the first
/// output is a tensor of its own beside the variable.
void lower_update(LoweringContext& context, const std::vector<std::string>& kinds, bool in_place) {
    const graph::Operation& op = context.operation();
    const program::TileMapping mapping = context.input_mapping(0);
    const std::size_t last = op.inputs.size() - 1;
    std::vector<program::VariableId> uses;
    for (std::size_t i = 0; i <= last; ++i) {
        if (context.input_type(i).elements() != context.input_type(0).elements()) { // a step count
            std::vector<program::TileNeed> needs = program::needs_of(mapping);
            const program::Shape shape = context.input_type(i).shape;
            for (program::TileNeed& need : needs)
                need.box = {program::Shape(shape.size(), 0), shape};
            context.bring(i, shape, needs, uses);
            continue;
        }
        if (i > 0 && i < last && !context.placed(i))
            context.place_input(i, mapping);
        context.bring(i, mapping.view(), program::needs_of(mapping), uses);
    }
    for (std::size_t k = in_place ? 0 : 1; k < op.outputs.size(); ++k)
        context.alias_output(k, k);
    if (!in_place)
        uses.push_back(context.place_output(0, mapping));
    const std::int64_t bytes = graph::element_bytes(context.input_type(0).dtype);
    std::vector<std::int64_t> cycles = mapping.elements_per_tile();
    for (std::int64_t& value : cycles)
        value = kinds.empty() ? ipu::scaled_add_cycles(context.target(), bytes, value)
                              : ipu::fused_elementwise_cycles(context.target(), kinds, bytes, value);
    context.execute("Update", kinds.empty() ? ipu::codelets::scaled_add : ipu::codelets::fused, cycles,
                    std::move(uses), kinds.empty() ? "" : op.kind);
}

LowerFunction update(std::vector<std::string> kinds, bool in_place = true) {
    return [kinds = std::move(kinds), in_place](LoweringContext& context) {
        lower_update(context, kinds, in_place);
    };
}

} // namespace

void add_update_lowerings(LoweringTable& table) {
    table.set("sgd_update", update({}));
    table.set("moving_average_update", update({"multiply", "multiply", "add"}));
    table.set("momentum_update", update({"multiply", "add", "multiply", "subtract"}));
    table.set("accumulated_momentum_update", update({"multiply", "add", "multiply", "subtract"}));
    table.set("adam_update", update({"multiply", "multiply", "add", "square", "multiply", "multiply", "add",
                                     "sqrt", "add", "divide", "multiply", "subtract"}));
    table.set("adam_amsgrad_update",
              update({"multiply", "multiply", "add", "square", "multiply", "multiply", "add", "maximum",
                      "sqrt", "add", "divide", "multiply", "subtract"}));
    table.set("rmsprop_centered_update",
              update({"square", "multiply", "multiply", "add", "multiply", "multiply", "add", "square",
                      "subtract", "add", "sqrt", "divide", "multiply", "subtract"}));
    table.set("rmsprop_centered_momentum_update",
              update({"square", "multiply", "multiply", "add", "multiply", "multiply", "add", "square",
                      "subtract", "add", "sqrt", "divide", "multiply", "multiply", "add", "subtract"}));
    table.set("rmsprop_momentum_update", update({"square", "multiply", "multiply", "add", "add", "sqrt",
                                                 "divide", "multiply", "multiply", "add", "subtract"}));
    table.set("adagrad_update", update({"square", "add", "sqrt", "add", "divide", "multiply", "subtract"}));
    table.set("adadelta_update",
              update({"square", "multiply", "multiply", "add", "add", "sqrt", "add", "sqrt", "divide",
                      "multiply", "square", "multiply", "multiply", "add", "multiply", "subtract"}));
    table.set("ftrl_update", update({"sqrt", "square", "add", "sqrt", "subtract", "multiply", "multiply",
                                     "multiply", "add", "add", "subtract", "abs", "subtract", "maximum",
                                     "sign", "multiply", "multiply", "add", "divide"}));
    table.set("ftrl_power_update",
              update({"power", "square", "add", "power", "subtract", "multiply", "multiply", "multiply",
                      "add", "add", "subtract", "abs", "subtract", "maximum", "sign", "multiply", "multiply",
                      "add", "divide"}));
    table.set("adamax_update", update({"multiply", "multiply", "add", "abs", "multiply", "maximum", "add",
                                       "divide", "multiply", "subtract"}));
    table.set("nadam_update",
              update({"multiply", "multiply", "add", "square", "multiply", "multiply", "add", "multiply",
                      "multiply", "add", "divide", "sqrt", "add", "divide", "multiply", "subtract"}));
    table.set("lamb_direction_update",
              update({"multiply", "multiply", "add", "square", "multiply", "multiply", "add", "divide",
                      "divide", "sqrt", "add", "divide", "multiply", "add"},
                     false));
    table.set("rmsprop_update", update({"square", "multiply", "multiply", "add", "add", "sqrt", "divide",
                                        "multiply", "subtract"}));
}

} // namespace tilescope::lowering
