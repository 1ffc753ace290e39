// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/text.h"
#include "base/units.h"
#include "base/worker_pool.h"
#include "compile/passes.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace tilescope::compile {
namespace {

constexpr std::int64_t instruction_bytes = 4;
// Control and host exchange code of a program of almost no steps, per tile: the summary report of a graph of
// one addition in IPU TensorFlow's documentation (851,272 and 351,328 bytes on 1,216 tiles).
constexpr std::int32_t control_base_bytes = 700;
constexpr std::int32_t host_exchange_base_bytes = 289;

using Bytes = std::vector<std::int32_t>; ///< by tile

/// A codelet's code is on every tile that runs it, once.
struct VertexCode {
    Bytes bytes;
    bool estimated = false;
};
std::map<std::string, VertexCode> codelets_of(const Compilation& c, std::int32_t ipu) {
    std::map<std::string, VertexCode> codelets;
    for (const program::ComputeSet& set : c.executable.program.compute_sets) {
        if (set.ipu != ipu)
            continue;
        if (c.cancelled())
            break;
        for (const program::VertexGroup& group : set.vertices) {
            VertexCode& code = codelets[group.codelet];
            code.estimated = group.estimated;
            Bytes& bytes = code.bytes;
            bytes.resize(set.tile_cycles.size(), 0);
            for (std::size_t t = 0; t < bytes.size(); ++t)
                if (set.tile_cycles[t] > 0)
                    bytes[t] = static_cast<std::int32_t>(group.code_bytes);
        }
    }
    return codelets;
}

/// Every tile runs every step of its IPU: sync, set-up, call and return. What shares its code is called.
std::int32_t control_bytes(const program::Program& program, const program::Step& step) {
    const bool shared =
        (step.compute_set >= 0 && program.compute_sets[static_cast<std::size_t>(step.compute_set)].shared) ||
        (step.exchange >= 0 && program.exchanges[static_cast<std::size_t>(step.exchange)].shared);
    return (shared ? 1 : 4) * static_cast<std::int32_t>(instruction_bytes);
}

bool runs_on(const program::Step& step, std::int32_t ipu) {
    return step.ipu == ipu || step.peer == ipu || step.ipu == program::all_ipus;
}

std::int32_t control_bytes(const program::Program& program, const std::vector<program::StepId>& leaves,
                           std::int32_t ipu) {
    std::int32_t control = control_base_bytes;
    for (const program::StepId id : leaves)
        if (runs_on(program.step(id), ipu))
            control += control_bytes(program, program.step(id));
    return control;
}

/// The code of what goes outside the IPUs is of one kind: remote buffers are streams.
ExchangeKind kind_of_code(const program::Exchange& exchange) {
    return leaves_ipus(exchange.kind) ? ExchangeKind::Host : exchange.kind;
}

/// Code of an exchange that has its own, on a tile of an IPU.
std::int32_t exchange_bytes(const program::Exchange& exchange, std::int32_t ipu, std::size_t tile) {
    const std::int64_t moved = (exchange.ipu == ipu ? exchange.sent[tile] : 0) +
                               (exchange.peer < 0 || exchange.peer == ipu ? exchange.received[tile] : 0);
    if (moved == 0)
        return 0;
    const std::int64_t instructions =
        exchange.instructions.empty() ? ceil_div(moved, 256) : exchange.instructions[tile];
    return static_cast<std::int32_t>(instruction_bytes * (4 + instructions));
}

bool takes_part(const program::Exchange& exchange, std::int32_t ipu) {
    return exchange.ipu == ipu || exchange.peer == ipu;
}

/// Code of the exchanges of one kind that an IPU's tiles take part in.
Bytes exchange_code(const Compilation& c, std::int32_t ipu, ExchangeKind kind, std::int32_t base) {
    const program::Program& program = c.executable.program;
    Bytes bytes(static_cast<std::size_t>(program.tiles), base);
    for (const program::Exchange& exchange : program.exchanges) {
        if (exchange.shared || kind_of_code(exchange) != kind || !takes_part(exchange, ipu))
            continue;
        if (c.cancelled())
            break;
        for (std::size_t t = 0; t < bytes.size(); ++t)
            bytes[t] += exchange_bytes(exchange, ipu, t);
    }
    return bytes;
}

/// What a step adds to the tiles of all its IPUs, beside the code of its vertices.
std::int64_t code_of(const program::Program& program, const program::Step& step) {
    std::int64_t bytes = 0;
    for (std::int32_t ipu = 0; ipu < program.ipus; ++ipu) {
        if (runs_on(step, ipu))
            bytes += program.tiles * control_bytes(program, step);
        if (step.exchange < 0)
            continue;
        const program::Exchange& exchange = program.exchanges[static_cast<std::size_t>(step.exchange)];
        if (exchange.shared || !takes_part(exchange, ipu))
            continue;
        for (std::size_t t = 0; t < exchange.received.size(); ++t)
            bytes += exchange_bytes(exchange, ipu, t);
    }
    return bytes;
}

struct IpuCode {
    std::vector<program::Variable> variables;
    std::int64_t total = 0;     ///< bytes
    std::int64_t estimated = 0; ///< of these, the code of codelets whose size is an estimate
};

/// The code of one IPU's tiles.
IpuCode code_of(const Compilation& c, const std::vector<program::StepId>& leaves, std::int32_t ipu) {
    IpuCode code;
    const auto add = [&](std::string name, MemoryCategory category, Bytes bytes) {
        program::Variable variable;
        variable.name = std::move(name);
        variable.ipu = ipu;
        variable.category = category;
        variable.always_live = true;
        variable.tile_bytes = std::move(bytes);
        const std::int64_t total = variable.total_bytes();
        code.total += total;
        if (total > 0)
            code.variables.push_back(std::move(variable));
        return total;
    };
    const auto tiles = static_cast<std::size_t>(c.executable.program.tiles);
    for (auto& [name, codelet] : codelets_of(c, ipu)) {
        const std::int64_t bytes = add(name, MemoryCategory::VertexCode, std::move(codelet.bytes));
        code.estimated += codelet.estimated ? bytes : 0;
    }
    add("control code", MemoryCategory::ControlCode,
        Bytes(tiles, control_bytes(c.executable.program, leaves, ipu)));
    add("internal exchange code", MemoryCategory::InternalExchangeCode,
        exchange_code(c, ipu, ExchangeKind::Internal, 0));
    add("global exchange code", MemoryCategory::GlobalExchangeCode,
        exchange_code(c, ipu, ExchangeKind::InterIpu, 0));
    add("host exchange code", MemoryCategory::HostExchangeCode,
        exchange_code(c, ipu, ExchangeKind::Host, host_exchange_base_bytes));
    add("stacks", MemoryCategory::Stack,
        Bytes(tiles, static_cast<std::int32_t>(c.options.target.stack_bytes_per_tile)));
    return code;
}

} // namespace

