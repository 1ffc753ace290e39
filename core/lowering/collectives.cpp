// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/units.h"
#include "families.h"
#include "ipu/elementwise_cycles.h"
#include "operators/replica_groups.h"
#include "program/exchange_traffic.h"

#include <utility>

namespace tilescope::lowering {
namespace {

void add_to(std::vector<std::int64_t>& sums, const std::vector<std::int64_t>& values) {
    sums.resize(values.size(), 0);
    for (std::size_t t = 0; t < values.size(); ++t)
        sums[t] += values[t];
}

/// Adds up what comes around the ring: on each tile all but the replica's own part of `elements`.
void add(LoweringContext& context, std::int64_t replicas, std::vector<std::int64_t> elements,
         std::vector<program::VariableId> uses) {
    const std::int64_t bytes = graph::element_bytes(context.output_type().dtype);
    for (std::int64_t& n : elements)
        n = ipu::scaled_add_cycles(context.target(), bytes, ceil_div(n * (replicas - 1), replicas));
    context.execute("Add", ipu::codelets::scaled_add, elements, std::move(uses));
}

/// Of all inputs, each with an output of its own.
void lower_sums(LoweringContext& context, std::int64_t replicas) {
    std::vector<RingSum> sums;
    for (std::size_t i = 0; i < context.operation().inputs.size(); ++i) {
        if (replicas == 1) { // only a sum over micro-batches, which is there
            context.alias_output(i, i);
            continue;
        }
        const program::TileMapping mapping = context.input_mapping(i);
        const program::VariableId from = context.input_variable(i);
        sums.push_back({from, context.place_output(i, mapping), mapping});
    }
    if (!sums.empty())
        lower_ring_sums(context, replicas, sums);
}

void lower_all_reduce(LoweringContext& context) {
    lower_sums(context, context.attributes().integer("replicas", 1));
}
void lower_group_mean(LoweringContext& context) {
    lower_sums(context, context.attributes().integer(operators::group_attribute, 1));
}

/// Of a copy, element by element, on each tile.
std::vector<std::int64_t> copy_cycles(const LoweringContext& context, const program::TileMapping& mapping) {
    const std::int64_t bytes = graph::element_bytes(context.output_type().dtype);
    std::vector<std::int64_t> cycles = mapping.elements_per_tile();
    for (std::int64_t& n : cycles)
        n = ipu::copy_cycles(context.target(), n * bytes, bytes);
    return cycles;
}

void copy(LoweringContext& context, const std::string& name, const program::TileMapping& mapping,
          std::vector<program::VariableId> uses) {
    context.execute(name, ipu::codelets::copy, copy_cycles(context, mapping), std::move(uses));
}

/// A temporary with a part in `parts` of so many elements of the output's type on each tile.
program::VariableId buffer(LoweringContext& context, const std::string& name,
                           const std::vector<std::int64_t>& elements, std::int64_t parts = 1) {
    const std::int64_t bytes = graph::element_bytes(context.output_type().dtype);
    std::vector<std::int32_t> held;
    held.reserve(elements.size());
    for (const std::int64_t n : elements)
        held.push_back(static_cast<std::int32_t>(ceil_div(n, parts) * bytes));
    return context.temporary(name, context.output_type().dtype, std::move(held));
}

std::int64_t group_of(const LoweringContext& context) {
    return context.attributes().integer(operators::group_attribute, 1);
}

/// The exchange over the links of a group, from and to the tiles of `mapping`; none of a group of one.
void go_around(LoweringContext& context, const char* name, RingPhase phase,
               const program::TileMapping& mapping, std::int64_t group,
               const std::vector<program::VariableId>& uses) {
    const std::int64_t bytes = graph::element_bytes(context.output_type().dtype);
    if (group > 1)
        context.exchange({StepRole::Exchange, name, {}}, program::ring_exchange(phase, mapping, bytes, group),
                         uses);
}

/// A tensor whose bytes a phase moves, and how it lies.
using OfRing = std::pair<program::VariableId, program::TileMapping>;

/// One phase around the ring of several tensors at once.
program::Exchange ring_exchange(RingPhase phase, const std::vector<OfRing>& of, std::int64_t bytes,
                                std::int64_t replicas) {
    program::Exchange all;
    for (const auto& [variable, mapping] : of) {
        program::Exchange one = program::ring_exchange(phase, mapping, bytes, replicas);
        const program::MovedVariable moved{variable, one.bytes()};
        if (all.moved.empty())
            all = std::move(one);
        else
            add_to(all.sent, one.sent);
        all.moved.push_back(moved);
    }
    all.received = all.sent;
    return all;
}

/// Elements on each tile of several tensors.
std::vector<std::int64_t> elements_of(const std::vector<OfRing>& of) {
    std::vector<std::int64_t> elements;
    for (const OfRing& each : of)
        add_to(elements, each.second.elements_per_tile());
    return elements;
}

/// Each replica copies its own part, and the others' come around the ring.
void lower_group_gather(LoweringContext& context) {
    const program::TileMapping own = context.input_mapping(0);
    const program::TileMapping whole = context.linear(context.output_type());
    const std::vector<program::VariableId> uses{context.input_variable(0), context.place_output(0, whole)};
    copy(context, "OwnPart", own, uses);
    go_around(context, "all-gather", RingPhase::AllGather, whole, group_of(context), uses);
}

/// The first phase of an all-reduce, in the parts that the tensor itself has.
void lower_group_scatter(LoweringContext& context) {
    const std::int64_t group = group_of(context);
    const program::TileMapping whole = context.input_mapping(0);
    const program::TileMapping part = context.linear(context.output_type());
    std::vector<program::VariableId> uses{context.input_variable(0), context.place_output(0, part)};
    go_around(context, "reduce-scatter", RingPhase::ReduceScatter, whole, group, uses);
    if (group > 1)
        add(context, group, whole.elements_per_tile(), std::move(uses));
    else
        copy(context, "OwnPart", part, std::move(uses));
}

/// Parts go the shorter way around the ring, from replica to replica: floor(group^2 / 4) times a part in all
/// passes through each of them.
void lower_group_all_to_all(LoweringContext& context) {
    const std::int64_t group = group_of(context);
    const program::TileMapping mapping = context.input_mapping(0);
    const std::vector<program::VariableId> uses{context.input_variable(0), context.place_output(0, mapping)};
    copy(context, "OwnPart", mapping.shared(group, 1), uses);
    if (group < 2)
        return;
    const std::int64_t bytes = graph::element_bytes(context.output_type().dtype);
    program::Exchange exchange = program::ring_exchange(RingPhase::ReduceScatter, mapping, bytes, group);
    exchange.sent = mapping.elements_per_tile();
    for (std::int64_t& sent : exchange.sent)
        sent = ceil_div(sent * bytes * (group * group / 4), group);
    exchange.received = exchange.sent;
    context.exchange({StepRole::Exchange, "all-to-all", {}}, std::move(exchange), uses);
}

/// A constant of each replica's own.
void lower_group_index(LoweringContext& context) {
    const program::TileMapping mapping = context.linear(context.output_type());
    copy(context, "ReplicaIndex", mapping, {context.place_output(0, mapping)});
}

program::TileMapping share_of(const LoweringContext& context, const program::TileMapping& whole) {
    return shared_by(context.attributes().integer("replicas", 1), whole, context.output_type().dtype);
}

/// The first phase of an all-reduce, of all inputs of the first half, which come to where those of the second
/// lie: each replica keeps the sum of its share.
void lower_reduce_scatter(LoweringContext& context) {
    const std::int64_t replicas = context.attributes().integer("replicas", 1);
    const std::int64_t bytes = graph::element_bytes(context.output_type().dtype);
    const std::size_t count = context.operation().outputs.size();
    std::vector<program::VariableId> uses;
    std::vector<OfRing> scattered;
    for (std::size_t i = 0; i < count; ++i) {
        const program::TileMapping whole = context.input_mapping(count + i).shared(1, 1);
        context.bring(i, whole.view(), program::needs_of(whole), uses);
        scattered.emplace_back(uses.back(), whole);
    }
    for (std::size_t i = 0; i < count; ++i)
        uses.push_back(context.place_output(i, share_of(context, scattered[i].second)));
    context.exchange({StepRole::Exchange, "reduce-scatter", {}},
                     ring_exchange(RingPhase::ReduceScatter, scattered, bytes, replicas), uses);
    add(context, replicas, elements_of(scattered), std::move(uses));
}

/// A copy on each tile; nothing goes over the links.
void lower_take_share(LoweringContext& context) {
    const program::TileMapping share = share_of(context, context.input_mapping(0));
    const program::VariableId whole = context.input_variable(0);
    copy(context, "TakeShare", share, {whole, context.place_output(0, share)});
}

/// The second phase of an all-reduce. What variables get comes to buffers and is copied from there
/// (PopART's CopyVarUpdate).
void lower_all_gather(LoweringContext& context) {
    const std::size_t count = context.operation().outputs.size();
    const std::size_t first_share = context.operation().inputs.size() - count; // behind the variables
    const bool updates = first_share > 0;
    const std::int64_t bytes = graph::element_bytes(context.output_type().dtype);
    const std::int64_t replicas = context.attributes().integer("replicas", 1);
    std::vector<OfRing> shares;
    std::vector<program::VariableId> gathered;
    for (std::size_t i = 0; i < count; ++i) {
        const program::TileMapping whole = context.input_mapping(i).shared(1, 1);
        shares.emplace_back(context.input_variable(first_share + i), whole);
        gathered.push_back(updates ? buffer(context, "gathered", whole.elements_per_tile())
                                   : context.place_output(i, whole));
    }
    std::vector<program::VariableId> uses;
    uses.reserve(shares.size() + gathered.size());
    for (const OfRing& share : shares)
        uses.push_back(share.first);
    uses.insert(uses.end(), gathered.begin(), gathered.end());
    context.exchange({StepRole::Exchange, "all-gather", {}},
                     ring_exchange(RingPhase::AllGather, shares, bytes, replicas), std::move(uses));
    if (!updates)
        return;
    std::vector<std::int64_t> cycles; // one copy after another
    for (std::size_t i = 0; i < count; ++i) {
        add_to(cycles, copy_cycles(context, shares[i].second));
        gathered.push_back(context.input_variable(i));
        context.alias_output(i, i);
    }
    context.execute("WriteVariable", ipu::codelets::copy, cycles, std::move(gathered));
}

void lower_accumulate(LoweringContext& context) {
    if (context.placed(0) && context.placed(1) && context.input_variable(0) == context.input_variable(1)) {
        context.alias_output(0, 0); // what made the gradient has added it
        return;
    }
    if (!context.placed(0))
        context.place_input(0, context.input_mapping(1));
    const program::TileMapping mapping = context.input_mapping(0);
    std::vector<program::VariableId> uses{context.input_variable(0)};
    context.bring(1, mapping.view(), program::needs_of(mapping), uses);
    context.alias_output(0, 0);
    std::vector<std::int64_t> cycles = mapping.elements_per_tile();
    for (std::int64_t& n : cycles)
        n = ipu::scaled_add_cycles(context.target(), graph::element_bytes(context.output_type().dtype), n);
    context.execute("Accumulate", ipu::codelets::scaled_add, cycles, std::move(uses));
}

/// The sum is there already.
void lower_accumulated(LoweringContext& context) {
    context.alias_output(0, 0);
}

} // namespace

program::TileMapping shared_by(std::int64_t replicas, const program::TileMapping& whole, graph::DType dtype) {
    constexpr std::int64_t grain_bytes = 8; // as PopART has it
    return whole.shared(replicas, grain_bytes / graph::element_bytes(dtype));
}

void lower_ring_sums(LoweringContext& context, std::int64_t replicas, const std::vector<RingSum>& of) {
    const std::int64_t bytes = graph::element_bytes(context.output_type().dtype);
    std::vector<program::VariableId> all;
    std::vector<program::VariableId> sums;
    std::vector<OfRing> given;
    std::vector<OfRing> made;
    for (const RingSum& sum : of) {
        all.push_back(sum.from);
        sums.push_back(sum.to);
        given.emplace_back(sum.from, sum.mapping);
        made.emplace_back(sum.to, sum.mapping);
    }
    for (const RingSum& sum : of)
        if (sum.to != sum.from)
            all.push_back(sum.to);
    std::vector<std::int64_t> elements = elements_of(given);
    if (sums[0] == of[0].from) // what comes has no room in them: one part after another has it here
        all.push_back(buffer(context, "from another replica", elements, replicas));
    context.exchange({StepRole::Exchange, "reduce-scatter", {}},
                     ring_exchange(RingPhase::ReduceScatter, given, bytes, replicas), all);
    add(context, replicas, std::move(elements), all);
    context.exchange({StepRole::Exchange, "all-gather", {}},
                     ring_exchange(RingPhase::AllGather, made, bytes, replicas), sums);
}

void add_collective_lowerings(LoweringTable& table) {
    table.set("all_reduce", lower_all_reduce);
    table.set("group_mean", lower_group_mean);
    table.set("group_gather", lower_group_gather);
    table.set("group_scatter", lower_group_scatter);
    table.set("group_all_to_all", lower_group_all_to_all);
    table.set("group_index", lower_group_index);
    table.set("reduce_scatter", lower_reduce_scatter);
    table.set("take_share", lower_take_share);
    table.set("all_gather", lower_all_gather);
    table.set("accumulate", lower_accumulate);
    table.set("accumulated", lower_accumulated);
}

} // namespace tilescope::lowering
