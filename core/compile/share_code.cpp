// SPDX-License-Identifier: GPL-3.0-or-later
#include "compile/passes.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

namespace tilescope::compile {
namespace {

/// What the compute sets and exchanges of one operation are.
struct Code {
    std::vector<std::size_t> sets;
    std::vector<std::size_t> exchanges;
};

std::string signature(const graph::Graph& graph, const graph::Operation& op) {
    std::string text = op.kind + op.attributes.json();
    for (const graph::ValueId id : op.inputs)
        text += "," + graph::to_string(graph.type(id));
    return text;
}

} // namespace

Result<std::string> share_code(Compilation& c) {
    const graph::Graph& graph = c.graph();
    program::Program& program = c.executable.program;
    std::vector<Code> codes(graph.operations().size());
    for (std::size_t i = 0; i < program.compute_sets.size(); ++i)
        if (const std::int32_t op = program.compute_sets[i].operation; op >= 0)
            codes[static_cast<std::size_t>(op)].sets.push_back(i);
    for (std::size_t i = 0; i < program.exchanges.size(); ++i)
        if (const std::int32_t op = program.exchanges[i].operation; op >= 0)
            codes[static_cast<std::size_t>(op)].exchanges.push_back(i);
    std::map<std::string, std::vector<std::size_t>> alike; // operations whose code is there already
    std::size_t sets = 0;
    std::size_t exchanges = 0;
    for (const graph::Operation& op : graph.operations()) {
        const auto own = static_cast<std::size_t>(op.id.value);
        std::vector<std::size_t>& earlier = alike[signature(graph, op)];
        for (const std::size_t other : earlier) {
            for (std::size_t k = 0; k < std::min(codes[own].sets.size(), codes[other].sets.size()); ++k) {
                program::ComputeSet& set = program.compute_sets[codes[own].sets[k]];
                const program::ComputeSet& first = program.compute_sets[codes[other].sets[k]];
                if (set.shared || set.ipu != first.ipu || set.tile_cycles != first.tile_cycles)
                    continue;
                set.shared = true;
                ++sets;
                auto& state = program.variable(set.state).tile_bytes;
                std::fill(state.begin(), state.end(), 0);
            }
            for (std::size_t k = 0; k < std::min(codes[own].exchanges.size(), codes[other].exchanges.size());
                 ++k) {
                program::Exchange& exchange = program.exchanges[codes[own].exchanges[k]];
                const program::Exchange& first = program.exchanges[codes[other].exchanges[k]];
                if (exchange.shared || exchange.ipu != first.ipu || exchange.peer != first.peer ||
                    exchange.sent != first.sent || exchange.received != first.received)
                    continue;
                exchange.shared = true;
                ++exchanges;
            }
        }
        earlier.push_back(own);
    }
    return std::to_string(sets) + " of " + std::to_string(program.compute_sets.size()) +
           " compute sets and " + std::to_string(exchanges) + " of " +
           std::to_string(program.exchanges.size()) + " exchanges share the code of an equal one";
}

} // namespace tilescope::compile
