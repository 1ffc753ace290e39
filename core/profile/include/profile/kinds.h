// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/figure_kind.h"
#include "base/kinds.h"

#include <string>

/// The kinds that only profiles know, beside those of base/kinds.h, and how the file spells them.
namespace tilescope::profile {

using tilescope::CounterPlace;
using tilescope::ExchangeKind;
using tilescope::FigureKind;
using tilescope::MemoryCategory;
using tilescope::parse;
using tilescope::Phase;
using tilescope::PipelineSchedule;
using tilescope::ProgramPart;
using tilescope::RunDevice;
using tilescope::StepKind;
using tilescope::to_string;

/// Killed is not written: a run that says running, but whose process is gone, reads so. Diverged: the run is
/// complete, but its losses are not numbers.
enum class RunStatus { Running, Complete, Cancelled, OutOfMemory, Failed, Killed, Diverged };
constexpr auto spelling(RunStatus) {
    return spelled("status", "running", "complete", "cancelled", "out_of_memory", "failed", "killed",
                   "diverged");
}

std::string words(RunStatus status); ///< for a sentence: "out of memory"
/// Whether all was run that was asked for, whatever it came to: its times are those of the whole run.
bool ran_to_its_end(RunStatus status);

/// What a workload describes: a model, whose results are losses and metrics, or a small graph, whose results
/// are its outputs.
enum class WorkloadKind { Model, Graph };
constexpr auto spelling(WorkloadKind) {
    return spelled("kind of workload", "model", "graph");
}

/// Whether activations are computed again: of parts of the model, each by a rule of its own, or of all of it.
enum class Recomputation { Off, Parts, On };
constexpr auto spelling(Recomputation) {
    return spelled("recomputation", "off", "parts", "on");
}

/// How a model came to lie on several IPUs: by the engine's own search, or layer by layer as it was told.
enum class ModelCut { Automatic, ByHand };
constexpr auto spelling(ModelCut) {
    return spelled("cut of a model", "automatic", "by_hand");
}

/// Whether what is fed comes as bytes, which the IPU makes numbers of.
enum class EightBitIo { Off, On };
constexpr auto spelling(EightBitIo) {
    return spelled("eight-bit input", "off", "on");
}

/// What came of looking for an executable in the cache: none was asked for; it was compiled and is kept for
/// later runs; it is that of an earlier one; what was there could not be used, or what was compiled not be
/// kept.
enum class CacheUse { Unused, Kept, Taken, Replaced, NotKept };
constexpr auto spelling(CacheUse) {
    return spelled("use of the executable cache", "unused", "kept", "taken", "replaced", "not_kept");
}

enum class RunActivity { Prepare, Compile, Train, Evaluate, Predict, Done };
constexpr auto spelling(RunActivity) {
    return spelled("activity of a run", "prepare", "compile", "train", "evaluate", "predict", "done");
}

enum class ExecutionKind { Train, Evaluate, Predict };
constexpr auto spelling(ExecutionKind) {
    return spelled("kind of execution", "train", "evaluate", "predict");
}

enum class LinkKind { Copy, AllReduce };
constexpr auto spelling(LinkKind) {
    return spelled("kind of traffic", "copy", "all_reduce");
}

enum class PipelineActivity { Forward, Recompute, Backward, Copy, Update, Waiting, Idle };
constexpr auto spelling(PipelineActivity) {
    return spelled("activity of a stage", "forward", "recompute", "backward", "copy", "update", "waiting",
                   "idle");
}

enum class DeviceState { Free, Busy, Attached };
constexpr auto spelling(DeviceState) {
    return spelled("state of a device", "free", "busy", "attached");
}

/// How much a line of the log or an insight matters.
enum class Severity { Info, Warning, Error };
constexpr auto spelling(Severity) {
    return spelled("level", "info", "warning", "error");
}

} // namespace tilescope::profile
