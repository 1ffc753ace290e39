// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/units.h"
#include "ipu/target.h"
#include "lowering/context.h"
#include "mapping/exchange_fabric.h"
#include "program/program.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <string>
#include <vector>

/// What the planner takes products for beside what a program does.
namespace tilescope::tests {

using Items = std::map<std::string, std::int64_t>; ///< cycles by item of a plan's cost

/// The items that the planner knows, of the steps of one product under a plan. `accumulates`: its serial
/// parts are added to an accumulator, where the planner takes them to be slices of a result.
struct EmittedCost {
    Items items;
    bool accumulates = false;
    /// A tile with fewer sums than the fullest takes longer to add them up.
    bool uneven = false;
    std::int64_t partials_of_first = 0; ///< cycles of the tile with the largest share
};

inline EmittedCost emitted_cost(const program::Program& program, const ipu::Target& target,
                                const ipu::ConvSplits& splits,
                                const std::vector<const program::Step*>& steps) {
    EmittedCost emitted{{{"partials", 0}, {"exchange_partials", 0}, {"reduce", 0}, {"updates", 0}}, false};
    Items& items = emitted.items;
    for (const program::Step* step : steps) {
        const std::string verb = step->name.substr(step->name.rfind('/') + 1);
        const std::int64_t cycles = splits.serial() * step->compute_cycles;
        if (verb == "Convolve") {
            items["partials"] += cycles;
            emitted.partials_of_first +=
                splits.serial() *
                program.compute_sets[static_cast<std::size_t>(step->compute_set)].tile_cycles.at(0);
        }
        if (verb == "Reduce") { // the planner counts the fullest tile, as PopLibs does: the first
            const auto& set = program.compute_sets[static_cast<std::size_t>(step->compute_set)];
            items["reduce"] += splits.serial() * set.tile_cycles.at(0);
            emitted.uneven = emitted.uneven || set.tile_cycles.at(0) < step->compute_cycles;
        }
        if (verb == "Cast") // of each part, or of the sum over all
            (splits.serial_in == 1 ? items["reduce"] += cycles : items["updates"] += step->compute_cycles);
        if (verb == "DynamicUpdate" || verb == "AddInPlace")
            items["updates"] += cycles;
        emitted.accumulates = emitted.accumulates || (verb == "AddInPlace" && splits.serial_in == 1);
        if (step->exchange >= 0 && step->work.of == "partials") {
            const auto& received = program.exchanges[static_cast<std::size_t>(step->exchange)].received;
            items["exchange_partials"] +=
                splits.serial() * ceil_div(*std::max_element(received.begin(), received.end()),
                                           target.exchange_bytes_per_cycle);
        }
    }
    return emitted;
}

/// The most cycles that the words of an exchange are under way.
inline std::int64_t longest_way(const ipu::Target& target) {
    if (target.tiles_per_ipu != mapping::known_chip_tiles)
        return target.exchange_setup_cycles;
    mapping::ExchangePaths paths;
    for (std::int64_t tile = 0; tile < target.tiles_per_ipu; ++tile) {
        paths.add_sender(tile);
        paths.add_receiver(tile);
    }
    return paths.cycles();
}

/// Expects operands that the product itself has laid out as its plan asks for to come in the plan's cycles,
/// but for the share of one tile and the way of the words; or in those of the instructions of the busiest
/// tile, which the planner does not count. Not of the products of a joint plan, which read across the edges
/// of each other's blocks. Returns how many there are.
inline std::size_t expect_operands_as_planned(const program::Program& program, const ipu::Target& target,
                                              const ipu::ConvPlan& plan,
                                              const std::vector<const program::Step*>& steps) {
    const std::int64_t serial = plan.splits.serial();
    std::set<std::string> laid_out;
    std::size_t operands = 0;
    for (const program::Step* step : steps) {
        const std::string& of = step->work.of;
        if (step->work.verb == "Rearrange")
            laid_out.insert(of);
        if (step->work.role != StepRole::Bring || !laid_out.contains(of) || plan.transform.joint)
            continue;
        const std::int64_t times = of == "input" && plan.splits.serial_out > 1 ? 1 : serial;
        const std::int64_t planned = of == "input" ? plan.cost.exchange_inputs : plan.cost.exchange_weights;
        const auto& held = program.variable(step->uses.at(0)).tile_bytes;
        const std::int64_t share = ceil_div(std::int64_t{*std::max_element(held.begin(), held.end())}, times);
        const auto& instructions = program.exchanges[static_cast<std::size_t>(step->exchange)].instructions;
        const std::int64_t most =
            std::max<std::int64_t>(planned / times + ceil_div(share, target.exchange_bytes_per_cycle),
                                   *std::max_element(instructions.begin(), instructions.end()));
        EXPECT_LE(step->exchange_cycles, most + longest_way(target)) << step->name << ipu::describe(plan);
        ++operands;
    }
    return operands;
}

/// What was compared, and of which products a tile takes longer than the fullest: to add up, or to multiply,
/// where its workers have pieces of more rows.
struct Compared {
    std::size_t products = 0;
    std::size_t laid_out = 0; ///< operands that a product has laid out
    std::vector<std::string> uneven = {};
};

/// What a step does, without the path to it within a loop: "Rearrange".
inline std::string verb_of(const program::Step& step) {
    return step.work.verb.substr(step.work.verb.rfind('/') + 1);
}

/// Each step of a product as an item of its plan's cost, with the syncs of all.
inline Items items_of_steps(const program::Program& program, const std::vector<const program::Step*>& steps) {
    std::map<const program::Step*, std::int64_t> times;
    for (const program::Step& step : program.steps)
        if (step.kind == StepKind::Repeat && step.name.ends_with("/serial parts"))
            for (const program::StepId child : step.children)
                times[&program.step(child)] = step.repeats;
    Items items;
    const bool serial = std::any_of(steps.begin(), steps.end(),
                                    [&](const program::Step* step) { return times.contains(step); });
    const std::map<std::string, std::string> of_verb = {
        {"Convolve", "partials"},  {"Reduce", "reduce"},         {"DynamicSlice", "slices"},
        {"AddInPlace", "updates"}, {"DynamicUpdate", "updates"}, {"Rearrange", "rearrange"},
        {"Dilate", "rearrange"},   {"Gather", "rearrange"}};
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const program::Step& step = *steps[i];
        if (step.work.role == StepRole::Copy || step.work.role == StepRole::Push ||
            step.work.role == StepRole::Pop)
            continue; // how a stage comes by an operand
        const std::int64_t runs = times.contains(&step) ? times[&step] : 1;
        std::string item;
        if (step.kind == StepKind::Exchange) {
            const bool lays_out = i + 1 < steps.size() && verb_of(*steps[i + 1]) == "Rearrange" &&
                                  steps[i + 1]->work.of == step.work.of;
            item = lays_out                    ? "rearrange"
                   : step.work.of == "input"   ? "exchange_inputs"
                   : step.work.of == "weights" ? "exchange_weights"
                                               : "exchange_" + step.work.of;
        } else if (verb_of(step) == "Cast") {
            item = serial && !times.contains(&step) ? "updates" : "reduce";
        } else {
            const auto known = of_verb.find(verb_of(step));
            item = known == of_verb.end() ? verb_of(step) : known->second;
        }
        items["sync"] += runs * step.sync_cycles;
        items[item] += runs * (step.exchange_cycles + step.compute_cycles);
    }
    std::erase_if(items, [](const auto& item) { return item.second == 0; });
    return items;
}

