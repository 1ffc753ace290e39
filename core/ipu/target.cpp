// SPDX-License-Identifier: GPL-3.0-or-later
#include "ipu/target.h"

#include "base/nearest_name.h"
#include "base/text.h"

#include <algorithm>
#include <cstdio>
#include <type_traits>
#include <utility>

namespace tilescope::ipu {
namespace {

constexpr std::int64_t kib = 1024;

Target mk2() {
    Target t;
    t.generation = "ipu2";
    t.tiles_per_ipu = 1472;
    t.bytes_per_tile = 624 * kib;
    // 13 of the 39 memory elements of 16 KiB are not interleaved: the gaps in tutorial 4's report begin
    // there.
    t.interleaved_bytes_per_tile = 26 * 16 * kib;
    t.clock_hz = 1.33e9;
    // Ten links of 320 GB/s in all, both ways, to three neighbours on a ladder of IPUs: 53 GB/s each way.
    t.link_bytes_per_cycle = 320e9 / 2 / 3 / t.clock_hz;
    t.link_sync_us = 0.015;        // PopLibs lib/poplibs_test/Util.cpp, setGlobalSyncLatency
    t.host_bytes_per_cycle = 15.2; // 40.04 MB in 2,641,488 cycles on a real Mk2
    t.streaming_bytes_per_cycle = 20e9 / t.clock_hz; // the only public figure; unverified
    // The real device waits 135,850 cycles for the host in tutorial 6, which has two copies in, side by side,
    // and one copy out: Poplar merges those side by side, so these are two waits. An engine run of one step,
    // with a wait at its infeed and one at its outfeed, costs "2 to 3 ms of host time".
    t.host_sync_us = 135850.0 / 2 / 1.33e3;
    t.host_execution_us = 2500 - 2 * t.host_sync_us;
    t.stack_bytes_per_tile = 3168; // the summary report in IPU TensorFlow's documentation
    return t;
}

Target bow() {
    Target t = mk2();
    t.generation = "bow";
    t.clock_hz = 1.85e9;
    t.link_bytes_per_cycle *= 1.33 / 1.85;
    t.host_bytes_per_cycle = 15.2 * 1.33 / 1.85; // the same link, more cycles per second
    t.streaming_bytes_per_cycle *= 1.33 / 1.85;
    return t;
}

Target mk1() {
    Target t = mk2();
    t.generation = "ipu1";
    t.tiles_per_ipu = 1216;
    t.bytes_per_tile = 256 * kib;
    t.interleaved_bytes_per_tile = 128 * kib;
    t.code_below_interleaved = false; // nothing public says so
    t.clock_hz = 1.6e9;
    t.conv_units_half = 8; // half of Mk2's multiply-adds per cycle, from the published peaks
    t.conv_units_half_float = 8;
    t.conv_units_float = 8;
    t.link_bytes_per_cycle *= 1.33 / 1.6;
    t.host_bytes_per_cycle = 15.2 * 1.33 / 1.6;
    t.streaming_bytes_per_cycle *= 1.33 / 1.6;
    return t;
}

template<auto Member>
TargetFigure figure(const char* name, double least, double most) {
    using Value = std::remove_reference_t<decltype(std::declval<Target&>().*Member)>;
    return {name,
            least,
            most,
            std::is_integral_v<Value>,
            [](const Target& t) { return static_cast<double>(t.*Member); },
            [](Target& t, double value) { t.*Member = static_cast<Value>(value); }};
}

} // namespace

const std::vector<TargetFigure>& target_figures() {
    static const std::vector<TargetFigure> all = {
        figure<&Target::tiles_per_ipu>("tiles_per_ipu", 1, 8192),
        figure<&Target::bytes_per_tile>("bytes_per_tile", 1024, 16777216),
        figure<&Target::interleaved_bytes_per_tile>("interleaved_bytes_per_tile", 0, 16777216),
        figure<&Target::stack_bytes_per_tile>("stack_bytes_per_tile", 0, 1048576),
        figure<&Target::clock_hz>("clock_hz", 1e6, 1e11),
        figure<&Target::workers_per_tile>("workers_per_tile", 1, 64),
        figure<&Target::data_path_bytes>("data_path_bytes", 4, 64),
        figure<&Target::conv_units_half>("conv_units_half", 1, 256),
        figure<&Target::conv_units_half_float>("conv_units_half_float", 1, 256),
        figure<&Target::conv_units_float>("conv_units_float", 1, 256),
        figure<&Target::coefficient_load_bytes_per_cycle>("coefficient_load_bytes_per_cycle", 1, 256),
        figure<&Target::exchange_bytes_per_cycle>("exchange_bytes_per_cycle", 1, 256),
        figure<&Target::exchange_setup_cycles>("exchange_setup_cycles", 0, 1e6),
        figure<&Target::sync_cycles>("sync_cycles", 0, 1e6),
        figure<&Target::global_sync_cycles>("global_sync_cycles", 0, 1e6),
        figure<&Target::link_bytes_per_cycle>("link_bytes_per_cycle", 0.001, 1e4),
        figure<&Target::link_sync_us>("link_sync_us", 0, 1e6),
        figure<&Target::host_bytes_per_cycle>("host_bytes_per_cycle", 0.001, 1e4),
        figure<&Target::streaming_bytes_per_cycle>("streaming_bytes_per_cycle", 0.001, 1e4),
        figure<&Target::host_sync_us>("host_sync_us", 0, 1e6),
        figure<&Target::host_execution_us>("host_execution_us", 0, 1e7),
    };
    return all;
}

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
        return bad_input("there is no IPU generation \"" + generation + "\"", "ipu_config.ipu_model.version",
                         remedy_for(generation, generations(), "use ipu1, ipu2 or bow"));
    }
    for (const auto& setting : overrides.figures) {
        const std::string& name = setting.first;
        const double value = setting.second;
        const auto& all = target_figures();
        const auto figure =
            std::find_if(all.begin(), all.end(), [&](const auto& f) { return f.name == name; });
        if (figure == all.end()) {
            std::vector<std::string> names;
            names.reserve(all.size());
            for (const TargetFigure& known : all)
                names.emplace_back(known.name);
            return bad_input("there is no figure \"" + name + "\"", "ipu_config.ipu_model",
                             remedy_for(name, names, "see the documentation of targets"));
        }
        if (name == "tiles_per_ipu" && value == 0) // the generation's own number, as in IPU TensorFlow
            continue;
        if (!(value >= figure->least && value <= figure->most) ||
            (figure->whole && value != std::floor(value)))
            return bad_input(name + " is " + exact_text(value), "ipu_config.ipu_model",
                             "use " + exact_text(figure->least) + " to " + exact_text(figure->most));
        figure->set(target, value);
    }
    if (overrides.figures.contains("bytes_per_tile") &&
        !overrides.figures.contains("interleaved_bytes_per_tile"))
        target.interleaved_bytes_per_tile = target.bytes_per_tile / 2;
    target.compile_ipu_code = overrides.compile_ipu_code.value_or(true);
    return target;
}

} // namespace tilescope::ipu
