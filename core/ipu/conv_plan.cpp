// SPDX-License-Identifier: GPL-3.0-or-later
#include "ipu/conv_plan.h"

#include "base/units.h"
#include "ipu/conv_candidates.h"
#include "ipu/elementwise_cycles.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

namespace tilescope::ipu {

std::int64_t ConvAxis::rows_up_to(std::int64_t place) const {
    return place / in_dilation + (place % in_dilation < 0 ? 0 : 1);
}

Range ConvAxis::read_with(std::int64_t k, const Range& result) const {
    const std::int64_t first =
        transposed ? result.begin + padding - k * dilation : result.begin * stride + k * dilation - padding;
    const std::int64_t last = first + (result.length() - 1) * stride;
    return {rows_up_to(first - 1), rows_up_to(last)};
}

Range ConvAxis::kernel_rows(const Range& result, const Range& part) const {
    Range used = part;
    while (!used.empty() && read_with(used.begin, result).empty())
        ++used.begin;
    while (!used.empty() && read_with(used.end - 1, result).empty())
        --used.end;
    return used;
}

Range ConvAxis::input_rows(const Range& result, const Range& part) const {
    Range rows;
    for (std::int64_t k = part.begin; k < part.end; ++k)
        if (const Range more = read_with(k, result); !more.empty())
            rows =
                rows.empty() ? more : Range{std::min(rows.begin, more.begin), std::max(rows.end, more.end)};
    return rows;
}

std::int64_t ConvAxis::most_kernel_rows(std::int64_t result, std::int64_t part) const {
    if (result >= in_dilation)
        return part;
    std::int64_t most = 0;
    for (std::int64_t first = 0; first < in_dilation; ++first)
        most = std::max(most, kernel_rows({first, first + result}, {0, part}).length());
    return most;
}

std::int64_t ConvAxis::most_input_rows(std::int64_t result, std::int64_t part) const {
    const std::int64_t reach = (result - 1) * stride + (part - 1) * dilation; // from the first place on
    // Where all parts begin as the first does, they have the zeros at the same places.
    const bool alike = part == kernel && result * stride % in_dilation == 0;
    const std::int64_t first = alike ? (transposed ? padding - (kernel - 1) * dilation : -padding) : 0;
    return std::min(in, rows_up_to(first + reach) - rows_up_to(first - 1));
}

ConvAxis height_of(const ConvProblem& p) {
    return {p.in_height,      p.stride_height, p.dilation_height, p.in_dilation_height,
            p.padding_height, p.transposed,    p.kernel_height};
}

ConvAxis width_of(const ConvProblem& p) {
    return {p.in_width,      p.stride_width, p.dilation_width, p.in_dilation_width,
            p.padding_width, p.transposed,   p.kernel_width};
}

std::int64_t padded(std::int64_t channels, std::int64_t group) {
    return ceil_div(channels, group) * group;
}

TurnedOperands turned_operands(const ConvProblem& transformed, const ConvTransform& transform,
                               const ConvGrouping& grouping) {
    const bool pads_in = transformed.in_channels % grouping.in_channels != 0;
    const bool pads_out = transformed.out_channels % grouping.out_channels != 0;
    const bool input =
        transform.expand_height || transform.expand_width || transformed.pass == ConvPass::WeightGradient;
    const bool weights = transformed.pass != ConvPass::Forward;
    if (transform.joint) // weights lie in order for each pass, and so do activations that are a single row
        return {transformed.pass == ConvPass::WeightGradient || pads_in,
                (transformed.pass == ConvPass::WeightGradient && grouping.in_channels > 1) || pads_in ||
                    pads_out};
    return {(transform.swap ? weights : input) || pads_in,
            (transform.swap ? input : weights) || pads_in || pads_out};
}

ConvProblem transformed(const ConvProblem& problem, const ConvTransform& transform) {
    ConvProblem p = problem;
    if (transform.expand_height) {
        p.in_channels *= p.kernel_height;
        p.in_height = p.out_height;
        p.kernel_height = p.stride_height = p.dilation_height = p.in_dilation_height = 1;
        p.padding_height = 0;
    }
    if (transform.expand_width) {
        p.in_channels *= p.kernel_width;
        p.in_width = p.out_width;
        p.kernel_width = p.stride_width = p.dilation_width = p.in_dilation_width = 1;
        p.padding_width = 0;
    }
    if (transform.flatten) {
        p.out_width *= p.batch * p.out_height;
        p.in_width = p.out_width;
        p.batch = p.out_height = p.in_height = 1;
    }
    if (transform.swap) {
        std::swap(p.out_width, p.out_channels);
        p.in_width = p.out_width;
    }
    return p;
}

bool fits(const Target& target, const ConvCost& cost, double most_bytes) {
    return static_cast<double>(cost.temporary_bytes) <= most_bytes &&
           cost.interleaved_bytes <= target.interleaved_bytes_per_tile;
}

std::vector<std::int64_t> part_counts(std::int64_t extent, std::int64_t limit) {
    std::vector<std::int64_t> counts;
    std::int64_t parts = 1;
    while (parts <= std::min(extent, limit)) {
        const std::int64_t size = ceil_div(extent, parts);
        counts.push_back(ceil_div(extent, size));
        if (size == 1)
            break;
        parts = ceil_div(extent, size - 1); // the fewest parts whose size is smaller
    }
    return counts;
}

std::vector<std::int64_t> reduction_stages(std::int64_t depth) {
    const int stages = depth < 16 ? 1 : depth < 125 ? 2 : 3;
    std::vector<std::int64_t> result;
    std::int64_t left = depth;
    for (int s = stages; s > 1; --s) {
        const auto kept = static_cast<std::int64_t>(
            std::llround(std::pow(static_cast<double>(left), static_cast<double>(s - 1) / s)));
        const std::int64_t now = ceil_div(left, std::max<std::int64_t>(kept, 1));
        result.push_back(now);
        left = ceil_div(left, now);
    }
    result.push_back(left);
    return result;
}

std::int64_t reduction_grain(const Target& target, const ConvGrouping& grouping, const ConvTypes& types) {
    return padded(grouping.out_channels, target.vector_width(types.partial_bytes));
}

Range reduction_share(std::int64_t held, std::int64_t grain, std::int64_t tiles, std::int64_t position) {
    const std::int64_t grains = ceil_div(held, grain);
    const auto begin = [&](std::int64_t at) {
        return std::min(held, grain * (at * (grains / tiles) + std::min(at, grains % tiles)));
    };
    return {begin(position), begin(position + 1)};
}

ConvWork largest_work(const ConvProblem& problem, const ConvGrouping& grouping, const ConvSplits& splits) {
    ConvWork work;
    work.conv_groups = ceil_div(ceil_div(problem.groups, grouping.conv_groups), splits.groups);
    work.batch = ceil_div(problem.batch, splits.batch);
    work.rows = ceil_div(problem.out_height, splits.height);
    work.row_length =
        ceil_div(ceil_div(problem.out_width, splits.width_group), splits.width) * splits.width_group;
    work.kernel_height =
        height_of(problem).most_kernel_rows(work.rows, ceil_div(problem.kernel_height, splits.kernel_height));
    work.kernel_width = width_of(problem).most_kernel_rows(work.row_length, problem.kernel_width);
    work.in_groups =
        ceil_div(ceil_div(problem.in_channels, grouping.in_channels), splits.in_channels * splits.serial_in);
    work.out_groups = ceil_div(ceil_div(problem.out_channels, grouping.out_channels),
                               splits.out_channels * splits.serial_out);
    work.stride = problem.stride_width;
    work.row_step = problem.in_dilation_height;
    work.step = problem.in_dilation_width;
    return work;
}

TurnedBytes turned_bytes(const ConvProblem& transformed, const ConvTransform& transform,
                         const ConvGrouping& grouping, std::int64_t tiles, std::int64_t serial_out) {
    const ConvProblem& p = transformed;
    const std::int64_t in_bytes = p.types.input_bytes;
    const std::int64_t padded_in = padded(p.in_channels, grouping.in_channels);
    const std::int64_t padded_out = padded(p.out_channels, grouping.out_channels);
    const TurnedOperands turns = turned_operands(p, transform, grouping);
    // Operands are made for swapped matrix products and for convolutions that are not; the planner takes the
    // others to be turned, though the program may find them in order.
    const bool unusual = transform.swap != p.matrices;
    TurnedBytes bytes;
    if (turns.input || unusual)
        bytes.input = ceil_div(p.groups * p.batch * p.in_height * p.in_width * padded_in * in_bytes, tiles);
    if (turns.weights || unusual)
        bytes.weights =
            ceil_div(p.groups * p.kernel_height * p.kernel_width * padded_in * padded_out * in_bytes, tiles);
    // Results in another order than the next operation reads, or with padding between them, or, of
    // convolutions, in groups of channels of another size.
    const bool as_made = p.matrices || p.pass == ConvPass::WeightGradient; // swapped is the usual order
    bytes.reordered_output = transform.swap != as_made || p.out_channels % grouping.out_channels != 0 ||
                             (p.trained && p.pass == ConvPass::WeightGradient && !transform.joint);
    if (bytes.reordered_output || (!p.matrices && grouping.out_channels != weights_per_unit(p.types)))
        bytes.output = ceil_div(p.groups * p.batch * p.out_height * p.out_width * padded_out * in_bytes,
                                tiles * serial_out);
    return bytes;
}

std::int64_t rearrange_cycles(const Target& target, const ConvProblem& transformed,
                              const ConvGrouping& grouping, const TurnedBytes& turned, std::int64_t serial) {
    const std::int64_t element = transformed.types.input_bytes;
    const std::int64_t out_channels = transformed.out_channels;
    const std::int64_t rate = target.exchange_bytes_per_cycle;
    std::int64_t cycles = 0;
    for (const std::int64_t bytes : {turned.input, turned.weights})
        if (bytes > 0)
            cycles += transform_cycles(target, bytes, element, transformed.in_channels * out_channels) +
                      ceil_div(bytes, rate);
    if (turned.output > 0) {
        const std::int64_t together = turned.reordered_output ? 1 : grouping.out_channels;
        cycles += serial * (ceil_div(transform_bytes(turned.output, element, out_channels),
                                     std::min(target.data_path_bytes, together * element)) +
                            (turned.reordered_output ? ceil_div(turned.output, rate) : 0));
    }
    return cycles;
}

ConvCost conv_cost(const Target& target, const ConvProblem& problem, const ConvTransform& transform,
                   const ConvGrouping& grouping, const ConvSplits& splits) {
    return *conv_cost_within(target, transformed(problem, transform), transform, grouping, splits);
}

std::optional<ConvCost> conv_cost_within(const Target& target, const ConvProblem& transformed,
                                         const ConvTransform& transform, const ConvGrouping& grouping,
                                         const ConvSplits& splits, const ConvLimits& limits) {
    const ConvProblem& p = transformed;
    const ConvWork work = largest_work(p, grouping, splits);
    const ConvTypes types = vertex_types(grouping, p.types);
    const std::int64_t in_bytes = types.input_bytes;
    const std::int64_t partial_bytes = types.partial_bytes;
    const std::int64_t rate = target.exchange_bytes_per_cycle;
    const std::int64_t depth = splits.depth();
    const std::int64_t serial = splits.serial();

    const std::int64_t groups = work.conv_groups * grouping.conv_groups;
    const std::int64_t in_channels = work.in_groups * grouping.in_channels;
    const std::int64_t out_channels = work.out_groups * grouping.out_channels;
    const std::int64_t field = height_of(p).most_input_rows(work.rows, work.kernel_height) *
                               width_of(p).most_input_rows(work.row_length, work.kernel_width);
    const std::int64_t input = groups * work.batch * field * in_channels * in_bytes;
    const std::int64_t weights =
        groups * work.kernel_height * work.kernel_width * in_channels * out_channels * in_bytes;
    const std::int64_t outputs = groups * work.positions() * out_channels;
    const bool casts = partial_bytes > in_bytes; // results have the operands' type
    const std::int64_t product = input + weights + (depth > 1 || casts ? outputs * partial_bytes : 0);
    const TurnedBytes turned = turned_bytes(p, transform, grouping, splits.tiles(), splits.serial_out);
    const std::int64_t least_bytes = std::max(turned.temporary(), product);
    const std::int64_t most =
        static_cast<double>(least_bytes) > limits.bytes ? limits.cycles_if_larger : limits.cycles;

    ConvCost cost;
    // Neighbouring tiles that differ in their output channel need the same input and share the bus.
    const std::int64_t input_rate = splits.out_channels % 2 == 0 ? 2 * rate : rate;
    const std::int64_t weight_users = splits.batch * splits.field();
    const std::int64_t inputs_times = splits.serial_out > 1 ? 1 : serial; // the same for every serial output
    cost.exchange_inputs = inputs_times * ceil_div(input - input / splits.out_channels, input_rate);
    cost.exchange_weights = serial * ceil_div(weights - weights / weight_users, rate);
    cost.rearrange = rearrange_cycles(target, p, grouping, turned, serial);
    if (cost.cycles() > most)
        return std::nullopt;
    cost.partials = serial * conv_partial_cycles(target, grouping, types, work);
    if (cost.cycles() > most)
        return std::nullopt;

    std::int64_t received = 0;
    std::int64_t held = outputs; // of the results
    if (depth > 1) {
        const std::int64_t grain = reduction_grain(target, grouping, types);
        for (const std::int64_t stage : reduction_stages(depth)) { // a tile keeps its share of its sums
            const std::int64_t made = reduction_share(held, grain, stage).length();
            const std::int64_t from_others = made * (stage - 1) * partial_bytes;
            cost.exchange_partials +=
                serial * ceil_div(std::max(from_others, (held - made) * partial_bytes), rate);
            received = std::max(received, from_others);
            cost.reduce += serial * conv_reduce_cycles(target, types, made, stage);
            held = made;
        }
    }

    if (casts && depth == 1 && splits.serial_in == 1)
        cost.reduce = serial * cast_cycles(target, partial_bytes, in_bytes, outputs);

    // The weights of a dense layer in training may not lie so that their parts can be sliced.
    const bool lays_out_weights = serial > 1 && p.trained && !transform.joint;
    if (lays_out_weights)
        cost.rearrange += ceil_div(weights, rate) + weights / in_bytes;

    if (serial > 1) {
        cost.slices = serial * slice_cycles(target, in_bytes, weights / in_bytes / weight_users);
        if (splits.serial_in > 1) { // each part's sum is added to that of the parts before
            cost.slices += serial * slice_cycles(target, in_bytes, input / in_bytes / splits.out_channels);
            cost.updates = serial * scaled_add_cycles(target, partial_bytes, held) +
                           (casts ? cast_cycles(target, partial_bytes, in_bytes, held) : 0);
        } else {
            cost.updates = serial * slice_cycles(target, in_bytes, held);
        }
    }

    cost.temporary_bytes = std::max(least_bytes, depth > 1 ? outputs * partial_bytes + received : 0);
    if (lays_out_weights)
        cost.temporary_bytes += weights;
    if (splits.serial_in > 1)
        cost.temporary_bytes += outputs / depth * partial_bytes;
    if (loads_and_stores_at_once(grouping.vertex))
        cost.interleaved_bytes = outputs * partial_bytes;
    return cost;
}

std::vector<CostItem> cost_items(const ConvCost& cost) {
    std::vector<CostItem> items;
    if (cost.sync > 0)
        items.push_back({"sync", CostKind::Sync, cost.sync});
    for (const CostItem& item : {CostItem{"rearrange", CostKind::Compute, cost.rearrange},
                                 CostItem{"exchange_inputs", CostKind::Exchange, cost.exchange_inputs},
                                 CostItem{"exchange_weights", CostKind::Exchange, cost.exchange_weights},
                                 CostItem{"partials", CostKind::Compute, cost.partials},
                                 CostItem{"exchange_partials", CostKind::Exchange, cost.exchange_partials},
                                 CostItem{"reduce", CostKind::Compute, cost.reduce},
                                 CostItem{"slices", CostKind::Compute, cost.slices},
                                 CostItem{"updates", CostKind::Compute, cost.updates}})
        items.push_back(item);
    return items;
}

std::string describe(const ConvPlan& plan) {
    const ConvSplits& s = plan.splits;
    const ConvGrouping& g = plan.grouping;
    nlohmann::ordered_json text{{"vertex", to_string(g.vertex)}};
    if (g.vertex == ConvVertex::Amp1x1 || g.vertex == ConvVertex::AmpNx1 || g.vertex == ConvVertex::Slic)
        text["units"] = g.units;
    text["conv_groups_per_group"] = g.conv_groups;
    text["in_channels_per_group"] = g.in_channels;
    text["out_channels_per_group"] = g.out_channels;
    auto& transforms = text["transforms"] = nlohmann::ordered_json::array();
    for (const auto& [used, name] :
         {std::pair{plan.transform.expand_height, "expand height"},
          std::pair{plan.transform.expand_width, "expand width"},
          std::pair{plan.transform.flatten, "flatten"}, std::pair{plan.transform.swap, "swap operands"},
          std::pair{plan.transform.joint, "joint"}})
        if (used)
            transforms.push_back(name);
    text.update({{"groups", s.groups},
                 {"batch", s.batch},
                 {"height", s.height},
                 {"width", s.width},
                 {"kernel_height", s.kernel_height},
                 {"in_channels", s.in_channels},
                 {"out_channels", s.out_channels},
                 {"serial_in_channels", s.serial_in},
                 {"serial_out_channels", s.serial_out},
                 {"tiles", s.tiles()}});
    return text.dump();
}

} // namespace tilescope::ipu
