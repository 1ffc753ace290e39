// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ipu/target.h"

#include <cstdint>

/// What transfers between IPUs cost. Distance and contention follow from the topology (topology.h).
namespace tilescope::ipu {

/// Cycles of `turns` exchanges, one after another, that move `bytes` in all from an IPU over links whose
/// busiest carries `sharing` transfers at once: a set-up each, and bytes * sharing over the rate of a link.
/// That transfers on one link share its rate is how PopLibs models it for the IPU Model
/// (lib/poplibs_test/Util.cpp, addGlobalExchangeConstraints). No source gives data a latency per link, so a
/// longer route alone costs nothing.
std::int64_t link_cycles(const Target& target, std::int64_t bytes, std::int64_t turns, std::int64_t sharing);

/// Cycles of the sync of IPUs that are `hops` links apart: global_sync_cycles between neighbours, and
/// link_sync_us there and back for each further link (PopLibs lib/poplibs_test/Util.cpp,
/// setGlobalSyncLatency).
std::int64_t link_sync_cycles(const Target& target, std::int64_t hops);

} // namespace tilescope::ipu
