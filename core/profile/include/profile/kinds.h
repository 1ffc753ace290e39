// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

/// The kinds that a profile knows, and how its file spells them.
namespace tilescope::profile {

/// `what` it is a kind of, and the `names` of its values in their order.
template<class Kind>
struct Spelling;

template<class Kind>
concept Spelled = requires {
    Spelling<Kind>::names;
};

template<Spelled Kind>
std::string to_string(Kind kind) {
    return std::string(Spelling<Kind>::names.at(static_cast<std::size_t>(kind)));
}

/// nullopt for a text that is none of its names.
template<Spelled Kind>
std::optional<Kind> parse(std::string_view text) {
    constexpr auto& names = Spelling<Kind>::names;
    const auto found = std::find(names.begin(), names.end(), text);
    return found == names.end() ? std::nullopt : std::optional(static_cast<Kind>(found - names.begin()));
}

/// Killed is not written: a run that says running, but whose process is gone, reads so. Diverged: the run is
/// complete, but its losses are not numbers.
enum class RunStatus { Running, Complete, Cancelled, OutOfMemory, Failed, Killed, Diverged };
template<>
struct Spelling<RunStatus> {
    static constexpr std::string_view what = "status";
    static constexpr std::array<std::string_view, 7> names = {
        "running", "complete", "cancelled", "out_of_memory", "failed", "killed", "diverged"};
};

enum class RunDevice { Ipu, Cpu };
template<>
struct Spelling<RunDevice> {
    static constexpr std::string_view what = "device";
    static constexpr std::array<std::string_view, 2> names = {"ipu", "cpu"};
};

enum class RunActivity { Prepare, Compile, Train, Evaluate, Done };
template<>
struct Spelling<RunActivity> {
    static constexpr std::string_view what = "activity of a run";
    static constexpr std::array<std::string_view, 5> names = {"prepare", "compile", "train", "evaluate",
                                                              "done"};
};

/// As IPU TensorFlow names them; None: no pipeline.
enum class PipelineSchedule { None, Grouped, Interleaved, Sequential };
template<>
struct Spelling<PipelineSchedule> {
    static constexpr std::string_view what = "schedule";
    static constexpr std::array<std::string_view, 4> names = {"none", "Grouped", "Interleaved", "Sequential"};
};

enum class CounterPlace { None, Cpu, Ipu };
template<>
struct Spelling<CounterPlace> {
    static constexpr std::string_view what = "place of the step counter";
    static constexpr std::array<std::string_view, 3> names = {"none", "cpu", "ipu"};
};

enum class Phase { Forward, Recompute, Backward, Update };
template<>
struct Spelling<Phase> {
    static constexpr std::string_view what = "phase";
    static constexpr std::array<std::string_view, 4> names = {"forward", "recompute", "backward", "update"};
};

enum class ExecutionKind { Train, Evaluate, Predict };
template<>
struct Spelling<ExecutionKind> {
    static constexpr std::string_view what = "kind of execution";
    static constexpr std::array<std::string_view, 3> names = {"train", "evaluate", "predict"};
};

enum class StepKind { Sequence, Repeat, Execute, Exchange, StreamCopy };
template<>
struct Spelling<StepKind> {
    static constexpr std::string_view what = "kind of step";
    static constexpr std::array<std::string_view, 5> names = {"sequence", "repeat", "execute", "exchange",
                                                              "stream_copy"};
};

/// What a step of the program is there for. MicroBatches is the model's work on each of them, Whole what
/// holds the other parts.
enum class ProgramPart { Whole, Infeed, MicroBatches, Update, Outfeed };
template<>
struct Spelling<ProgramPart> {
    static constexpr std::string_view what = "part of the program";
    static constexpr std::array<std::string_view, 5> names = {"whole", "infeed", "micro_batches", "update",
                                                              "outfeed"};
};

enum class ExchangeKind { Internal, InterIpu, Host };
template<>
struct Spelling<ExchangeKind> {
    static constexpr std::string_view what = "kind of exchange";
    static constexpr std::array<std::string_view, 3> names = {"internal", "inter_ipu", "host"};
};

enum class LinkKind { Copy, AllReduce };
template<>
struct Spelling<LinkKind> {
    static constexpr std::string_view what = "kind of traffic";
    static constexpr std::array<std::string_view, 2> names = {"copy", "all_reduce"};
};

enum class PipelineActivity { Forward, Recompute, Backward, Copy, Update, Waiting, Idle };
template<>
struct Spelling<PipelineActivity> {
    static constexpr std::string_view what = "activity of a stage";
    static constexpr std::array<std::string_view, 7> names = {"forward", "recompute", "backward", "copy",
                                                              "update",  "waiting",   "idle"};
};

enum class DeviceState { Free, Busy, Attached };
template<>
struct Spelling<DeviceState> {
    static constexpr std::string_view what = "state of a device";
    static constexpr std::array<std::string_view, 3> names = {"free", "busy", "attached"};
};

/// How much a line of the log or an insight matters.
enum class Severity { Info, Warning, Error };
template<>
struct Spelling<Severity> {
    static constexpr std::string_view what = "level";
    static constexpr std::array<std::string_view, 3> names = {"info", "warning", "error"};
};

} // namespace tilescope::profile
