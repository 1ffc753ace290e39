// SPDX-License-Identifier: GPL-3.0-or-later
#include "ipu/planning_options.h"

#include "base/pattern.h"

#include <algorithm>

namespace tilescope::ipu {
namespace {

template<class T>
bool any_or_one_of(const std::vector<T>& list, T value) {
    return list.empty() || std::find(list.begin(), list.end(), value) != list.end();
}

} // namespace

bool PlanningRule::holds_for(const ProductPlace& product) const {
    const Phase pass = product.phase == Phase::Recompute ? Phase::Forward : product.phase;
    return (!of || *of == product.kind) && any_or_one_of(stages, product.stage) &&
           any_or_one_of(passes, pass) && (layers.empty() || matches_pattern(layers, product.layer));
}

ProductPlanning PlanningOptions::planning_of(const ProductPlace& product) const {
    ProductPlanning result = all;
    for (const PlanningRule& rule : rules)
        if (rule.holds_for(product)) {
            result.available_memory_proportion =
                rule.available_memory_proportion.value_or(result.available_memory_proportion);
            result.half_partials = rule.half_partials.value_or(result.half_partials);
        }
    return result;
}

} // namespace tilescope::ipu
