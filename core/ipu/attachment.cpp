// SPDX-License-Identifier: GPL-3.0-or-later
#include "ipu/attachment.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace tilescope::ipu {
namespace {

constexpr std::array<std::pair<SelectionOrder, const char*>, 4> names{{{SelectionOrder::Auto, "AUTO"},
                                                                       {SelectionOrder::Zigzag, "ZIGZAG"},
                                                                       {SelectionOrder::Snake, "SNAKE"},
                                                                       {SelectionOrder::Hoof, "HOOF"}}};

/// The place of shard i among n IPUs (poplar_compiler.cc of IPU TensorFlow).
std::size_t place_of(SelectionOrder order, std::size_t i, std::size_t n) {
    const std::size_t within = i % 4;
    const std::size_t half = n / 2;
    switch (order) {
    case SelectionOrder::Snake:
        return i - within + (within < 2 ? within : 5 - within);
    case SelectionOrder::Hoof:
        return i < half ? 2 * i : n - 1 - 2 * (i - half);
    case SelectionOrder::Auto:
    case SelectionOrder::Zigzag:
        break;
    }
    return i;
}

IpuIds taken(SelectionOrder order, const IpuIds& members) {
    IpuIds result;
    for (std::size_t i = 0; i < members.size(); ++i)
        result.push_back(members[place_of(order, i, members.size())]);
    return result;
}

bool linked(const IpuIds& walk, bool closed, const Topology& topology) {
    for (std::size_t i = 1; i < walk.size(); ++i)
        if (!topology.linked(walk[i - 1], walk[i]))
            return false;
    return !closed || walk.size() < 2 || topology.linked(walk.back(), walk.front());
}

} // namespace

std::string to_string(SelectionOrder order) {
    return std::find_if(names.begin(), names.end(), [&](const auto& each) { return each.first == order; })
        ->second;
}

std::optional<SelectionOrder> selection_order(const std::string& name) {
    for (const auto& [order, text] : names)
        if (name == text)
            return order;
    return std::nullopt;
}

IpuIds selected(SelectionOrder order, const IpuIds& members, const Topology& topology) {
    IpuIds walk = taken(order, members);
    if (order == SelectionOrder::Auto || order == SelectionOrder::Zigzag ||
        linked(walk, order == SelectionOrder::Hoof, topology))
        return walk;
    IpuIds along = members;
    std::sort(along.begin(), along.end());
    return taken(order, along);
}

Attachment attach(const Topology& topology, const IpuIds& members, std::int32_t ipus_per_model,
                  SelectionOrder order, const std::vector<std::int32_t>& mapping) {
    std::vector<std::int32_t> entries = mapping;
    for (std::int32_t entry = 0; entry < ipus_per_model; ++entry)
        if (std::find(mapping.begin(), mapping.end(), entry) == mapping.end())
            entries.push_back(entry);
    Attachment attachment{topology, {}};
    for (auto share = members.begin(); share != members.end(); share += ipus_per_model) {
        const IpuIds ordered = selected(order, {share, share + ipus_per_model}, topology);
        for (const std::int32_t entry : entries)
            attachment.ipus.push_back(ordered[static_cast<std::size_t>(entry)]);
    }
    return attachment;
}

std::int64_t Attachment::most_on_a_machine(std::int32_t count, std::int32_t first, std::int32_t apart) const {
    std::map<std::int32_t, std::int64_t> machines;
    std::int64_t most = 0;
    for (std::int32_t i = first; i < count; i += apart)
        most = std::max(most, ++machines[machine_of(i)]);
    return most;
}

} // namespace tilescope::ipu
