// SPDX-License-Identifier: GPL-3.0-or-later
#include "placed_cost.h"

#include "base/units.h"
#include "ipu/elementwise_cycles.h"
#include "partial_sums.h"
#include "program/exchange_traffic.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

namespace tilescope::lowering {
namespace {

using program::TileMapping;

std::int64_t most(const std::vector<std::int64_t>& of) {
    return *std::max_element(of.begin(), of.end());
}

class PlacedCost {
  public:
    PlacedCost(const LoweringContext& context, const PlanLayout& layout, const PlacedProduct& product)
        : target_(context.target()), exchanges_(context.state().exchanges), layout_(layout),
          p_(layout.problem()), splits_(layout.plan().splits), product_(product) {}

    ipu::ConvCost take() {
        add_operand(Operand::Input, product_.input, cost_.exchange_inputs);
        add_operand(Operand::Weights, product_.weights, cost_.exchange_weights);
        add_partials();
        add_sums();
        add_result();
        return cost_;
    }

  private:
    /// Exchanges that go `times` times.
    void exchange(std::int64_t& item, std::int64_t times, std::int64_t cycles) {
        item += times * cycles;
        cost_.sync += times * target_.sync_cycles;
    }
    void exchange(std::int64_t& item, std::int64_t times, const std::optional<program::Exchange>& moves) {
        if (moves)
            exchange(item, times, moves->cycles);
    }
    void exchange_balanced(std::int64_t& item, std::int64_t times, program::Exchange moves,
                           std::int64_t receivers = 1, bool in_pairs = false) {
        if (program::balance(target_, moves, receivers, in_pairs))
            exchange(item, times, moves.cycles);
    }

    std::int64_t copied(std::int64_t elements) const {
        return ipu::transform_cycles(target_, elements * layout_.input_bytes(), layout_.input_bytes(),
                                     p_.in_channels * p_.out_channels);
    }

    void add_operand(Operand operand, TileMapping from, std::int64_t& item) {
        const program::Shape& view = layout_.tensor(operand).view;
        const std::int64_t bytes = layout_.input_bytes();
        if (auto anew = layout_.laid_out(operand, from)) {
            const std::vector<std::int64_t>& made = anew->made;
            const std::int64_t all = std::accumulate(made.begin(), made.end(), std::int64_t{0});
            if (all < from.elements()) { // the others are not read
                program::Exchange moves;
                moves.sent = from.elements_per_tile();
                for (const std::int64_t n : made)
                    moves.received.push_back(n * bytes);
                exchange_balanced(cost_.rearrange, 1, std::move(moves));
            } else {
                exchange(cost_.rearrange, 1,
                         exchanges_.between(from, anew->mapping.view(), bytes, needs_of(anew->mapping)));
            }
            cost_.rearrange += copied(most(made));
            from = std::move(anew->mapping);
        }
        const std::int64_t held = most(from.elements_per_tile());
        if (operand == Operand::Input && layout_.transposes_weights())
            cost_.rearrange += copied(held);
        if (layout_.sliced(operand))
            cost_.slices +=
                splits_.serial() * ipu::slice_cycles(target_, bytes, ceil_div(held, splits_.serial()));
        const std::int64_t times = layout_.times_brought(operand);
        if (layout_.expands(operand))
            exchange_balanced(item, times, layout_.exchange_expanded(operand, from), layout_.users(operand),
                              layout_.users_in_pairs(operand));
        else
            exchange(item, times, exchanges_.between(from, view, bytes, layout_.needs(operand)));
    }

    void add_partials() {
        held_.assign(static_cast<std::size_t>(layout_.tiles()), 0);
        std::int64_t cycles = 0;
        for (const auto& [tile, share] : layout_.shares()) {
            const ipu::ConvWork work = layout_.work(share);
            cycles =
                std::max(cycles, ipu::conv_partial_cycles(target_, layout_.plan().grouping, p_.types, work));
            held_[static_cast<std::size_t>(tile)] = layout_.partials(work);
        }
        cost_.partials = splits_.serial() * cycles;
    }

    /// Afterwards what a tile holds are results.
    void add_sums() {
        if (splits_.depth() == 1)
            return;
        const std::int64_t grain = ipu::reduction_grain(target_, layout_.plan().grouping, p_.types);
        std::int64_t apart = layout_.cuts().depth_stride;
        for (const std::int64_t tiles : ipu::reduction_stages(splits_.depth())) {
            const PartialSums stage{held_, grain, tiles, apart};
            exchange_balanced(cost_.exchange_partials, splits_.serial(),
                              stage.traffic(p_.types.partial_bytes));
            std::int64_t cycles = 0;
            for (std::size_t t = 0; t < held_.size(); ++t) {
                held_[t] = stage.share(t).length();
                cycles = std::max(cycles, ipu::conv_reduce_cycles(target_, p_.types, held_[t], tiles));
            }
            cost_.reduce += splits_.serial() * cycles;
            apart *= tiles;
        }
    }

    void add_result() {
        const std::int64_t bytes = product_.output_bytes;
        const std::int64_t held = most(held_);
        const bool casts = p_.types.partial_bytes > bytes;
        const auto cast = [&] { return ipu::cast_cycles(target_, p_.types.partial_bytes, bytes, held); };
        if (casts && splits_.depth() == 1 && splits_.serial_in == 1)
            cost_.reduce += splits_.serial() * cast();
        if (splits_.serial_in > 1)
            cost_.updates = splits_.serial() * ipu::scaled_add_cycles(
                                                   target_, casts ? p_.types.partial_bytes : bytes, held) +
                            (casts ? cast() : 0);
        else if (splits_.serial_out > 1)
            cost_.updates =
                splits_.serial() * (product_.accumulates ? ipu::scaled_add_cycles(target_, bytes, held)
                                                         : ipu::slice_cycles(target_, bytes, held));
        if (product_.gathers)
            cost_.rearrange +=
                ipu::copy_cycles(target_, held * bytes, layout_.plan().grouping.out_channels * bytes);
        if (!layout_.convolution().dilated.view.empty())
            cost_.rearrange +=
                ipu::copy_cycles(target_, most(layout_.dilated_mapping().elements_per_tile()) * bytes,
                                 layout_.original().out_channels * bytes);
    }

    const ipu::Target& target_;
    program::ExchangeBook& exchanges_;
    const PlanLayout& layout_;
    const ipu::ConvProblem& p_;
    const ipu::ConvSplits& splits_;
    const PlacedProduct& product_;
    std::vector<std::int64_t> held_; ///< partial sums of a part, by tile
    ipu::ConvCost cost_;
};

} // namespace

ipu::ConvCost placed_cost(const LoweringContext& context, const PlanLayout& layout,
                          const PlacedProduct& product) {
    return PlacedCost(context, layout, product).take();
}

} // namespace tilescope::lowering
