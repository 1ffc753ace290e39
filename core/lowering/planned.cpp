// SPDX-License-Identifier: GPL-3.0-or-later
#include "planned.h"

#include "base/units.h"
#include "ipu/conv_candidates.h"
#include "ipu/elementwise_cycles.h"
#include "partial_sums.h"
#include "plan_cuts.h"
#include "program/exchange_traffic.h"

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>
#include <utility>

namespace tilescope::lowering {
namespace {

using ipu::ConvPlan;
using ipu::ConvProblem;
using program::Axis;
using program::TileMapping;
using program::TileNeed;

constexpr std::int64_t minimum_input_bytes = 128; // per tile, PopLibs lib/poplin/Convolution.cpp
constexpr std::int64_t minimum_weight_bytes = 256;

/// The convolution as the plan has turned it.
class Lowering {
  public:
    Lowering(LoweringContext& context, const PlannedConvolution& convolution)
        : context_(context), plan_(context.plan(convolution.problem).front()), original_(convolution.problem),
          p_(ipu::transformed(convolution.problem, plan_.transform)), conv_(convolution),
          cuts_(cuts_of(p_, plan_)), tiles_(static_cast<std::size_t>(context.tiles())),
          gathers_(context
                       .planning(convolution.problem.matrices ? ipu::ProductKind::Matmul
                                                              : ipu::ProductKind::Convolution)
                       .gather_output) {
        p_.types = ipu::vertex_types(plan_.grouping, original_.types);
        turn();
    }

    void run() {
        for (std::int64_t tile = 0; tile < plan_.splits.tiles(); ++tile)
            if (const Ranges share = share_of(p_, cuts_, tile); works(share))
                shares_.emplace_back(tile, share);
        place_operands();
        prepare_turned();
        if (plan_.splits.serial() == 1) {
            bring(true, true);
            convolve();
            return dilate();
        }
        const bool inputs_once = plan_.splits.serial_out > 1;
        if (inputs_once)
            bring(true, false);
        place_output();
        if (sums_apart())
            sum_ = context_.temporary("sum of parts", partials_type(),
                                      in_bytes(output_mapping_.elements_per_tile(), p_.types.partial_bytes));
        context_.begin_repeat("serial parts", plan_.splits.serial());
        slice();
        bring(!inputs_once, true);
        convolve();
        context_.end_repeat();
        if (sum_ != program::no_variable)
            cast(sum_, output_, made_);
        dilate();
    }

  private:
    /// Turns the three tensors as the transform says.
    void turn() {
        const ipu::ConvTransform& t = plan_.transform;
        const bool expands = t.expand_height || t.expand_width;
        if (t.expand_height && t.expand_width)
            conv_.weights = joined(conv_.weights, {ConvDim::KernelHeight, ConvDim::KernelWidth, ConvDim::In},
                                   ConvDim::In);
        else if (t.expand_width)
            conv_.weights = joined(conv_.weights, {ConvDim::KernelWidth, ConvDim::In}, ConvDim::In);
        if (t.flatten) {
            const std::vector<ConvDim> field{ConvDim::Batch, ConvDim::Height, ConvDim::Width,
                                             ConvDim::InputRow, ConvDim::InputColumn};
            conv_.output = joined(conv_.output, field, ConvDim::Width);
            if (!conv_.dilated.view.empty())
                conv_.dilated = joined(conv_.dilated, field, ConvDim::Width);
            if (!expands)
                conv_.input = joined(conv_.input, field, ConvDim::Width);
        }
        if (t.swap) {
            for (PlannedTensor* tensor : {&conv_.input, &conv_.weights, &conv_.output})
                exchange_dims(*tensor, ConvDim::Width, ConvDim::Out);
            std::swap(conv_.input, conv_.weights);
            std::swap(conv_.input_index, conv_.weights_index);
        }
    }

    bool expands() const { return plan_.transform.expand_height || plan_.transform.expand_width; }

