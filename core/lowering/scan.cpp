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

/// A body lowered once, in a repeat. Its operations decide where states and slices lie; sequences lie so that
/// each tile has its part of all slices, and a step takes and puts slices without any exchange.
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
                                                            std::vector<Placed>(body_.values().size()),
                                                            {},
                                                            context.state().next_tile,
                                                            last_uses(body_,
                                                                      context.state().lowerings.registry()),
                                                            context.state().planning,
                                                            context.state().ipu} {
        inner_.stage = context.state().stage;
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
        const StepId before = sequence(context_.sequence(), "before");
        const StepId loop = repeat();
        const StepId take = sequence(loop, "take slices");
        for (const graph::Operation& op : body_.operations()) {
            LoweringContext context(inner_, op, sequence(loop, op.name));
            inner_.lowerings.at(op.kind)(context);
        }
        place_the_rest();
        put_slices(sequence(loop, "put slices"));
        take_slices(before, take);
        carry_states(before, sequence(loop, "next states"));
        LoweringState& outer = context_.state();
        outer.next_tile = inner_.next_tile;
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

    void add_cycles(const TileMapping& mapping, std::int64_t bytes, std::vector<std::int64_t>& cycles) const {
        const std::vector<std::int64_t> elements = mapping.elements_per_tile();
        cycles.resize(elements.size());
        for (std::size_t t = 0; t < elements.size(); ++t)
            if (elements[t] > 0)
                cycles[t] += ipu::slice_cycles(inner_.target, bytes, elements[t]);
    }

    void put_slices(StepId where) {
        std::vector<std::int64_t> cycles;
        std::vector<program::VariableId> uses;
        for (std::size_t i = scan_.states; i < body_.fetches.size(); ++i) {
            const Placed made = inner(fetch(i));
            uses.push_back(made.variable);
            uses.push_back(context_.place_output(i, made.mapping.stacked(scan_.steps)));
            add_cycles(made.mapping, element_bytes(fetch(i)), cycles);
        }
        if (!uses.empty())
            LoweringContext(context_.state(), context_.operation(), where)
                .execute("put slices", ipu::codelets::dynamic_update, cycles, std::move(uses));
    }

    void take_slices(StepId before, StepId where) {
        LoweringContext outside(context_.state(), context_.operation(), before);
        std::vector<std::int64_t> cycles;
        std::vector<program::VariableId> uses;
        for (std::size_t i = scan_.states; i < first_fixed_; ++i) {
            const Placed slice = inner(feed(i));
            if (slice.variable == program::no_variable)
                continue; // nothing reads it
            const TileMapping mapping = slice.mapping.stacked(scan_.steps);
            if (!outside.placed(i))
                outside.place_input(i, mapping);
            outside.bring(i, mapping.view(), program::needs_of(mapping), uses);
            uses.push_back(slice.variable);
            add_cycles(slice.mapping, element_bytes(feed(i)), cycles);
        }
        if (!uses.empty())
            LoweringContext(context_.state(), context_.operation(), where)
                .execute("take slices", ipu::codelets::dynamic_slice, cycles, std::move(uses));
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
