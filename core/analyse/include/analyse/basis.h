// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/error.h"
#include "profile/records.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilescope::profile {
class Profile;
}

namespace tilescope::analyse {

/// What a figure of time is per. A step is one batch, as Keras counts it; a weight update follows the
/// micro-batches of all replicas; an execution is one engine run.
enum class Basis { MicroBatch, Step, WeightUpdate, Execution };
std::string to_string(Basis basis); ///< "micro-batch", "step", "weight update", "execution"
std::string per(Basis basis);       ///< "per weight update"
/// How often something runs that an engine run of `count` such periods runs `runs` times, in whole numbers:
/// "12 per step", "once in 118 weight updates", "3 in 4 steps".
std::string runs_text(std::int64_t runs, std::int64_t count, Basis basis);
/// The same in short: "12", or "1 in 128" where it does not run in each of them.
std::string runs_text(std::int64_t runs, std::int64_t count);
std::string key(Basis basis); ///< "weight_update", as documents name it
/// The one of that key; nullopt: there is none.
std::optional<Basis> basis_of_key(std::string_view key);

/// How the loops of an engine run nest: weight updates, and in each the micro-batches of every replica.
struct Loops {
    std::int64_t updates = 1;       ///< in one engine run; without training turns of its loop
    std::int64_t micro_batches = 1; ///< of one replica in one update
    std::int64_t replicas = 1;
    bool training = false;
    bool pipelined = false;

    /// How many there are in one engine run; micro-batches are those of one replica.
    std::int64_t count(Basis basis) const;
    /// The mean of one such period, where a whole engine run takes so many cycles, bytes or the like.
    double mean(std::int64_t of_run, Basis basis) const;
    std::vector<Basis> bases() const; ///< that this run has, shortest first
    /// The weight update where it takes several steps or a pipeline, else the step; without training the
    /// step, or the execution that a pipeline fills.
    Basis usual() const;
    /// The one that was asked for where this run has it, else the usual one.
    Basis shown(std::optional<Basis> wanted) const;
    bool operator==(const Loops&) const = default;
};

/// From a program tree and the IPUs of a profile. `training`: it updates weights.
Loops loops_of(const std::vector<profile::ProgramRecord>& program,
               const std::vector<profile::IpuRecord>& ipus, bool training);

/// Whether the program that a profile describes updates weights.
Result<bool> described_trains(const profile::Profile& profile);

Result<Loops> read_loops(const profile::Profile& profile);

/// What the figures of two runs are compared per: what was asked for where both have it; else the usual basis
/// of both where it is of as many steps, or the micro-batch. `base` null: of one run, as Loops::shown has it.
Basis common_basis(const Loops* base, const Loops& now, std::optional<Basis> wanted = {});
/// The bases that both runs have, shortest first. `base` null: those of one run.
std::vector<Basis> common_bases(const Loops* base, const Loops& now);

} // namespace tilescope::analyse
