// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/spelling.h"

#include <cstdint>

/// The kinds that workloads and programs have and profiles tell of.
namespace tilescope {

/// Element types that the device supports. UInt8 only comes from the host, to be cast: no operation computes
/// in it.
enum class DType { Float32, Float16, Int32, Bool, UInt8 };
constexpr auto spelling(DType) {
    return spelled("element type", "float32", "float16", "int32", "bool", "uint8");
}
constexpr std::int64_t element_bytes(DType dtype) { ///< on the device
    switch (dtype) {
    case DType::Float16:
        return 2;
    case DType::Bool:
    case DType::UInt8:
        return 1;
    case DType::Float32:
    case DType::Int32:
        break;
    }
    return 4;
}
constexpr bool is_floating(DType dtype) {
    return dtype == DType::Float32 || dtype == DType::Float16;
}

/// What a workload runs on.
enum class RunDevice { Ipu, Cpu };
constexpr auto spelling(RunDevice) {
    return spelled("device", "ipu", "cpu");
}

/// Where a counter of the steps is raised.
enum class CounterPlace { None, Cpu, Ipu };
constexpr auto spelling(CounterPlace) {
    return spelled("place of the step counter", "none", "cpu", "ipu");
}

/// How float16 results are rounded: to the nearest, or up or down at random, the likelier the nearer, so that
/// they are right in the mean. As IPU TensorFlow's configuration names it (floating_point_behaviour.esr).
/// ReplicaIdenticalOnly: of what all replicas compute alike, the update of the weights.
enum class StochasticRounding { Off, On, ReplicaIdenticalOnly };
constexpr auto spelling(StochasticRounding) {
    return spelled("stochastic rounding", "OFF", "ON", "REPLICA_IDENTICAL_ONLY");
}

/// Recompute: a forward operation once more, just before the backward pass that needs it.
enum class Phase { Forward, Recompute, Backward, Update };
constexpr auto spelling(Phase) {
    return spelled("phase", "forward", "recompute", "backward", "update");
}

/// As IPU TensorFlow names them, and that of PopART's pipelines.
enum class PipelineSchedule { Grouped, Interleaved, Sequential, PopART };
constexpr auto spelling(PipelineSchedule) {
    return spelled("schedule", "Grouped", "Interleaved", "Sequential", "PopART");
}

/// Load and Store: of a remote buffer, from streaming memory to tiles and back.
enum class StepKind { Sequence, Repeat, Execute, Exchange, StreamCopy, Load, Store };
constexpr auto spelling(StepKind) {
    return spelled("kind of step", "sequence", "repeat", "execute", "exchange", "stream_copy", "load",
                   "store");
}
/// Whether it does something itself, rather than order or repeat other steps.
constexpr bool is_leaf(StepKind kind) {
    return kind != StepKind::Sequence && kind != StepKind::Repeat;
}
/// Whether its exchange is with what lies outside the IPUs: the host, or streaming memory.
constexpr bool leaves_ipus(StepKind kind) {
    return kind == StepKind::StreamCopy || kind == StepKind::Load || kind == StepKind::Store;
}

/// What a step of the program is there for. Infeed and micro-batches, which are the model's work on each of
/// them, run for each batch of a replica, update once after the micro-batches of a round; Whole holds the
/// other parts.
enum class ProgramPart { Whole, Infeed, MicroBatches, Update, Outfeed };
constexpr auto spelling(ProgramPart) {
    return spelled("part of the program", "whole", "infeed", "micro_batches", "update", "outfeed");
}

/// What a step of the program does for its operation, and so what a variable of it is there for. Structure: a
/// sequence or a loop. Bring: what an operand needs goes to the tiles that need it. Exchange: other bytes of
/// the operation's own. Copy: to another IPU or stage. Push, Pop: of a stash. Host: with the host's streams.
enum class StepRole { Structure, Compute, Bring, Rearrange, Exchange, Copy, Push, Pop, Host };
constexpr auto spelling(StepRole) {
    return spelled("role of a step", "structure", "compute", "bring", "rearrange", "exchange", "copy", "push",
                   "pop", "host");
}

/// Streaming: with the memory of the IPU-Machine.
enum class ExchangeKind { Internal, InterIpu, Host, Streaming };
constexpr auto spelling(ExchangeKind) {
    return spelled("kind of exchange", "internal", "inter_ipu", "host", "streaming");
}
/// Whether it is with what lies outside the IPUs.
constexpr bool leaves_ipus(ExchangeKind kind) {
    return kind == ExchangeKind::Host || kind == ExchangeKind::Streaming;
}

/// What occupies tile memory, as the vendor's memory report names it.
enum class MemoryCategory {
    Variables,
    Constants,
    RearrangementBuffers,
    MessageBuffers,
    VertexInstanceState,
    VertexCode,
    ControlCode,
    InternalExchangeCode,
    HostExchangeCode,
    GlobalExchangeCode,
    Stack,
};
constexpr auto spelling(MemoryCategory) {
    return spelled("category of memory", "Variables", "Constants", "Rearrangement Buffers", "Message Buffers",
                   "Vertex Instance State", "Vertex Code", "Control Code", "Internal Exchange Code",
                   "Host Exchange Code", "Global Exchange Code", "Stack");
}

} // namespace tilescope
