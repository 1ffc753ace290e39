// SPDX-License-Identifier: GPL-3.0-or-later
#include "planned.h"

#include "base/units.h"
#include "ipu/elementwise_cycles.h"
#include "partial_sums.h"
#include "placed_cost.h"
#include "plan_layout.h"
#include "program/exchange_traffic.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

namespace tilescope::lowering {
namespace {

using program::TileMapping;

/// The convolution as the plan has turned it.
class Lowering {
  public:
    Lowering(LoweringContext& context, const PlannedConvolution& convolution)
        : context_(context), layout_(context.plan(convolution.problem).front(), convolution, context.tiles()),
          plan_(layout_.plan()), p_(layout_.problem()), cuts_(layout_.cuts()),
          dilates_(!convolution.dilated.view.empty()), tiles_(static_cast<std::size_t>(context.tiles())),
          gathers_(context
                       .planning(convolution.problem.matrices ? ipu::ProductKind::Matmul
                                                              : ipu::ProductKind::Convolution)
                       .gather_output) {}

    void run() {
        place(input_, Operand::Input);
        place(weights_, Operand::Weights);
        const TileMapping inputs_at = input_.mapping;
        const TileMapping weights_at = weights_.mapping;
        prepare_turned();
        multiply();
        dilate();
        context_.set_placed_cost(placed_cost(
            context_, layout_,
            {inputs_at, weights_at, output_bytes(), gathers_ && whole() && !casts(), accumulates_}));
    }

  private:
    void multiply() {
        if (plan_.splits.serial() == 1) {
            bring(Operand::Input);
            bring(Operand::Weights);
            return convolve();
        }
        const bool inputs_once = plan_.splits.serial_out > 1;
        if (inputs_once)
            bring(Operand::Input);
        place_output();
        if (sums_apart())
            sum_ = context_.temporary("sum of parts", partials_type(),
                                      in_bytes(output_mapping_.elements_per_tile(), p_.types.partial_bytes));
        context_.begin_repeat("serial parts", plan_.splits.serial());
        slice();
        if (!inputs_once)
            bring(Operand::Input);
        bring(Operand::Weights);
        convolve();
        context_.end_repeat();
        if (sum_ != program::no_variable)
            cast(sum_, output_, made_);
    }

    std::int64_t input_bytes() const { return layout_.input_bytes(); }

    Placed& placed(Operand operand) { return operand == Operand::Weights ? weights_ : input_; }

    void place(Placed& operand, Operand which) {
        if (!context_.placed(layout_.index(which)))
            context_.place_input(layout_.index(which), layout_.mapping(which));
        operand = context_.input(layout_.index(which));
    }

    /// Operands whose elements change their order, or are padded, or whose serial parts lie on other tiles
    /// each, are rearranged by all tiles before they go to those that need them.
    void prepare_turned() {
        for (const Operand operand : {Operand::Input, Operand::Weights}) {
            if (auto anew = layout_.laid_out(operand, placed(operand).mapping))
                turn(operand, std::move(anew->mapping), anew->made, to_string(operand));
        }
        if (layout_.transposes_weights())
            turn(Operand::Input, input_.mapping, input_.mapping.elements_per_tile(), "weights");
    }

    void turn(Operand operand, TileMapping mapping, const std::vector<std::int64_t>& made,
              const std::string& name) {
        Placed& from = placed(operand);
        from = context_.rearrange(from, std::move(mapping), input_bytes(), p_.in_channels * p_.out_channels,
                                  made, name);
    }

    void bring(Operand operand) {
        if (layout_.expands(operand))
            return bring_expanded(operand);
        context_.bring(placed(operand), input_bytes(), to_string(operand), layout_.tensor(operand).view,
                       layout_.needs(operand), uses_);
    }

    /// An operand whose kernel positions became channels: each tile receives the rows of its product but for
    /// the part that it holds itself.
    void bring_expanded(Operand operand) {
        const std::string name = to_string(operand);
        const std::int64_t users = layout_.users(operand);
        const auto buffer =
            context_.temporary(name + "/expanded", input_bytes() == 2 ? DType::Float16 : DType::Float32,
                               in_bytes(layout_.needs_expanded(operand), 1));
        context_.exchange_balanced(
            {StepRole::Bring, "exchange", name}, layout_.exchange_expanded(operand, placed(operand).mapping),
            {placed(operand).variable, buffer}, users, layout_.users_in_pairs(operand));
        uses_.push_back(buffer);
    }

    /// Of what a serial part reads: of both operands where parts are of what is summed over.
    void slice() {
        for (const Operand operand : {Operand::Input, Operand::Weights})
            if (layout_.sliced(operand))
                slice(placed(operand));
    }

    void slice(const Placed& sliced) {
        std::vector<std::int64_t> cycles(tiles_, 0);
        const auto held = sliced.mapping.elements_per_tile();
        for (std::size_t t = 0; t < tiles_; ++t)
            cycles[t] =
                ipu::slice_cycles(context_.target(), input_bytes(), ceil_div(held[t], plan_.splits.serial()));
        context_.execute("DynamicSlice", ipu::codelets::dynamic_slice, cycles, {sliced.variable});
    }

