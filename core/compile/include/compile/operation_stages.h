// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "compile/executable.h"

#include <cstdint>
#include <vector>

namespace tilescope::compile {

/// By operation of the graph: the stage of a pipeline, or the shard, that it is part of: its own, or that of
/// the first operand that was made or read in one before; 0 where none was.
std::vector<std::int32_t> operation_stages(const graph::Graph& graph);

/// A stage, if it runs on `ipu`; else the first that does, or the IPU's number where none does.
std::int32_t stage_on(const program::Schedule& schedule, std::int32_t stage, std::int32_t ipu);

} // namespace tilescope::compile
