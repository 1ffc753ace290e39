// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ipu/conv_plan.h"
#include "plan_cuts.h"
#include "planned.h"
#include "program/program.h"

#include <array>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace tilescope::lowering {

/// The two that a product reads, as its plan calls them.
enum class Operand { Input, Weights };
const char* to_string(Operand operand);

/// Where a plan has the tensors of its product, and what each tile does of it.
class PlanLayout {
  public:
    PlanLayout(const ipu::ConvPlan& plan, const PlannedConvolution& convolution, std::int64_t tiles);

    const ipu::ConvPlan& plan() const { return plan_; }
    const ipu::ConvProblem& original() const { return original_; }
    const ipu::ConvProblem& problem() const { return p_; } ///< transformed, with the types of the vertex
    const Cuts& cuts() const { return cuts_; }
    const PlannedConvolution& convolution() const { return conv_; } ///< transformed
    /// What each tile has that works, in the first of the serial parts.
    const std::vector<std::pair<std::int64_t, Ranges>>& shares() const { return shares_; }
    std::int64_t input_bytes() const { return original_.types.input_bytes; }
    std::int64_t tiles() const { return tiles_; }

    const PlannedTensor& tensor(Operand operand) const;
    std::size_t index(Operand operand) const; ///< of the operation's input that plays it
    /// Whether positions of the kernel became channels of this operand.
    bool expands(Operand operand) const;
    /// Where it lies that was made for this plan: each block shared among the tiles that read it.
    program::TileMapping mapping(Operand operand) const;
    /// How it is laid out anew, by all tiles, before it goes to those that need it.
    struct LaidOut {
        program::TileMapping mapping;
        std::vector<std::int64_t> made; ///< elements on each tile, padding among them
    };
    /// Where its elements change their order, or are padded, and of one that lies as `from` where its serial
    /// parts lie on other tiles each. nullopt: it is read as it lies.
    std::optional<LaidOut> laid_out(Operand operand, const program::TileMapping& from) const;
    /// Whether the input is transposed where it lies (lib/poplin/Convolution.cpp,
    /// fullyConnectedWeightTranspose): the weights of a layer whose products have one plan, which is swapped,
    /// for the data gradient, in blocks that both products read.
    bool transposes_weights() const;
    /// Whether serial parts are slices of it.
    bool sliced(Operand operand) const;
    /// How often it is brought to the tiles that need it.
    std::int64_t times_brought(Operand operand) const;
    /// What the tiles need of one that does not expand.
    const std::vector<program::TileNeed>& needs(Operand operand) const;
    /// Bytes that each tile needs of one that does.
    std::vector<std::int64_t> needs_expanded(Operand operand) const;
    /// How these come from where it lies so: each tile holds the share of one of its users itself. Without
    /// cycles, and what tiles send is in proportion.
    program::Exchange exchange_expanded(Operand operand, const program::TileMapping& from) const;
    /// The tiles that need the same of it.
    std::int64_t users(Operand operand) const;
    /// Whether these are pairs of neighbours.
    bool users_in_pairs(Operand operand) const;

    /// What the vertex of a tile works on, and how many partial sums it makes.
    ipu::ConvWork work(const Ranges& share) const;
    std::int64_t partials(const ipu::ConvWork& work) const;
    program::TileMapping output_mapping() const;
    /// The same of what it is dilated to.
    program::TileMapping dilated_mapping() const;

  private:
    void transform();
    bool turns(Operand operand) const;
    /// Elements on each tile of one that was turned so as to lie as `mapping`. Padding is where the last
    /// channels are; what is expanded is spread like what it is made of, of which a kernel of one with a
    /// stride leaves out most.
    std::vector<std::int64_t> turned(Operand operand, const program::TileMapping& mapping) const;
    std::int64_t turned_elements(Operand operand) const;
    /// Whether a part of one that lies as `from` lies on other tiles than the first, so that to slice it
    /// would take an exchange: it is rearranged before the loop (lib/poplin/Convolution.cpp,
    /// rearrangeIfSplitOverTiles).
    bool splits_parts(Operand operand, const program::TileMapping& from) const;
    Ranges reads(const Ranges& share) const;
    std::vector<program::Axis> axes_of(const PlannedTensor& tensor) const;
    std::int64_t input_field(const Ranges& share) const;

    ipu::ConvPlan plan_;
    ipu::ConvProblem original_, p_;
    PlannedConvolution conv_;
    Cuts cuts_;
    std::int64_t tiles_;
    std::vector<std::pair<std::int64_t, Ranges>> shares_;
    mutable std::array<std::vector<program::TileNeed>, 2> needs_; ///< by operand, once they are asked for
};

} // namespace tilescope::lowering
