// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "compile/executable.h"
#include "graph/operator_registry.h"
#include "profile/recorder.h"

namespace tilescope::compile {

/// Writes everything static of an executable to the profile: graph, program tree, compute sets, exchanges,
/// variables and their bytes per tile, liveness, plans, compile events, tiles that do not fit.
void record(const Executable& executable, const graph::OperatorRegistry& registry,
            profile::Recorder& recorder);

} // namespace tilescope::compile