Result<std::string> add_code(Compilation& c) {
    program::Program& program = c.executable.program;
    if (!c.options.target.compile_ipu_code)
        return std::string("code is not counted (compile_ipu_code is false)");
    const std::vector<program::StepId> leaves = program.leaves();
    std::vector<IpuCode> codes(static_cast<std::size_t>(program.ipus));
    WorkerPool(c.options.threads).parallel_for(codes.size(), 1, [&](std::size_t begin, std::size_t end) {
        for (std::size_t ipu = begin; ipu < end && !c.cancelled(); ++ipu)
            codes[ipu] = code_of(c, leaves, static_cast<std::int32_t>(ipu));
    });
    for (const program::StepId id : leaves) {
        if (c.cancelled())
            return cancelled();
        program.step(id).code_bytes = code_of(program, program.step(id));
    }
    std::int64_t total = 0;
    std::int64_t estimated = 0;
    for (IpuCode& code : codes) {
        total += code.total;
        estimated += code.estimated;
        for (program::Variable& variable : code.variables)
            program.add_variable(std::move(variable));
    }
    return bytes_text(static_cast<double>(total)) + " of code, " +
           bytes_text(static_cast<double>(estimated)) + " of it of codelets whose size is an estimate";
}

} // namespace tilescope::compile
