// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "profile/block_builder.h"
#include "profile/recorder.h"

#include <functional>
#include <string>
#include <utility>

namespace tilescope::tests {

/// Records a program of one step of 60 cycles behind a launch of 100, of which nothing was executed.
inline std::function<Result<void>(const std::string& path)> never_run(profile::RunStatus status) {
    using namespace profile;
    return [status](const std::string& path) -> Result<void> {
        auto recorder = Recorder::create(path, {});
        if (!recorder)
            return Failure(recorder.error());
        (*recorder)->set(TargetRecord{"ipu", "ipu2", 1, 16, 2048, 1.0e9, 6});
        (*recorder)->add(IpuRecord{0, 0, "a", 0, 0});
        (*recorder)->add(OperationRecord{0, "conv", "conv2d", -1, Phase::Forward});
        ProgramRecord step{0, -1, 0, StepKind::Execute, "conv/Convolve", 0};
        step.compute_cycles = 60;
        (*recorder)->add(step);
        if (status == RunStatus::OutOfMemory)
            (*recorder)->add(OversizeTileRecord{0, 8, 4096, 0});
        BlockBuilder block(
            [&](std::vector<BlockPartRecord> parts) { return (*recorder)->add_block(std::move(parts)); });
        block.step(0, 0, 0, 0, 60);
        (*recorder)->add_schedule({{0, 0, 60, 0, 0, 0, 100, 0}}, {{0, 0, 0, 100, 1, 60, block.finish().id}});
        return (*recorder)->finish(status, "");
    };
}

} // namespace tilescope::tests
