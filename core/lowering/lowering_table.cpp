// SPDX-License-Identifier: GPL-3.0-or-later
#include "lowering/lowering_table.h"

#include "families.h"

#include <cstdio>
#include <cstdlib>
#include <utility>

namespace tilescope::lowering {
namespace {

[[noreturn]] void bug(const std::string& kind, const char* what) {
    std::fprintf(stderr, "operator %s %s\n", kind.c_str(), what);
    std::abort();
}

} // namespace

void LoweringTable::set(const std::string& kind, LowerFunction lower) {
    if (registry_.find(kind) == nullptr)
        bug(kind, "has a lowering but is not registered");
    if (!lowerings_.emplace(kind, std::move(lower)).second)
        bug(kind, "has two lowerings");
}

const LowerFunction& LoweringTable::at(const std::string& kind) const {
    const auto found = lowerings_.find(kind);
    if (found == lowerings_.end())
        bug(kind, "has no lowering");
    return found->second;
}

LoweringTable standard_lowerings(const graph::OperatorRegistry& registry) {
    LoweringTable table(registry);
    add_matmul_lowerings(table);
    add_convolution_lowerings(table);
    add_pooling_lowerings(table);
    add_reduction_lowerings(table);
    add_indexing_lowerings(table);
    add_norm_lowerings(table);
    add_embedding_lowerings(table);
    add_shape_lowerings(table);
    add_update_lowerings(table);
    add_scan_lowering(table);
    add_collective_lowerings(table);
    add_remote_lowerings(table);
    add_elementwise_lowerings(table);
    for (const std::string& kind : registry.names())
        if (!table.has(kind))
            bug(kind, "has no lowering");
    return table;
}

} // namespace tilescope::lowering