    void place_output() {
        output_mapping_ = layout_.output_mapping();
        if (plan_.splits.serial() > 1 && !dilates_ && !sums_apart())
            if (const auto accumulator = context_.place_in_accumulator(output_mapping_)) {
                output_ = *accumulator;
                accumulates_ = true;
                return;
            }
        output_ = !dilates_
                      ? context_.place_output(0, output_mapping_)
                      : context_.temporary("undilated", output_dtype(),
                                           in_bytes(output_mapping_.elements_per_tile(), output_bytes()));
    }

    DType output_dtype() const { return context_.output_type().dtype; }
    std::int64_t output_bytes() const { return graph::element_bytes(context_.output_type().dtype); }

    /// Spreads the results over the positions that the stride left out, with zeros between them, where they
    /// lie (lib/poplin/ConvModel.cpp, canDeferDilation).
    void dilate() {
        if (!dilates_)
            return;
        const TileMapping mapping = layout_.dilated_mapping();
        std::vector<std::int64_t> cycles = mapping.elements_per_tile();
        for (std::int64_t& n : cycles)
            n = ipu::copy_cycles(context_.target(), n * output_bytes(),
                                 layout_.original().out_channels * output_bytes());
        context_.execute("Dilate", ipu::codelets::copy, cycles, {output_, context_.place_output(0, mapping)});
    }

    /// Whether the vertices' results are floats and the operation's are half: where no reduction follows,
    /// which converts what it adds up, a cast does (lib/poplin/Convolution.cpp).
    bool casts() const { return p_.types.partial_bytes > output_bytes(); }

    /// Whether serial parts are added up in floats and only their sum becomes half.
    bool sums_apart() const { return casts() && plan_.splits.serial_in > 1; }

    void cast(program::VariableId from, program::VariableId to, std::vector<std::int64_t> cycles) {
        for (std::int64_t& n : cycles)
            n = ipu::cast_cycles(context_.target(), p_.types.partial_bytes, output_bytes(), n);
        context_.execute("Cast", ipu::codelets::cast, cycles, {from, to});
    }

    DType partials_type() const { return p_.types.partial_bytes == 4 ? DType::Float32 : DType::Float16; }

    void convolve() {
        std::vector<std::int64_t> cycles(tiles_, 0);
        std::vector<std::int64_t> partials(tiles_, 0);
        std::vector<std::int64_t> lists(tiles_, 0); // bytes
        const ipu::ConvGrouping& g = plan_.grouping;
        for (const auto& [tile, share] : layout_.shares()) {
            const ipu::ConvWork work = layout_.work(share);
            const auto t = static_cast<std::size_t>(tile);
            cycles[t] = ipu::conv_partial_cycles(context_.target(), g, p_.types, work);
            lists[t] = ipu::conv_list_bytes(context_.target(), g, p_.types, work);
            partials[t] = layout_.partials(work);
        }
        const ipu::Codelet& codelet = ipu::conv_codelet(g, p_.types);
        const std::string types = ipu::codelet_types(g, p_.types);
        if (whole() && !casts() && !gathers_) {
            place_output();
            context_.interleave(output_, interleaves());
            uses_.push_back(output_);
            context_.execute({StepRole::Compute, "Convolve", {}}, codelet, cycles, uses_, types, lists);
            return;
        }
        program::VariableId sums =
            context_.temporary("partials", partials_type(), in_bytes(partials, p_.types.partial_bytes));
        context_.interleave(sums, interleaves());
        uses_.push_back(sums);
        context_.execute({StepRole::Compute, "Convolve", {}}, codelet, cycles, uses_, types, lists);
        if (plan_.splits.serial() == 1)
            place_output();
        if (cuts_.depth > 1)
            sums = reduce(sums, partials);
        else if (casts() && plan_.splits.serial_in == 1)
            sums = cast_results(sums, partials);
        else if (whole()) // its results would stay among its partial sums
            gather(sums, partials);
        if (cuts_.depth == 1)
            made_ = std::move(partials);
        if (plan_.splits.serial() > 1)
            update(sums);
    }

    /// Whether its vertices make results, rather than parts of them.
    bool whole() const { return cuts_.depth == 1 && plan_.splits.serial() == 1; }

    bool interleaves() const { return ipu::loads_and_stores_at_once(plan_.grouping.vertex); }

    std::vector<std::int32_t> in_bytes(const std::vector<std::int64_t>& elements, std::int64_t bytes) const {
        std::vector<std::int32_t> result(elements.size());
        std::transform(elements.begin(), elements.end(), result.begin(),
                       [bytes](std::int64_t n) { return static_cast<std::int32_t>(n * bytes); });
        return result;
    }