inline Items items_of(const ipu::ConvCost& cost) {
    Items items;
    for (const ipu::CostItem& item : ipu::cost_items(cost))
        if (item.cycles != 0)
            items[item.name] = item.cycles;
    return items;
}

/// The items that depend on where the operations around a product leave its operands.
inline const std::set<std::string> items_of_layout{"rearrange", "exchange_inputs", "exchange_weights",
                                                   "slices"};

/// Expects of each product that its steps take what its plan costs with the operands where they lie, item by
/// item; that all items of what its plan was chosen by, but those of `items_of_layout`, are those of the
/// program; and that what it lays out itself is brought as planned.
inline Compared expect_planned_costs(const program::Program& program, const ipu::Target& target,
                                     const std::vector<lowering::OperationPlan>& plans) {
    Compared compared{plans.size()};
    std::map<std::string, std::vector<const program::Step*>> steps; // by product
    for (const program::StepId id : program.leaves())
        if (const std::string& name = program.step(id).name; name.find('/') != std::string::npos)
            steps[name.substr(0, name.rfind('/'))].push_back(&program.step(id));
    for (const lowering::OperationPlan& plan : plans) {
        const ipu::ConvPlan& best = plan.plans.at(0);
        EXPECT_EQ(items_of(plan.placed), items_of_steps(program, steps[plan.product]))
            << plan.product << " " << ipu::describe(best);
        EmittedCost emitted = emitted_cost(program, target, best.splits, steps[plan.product]);
        Items planned;
        for (const ipu::CostItem& item : ipu::cost_items(best.cost))
            if (!items_of_layout.contains(item.name))
                planned[item.name] = item.cycles;
        if (emitted.accumulates)
            planned["updates"] = emitted.items["updates"];
        if (planned["partials"] < emitted.items["partials"]) { // the planner counts the fullest tile
            emitted.items["partials"] = emitted.partials_of_first;
            emitted.uneven = true;
        }
        EXPECT_EQ(planned, emitted.items) << plan.product << " " << ipu::describe(best);
        compared.laid_out += expect_operands_as_planned(program, target, best, steps[plan.product]);
        if (emitted.uneven)
            compared.uneven.push_back(plan.product);
    }
    return compared;
}

} // namespace tilescope::tests
