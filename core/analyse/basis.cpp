// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/basis.h"

#include <algorithm>

namespace tilescope::analyse {
namespace {

/// The loop right below a step of the program tree that is no operation's own; null: none.
const profile::ProgramRecord* loop_below(const std::vector<profile::ProgramRecord>& program,
                                         std::int64_t parent) {
    const auto found = std::find_if(program.begin(), program.end(), [&](const auto& step) {
        return step.parent_id == parent && step.kind == profile::StepKind::Repeat && step.operation_id < 0;
    });
    return found == program.end() ? nullptr : &*found;
}

} // namespace

std::string to_string(Basis basis) {
    switch (basis) {
    case Basis::MicroBatch:
        return "micro-batch";
    case Basis::WeightUpdate:
        return "weight update";
    case Basis::Execution:
        return "execution";
    case Basis::Step:
        break;
    }
    return "step";
}

std::string per(Basis basis) {
    return "per " + to_string(basis);
}

std::string key(Basis basis) {
    std::string name = to_string(basis);
    std::replace_if(
        name.begin(), name.end(), [](char c) { return c == ' ' || c == '-'; }, '_');
    return name;
}

std::int64_t Loops::count(Basis basis) const {
    switch (basis) {
    case Basis::MicroBatch:
        return updates * micro_batches;
    case Basis::Step:
        return updates * micro_batches * replicas;
    case Basis::WeightUpdate:
        return updates;
    case Basis::Execution:
        break;
    }
    return 1;
}

std::vector<Basis> Loops::bases() const {
    if (training)
        return {Basis::MicroBatch, Basis::Step, Basis::WeightUpdate, Basis::Execution};
    return {Basis::MicroBatch, Basis::Step, Basis::Execution};
}

Basis Loops::usual() const {
    if (training && (pipelined || micro_batches * replicas > 1))
        return Basis::WeightUpdate;
    return pipelined ? Basis::Execution : Basis::Step;
}

Loops loops_of(const std::vector<profile::ProgramRecord>& program,
               const std::vector<profile::IpuRecord>& ipus,
               const std::vector<profile::OperationRecord>& operations) {
    Loops loops;
    const auto root =
        std::find_if(program.begin(), program.end(), [](const auto& step) { return step.parent_id < 0; });
    if (root != program.end())
        if (const auto* updates = loop_below(program, root->id)) {
            loops.updates = std::max<std::int64_t>(updates->repeats, 1);
            if (const auto* batches = loop_below(program, updates->id))
                loops.micro_batches = std::max<std::int64_t>(batches->repeats, 1);
        }
    for (const auto& ipu : ipus) {
        loops.replicas = std::max(loops.replicas, ipu.replica + 1);
        loops.pipelined = loops.pipelined || ipu.stage >= 0;
    }
    loops.training = std::any_of(operations.begin(), operations.end(),
                                 [](const auto& op) { return op.phase == profile::Phase::Update; });
    return loops;
}

Basis common_basis(const Loops& base, const Loops& now) {
    return base.usual() == now.usual() ? now.usual() : Basis::MicroBatch;
}

} // namespace tilescope::analyse