    /// Results into a variable of their own (lib/poplin/Convolution.cpp, gatherConvOutput).
    void gather(program::VariableId sums, std::vector<std::int64_t> cycles) {
        for (std::int64_t& n : cycles)
            n = ipu::copy_cycles(context_.target(), n * output_bytes(),
                                 plan_.grouping.out_channels * output_bytes());
        context_.execute("Gather", ipu::codelets::copy, cycles, {sums, output_});
    }

    /// Returns what holds the results as the operation's type: the output, but in a serial plan a temporary.
    program::VariableId cast_results(program::VariableId sums, const std::vector<std::int64_t>& held) {
        const program::VariableId result =
            plan_.splits.serial() == 1
                ? output_
                : context_.temporary("results", output_dtype(), in_bytes(held, output_bytes()));
        cast(sums, result, held);
        return result;
    }

    /// Adds up the partials in stages. In each, a tile receives from the others of its group the grains of
    /// the results that fall to it. Returns what holds the sums: the output, but in a serial plan a
    /// temporary.
    program::VariableId reduce(program::VariableId sums, std::vector<std::int64_t> held) {
        const std::int64_t bytes = p_.types.partial_bytes;
        const DType dtype = partials_type();
        const std::int64_t grain = ipu::reduction_grain(context_.target(), plan_.grouping, p_.types);
        const std::vector<std::int64_t> stages = ipu::reduction_stages(cuts_.depth);
        const bool whole = cuts_.depth == std::accumulate(stages.begin(), stages.end(), std::int64_t{1},
                                                          std::multiplies<>());
        std::int64_t apart = cuts_.depth_stride; // from a tile to the next one of its group
        for (std::size_t s = 0; s < stages.size(); ++s) {
            const bool last = s + 1 == stages.size();
            const PartialSums stage{std::move(held), grain, stages[s], apart, whole};
            program::Exchange exchange = stage.exchange(context_, bytes);
            std::vector<std::int64_t> made(tiles_, 0);
            std::vector<std::int64_t> cycles(tiles_, 0);
            for (std::size_t t = 0; t < tiles_; ++t) {
                made[t] = stage.share(t).length();
                cycles[t] = ipu::conv_reduce_cycles(context_.target(), p_.types, made[t], stages[s]);
            }
            std::vector<std::int32_t> received(exchange.received.begin(), exchange.received.end());
            const program::VariableId buffer =
                context_.temporary("received partials", dtype, std::move(received));
            context_.exchange_balanced({StepRole::Exchange, "exchange", "partials"}, std::move(exchange),
                                       {sums, buffer});
            const bool makes_output = last && plan_.splits.serial() == 1;
            const bool makes_half = last && !sums_apart();
            const program::VariableId result =
                makes_output ? output_
                             : context_.temporary("sums", makes_half ? output_dtype() : dtype,
                                                  in_bytes(made, makes_half ? output_bytes() : bytes));
            context_.execute("Reduce", ipu::codelets::conv_reduce_add, cycles, {sums, buffer, result},
                             to_string(dtype));
            sums = result;
            held = std::move(made);
            apart *= stages[s];
        }
        made_ = std::move(held);
        return sums;
    }

    /// One serial part's results go to their place: a slice of the output, or of what accumulates it, or onto
    /// the sum so far.
    void update(program::VariableId sums) {
        const bool adds = plan_.splits.serial_in > 1 || accumulates_;
        const program::VariableId to = sum_ == program::no_variable ? output_ : sum_;
        const std::int64_t bytes = to == sum_ ? p_.types.partial_bytes : output_bytes();
        std::vector<std::int64_t> cycles = made_;
        for (std::int64_t& n : cycles)
            n = adds ? ipu::scaled_add_cycles(context_.target(), bytes, n)
                     : ipu::slice_cycles(context_.target(), bytes, n);
        context_.execute(adds ? "AddInPlace" : "DynamicUpdate",
                         adds ? ipu::codelets::scaled_add : ipu::codelets::dynamic_slice, cycles, {sums, to});
    }

    LoweringContext& context_;
    PlanLayout layout_;
    const ipu::ConvPlan& plan_;
    const ipu::ConvProblem& p_;
    const Cuts& cuts_;
    bool dilates_;
    std::size_t tiles_;
    bool gathers_;
    Placed input_, weights_;
    std::vector<program::VariableId> uses_;
    TileMapping output_mapping_;
    program::VariableId output_ = program::no_variable;
    std::vector<std::int64_t> made_;                 ///< results of a part, by tile
    program::VariableId sum_ = program::no_variable; ///< of serial parts, where the output is half
    bool accumulates_ = false;                       ///< the output is an accumulator that has sums already
};

} // namespace

void set_planned(LoweringTable& table, const std::string& kind,
                 PlannedConvolution (*of)(const LoweringContext& context)) {
    table.set(kind, [of](LoweringContext& context) { Lowering(context, of(context)).run(); });
    table.set_problem(kind, [of](const LoweringContext& context) { return of(context).problem; });
}

} // namespace tilescope::lowering
