// SPDX-License-Identifier: GPL-3.0-or-later
#include "ipu/planning_options.h"

#include <algorithm>

namespace tilescope::ipu {

bool PlanningRule::holds_for(const ProductPlace& product) const {
    const Phase pass = product.phase == Phase::Recompute ? Phase::Forward : product.phase;
    return (!of || *of == product.kind) && part.holds_for(product.stage, product.layer) &&
           (passes.empty() || std::find(passes.begin(), passes.end(), pass) != passes.end());
}

ProductPlanning PlanningOptions::planning_of(const ProductPlace& product) const {
    ProductPlanning result = all;
    for (const PlanningRule& rule : rules)
        if (rule.holds_for(product)) {
            result.available_memory_proportion =
                rule.available_memory_proportion.value_or(result.available_memory_proportion);
            result.half_partials = rule.half_partials.value_or(result.half_partials);
            result.gather_output = rule.gather_output.value_or(result.gather_output);
            result.clear_pass_type = rule.clear_pass_type.value_or(result.clear_pass_type);
        }
    return result;
}

} // namespace tilescope::ipu
