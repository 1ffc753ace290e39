// SPDX-License-Identifier: GPL-3.0-or-later
#include "compile/compiler.h"

#include "base/text.h"
#include "base/try.h"
#include "compile/build_id.h"
#include "compile/discard.h"
#include "compile/executable_cache.h"
#include "compile/passes.h"
#include "graph/builder.h"
#include "graph/graph_text.h"
#include "ipu/code_memory.h"
#include "removed_operations.h"
#include "tile_code.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

namespace tilescope::compile {
namespace {

using Clock = std::chrono::steady_clock;

std::int64_t microseconds(Clock::duration d) {
    return std::chrono::duration_cast<std::chrono::microseconds>(d).count();
}

Result<void> dump(const Executable& executable, const std::string& directory, std::size_t number,
                  std::string pass) {
    std::replace(pass.begin(), pass.end(), ' ', '_');
    std::error_code error;
    std::filesystem::create_directories(directory, error);
    const auto path = std::filesystem::path(directory) /
                      ((number < 10 ? "0" : "") + std::to_string(number) + "_" + pass + ".txt");
    std::ofstream file(path);
    file << (executable.program.root.value < 0 ? print(executable.graph, graph::TensorText::Short)
                                               : executable.program.print());
    file.close();
    if (!file)
        return system_failure("cannot write the dump", path.string(), "choose a folder that can be written");
    return {};
}

void note_outcome(Executable& executable, CacheOutcome outcome, const std::string& path) {
    using profile::CacheUse;
    executable.cache_use = outcome == CacheOutcome::Hit       ? CacheUse::Taken
                           : outcome == CacheOutcome::Damaged ? CacheUse::Replaced
                                                              : CacheUse::Kept;
    executable.cache_key = std::filesystem::path(path).stem().string();
    executable.cache_warning = outcome == CacheOutcome::Damaged;
    executable.cache_note =
        outcome == CacheOutcome::Hit       ? "compilation was skipped: the executable is in " + path
        : outcome == CacheOutcome::Damaged ? path + " is damaged or of another program; compiled again"
                                           : "compiled; the executable is kept in " + path;
}

/// Fills in what an earlier compilation of the same has kept. Returns whether there is one. Errors:
/// Cancelled.
Result<bool> loaded(Compilation& c, const std::string& key, std::size_t pass, Clock::time_point begin) {
    Executable& executable = c.executable;
    const std::string& directory = c.options.cache_directory;
    const auto load_begin = Clock::now();
    const CacheOutcome outcome = load_cached(directory, key, executable, c.cancel);
    if (c.cancelled())
        return cancelled();
    note_outcome(executable, outcome, cache_path(directory, key));
    if (outcome == CacheOutcome::Hit)
        executable.events.push_back({static_cast<std::int64_t>(pass + 1), 0, "load from the executable cache",
                                     microseconds(load_begin - begin),
                                     microseconds(Clock::now() - load_begin), executable.cache_note});
    return outcome == CacheOutcome::Hit;
}

/// Keeps it for later ones. Errors: Cancelled; that it cannot be kept is only noted.
Result<void> keep(Compilation& c, const std::string& key) {
    const auto stored = store_cached(c.options.cache_directory, key, c.executable, c.cancel);
    if (stored)
        return {};
    if (stored.error().kind == ErrorKind::Cancelled)
        return cancelled();
    c.executable.cache_use = profile::CacheUse::NotKept;
    c.executable.cache_note = stored.error().line();
    c.executable.cache_warning = true;
    return {};
}

/// `next_event`: the id of the next event of a part.
Result<void> run_pass(Compilation& c, std::size_t number, Clock::time_point begin, std::int64_t& next_event) {
    const Pass& pass = passes()[number];
    Executable& executable = c.executable;
    const auto id = static_cast<std::int64_t>(number + 1);
    const std::optional<OperationList> before =
        pass.for_device ? std::nullopt : std::optional(OperationList(c.graph()));
    const auto pass_begin = Clock::now();
    TRY(auto detail, pass.run(c));
    executable.events.push_back({id, 0, pass.name, microseconds(pass_begin - begin),
                                 microseconds(Clock::now() - pass_begin), detail});
    for (const PassPart& part : std::exchange(c.parts, {}))
        executable.events.push_back({next_event++, id, part.name,
                                     microseconds(pass_begin - begin) + part.start_us, part.duration_us,
                                     part.detail});
    if (before) {
        const auto removed = before->removed_from(c.graph(), id);
        executable.removed.insert(executable.removed.end(), removed.begin(), removed.end());
    }
    if (!c.options.dump_directory.empty())
        TRY(dump(executable, c.options.dump_directory, number, pass.name));
    return {};
}

/// All passes; those for the device only where they were not run before.
Result<void> run_passes(Compilation& c, const PassStarted& started) {
    const auto begin = Clock::now();
    c.executable.events.push_back({0, -1, "compile " + c.graph().name, 0, 0, {}});
    auto next_event = static_cast<std::int64_t>(passes().size() + 1);
    std::string key;
    for (std::size_t i = 0; i < passes().size(); ++i) {
        if (c.cancelled())
            return cancelled();
        const Pass& pass = passes()[i];
        if (pass.for_device && c.options.host_only)
            continue;
        if (pass.for_device && key.empty() && !c.options.cache_directory.empty()) {
            key = cache_key(c.executable, c.options, build_id());
            TRY(const bool hit, loaded(c, key, i, begin));
            if (hit) {
                key.clear();
                break;
            }
        }
        if (started)
            started(pass.name, i, passes().size());
        TRY(run_pass(c, i, begin, next_event));
    }
    if (!key.empty())
        TRY(keep(c, key));
    c.executable.events[0].duration_us = microseconds(Clock::now() - begin);
    c.executable.compile_seconds = static_cast<double>(c.executable.events[0].duration_us) * 1e-6;
    return {};
}

} // namespace

Result<Executable> compile(graph::Graph graph, const graph::OperatorRegistry& registry,
                           const Options& options, const PassStarted& started, const CancelToken* cancel) {
    Executable executable;
    executable.graph = std::move(graph);
    executable.target = options.target;
    executable.schedule = options.schedule;
    executable.attachment = options.attachment;
    Compilation compilation{executable, registry, options, {}, cancel};
    if (auto done = run_passes(compilation, started); !done) {
        discard(std::move(executable));
        return Failure(std::move(done.error()));
    }
    return executable;
}

void discard(Executable executable) {
    try {
        std::thread([doomed = std::move(executable)] {}).detach();
    } catch (const std::system_error&) { // no such thread: it is freed here
    }
}

namespace {

/// Of a program whose tiles have room for everything, but not for its code where they can fetch it from.
Error too_much_code(const Executable& executable, std::size_t tiles) {
    std::int64_t needed = -1;
    std::string where;
    for (std::size_t ipu = 0; ipu < executable.memory.ipus.size(); ++ipu) {
        const auto code = code_by_tile(executable.program, static_cast<std::int32_t>(ipu));
        const auto most = std::max_element(code.begin(), code.end());
        if (*most > needed) {
            needed = *most;
            where = (executable.memory.ipus.size() > 1 ? "IPU " + std::to_string(ipu) + ", " : "") + "tile " +
                    std::to_string(most - code.begin());
        }
    }
    return {ErrorKind::OutOfMemory,
            "out of memory for code on " + counted_text(tiles, "tile") + ": " + where + " has " +
                count_text(needed) + " bytes, and instructions are fetched from the first " +
                count_text(ipu::code_memory_bytes(executable.target)) + " of a tile only",
            executable.graph.name, "spread the model over more IPUs; the profile holds every tile"};
}

/// Of a program whose tiles have room, but not the IPU-Machine beside them.
Error too_much_state(const Executable& executable) {
    const MachineMemory fullest = executable.fullest_machine();
    const std::string of_ipus =
        count_text(fullest.ipus) + (fullest.ipus == 1 ? " IPU of the run" : " IPUs of the run");
    const std::vector<program::Variable>& variables = executable.program.variables;
    const bool stashes = std::any_of(variables.begin(), variables.end(), [](const program::Variable& v) {
        return v.stash_depth > 0 && v.streaming_bytes > 0;
    });
    const std::string activations = stashes ? ", or keep activations on the tiles (offload_activations)" : "";
    return {ErrorKind::OutOfMemory,
            "out of streaming memory: what is kept there for the " + of_ipus + " on IPU-Machine " +
                std::to_string(fullest.machine) + " takes " + count_text(fullest.bytes) + " of its " +
                count_text(executable.attachment.streaming_bytes) + " bytes",
            executable.graph.name,
            (executable.schedule.replicas > 1
                 ? "let replicas share it (replicated_optimizer_state_sharding), run fewer of them, or take "
                   "an optimiser with less state"
                 : "take an optimiser with less state") +
                activations};
}

} // namespace

Error out_of_memory(const Executable& executable) {
    if (executable.fits_tiles())
        return too_much_state(executable);
    std::size_t tiles = 0;
    std::size_t ipu = 0;
    std::int64_t needed = -1;
    for (std::size_t i = 0; i < executable.memory.ipus.size(); ++i) {
        const IpuMemory& memory = executable.memory.ipus[i];
        tiles += memory.oversize_tiles.size();
        if (const std::int64_t highest = memory.highest_tile_bytes(); highest > needed) {
            needed = highest;
            ipu = i;
        }
    }
    if (needed <= executable.target.bytes_per_tile)
        return too_much_code(executable, tiles);
    const IpuMemory& memory = executable.memory.ipus[ipu];
    const std::size_t worst = memory.highest_tile();
    const std::string where = (executable.memory.ipus.size() > 1 ? "IPU " + std::to_string(ipu) + ", " : "") +
                              "tile " + std::to_string(worst);
    const auto& variables = executable.program.variables;
    const std::int32_t peak = memory.peak_step[worst];
    std::vector<std::size_t> order; // what is live then
    for (std::size_t v = 0; v < variables.size(); ++v)
        if (const LiveRange& range = executable.memory.needed[v];
            variables[v].ipu == static_cast<std::int32_t>(ipu) &&
            (variables[v].always_live || (range.from <= peak && peak <= range.to)))
            order.push_back(v);
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return variables[a].tile_bytes[worst] > variables[b].tile_bytes[worst];
    });
    std::string largest;
    for (std::size_t i = 0; i < std::min<std::size_t>(3, order.size()); ++i)
        largest += (i == 0 ? "" : ", ") + variables[order[i]].name + " (" +
                   count_text(variables[order[i]].tile_bytes[worst]) + " bytes)";
    const std::vector<program::StepId> leaves = executable.program.leaves();
    const auto step = static_cast<std::size_t>(peak);
    const std::string when =
        step < leaves.size() ? " at step " + executable.program.step(leaves[step]).name : "";
    return {ErrorKind::OutOfMemory,
            "out of memory on " + counted_text(tiles, "tile") + ": " + where + " needs " +
                count_text(needed) + " of " + count_text(executable.target.bytes_per_tile) + " bytes" + when +
                "; its largest are " + largest,
            executable.graph.name, "the profile holds every tile"};
}

} // namespace tilescope::compile
