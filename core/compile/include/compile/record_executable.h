// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/cancellation.h"
#include "compile/compiler.h"
#include "compile/executable.h"
#include "graph/operator_registry.h"
#include "profile/recorder.h"

#include <cstdint>
#include <map>
#include <string>

namespace tilescope::compile {

/// Writes everything static of an executable to the profile: graph, program tree, compute sets, exchanges,
/// variables and their bytes per tile, liveness, plans, compile events, tiles that do not fit. Ends early
/// once cancelled, and leaves out the rest.
void record(const Executable& executable, const graph::OperatorRegistry& registry,
            profile::Recorder& recorder, const CancelToken* cancel = nullptr, const WithinPass& within = {});

/// Writes of a further executable what the trace needs: its program steps, with ids from that of its root on.
/// `described`: the operations of the graph that the profile has, by name.
void record_steps(const Executable& executable, const profile::DeviceProgramRecord& program,
                  const std::map<std::string, std::int64_t>& described, profile::Recorder& recorder,
                  const CancelToken* cancel = nullptr);

} // namespace tilescope::compile
