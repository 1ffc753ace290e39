// SPDX-License-Identifier: GPL-3.0-or-later
#include "compile/executable.h"

#include <map>

namespace tilescope::compile {

MachineMemory Executable::fullest_machine() const {
    std::vector<std::int64_t> of_ipu(static_cast<std::size_t>(schedule.ipus_per_replica), 0);
    for (const program::Variable& variable : program.variables)
        if (variable.streaming_bytes > 0)
            of_ipu.at(static_cast<std::size_t>(variable.ipu)) += variable.streaming_bytes;
    std::map<std::int32_t, MachineMemory> machines;
    for (std::int32_t i = 0; i < schedule.ipus(); ++i) {
        const std::int32_t machine = attachment.machine_of(i);
        MachineMemory& asked = machines[machine];
        asked.machine = machine;
        asked.ipus += 1;
        asked.bytes += of_ipu[static_cast<std::size_t>(i % schedule.ipus_per_replica)];
    }
    return std::max_element(machines.begin(), machines.end(),
                            [](const auto& a, const auto& b) { return a.second.bytes < b.second.bytes; })
        ->second;
}

} // namespace tilescope::compile