    /// The ranges that a share reads of an operand. Of one whose kernel became channels they are its own
    /// where these are a dimension of it; where they are two, a block of both, else the block around it.
    Ranges reads(const Ranges& share) const {
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
    std::vector<Axis> axes_of(const PlannedTensor& tensor) const {
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

    /// Where an operand lies that was made for this plan: each block shared among the tiles that read it.
    TileMapping operand_mapping(const PlannedTensor& tensor, bool weights, std::int64_t element_bytes) const {
        if (expands() && weights == plan_.transform.swap)
            return even_mapping(tensor); // its kernel's positions overlap, and so do the parts of its field
        std::vector<Axis> axes = axes_of(tensor);
        std::int64_t block_bytes = element_bytes;
        for (const Axis& axis : axes)
            block_bytes *= std::min(axis.block, axis.extent);
        const std::int64_t most =
            std::max<std::int64_t>(1, block_bytes / (weights ? minimum_weight_bytes : minimum_input_bytes));
        const std::int64_t users = weights ? cuts_.weight_users : cuts_.out.parts;
        const std::int64_t stride = weights ? cuts_.width.stride : cuts_.out.stride;
        std::vector<std::size_t> order;
        std::vector<std::int64_t> grains(axes.size(), 1);
        for (const ConvDim dim :
             {ConvDim::In, ConvDim::KernelHeight, ConvDim::KernelWidth, ConvDim::InputColumn, ConvDim::Width,
              ConvDim::InputRow, ConvDim::Height, ConvDim::Batch})
            for (std::size_t d = 0; d < axes.size(); ++d)
                if (tensor.dims[d] == dim) {
                    order.push_back(d);
                    if (dim == ConvDim::In && cuts_.in.extent == tensor.view[d])
                        grains[d] = std::min(plan_.grouping.in_channels, tensor.view[d]);
                }
        share_pieces(axes, order, std::min(users, most), stride, grains);
        return {std::move(axes), context_.tiles()};
    }

    TileMapping even_mapping(const PlannedTensor& tensor) const {
        return TileMapping::linear(tensor.view, context_.tiles(), 1,
                                   ceil_div(minimum_input_bytes, input_bytes()));
    }

    std::int64_t input_bytes() const { return original_.types.input_bytes; }

    void place_operands() {
        if (!context_.placed(conv_.input_index))
            context_.place_input(conv_.input_index, operand_mapping(conv_.input, false, input_bytes()));
        if (!context_.placed(conv_.weights_index))
            context_.place_input(conv_.weights_index, operand_mapping(conv_.weights, true, input_bytes()));
        input_ = context_.input(conv_.input_index);
        weights_ = context_.input(conv_.weights_index);
    }

    /// Operands whose elements change their order, or are padded, are rearranged by all tiles before they go
    /// to those that need them.
    void prepare_turned() {
        const ipu::TurnedOperands turns = ipu::turned_operands(p_, plan_.transform, plan_.grouping);
        if (turns.input)
            turn(input_, conv_.input, false);
        if (turns.weights)
            turn(weights_, conv_.weights, true);
        if (transposes_weights()) // which are the input of the swapped product
            input_ =
                context_.rearrange(input_, input_.mapping, input_bytes(), p_.in_channels * p_.out_channels,
                                   input_.mapping.elements_per_tile(), "weights");
    }

    /// Where a layer's products have one plan, its weights are transposed where they lie for the data
    /// gradient, in blocks that both products read (lib/poplin/Convolution.cpp,
    /// fullyConnectedWeightTranspose).
    bool transposes_weights() const {
        return plan_.transform.joint && original_.pass == ipu::ConvPass::DataGradient &&
               std::gcd(plan_.splits.width_group, p_.out_width) > 1 &&
               std::gcd(plan_.grouping.in_channels, p_.in_channels) > 1;
    }

    /// Elements of an operand in its new order: an expanded one has the channels of every position of the
    /// field, a padded one those of whole groups.
    std::int64_t turned_elements(bool weights) const {
        const std::int64_t in = p_.groups * ipu::padded(p_.in_channels, plan_.grouping.in_channels);
        return weights ? in * p_.kernel_height * p_.kernel_width *
                             ipu::padded(p_.out_channels, plan_.grouping.out_channels)
                       : in * p_.batch * p_.in_height * p_.in_width;
    }

    void turn(Placed& from, const PlannedTensor& tensor, bool weights) {
        TileMapping mapping = operand_mapping(tensor, weights, input_bytes());
        std::vector<std::int64_t> made = made_of(mapping, tensor, weights);
        from = context_.rearrange(from, std::move(mapping), input_bytes(), p_.in_channels * p_.out_channels,
                                  made, weights ? "weights" : "input");
    }

    /// Elements of a turned operand on each tile. Padding is where the last channels are; what is expanded is
    /// spread like what it is made of, of which a kernel of one with a stride leaves out most.
    std::vector<std::int64_t> made_of(const TileMapping& mapping, const PlannedTensor& tensor,
                                      bool weights) const {
        if (expands() && weights == plan_.transform.swap) {
            const std::int64_t elements = graph::element_count(tensor.view);
            std::vector<std::int64_t> made = mapping.elements_per_tile();
            for (std::int64_t& n : made)
                n = ceil_div(n * turned_elements(weights), elements);
            return made;
        }
        return with_padding(mapping, tensor.dims, plan_.grouping).elements_per_tile();
    }

    void bring(bool input, bool weights) {
        const auto needs = [&](const PlannedTensor& tensor) {
            std::vector<TileNeed> result;
            result.reserve(shares_.size());
            for (const auto& [tile, share] : shares_)
                result.push_back({tile, box_of(tensor, reads(share))});
            return result;
        };
        const bool expanded_weights = expands() && plan_.transform.swap;
        if (input && expands() && !expanded_weights)
            bring_expanded(input_, false);
        else if (input)
            context_.bring(input_, input_bytes(), "input", conv_.input.view, needs(conv_.input), uses_);
        if (weights && expanded_weights)
            bring_expanded(weights_, true);
        else if (weights)
            context_.bring(weights_, input_bytes(), "weights", conv_.weights.view, needs(conv_.weights),
                           uses_);
    }

    /// Positions of the input that a share of the turned problem reads: those of the output, but along what
    /// the kernel still has.
    std::int64_t input_field(const Ranges& share) const {
        return ipu::height_of(p_).most_input_rows(share[ConvDim::Height].length(),
                                                  share[ConvDim::KernelHeight].length()) *
               ipu::width_of(p_).most_input_rows(share[ConvDim::Width].length(), p_.kernel_width);
    }

    /// An operand whose kernel positions became channels: each tile receives the rows of its product but for
    /// the part that it holds itself.
    void bring_expanded(const Placed& operand, bool as_weights) {
        program::Exchange exchange;
        exchange.received.assign(tiles_, 0);
        std::vector<std::int32_t> needed(tiles_, 0);
        const std::int64_t users = as_weights ? cuts_.weight_users : cuts_.out.parts;
        for (const auto& [tile, share] : shares_) {
            const std::int64_t elements = as_weights // only flat problems are swapped: their kernel is one
                                              ? share[ConvDim::Out].length()
                                              : share[ConvDim::Batch].length() * input_field(share);
            const std::int64_t bytes =
                share[ConvDim::Group].length() * elements * share[ConvDim::In].length() * input_bytes();
            const auto t = static_cast<std::size_t>(tile);
            needed[t] = static_cast<std::int32_t>(bytes);
            exchange.received[t] = bytes - bytes / users;
        }
        exchange.sent = operand.mapping.elements_per_tile();
        const std::int64_t parts = as_weights ? plan_.splits.serial() : plan_.splits.serial_in;
        exchange.instructions = program::instructions_of_runs(
            exchange, ceil_div(turned_elements(as_weights), parts) * input_bytes(), users);
        const std::string name = as_weights ? "weights" : "input";
        const auto buffer = context_.temporary(
            name + "/expanded", original_.types.input_bytes == 2 ? DType::Float16 : DType::Float32,
            std::move(needed));
        const bool beside = !as_weights || cuts_.out.parts == 1; // the tiles that need the same
        context_.exchange_balanced({StepRole::Bring, "exchange", name}, std::move(exchange),
                                   {operand.variable, buffer}, users, beside && users % 2 == 0);
        uses_.push_back(buffer);
    }

    /// Of what a serial part reads: of both operands where parts are of what is summed over.
    void slice() {
        if (plan_.splits.serial_in > 1)
            slice(input_);
        slice(weights_);
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
        std::vector<Axis> axes = axes_of(conv_.output);
        if (cuts_.depth > 1) { // the tiles that hold its partials share each block of results
            std::vector<std::size_t> order;
            std::vector<std::int64_t> grains(axes.size(), 1);
            for (const ConvDim dim : {ConvDim::Width, ConvDim::Height, ConvDim::Batch, ConvDim::Out})
                for (std::size_t d = 0; d < axes.size(); ++d)
                    if (conv_.output.dims[d] == dim)
                        order.push_back(d);
            share_pieces(axes, order, cuts_.depth, cuts_.depth_stride, grains);
        }
        output_mapping_ = TileMapping(std::move(axes), context_.tiles());
        if (plan_.splits.serial() > 1 && conv_.dilated.view.empty() && !sums_apart())
            if (const auto accumulator = context_.place_in_accumulator(output_mapping_)) {
                output_ = *accumulator;
                accumulates_ = true;
                return;
            }
        output_ = conv_.dilated.view.empty()
                      ? context_.place_output(0, output_mapping_)
                      : context_.temporary("undilated", output_dtype(),
                                           in_bytes(output_mapping_.elements_per_tile(), output_bytes()));
    }

    DType output_dtype() const { return context_.output_type().dtype; }
    std::int64_t output_bytes() const { return graph::element_bytes(context_.output_type().dtype); }

    /// Spreads the results over the positions that the stride left out, with zeros between them, where they
    /// lie (lib/poplin/ConvModel.cpp, canDeferDilation).
    void dilate() {
        if (conv_.dilated.view.empty())
            return;
        std::vector<Axis> axes = output_mapping_.axes();
        for (std::size_t d = 0; d < axes.size(); ++d) {
            const std::int64_t apart = ceil_div(conv_.dilated.view[d], axes[d].extent);
            axes[d].extent = conv_.dilated.view[d];
            axes[d].block *= apart;
            axes[d].piece *= apart;
        }
        const TileMapping mapping(std::move(axes), context_.tiles());
        std::vector<std::int64_t> cycles = mapping.elements_per_tile();
        for (std::int64_t& n : cycles)
            n = ipu::copy_cycles(context_.target(), n * output_bytes(),
                                 original_.out_channels * output_bytes());
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
        for (const auto& [tile, share] : shares_) {
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
            const auto t = static_cast<std::size_t>(tile);
            cycles[t] = ipu::conv_partial_cycles(context_.target(), g, p_.types, work);
            lists[t] = ipu::conv_list_bytes(context_.target(), g, p_.types, work);
            partials[t] =
                work.conv_groups * g.conv_groups * work.positions() * work.out_groups * g.out_channels;
        }
        const ipu::Codelet& codelet = ipu::conv_codelet(g, p_.types);
        const std::string types = ipu::codelet_types(g, p_.types);
        const bool whole = cuts_.depth == 1 && plan_.splits.serial() == 1;
        if (whole && !casts() && !gathers_) {
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
        else if (whole) // its results would stay among its partial sums
            gather(sums, partials);
        if (cuts_.depth == 1)
            made_ = std::move(partials);
        if (plan_.splits.serial() > 1)
            update(sums);
    }

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
    ConvPlan plan_;
    ConvProblem original_;
    ConvProblem p_;
    PlannedConvolution conv_;
    Cuts cuts_;
    std::size_t tiles_;
    bool gathers_;
    std::vector<std::pair<std::int64_t, Ranges>> shares_; ///< by tile that works
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
