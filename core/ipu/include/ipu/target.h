// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/error.h"

#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tilescope::ipu {

/// One generation of IPU: every figure that compilation and the clock depend on. Sources in
/// resources/docs/targets.md.
struct Target {
    std::string generation; ///< "ipu1", "ipu2", "bow"
    std::int64_t tiles_per_ipu = 0;
    std::int64_t bytes_per_tile = 0;
    std::int64_t interleaved_bytes_per_tile = 0; ///< upper region, 128-bit loads
    bool code_below_interleaved = true; ///< instructions are fetched from below interleaved memory only
    double clock_hz = 0;
    std::int64_t workers_per_tile = 6;
    std::int64_t data_path_bytes = 8;          ///< load/store width
    std::int64_t exchange_bytes_per_cycle = 4; ///< per tile, sent and received; twice that into a tile pair
    std::int64_t exchange_setup_cycles = 100;
    std::int64_t sync_cycles = 100;         ///< within one IPU
    std::int64_t global_sync_cycles = 500;  ///< across IPUs and with the host
    std::int64_t conv_units_half = 16;      ///< AMP units, fp16 inputs and partials
    std::int64_t conv_units_half_float = 8; ///< fp16 inputs, fp32 partials
    std::int64_t conv_units_float = 16;
    std::int64_t coefficient_load_bytes_per_cycle = 8;
    double link_bytes_per_cycle = 0;      ///< between two neighbouring IPUs, each way
    double link_sync_us = 0;              ///< latency of a sync over one more link, each way
    double host_bytes_per_cycle = 0;      ///< stream copies, each way
    double streaming_bytes_per_cycle = 0; ///< of an IPU-Machine's memory, each way, for all its IPUs
    double host_sync_us = 0;              ///< wait for the host at the infeed and the outfeed of a step
    double host_execution_us = 0;         ///< feed, launch and fetch of one engine run, beside its syncs
    std::int64_t stack_bytes_per_tile = 0;
    bool compile_ipu_code = true; ///< count code and stacks in memory

    std::int64_t vector_width(std::int64_t element_bytes) const { return data_path_bytes / element_bytes; }
    std::int64_t memory_bytes() const { return tiles_per_ipu * bytes_per_tile; }
    double seconds(std::int64_t cycles) const { return static_cast<double>(cycles) / clock_hz; }
    std::int64_t cycles_of_us(double us) const { return std::llround(us * 1e-6 * clock_hz); }
    /// Peak multiply-adds per cycle and tile for inputs of this many bytes.
    std::int64_t peak_macs(std::int64_t element_bytes) const;
};

/// A figure of the target that a workload may set in ipu_config.ipu_model.
struct TargetFigure {
    const char* name;
    double least, most;
    bool whole; ///< a whole number
    double (*get)(const Target&);
    void (*set)(Target&, double);
};
/// All of them, in the order of the documentation.
const std::vector<TargetFigure>& target_figures();

/// What a workload sets of a target; what it does not name stays as the generation has it.
struct TargetOverrides {
    std::map<std::string, double> figures; ///< by name; tiles_per_ipu 0 is the generation's own number
    std::optional<bool> compile_ipu_code;
};

/// Errors: BadInput for an unknown generation or figure (names the nearest) and for figures out of range.
Result<Target> find_target(const std::string& generation, const TargetOverrides& overrides = {});
std::vector<std::string> generations();

} // namespace tilescope::ipu
