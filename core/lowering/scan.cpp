// SPDX-License-Identifier: GPL-3.0-or-later
#include "graph/scan.h"

#include "base/entry.h"
#include "families.h"
#include "ipu/elementwise_cycles.h"

#include <algorithm>

namespace tilescope::lowering {
namespace {

using graph::Scan;
using graph::ValueId;
using program::StepId;
using program::TileMapping;

/// A body lowered once, in a repeat. Its operations decide where states lie. Sequences lie so that each tile
/// has its part of all slices, and a slice is dealt to as many tiles as it has elements, from the first one
/// on (IPU TensorFlow driver/tensor.cc, AddDynamicSliceTensor; PopLibs lib/popops/DynamicSlice.cpp,
/// createSliceableTensor): what a step makes goes there by an exchange, and what it takes comes from there.
/// Each slice has a compute set of its own (generateVertices there).
class ScanLowering {
  public:
    explicit ScanLowering(LoweringContext& context)
        : context_(context), scan_(context.attributes()), body_(*scan_.body),
          first_fixed_(scan_.states + scan_.sequences), inner_{
                                                            body_,
                                                            context.state().lowerings,
                                                            context.state().target,
                                                            context.state().program,
                                                            context.state().planner,
                                                            context.state().exchanges,
                                                            std::vector<Placed>(body_.values().size()),
                                                            {},
                                                            context.state().next_tile,
                                                            last_uses(body_,
                                                                      context.state().lowerings.registry()),
                                                            context.state().planning,
                                                            context.state().ipu} {
        inner_.stage = context.state().stage;
        inner_.io_tiles = context.state().io_tiles;
        inner_.around.emplace(Surroundings{context.state(),
                                           context.whole_operation(),
                                           context.whole_layer(),
                                           context.full_name() + "/",
                                           context.path(),
                                           {},
                                           static_cast<std::int32_t>(first_fixed_)});
    }

    void lower() {
        for (std::size_t i = first_fixed_; i < body_.feeds.size(); ++i)
            if (context_.placed(i))
                inner(feed(i)) = context_.input(i);
            else
                inner_.around->fixed[feed(i).value] = context_.operation().inputs[i];
        inner_.first_tiles.swap(context_.state().first_tiles);
        const StepId before = sequence(context_.sequence(), "before");
        const StepId loop = repeat();
        const StepId take = sequence(loop, "take slices");
        take_slices(before, take);
        for (const graph::Operation& op : body_.operations()) {
            LoweringContext context(inner_, op, sequence(loop, op.name));
            inner_.lowerings.at(op.kind)(context);
        }
        place_the_rest();
        put_slices(sequence(loop, "put slices"));
        carry_states(before, sequence(loop, "next states"));
        LoweringState& outer = context_.state();
        outer.next_tile = inner_.next_tile;
        outer.first_tiles.swap(inner_.first_tiles);
        outer.plans.insert(outer.plans.end(), inner_.plans.begin(), inner_.plans.end());
    }

  private:
    ValueId feed(std::size_t i) const { return body_.feeds[i].value; }
    ValueId fetch(std::size_t i) const { return body_.fetches[i].value; }
    Placed& inner(ValueId id) { return entry(inner_.values, id); }
    std::int64_t element_bytes(ValueId id) const { return graph::element_bytes(body_.type(id).dtype); }

    StepId sequence(StepId parent, const std::string& name) {
        program::Step step;
        step.name = context_.full_name() + "/" + name;
        step.operation = context_.whole_operation();
        return inner_.program.add_step(std::move(step), parent);
    }

    StepId repeat() {
        program::Step step;
        step.kind = StepKind::Repeat;
        step.name = context_.full_name() + "/steps";
        step.operation = context_.whole_operation();
        step.repeats = scan_.steps;
        return inner_.program.add_step(std::move(step), context_.sequence());
    }

    /// What the body reads only to hand it on.
    void place_the_rest() {
        for (std::size_t i = 0; i < body_.fetches.size(); ++i)
            if (inner(fetch(i)).variable == program::no_variable)
                place_value(inner_, fetch(i), linear_mapping(inner_, body_.type(fetch(i))));
        for (std::size_t i = 0; i < scan_.states; ++i)
            if (inner(feed(i)).variable == program::no_variable)
                place_value(inner_, feed(i), inner(fetch(i)).mapping);
    }

    TileMapping slice_mapping(const graph::TensorType& type) const {
        return TileMapping::linear(type.shape, inner_.compute_tiles(), 1, 1);
    }

