// SPDX-License-Identifier: GPL-3.0-or-later
#include "host_copies.h"

#include "base/entry.h"
#include "base/host_work.h"
#include "program/exchange_traffic.h"

#include <algorithm>

namespace tilescope::compile {

using graph::ValueId;
using program::Step;

void HostCopies::lower() {
    if (values_.empty())
        return;
    std::vector<lowering::Placed> buffers;
    for (const auto& [id, name] : values_)
        buffers.push_back(buffer_of(id, name));
    if (!to_device_)
        rearrange(buffers);
    const ipu::Target& target = state_.target;
    on(waits_);
    step(StepKind::StreamCopy, host_work(HostWork::Begin, name_), -1, target.global_sync_cycles,
         target.cycles_of_us(target.host_sync_us), {});
    for (std::size_t i = 0; i < values_.size(); ++i) {
        on(state_.home(buffers[i]));
        program::Exchange exchange =
            state_.host_exchange(ipu_, buffers[i].mapping, bytes_of(values_[i].first), to_device_);
        append(StepKind::StreamCopy, host_work(HostWork::Stream, values_[i].second), std::move(exchange), 0,
               {buffers[i].variable});
    }
    on(waits_);
    step(StepKind::StreamCopy, host_work(HostWork::End, name_), -1, target.sync_cycles, 0, {});
    if (to_device_)
        rearrange(buffers);
}

std::int64_t HostCopies::bytes_of(ValueId id) const {
    return graph::element_bytes(state_.graph.type(id).dtype);
}

program::TileMapping HostCopies::order_of(const graph::TensorType& type) const {
    if (!on_io_tiles_)
        return lowering::linear_mapping(state_, type);
    const std::int64_t bytes = graph::element_bytes(type.dtype);
    const std::int64_t grain = std::max<std::int64_t>(1, state_.target.data_path_bytes / bytes);
    const auto over = program::TileMapping::linear(type.shape, state_.io_tiles, grain,
                                                   lowering::minimum_bytes_per_tile / bytes);
    return {over.axes(), state_.target.tiles_per_ipu, state_.compute_tiles()};
}

lowering::Placed HostCopies::buffer_of(ValueId id, const std::string& name) {
    const lowering::Placed& placed = entry(state_.values, id);
    const graph::TensorType& type = state_.graph.type(id);
    program::TileMapping linear = order_of(type);
    if (!on_io_tiles_ && (linear == placed.mapping || placed.mapping.parts() == 1)) // in order as it is
        return placed;
    program::Variable buffer = state_.program.variable(placed.variable);
    buffer.name = name + "/stream";
    buffer.category = MemoryCategory::MessageBuffers;
    buffer.value = -1;
    buffer.copy_of = id.value;
    // Where they overlap, the next batch comes while this one is in work.
    buffer.always_live = on_io_tiles_ && state_.program.io_overlaps;
    buffer.interleaved = false;
    buffer.role = StepRole::Host;
    std::fill(buffer.tile_bytes.begin(), buffer.tile_bytes.end(), 0);
    const std::vector<std::int64_t> elements = linear.elements_per_tile();
    for (std::size_t t = 0; t < elements.size(); ++t)
        buffer.tile_bytes[t] = static_cast<std::int32_t>(elements[t] * bytes_of(id));
    return {state_.program.add_variable(std::move(buffer)), std::move(linear)};
}

void HostCopies::rearrange(const std::vector<lowering::Placed>& buffers) {
    for (std::size_t i = 0; i < values_.size(); ++i) {
        const lowering::Placed& placed = entry(state_.values, values_[i].first);
        if (placed.variable == buffers[i].variable)
            continue;
        const lowering::Placed& from = to_device_ ? buffers[i] : placed;
        const lowering::Placed& to = to_device_ ? placed : buffers[i];
        const std::vector<program::TileNeed> needs = program::needs_of(to.mapping);
        const std::int64_t bytes = bytes_of(values_[i].first);
        auto exchange = state_.exchanges.between(from.mapping, to.mapping.view(), bytes, needs);
        on(state_.home(to));
        if (!exchange)
            continue;
        append(StepKind::Exchange, host_work(HostWork::Rearrange, values_[i].second), std::move(*exchange),
               state_.target.sync_cycles, {from.variable, to.variable});
    }
}

void HostCopies::append(StepKind kind, StepWork work, program::Exchange exchange, std::int64_t sync,
                        std::vector<program::VariableId> uses) {
    exchange.name = work.text();
    exchange.ipu = ipu_;
    const std::int64_t cycles = exchange.cycles;
    const std::int32_t id = state_.program.add_exchange(std::move(exchange), uses);
    step(kind, std::move(work), id, sync, cycles, std::move(uses));
}

void HostCopies::step(StepKind kind, StepWork work, std::int32_t exchange, std::int64_t sync,
                      std::int64_t cycles, std::vector<program::VariableId> uses) {
    Step step;
    step.kind = kind;
    step.name = work.text();
    step.work = std::move(work);
    step.ipu = ipu_;
    step.exchange = exchange;
    step.sync_cycles = sync;
    step.exchange_cycles = cycles;
    step.uses = std::move(uses);
    step.on_io_tiles = on_io_tiles_ && kind == StepKind::StreamCopy;
    state_.program.add_step(std::move(step), parent_);
}

} // namespace tilescope::compile
