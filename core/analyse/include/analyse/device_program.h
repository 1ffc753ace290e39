// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/basis.h"
#include "base/error.h"
#include "profile/profile.h"
#include "profile/shared_rows.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tilescope::analyse {

/// One of the programs that a run compiled and ran on its IPUs: training and the evaluation beside it, or
/// what a script made. The profile describes the first one (graph, memory, exchanges); of all it has the
/// steps, their cycles and the engine runs.
struct DeviceProgram {
    std::int64_t id = 0;
    std::int64_t root = -1; ///< step; -1: computed on the host
    std::string name;       ///< what it is for: "training", "evaluation"
    std::string graph;      ///< what it computes: "sequential"; "" where it is computed on the host
    /// Names it in other files, too, and where it is chosen: "training"; the second of that name "training
    /// 2".
    std::string key;
    /// Of its engine runs. nullopt where these are not told apart by program: on the host.
    std::optional<profile::ExecutionTotals> ran;
    profile::PhaseCycles by_phase; ///< of these, all IPUs added up
    std::int64_t steps = 0; ///< of the program that do something: repeats and sequences are not counted

    std::string label() const; ///< "training 2: sequential"
    /// Cycles of a mean engine run from start to end; 0: none has ended.
    std::int64_t elapsed() const { return ran && ran->executions > 0 ? ran->cycles / ran->executions : 0; }
};

/// Of each of the records, in the order in which they were compiled.
std::vector<std::string> program_keys(const std::vector<profile::DeviceProgramRecord>& records);

/// All of them, in the order in which they were compiled.
Result<std::vector<DeviceProgram>> read_device_programs(const profile::Profile& profile);

/// The one of that key, else the first; nullptr where there are none.
const DeviceProgram* program_of(const std::vector<DeviceProgram>& programs, const std::string& key);
/// The one that has a program step; nullptr: none has.
const DeviceProgram* program_of_step(const std::vector<DeviceProgram>& programs, std::int64_t step);

/// The program tree of any of them, as that of the first one is read.
struct ProgramSteps {
    profile::SharedRows<profile::ProgramRecord>
        steps; ///< by id; of others than the first without compute sets
    profile::SharedRows<profile::ExchangeRecord> exchanges;
    std::vector<profile::PipelineSlotRecord> slots;
    std::map<std::int64_t, double> balance; ///< by step: of compute sets, where it is known
    Loops loops;
    bool bytes_known = true; ///< what its exchanges move
};
/// Operations of other programs are those of the same name in the described graph, or profile::not_described.
Result<ProgramSteps> read_program(const profile::Profile& profile, std::int64_t id);

} // namespace tilescope::analyse
