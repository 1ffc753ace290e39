// SPDX-License-Identifier: GPL-3.0-or-later
#include "ipu/target.h"

#include "base/nearest_name.h"

namespace tilescope::ipu {
namespace {

constexpr std::int64_t kib = 1024;

Target mk2() {
    Target t;
    t.generation = "ipu2";
    t.tiles_per_ipu = 1472;
    t.bytes_per_tile = 624 * kib;
    t.interleaved_bytes_per_tile = 312 * kib;
    t.clock_hz = 1.33e9;
    t.host_bytes_per_cycle = 15.2; // 40.04 MB in 2,641,488 cycles on a real Mk2
    t.host_execution_us = 2500;    // "2 to 3 ms of host time" for each engine run
    return t;
}

Target bow() {
    Target t = mk2();
    t.generation = "bow";
    t.clock_hz = 1.85e9;
    t.host_bytes_per_cycle = 15.2 * 1.33 / 1.85; // the same link, more cycles per second
    return t;
}

Target mk1() {
    Target t = mk2();
    t.generation = "ipu1";
    t.tiles_per_ipu = 1216;
    t.bytes_per_tile = 256 * kib;
    t.interleaved_bytes_per_tile = 128 * kib;
    t.clock_hz = 1.6e9;
    t.conv_units_half = 8; // half of Mk2's multiply-adds per cycle, from the published peaks
    t.conv_units_half_float = 8;
    t.conv_units_float = 8;
    t.host_bytes_per_cycle = 15.2 * 1.33 / 1.6;
    return t;
}

} // namespace

std::int64_t Target::peak_macs(std::int64_t element_bytes) const {
    // A unit does 4 fp16 or 1 fp32 multiply-adds per cycle.
    return element_bytes == 2 ? conv_units_half * 4 : conv_units_float;
}

std::vector<std::string> generations() {
    return {"ipu1", "ipu2", "bow"};
}

Result<Target> find_target(const std::string& generation, const TargetOverrides& overrides) {
    Target target;
    if (generation == "ipu1")
        target = mk1();
    else if (generation == "ipu2")
        target = mk2();
    else if (generation == "bow")
        target = bow();
    else {
        const std::string nearest = nearest_name(generation, generations());
        return bad_input("there is no IPU generation \"" + generation + "\"", "ipu_config.ipu_model.version",
                         nearest.empty() ? "use ipu1, ipu2 or bow" : "did you mean \"" + nearest + "\"?");
    }
    if (overrides.tiles_per_ipu.value_or(0) != 0) // 0: the version's own number, as in IPU TensorFlow
        target.tiles_per_ipu = *overrides.tiles_per_ipu;
    if (overrides.bytes_per_tile) {
        target.interleaved_bytes_per_tile = *overrides.bytes_per_tile / 2;
        target.bytes_per_tile = *overrides.bytes_per_tile;
    }
    if (overrides.clock_hz)
        target.clock_hz = *overrides.clock_hz;
    target.compile_ipu_code = overrides.compile_ipu_code.value_or(true);
    if (target.tiles_per_ipu < 1 || target.tiles_per_ipu > 8192)
        return bad_input("tiles_per_ipu is " + std::to_string(target.tiles_per_ipu), "ipu_config.ipu_model",
                         "use 1 to 8192");
    if (target.bytes_per_tile < 1024 || target.bytes_per_tile > 16 * kib * kib)
        return bad_input("bytes_per_tile is " + std::to_string(target.bytes_per_tile), "ipu_config.ipu_model",
                         "use 1024 to 16777216");
    if (!(target.clock_hz >= 1e6 && target.clock_hz <= 1e11))
        return bad_input("clock_hz is " + std::to_string(target.clock_hz), "ipu_config.ipu_model",
                         "use 1e6 to 1e11");
    return target;
}

} // namespace tilescope::ipu
