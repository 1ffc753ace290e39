// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/units.h"
#include "compile/passes.h"

#include <algorithm>
#include <map>
#include <utility>

namespace tilescope::compile {
namespace {

constexpr std::int64_t instruction_bytes = 4;
// Control and host exchange code of a program of almost no steps, per tile: the summary report of a graph of
// one addition in IPU TensorFlow's documentation (851,272 and 351,328 bytes on 1,216 tiles).
constexpr std::int32_t control_base_bytes = 700;
constexpr std::int32_t host_exchange_base_bytes = 289;

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

using Bytes = std::vector<std::int32_t>; ///< by tile

/// A codelet's code is on every tile that runs it, once.
std::map<std::string, Bytes> codelets_of(const program::Program& program, std::int32_t ipu) {
    std::map<std::string, Bytes> codelets;
    for (const program::ComputeSet& set : program.compute_sets)
        for (const program::VertexGroup& group : set.vertices) {
            if (set.ipu != ipu)
                continue;
            Bytes& bytes = codelets.try_emplace(group.codelet, set.tile_cycles.size(), 0).first->second;
            for (std::size_t t = 0; t < bytes.size(); ++t)
                if (set.tile_cycles[t] > 0)
                    bytes[t] = static_cast<std::int32_t>(group.code_bytes);
        }
    return codelets;
}

/// Every tile runs every step of its IPU: sync, set-up, call and return. What shares its code is called.
std::int32_t control_bytes(const program::Program& program, std::int32_t ipu) {
    std::int32_t control = control_base_bytes;
    for (const program::StepId id : program.leaves()) {
        const program::Step& step = program.step(id);
        if (step.ipu != ipu && step.peer != ipu && step.ipu != program::all_ipus)
            continue;
        const bool shared =
            (step.compute_set >= 0 &&
             program.compute_sets[static_cast<std::size_t>(step.compute_set)].shared) ||
            (step.exchange >= 0 && program.exchanges[static_cast<std::size_t>(step.exchange)].shared);
        control += (shared ? 1 : 4) * static_cast<std::int32_t>(instruction_bytes);
    }
    return control;
}

/// Code of the exchanges of one kind that an IPU's tiles take part in.
Bytes exchange_code(const program::Program& program, std::int32_t ipu, program::ExchangeKind kind,
                    std::int32_t base) {
    Bytes bytes(static_cast<std::size_t>(program.tiles), base);
    for (const program::Exchange& exchange : program.exchanges) {
        if (exchange.shared || exchange.kind != kind || (exchange.ipu != ipu && exchange.peer != ipu))
            continue;
        for (std::size_t t = 0; t < bytes.size(); ++t) {
            const std::int64_t moved = (exchange.ipu == ipu ? exchange.sent[t] : 0) +
                                       (exchange.peer < 0 || exchange.peer == ipu ? exchange.received[t] : 0);
            const std::int64_t instructions =
                exchange.instructions.empty() ? ceil_div(moved, 256) : exchange.instructions[t];
            if (moved > 0)
                bytes[t] += static_cast<std::int32_t>(instruction_bytes * (4 + instructions));
        }
    }
    return bytes;
}

/// Adds the code of one IPU's tiles to its variables. Returns its bytes.
std::int64_t add_code_of(program::Program& program, std::int32_t ipu, const ipu::Target& target) {
    std::int64_t total = 0;
    const auto add = [&](std::string name, program::Category category, Bytes bytes) {
        program::Variable variable;
        variable.name = std::move(name);
        variable.ipu = ipu;
        variable.category = category;
        variable.always_live = true;
        variable.tile_bytes = std::move(bytes);
        if (variable.total_bytes() == 0)
            return;
        total += variable.total_bytes();
        program.add_variable(std::move(variable));
    };
    using program::Category;
    using program::ExchangeKind;
    const auto tiles = static_cast<std::size_t>(program.tiles);
    for (auto& [name, bytes] : codelets_of(program, ipu))
        add(name, Category::VertexCode, std::move(bytes));
    add("control code", Category::ControlCode, Bytes(tiles, control_bytes(program, ipu)));
    add("internal exchange code", Category::InternalExchangeCode,
        exchange_code(program, ipu, ExchangeKind::Internal, 0));
    add("global exchange code", Category::GlobalExchangeCode,
        exchange_code(program, ipu, ExchangeKind::InterIpu, 0));
    add("host exchange code", Category::HostExchangeCode,
        exchange_code(program, ipu, ExchangeKind::Host, host_exchange_base_bytes));
    add("stacks", Category::Stack, Bytes(tiles, static_cast<std::int32_t>(target.stack_bytes_per_tile)));
    return total;
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

Result<std::string> add_code(Compilation& c) {
    program::Program& program = c.executable.program;
    if (!c.options.target.compile_ipu_code)
        return std::string("code is not counted (compile_ipu_code is false)");
    std::int64_t total = 0;
    for (std::int32_t ipu = 0; ipu < program.ipus; ++ipu)
        total += add_code_of(program, ipu, c.options.target);
    return std::to_string(total) + " bytes of code";
}

} // namespace tilescope::compile
