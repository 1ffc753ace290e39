// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/units.h"
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
std::map<std::string, VertexCode> codelets_of(const program::Program& program, std::int32_t ipu) {
    std::map<std::string, VertexCode> codelets;
    for (const program::ComputeSet& set : program.compute_sets)
        for (const program::VertexGroup& group : set.vertices) {
            if (set.ipu != ipu)
                continue;
            VertexCode& code = codelets[group.codelet];
            code.estimated = group.estimated;
            Bytes& bytes = code.bytes;
            bytes.resize(set.tile_cycles.size(), 0);
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

struct CodeBytes {
    std::int64_t total = 0;
    std::int64_t estimated = 0; ///< of these, the code of codelets whose size is an estimate
};

/// Adds the code of one IPU's tiles to its variables, and its bytes to `sum`.
void add_code_of(program::Program& program, std::int32_t ipu, const ipu::Target& target, CodeBytes& sum) {
    const auto add = [&](std::string name, program::Category category, Bytes bytes) {
        program::Variable variable;
        variable.name = std::move(name);
        variable.ipu = ipu;
        variable.category = category;
        variable.always_live = true;
        variable.tile_bytes = std::move(bytes);
        const std::int64_t total = variable.total_bytes();
        sum.total += total;
        if (total > 0)
            program.add_variable(std::move(variable));
        return total;
    };
    using program::Category;
    using program::ExchangeKind;
    const auto tiles = static_cast<std::size_t>(program.tiles);
    for (auto& [name, code] : codelets_of(program, ipu)) {
        const std::int64_t bytes = add(name, Category::VertexCode, std::move(code.bytes));
        sum.estimated += code.estimated ? bytes : 0;
    }
    add("control code", Category::ControlCode, Bytes(tiles, control_bytes(program, ipu)));
    add("internal exchange code", Category::InternalExchangeCode,
        exchange_code(program, ipu, ExchangeKind::Internal, 0));
    add("global exchange code", Category::GlobalExchangeCode,
        exchange_code(program, ipu, ExchangeKind::InterIpu, 0));
    add("host exchange code", Category::HostExchangeCode,
        exchange_code(program, ipu, ExchangeKind::Host, host_exchange_base_bytes));
    add("stacks", Category::Stack, Bytes(tiles, static_cast<std::int32_t>(target.stack_bytes_per_tile)));
}

} // namespace

Result<std::string> add_code(Compilation& c) {
    program::Program& program = c.executable.program;
    if (!c.options.target.compile_ipu_code)
        return std::string("code is not counted (compile_ipu_code is false)");
    CodeBytes sum;
    for (std::int32_t ipu = 0; ipu < program.ipus; ++ipu) {
        if (c.cancelled())
            return cancelled();
        add_code_of(program, ipu, c.options.target, sum);
    }
    return std::to_string(sum.total) + " bytes of code, " + std::to_string(sum.estimated) +
           " of them of codelets whose size is an estimate";
}

} // namespace tilescope::compile
