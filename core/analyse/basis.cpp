// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/basis.h"

#include "base/text.h"
#include "base/try.h"
#include "profile/profile.h"

#include <algorithm>
#include <numeric>

namespace tilescope::analyse {
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

std::string runs_text(std::int64_t runs, std::int64_t count, Basis basis) {
    const std::int64_t common = std::gcd(runs, count);
    const std::int64_t times = runs / common, periods = count / common;
    if (periods <= 1)
        return count_text(times) + " " + per(basis);
    return (times == 1 ? "once" : count_text(times)) + " in " + count_text(periods) + " " + to_string(basis) +
           (basis == Basis::MicroBatch ? "es" : "s");
}

std::string runs_text(std::int64_t runs, std::int64_t count) {
    const std::int64_t common = std::gcd(runs, count);
    return common == count ? count_text(runs / common)
                           : count_text(runs / common) + " in " + count_text(count / common);
}

std::string key(Basis basis) {
    std::string name = to_string(basis);
    std::replace_if(
        name.begin(), name.end(), [](char c) { return c == ' ' || c == '-'; }, '_');
    return name;
}

std::optional<Basis> basis_of_key(std::string_view key) {
    for (const Basis basis : {Basis::MicroBatch, Basis::Step, Basis::WeightUpdate, Basis::Execution})
        if (analyse::key(basis) == key)
            return basis;
    return std::nullopt;
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

double Loops::mean(std::int64_t of_run, Basis basis) const {
    return static_cast<double>(of_run) / static_cast<double>(count(basis));
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
               const std::vector<profile::IpuRecord>& ipus, bool training) {
    Loops loops;
    loops.training = training;
    for (const auto& step : program)
        if (step.loops_over_updates())
            loops.updates = std::max<std::int64_t>(step.repeats, 1);
        else if (step.loops_over_micro_batches())
            loops.micro_batches = std::max<std::int64_t>(step.repeats, 1);
    for (const auto& ipu : ipus) {
        loops.replicas = std::max(loops.replicas, ipu.replica + 1);
        loops.pipelined = loops.pipelined || ipu.stage >= 0;
    }
    return loops;
}

Result<bool> described_trains(const profile::Profile& profile) {
    TRY(const auto programs, profile.device_programs());
    return std::any_of(programs.begin(), programs.end(),
                       [](const auto& program) { return program.id == 0 && program.training; });
}

Basis Loops::shown(std::optional<Basis> wanted) const {
    const std::vector<Basis> all = bases();
    return wanted && std::find(all.begin(), all.end(), *wanted) != all.end() ? *wanted : usual();
}

Result<Loops> read_loops(const profile::Profile& profile) {
    TRY(const auto program, profile.program());
    TRY(const auto ipus, profile.ipus());
    TRY(const bool training, described_trains(profile));
    return loops_of(program, ipus, training);
}

std::vector<Basis> common_bases(const Loops* base, const Loops& now) {
    std::vector<Basis> bases = now.bases();
    if (base != nullptr)
        std::erase_if(bases, [base](Basis basis) { return base->shown(basis) != basis; });
    return bases;
}

Basis common_basis(const Loops* base, const Loops& now, std::optional<Basis> wanted) {
    if (base == nullptr)
        return now.shown(wanted);
    if (wanted && base->shown(wanted) == *wanted && now.shown(wanted) == *wanted)
        return *wanted;
    const Basis usual = now.usual();
    const bool alike = base->usual() == usual && base->count(Basis::Step) * now.count(usual) ==
                                                     now.count(Basis::Step) * base->count(usual);
    return alike ? usual : Basis::MicroBatch;
}

} // namespace tilescope::analyse
