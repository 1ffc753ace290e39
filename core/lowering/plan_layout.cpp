// SPDX-License-Identifier: GPL-3.0-or-later
#include "plan_layout.h"

#include "base/units.h"
#include "graph/tensor.h"
#include "ipu/conv_candidates.h"
#include "program/exchange_traffic.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <numeric>

namespace tilescope::lowering {

using program::Axis;
using program::TileMapping;
using program::TileNeed;

namespace {

constexpr std::int64_t minimum_input_bytes = 128; // per tile, PopLibs lib/poplin/Convolution.cpp
constexpr std::int64_t minimum_weight_bytes = 256;

} // namespace

const char* to_string(Operand operand) {
    return operand == Operand::Weights ? "weights" : "input";
}

PlanLayout::PlanLayout(const ipu::ConvPlan& plan, const PlannedConvolution& convolution, std::int64_t tiles)
    : plan_(plan), original_(convolution.problem), p_(ipu::transformed(original_, plan.transform)),
      conv_(convolution), cuts_(cuts_of(p_, plan)), tiles_(tiles) {
    p_.types = ipu::vertex_types(plan_.grouping, original_.types);
    transform();
    for (std::int64_t tile = 0; tile < plan_.splits.tiles(); ++tile)
        if (const Ranges share = share_of(p_, cuts_, tile); works(share))
            shares_.emplace_back(tile, share);
}

/// Turns the three tensors as the transform says.
void PlanLayout::transform() {
    const ipu::ConvTransform& t = plan_.transform;
    if (t.expand_height && t.expand_width)
        conv_.weights =
            joined(conv_.weights, {ConvDim::KernelHeight, ConvDim::KernelWidth, ConvDim::In}, ConvDim::In);
    else if (t.expand_width)
        conv_.weights = joined(conv_.weights, {ConvDim::KernelWidth, ConvDim::In}, ConvDim::In);
    if (t.flatten) {
        const std::vector<ConvDim> field{ConvDim::Batch, ConvDim::Height, ConvDim::Width, ConvDim::InputRow,
                                         ConvDim::InputColumn};
        conv_.output = joined(conv_.output, field, ConvDim::Width);
        if (!conv_.dilated.view.empty())
            conv_.dilated = joined(conv_.dilated, field, ConvDim::Width);
        if (!t.expand_height && !t.expand_width)
            conv_.input = joined(conv_.input, field, ConvDim::Width);
    }
    if (t.swap) {
        for (PlannedTensor* tensor : {&conv_.input, &conv_.weights, &conv_.output})
            exchange_dims(*tensor, ConvDim::Width, ConvDim::Out);
        std::swap(conv_.input, conv_.weights);
        std::swap(conv_.input_index, conv_.weights_index);
    }
}

const PlannedTensor& PlanLayout::tensor(Operand operand) const {
    return operand == Operand::Weights ? conv_.weights : conv_.input;
}

std::size_t PlanLayout::index(Operand operand) const {
    return operand == Operand::Weights ? conv_.weights_index : conv_.input_index;
}

bool PlanLayout::expands(Operand operand) const {
    return (plan_.transform.expand_height || plan_.transform.expand_width) &&
           (operand == Operand::Weights) == plan_.transform.swap;
}

/// The ranges that a share reads of an operand. Of one whose kernel became channels they are its own where
/// these are a dimension of it; where they are two, a block of both, else the block around it.
Ranges PlanLayout::reads(const Ranges& share) const {
    Ranges r = share;
    if (plan_.transform.expand_width)
        return r;
    if (plan_.transform.expand_height) {
        const std::int64_t channels = original_.in_channels;
        const Range in = share[ConvDim::In];
        const std::int64_t first = in.begin / channels; // rows of the kernel
        const std::int64_t last = (in.end - 1) / channels;
        r[ConvDim::KernelHeight] = {first, last + 1};
        r[ConvDim::In] = first == last ? Range{in.begin - first * channels, in.end - first * channels}
                                       : Range{0, channels};
        return r;
    }
    const auto along = [&](const ipu::ConvAxis& axis, ConvDim out, ConvDim kernel, ConvDim input) {
        r[input] = axis.input_rows(share[out], share[kernel]);
        r[kernel] = axis.kernel_rows(share[out], share[kernel]);
    };
    along(ipu::height_of(original_), ConvDim::Height, ConvDim::KernelHeight, ConvDim::InputRow);
    along(ipu::width_of(original_), ConvDim::Width, ConvDim::KernelWidth, ConvDim::InputColumn);
    return r;
}

/// Axes of a tensor cut as the plan cuts the dimensions; `expanded` input channels stay whole.
std::vector<Axis> PlanLayout::axes_of(const PlannedTensor& tensor) const {
    std::vector<Axis> axes;
    for (std::size_t d = 0; d < tensor.dims.size(); ++d) {
        const Cut* c = nullptr;
        switch (tensor.dims[d]) {
        case ConvDim::Group:
            c = &cuts_.group;
            break;
        case ConvDim::Batch:
            c = &cuts_.batch;
            break;
        case ConvDim::Height:
            c = &cuts_.height;
            break;
        case ConvDim::InputRow: // a weight gradient's rows follow its kernel, the field of the gradient
            c = cuts_.kernel.parts > cuts_.height.parts ? &cuts_.kernel : &cuts_.height;
            break;
        case ConvDim::Width:
        case ConvDim::InputColumn:
            c = &cuts_.width;
            break;
        case ConvDim::KernelHeight:
            c = &cuts_.kernel;
            break;
        case ConvDim::In:
            c = &cuts_.in;
            break;
        case ConvDim::Out:
            c = &cuts_.out;
            break;
        case ConvDim::KernelWidth:
            break;
        }
        const std::int64_t extent = tensor.view[d];
        if (c == nullptr || c->parts == 1)
            axes.push_back(Axis::whole(extent));
        else if (c->extent == extent)
            axes.push_back({extent, c->block, c->stride, c->parts, c->block, 0});
        else // the input's field, or channels before their expansion: parts of equal size
            axes.push_back(Axis::blocks(extent, ceil_div(extent, std::min(extent, c->parts)), c->stride));
    }
    return axes;
}

TileMapping PlanLayout::mapping(Operand operand) const {
    const bool weights = operand == Operand::Weights;
    const PlannedTensor& of = tensor(operand);
    if (expands(operand)) // positions of its kernel overlap, and so do the parts of its field
        return TileMapping::linear(of.view, tiles_, 1, ceil_div(minimum_input_bytes, input_bytes()));
    std::vector<Axis> axes = axes_of(of);
    std::int64_t block_bytes = input_bytes();
    for (const Axis& axis : axes)
        block_bytes *= std::min(axis.block, axis.extent);
    const std::int64_t most =
        std::max<std::int64_t>(1, block_bytes / (weights ? minimum_weight_bytes : minimum_input_bytes));
    const std::int64_t stride = weights ? cuts_.width.stride : cuts_.out.stride;
    std::vector<std::size_t> order;
    std::vector<std::int64_t> grains(axes.size(), 1);
    for (const ConvDim dim : {ConvDim::In, ConvDim::KernelHeight, ConvDim::KernelWidth, ConvDim::InputColumn,
                              ConvDim::Width, ConvDim::InputRow, ConvDim::Height, ConvDim::Batch})
        for (std::size_t d = 0; d < axes.size(); ++d)
            if (of.dims[d] == dim) {
                order.push_back(d);
                if (dim == ConvDim::In && cuts_.in.extent == of.view[d])
                    grains[d] = std::min(plan_.grouping.in_channels, of.view[d]);
            }
    share_pieces(axes, order, std::min(users(operand), most), stride, grains);
    return {std::move(axes), tiles_};
}

bool PlanLayout::turns(Operand operand) const {
    const ipu::TurnedOperands turned = ipu::turned_operands(p_, plan_.transform, plan_.grouping);
    return operand == Operand::Weights ? turned.weights : turned.input;
}

bool PlanLayout::transposes_weights() const {
    return plan_.transform.joint && original_.pass == ipu::ConvPass::DataGradient &&
           std::gcd(plan_.splits.width_group, p_.out_width) > 1 &&
           std::gcd(plan_.grouping.in_channels, p_.in_channels) > 1;
}

/// An expanded operand has the channels of every position of the field, a padded one those of whole groups.
std::int64_t PlanLayout::turned_elements(Operand operand) const {
    const std::int64_t in = p_.groups * ipu::padded(p_.in_channels, plan_.grouping.in_channels);
    return operand == Operand::Weights ? in * p_.kernel_height * p_.kernel_width *
                                             ipu::padded(p_.out_channels, plan_.grouping.out_channels)
                                       : in * p_.batch * p_.in_height * p_.in_width;
}

bool PlanLayout::sliced(Operand operand) const {
    return plan_.splits.serial_in > 1 || (operand == Operand::Weights && plan_.splits.serial_out > 1);
}

bool PlanLayout::splits_parts(Operand operand, const TileMapping& from) const {
    if (!sliced(operand) || expands(operand))
        return false;
    const PlannedTensor& of = tensor(operand);
    const ConvDim dim = plan_.splits.serial_in > 1 ? ConvDim::In : ConvDim::Out;
    const auto axis = static_cast<std::size_t>(
        std::distance(of.dims.begin(), std::find(of.dims.begin(), of.dims.end(), dim)));
    const Cut& cut = dim == ConvDim::In ? cuts_.in : cuts_.out;
    const std::int64_t extent = of.view[axis];
    const std::int64_t part = cut.block * cut.parts;
    std::vector<std::int64_t> first; // what each tile has of the first part; of the last it may be less
    for (std::int64_t begin = 0; begin < extent; begin += part) {
        program::Box box{program::Shape(of.view.size(), 0), of.view};
        box.begin[axis] = begin;
        box.end[axis] = std::min(extent, begin + part);
        std::vector<program::TilePart> located;
        from.locate(of.view, box, located);
        std::vector<std::int64_t> held(static_cast<std::size_t>(tiles_), 0);
        for (const program::TilePart& on : located)
            held[static_cast<std::size_t>(on.tile)] += on.elements;
        if (begin == 0)
            first = std::move(held);
        else if (!std::equal(held.begin(), held.end(), first.begin(), std::less_equal<>()))
            return true;
    }
    return false;
}

std::vector<std::int64_t> PlanLayout::turned(Operand operand, const TileMapping& mapping) const {
    const PlannedTensor& of = tensor(operand);
    if (!expands(operand))
        return with_padding(mapping, of.dims, plan_.grouping).elements_per_tile();
    const std::int64_t elements = graph::element_count(of.view);
    std::vector<std::int64_t> made = mapping.elements_per_tile();
    for (std::int64_t& n : made)
        n = ceil_div(n * turned_elements(operand), elements);
    return made;
}

std::optional<PlanLayout::LaidOut> PlanLayout::laid_out(Operand operand, const TileMapping& from) const {
    const bool turned_over = turns(operand);
    if (!turned_over && !splits_parts(operand, from))
        return std::nullopt;
    TileMapping to = mapping(operand);
    std::vector<std::int64_t> made = turned_over ? turned(operand, to) : to.elements_per_tile();
    return LaidOut{std::move(to), std::move(made)};
}

std::int64_t PlanLayout::times_brought(Operand operand) const {
    return operand == Operand::Input && plan_.splits.serial_out > 1 ? 1 : plan_.splits.serial();
}

const std::vector<TileNeed>& PlanLayout::needs(Operand operand) const {
    std::vector<TileNeed>& result = needs_.at(static_cast<std::size_t>(operand));
    if (!result.empty())
        return result;
    result.reserve(shares_.size());
    for (const auto& [tile, share] : shares_)
        result.push_back({tile, box_of(tensor(operand), reads(share))});
    return result;
}

/// Positions of the input that a share of the turned problem reads: those of the output, but along what the
/// kernel still has.
std::int64_t PlanLayout::input_field(const Ranges& share) const {
    return ipu::height_of(p_).most_input_rows(share[ConvDim::Height].length(),
                                              share[ConvDim::KernelHeight].length()) *
           ipu::width_of(p_).most_input_rows(share[ConvDim::Width].length(), p_.kernel_width);
}

std::vector<std::int64_t> PlanLayout::needs_expanded(Operand operand) const {
    std::vector<std::int64_t> needed(static_cast<std::size_t>(tiles_), 0);
    for (const auto& [tile, share] : shares_) {
        const std::int64_t positions =
            operand == Operand::Weights // only flat problems are swapped: their kernel is one
                ? share[ConvDim::Out].length()
                : share[ConvDim::Batch].length() * input_field(share);
        needed[static_cast<std::size_t>(tile)] =
            share[ConvDim::Group].length() * positions * share[ConvDim::In].length() * input_bytes();
    }
    return needed;
}

program::Exchange PlanLayout::exchange_expanded(Operand operand, const TileMapping& from) const {
    program::Exchange exchange;
    exchange.received = needs_expanded(operand);
    for (std::int64_t& bytes : exchange.received)
        bytes -= bytes / users(operand);
    exchange.sent = from.elements_per_tile();
    exchange.instructions = program::instructions_of_runs(
        exchange, ceil_div(turned_elements(operand), times_brought(operand)) * input_bytes(), users(operand));
    return exchange;
}

std::int64_t PlanLayout::users(Operand operand) const {
    return operand == Operand::Weights ? cuts_.weight_users : cuts_.out.parts;
}

bool PlanLayout::users_in_pairs(Operand operand) const {
    const bool neighbours = operand == Operand::Input || cuts_.out.parts == 1;
    return neighbours && users(operand) % 2 == 0;
}

ipu::ConvWork PlanLayout::work(const Ranges& share) const {
    const ipu::ConvGrouping& g = plan_.grouping;
    ipu::ConvWork work;
    work.conv_groups = ceil_div(share[ConvDim::Group].length(), g.conv_groups);
    work.batch = share[ConvDim::Batch].length();
    work.rows = share[ConvDim::Height].length();
    work.row_length = share[ConvDim::Width].length();
    work.kernel_height =
        ipu::height_of(p_).kernel_rows(share[ConvDim::Height], share[ConvDim::KernelHeight]).length();
    work.kernel_width =
        ipu::width_of(p_).kernel_rows(share[ConvDim::Width], share[ConvDim::KernelWidth]).length();
    work.in_groups = ceil_div(share[ConvDim::In].length(), g.in_channels);
    work.out_groups = ceil_div(share[ConvDim::Out].length(), g.out_channels);
    work.stride = p_.stride_width;
    work.row_step = p_.in_dilation_height;
    work.step = p_.in_dilation_width;
    return work;
}

std::int64_t PlanLayout::partials(const ipu::ConvWork& work) const {
    const ipu::ConvGrouping& g = plan_.grouping;
    return work.conv_groups * g.conv_groups * work.positions() * work.out_groups * g.out_channels;
}

TileMapping PlanLayout::output_mapping() const {
    std::vector<Axis> axes = axes_of(conv_.output);
    if (cuts_.depth > 1) { // the tiles that hold its partials share each block of results
        std::vector<std::size_t> order;
        const std::vector<std::int64_t> grains(axes.size(), 1);
        for (const ConvDim dim : {ConvDim::Width, ConvDim::Height, ConvDim::Batch, ConvDim::Out})
            for (std::size_t d = 0; d < axes.size(); ++d)
                if (conv_.output.dims[d] == dim)
                    order.push_back(d);
        share_pieces(axes, order, cuts_.depth, cuts_.depth_stride, grains);
    }
    return {std::move(axes), tiles_};
}

TileMapping PlanLayout::dilated_mapping() const {
    std::vector<Axis> axes = output_mapping().axes();
    for (std::size_t d = 0; d < axes.size(); ++d) {
        const std::int64_t apart = ceil_div(conv_.dilated.view[d], axes[d].extent);
        axes[d].extent = conv_.dilated.view[d];
        axes[d].block *= apart;
        axes[d].piece *= apart;
    }
    return {std::move(axes), tiles_};
}

} // namespace tilescope::lowering
