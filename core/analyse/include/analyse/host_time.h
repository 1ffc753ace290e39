// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/costs.h"
#include "analyse/io_tiles.h"
#include "profile/profile.h"

#include <array>
#include <string>
#include <vector>

namespace tilescope::analyse {

/// What the host's cycles of an engine run go to, of the IPUs of one replica together.
struct HostTime {
    double launch = 0;    ///< until the first program step
    double answers = 0;   ///< before the first and after the last of the streams that meet it
    double feeds = 0;     ///< streams in
    double results = 0;   ///< streams out
    double io_tiles = 0;  ///< until I/O tiles are done, where they meet it beside the tiles that compute
    double streaming = 0; ///< loads from and stores to streaming memory, which the phase counts as well
    double total() const { return launch + answers + feeds + results + io_tiles + streaming; }
};

/// One of its parts.
struct HostPart {
    const char* figure; ///< its share of the whole: "launch_share"
    double HostTime::*cycles;
    const char* words;
    const char* look; ///< where to look for less of it in a model
};
inline constexpr std::array<HostPart, 6> host_parts{
    {{"launch_share", &HostTime::launch, "launching engine runs",
      "More steps in each (steps_per_execution) share a launch."},
     {"answers_share", &HostTime::answers, "waiting for its answer where streams begin and end",
      "A larger batch waits less often for as many samples, and I/O tiles (ipu_config.io_tiles) wait beside "
      "compute."},
     {"feeds_share", &HostTime::feeds, "data in",
      "Look at the size of what is fed: images may come as bytes (data.eight_bit_io), and I/O tiles "
      "(ipu_config.io_tiles) take them in beside compute."},
     {"results_share", &HostTime::results, "data out",
      "Look at what is returned of each step, and whether all of it is needed."},
     {"io_tiles_share", &HostTime::io_tiles, "waiting for I/O tiles, which take longer than compute",
      "Look at the size of what is fed and returned: images may come as bytes (data.eight_bit_io)."},
     {"streaming_share", &HostTime::streaming, "loads and stores of streaming memory",
      "More gradient accumulation makes them rarer."}}};

/// `costs` and `program`: of the same profile. `io`: of `executions` engine runs on all IPUs. No cycles where
/// no engine run has ended.
HostTime host_time(const std::vector<profile::ProgramRecord>& program, const Costs& costs, const IoTiles& io,
                   std::int64_t executions);

/// "90.0 % of that to data in, 10.0 % to launching engine runs": its parts, the largest first, without those
/// that are hardly any.
std::string host_text(const HostTime& time);
const HostPart& largest_part(const HostTime& time);

} // namespace tilescope::analyse
