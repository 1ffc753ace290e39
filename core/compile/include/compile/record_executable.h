// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/cancellation.h"
#include "compile/executable.h"
#include "graph/operator_registry.h"
#include "profile/recorder.h"

namespace tilescope::compile {

/// Writes everything static of an executable to the profile: graph, program tree, compute sets, exchanges,
/// variables and their bytes per tile, liveness, plans, compile events, tiles that do not fit. Ends early
/// once cancelled, and leaves out the rest.
void record(const Executable& executable, const graph::OperatorRegistry& registry,
            profile::Recorder& recorder, const CancelToken* cancel = nullptr);

} // namespace tilescope::compile