    std::vector<std::int64_t> slice_cycles(const TileMapping& mapping, std::int64_t bytes) const {
        std::vector<std::int64_t> cycles = mapping.elements_per_tile();
        for (std::int64_t& n : cycles)
            n = n == 0 ? 0 : ipu::slice_cycles(inner_.target, bytes, n);
        return cycles;
    }

    void put_slices(StepId where) {
        for (std::size_t i = scan_.states; i < body_.fetches.size(); ++i) {
            const TileMapping mapping = slice_mapping(body_.type(fetch(i)));
            const std::int64_t bytes = element_bytes(fetch(i));
            const std::string& name = body_.value(fetch(i)).name;
            LoweringContext context(context_.state(), context_.operation(), where);
            std::vector<program::VariableId> uses;
            context.bring(inner(fetch(i)), bytes, name, mapping.view(), program::needs_of(mapping), uses);
            uses.push_back(context_.place_output(i, mapping.stacked(scan_.steps)));
            context.execute({StepRole::Compute, "put", name}, ipu::codelets::dynamic_update,
                            slice_cycles(mapping, bytes), std::move(uses));
        }
    }

    void take_slices(StepId before, StepId where) {
        LoweringContext outside(context_.state(), context_.operation(), before);
        LoweringContext inside(context_.state(), context_.operation(), where);
        for (std::size_t i = scan_.states; i < first_fixed_; ++i) {
            if (entry(inner_.last_use, feed(i)) < 0)
                continue; // nothing reads it
            const TileMapping mapping = slice_mapping(body_.type(feed(i)));
            const TileMapping stacked = mapping.stacked(scan_.steps);
            const std::int64_t bytes = element_bytes(feed(i));
            if (!outside.placed(i))
                outside.place_input(i, stacked);
            std::vector<program::VariableId> uses;
            outside.bring(i, stacked.view(), program::needs_of(stacked), uses);
            uses.push_back(place_value(inner_, feed(i), mapping).variable);
            inside.execute({StepRole::Compute, "take", body_.value(feed(i)).name},
                           ipu::codelets::dynamic_slice, slice_cycles(mapping, bytes), std::move(uses));
        }
    }

    /// First states come before the loop, and each step's results take their place.
    void carry_states(StepId before, StepId after) {
        for (std::size_t i = 0; i < scan_.states; ++i) {
            const Placed home = inner(feed(i));
            const std::int64_t bytes = element_bytes(feed(i));
            LoweringContext outside(context_.state(), context_.operation(), before);
            if (is_zero(context_.operation().inputs[i])) {
                std::vector<std::int64_t> cycles = home.mapping.elements_per_tile();
                for (std::int64_t& n : cycles)
                    n = n == 0 ? 0 : ipu::fill_cycles(inner_.target, bytes, n);
                outside.execute("first state", ipu::codelets::fill, cycles, {home.variable});
            } else {
                if (!outside.placed(i))
                    outside.place_input(i, home.mapping);
                copy(outside, outside.input(i), home, bytes, "first state");
            }
            LoweringContext inside(context_.state(), context_.operation(), after);
            if (const Placed next = inner(fetch(i)); next.variable != home.variable)
                copy(inside, next, home, bytes, "next state");
            context_.state().values[static_cast<std::size_t>(context_.operation().outputs[i].value)] = home;
        }
    }

    bool is_zero(ValueId id) const {
        const graph::HostTensor* constant = context_.state().graph.constant(id);
        if (constant == nullptr)
            return false;
        for (std::int64_t i = 0; i < constant->elements(); ++i)
            if (constant->at(i) != 0)
                return false;
        return true;
    }

    static void copy(LoweringContext& context, const Placed& from, const Placed& to, std::int64_t bytes,
                     const std::string& name) {
        std::vector<program::VariableId> uses{to.variable};
        context.bring(from, bytes, name, to.mapping.view(), program::needs_of(to.mapping), uses);
        std::vector<std::int64_t> cycles = to.mapping.elements_per_tile();
        for (std::int64_t& n : cycles)
            n = n == 0 ? 0 : ipu::copy_cycles(context.target(), n * bytes, bytes);
        context.execute(name, ipu::codelets::copy, cycles, std::move(uses));
    }

    LoweringContext& context_;
    const Scan scan_;
    const graph::Graph& body_;
    const std::size_t first_fixed_;
    LoweringState inner_;
};

} // namespace

void add_scan_lowering(LoweringTable& table) {
    table.set("scan", [](LoweringContext& context) { ScanLowering(context).lower(); });
}

} // namespace tilescope::lowering
