// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/entry.h"
#include "base/kinds.h"
#include "base/ring_phase.h"
#include "base/step_work.h"
#include "base/units.h"
#include "program/tile_mapping.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// What will run: variables on tiles, and a tree of program steps over them. One `Program` is one engine
/// program (train, evaluate) of one model, on one IPU or sharded over several. Figures by tile are those of
/// the IPU that the thing belongs to.
namespace tilescope::program {

using VariableId = Strong<struct ProgramVariableTag, std::int32_t>;
using StepId = Strong<struct StepTag, std::int32_t>;
inline constexpr VariableId no_variable{-1};
inline constexpr std::int32_t all_ipus = -1;

/// Something that occupies tile memory.
struct Variable {
    std::string name;
    std::int32_t ipu = 0;
    MemoryCategory category = MemoryCategory::Variables;
    std::optional<DType> dtype; ///< none: it holds no elements
    std::string shape;
    std::int32_t operation = -1; ///< graph operation that makes it
    std::int32_t layer = -1;
    std::int32_t value = -1;      ///< graph value that it holds
    std::int64_t stash_depth = 0; ///< of a FIFO of activations: the micro-batches that it holds
    std::int32_t copy_of = -1;    ///< graph value that a FIFO or a buffer for the host has copies of
    bool always_live = false;
    bool interleaved = false;             ///< must lie in the region with 128-bit loads
    std::vector<std::int32_t> tile_bytes; ///< by tile
    std::int64_t streaming_bytes = 0;     ///< of what lies in streaming memory, and so on no tile
    StepRole role = StepRole::Compute;    ///< of the step that it is there for
    std::int64_t total_bytes() const;     ///< on tiles
};

struct VertexGroup {
    std::string codelet;
    std::int64_t count = 0;
    std::int64_t tiles = 0;
    std::int64_t code_bytes = 0; ///< of the codelet, once on every tile that runs it
    bool estimated = false;      ///< those bytes are an estimate
};

struct ComputeSet {
    std::string name;
    std::int32_t ipu = 0;
    std::int32_t operation = -1;
    std::vector<VertexGroup> vertices;
    std::vector<std::int32_t> tile_cycles; ///< by tile
    VariableId state = no_variable;        ///< of its vertices
    bool shared = false;                   ///< has the code and vertex state of an earlier, equal one
    std::int64_t cycles() const;           ///< of the slowest tile
    double balance() const;                ///< mean over all tiles / slowest
};

/// A variable whose bytes an exchange moves.
struct MovedVariable {
    VariableId variable = no_variable;
    std::int64_t bytes = 0; ///< as the exchange counts them: once for each receiver
};

/// Bytes that move between tiles (or tiles and host, or streaming memory). A byte that goes to three tiles
/// counts three times in `sent` and once in the sender's share of `cycles`, since it is multicast.
struct Exchange {
    std::string name;
    ExchangeKind kind = ExchangeKind::Internal;
    std::int32_t ipu = 0;   ///< whose tiles send
    std::int32_t peer = -1; ///< InterIpu: whose tiles receive
    std::int32_t operation = -1;
    std::optional<RingPhase> ring_phase;    ///< that it is of an all-reduce
    std::vector<std::int64_t> sent;         ///< bytes by tile
    std::vector<std::int64_t> received;     ///< bytes by tile
    std::vector<std::int32_t> instructions; ///< of exchange code, by tile
    bool shared = false;                    ///< has the code of an earlier, equal one
    std::int64_t cycles = 0;                ///< without sync
    std::vector<MovedVariable> moved;       ///< whose bytes these are
    std::optional<Moves> moves;             ///< where it is followed which tile sends to which
    std::int64_t bytes() const;             ///< sent by all tiles (with the host or streaming memory: moved)
};

/// A node of the program tree.
struct Step {
    StepKind kind = StepKind::Sequence;
    std::string name;       ///< that of its operation, and the text of its work
    StepWork work;          ///< of a leaf
    std::int32_t ipu = 0;   ///< leaf: who runs it; all_ipus for a sync of all with the host
    std::int32_t peer = -1; ///< the other side of a copy between IPUs
    std::int32_t operation = -1;
    std::vector<StepId> children;          ///< Sequence, Repeat
    std::int64_t repeats = 1;              ///< Repeat
    ProgramPart part = ProgramPart::Whole; ///< that of its parent where it is not said
    std::int32_t compute_set = -1;         ///< Execute
    std::int32_t exchange = -1;            ///< Exchange, StreamCopy, Load, Store
    std::int64_t sync_cycles = 0;
    std::int64_t exchange_cycles = 0;
    std::int64_t compute_cycles = 0;
    std::vector<VariableId> uses; ///< leaf: variables that it reads or writes
    std::int32_t made_by = -1;    ///< of a copy: the graph operation that makes what it takes; -1: none
    bool on_io_tiles = false;     ///< leaf: of the host and the tiles kept for it, no others
    /// Leaf: of control and exchange code, over the tiles of all its IPUs, that it adds; nullopt: not
    /// counted.
    std::optional<std::int64_t> code_bytes;
    std::int64_t cycles() const { return sync_cycles + exchange_cycles + compute_cycles; }
    bool leaf() const { return is_leaf(kind); }
};

class Program {
  public:
    std::int64_t tiles = 0;    ///< of one IPU
    std::int64_t io_tiles = 0; ///< of these, the last ones, which only exchange with the host
    bool io_overlaps = false;  ///< what is on them goes on beside the batches before and after
    StepId io_wait{-1};        ///< then: what the other tiles do until the I/O tiles are done
    std::int32_t ipus = 1;
    std::vector<Variable> variables;
    std::vector<ComputeSet> compute_sets;
    std::vector<Exchange> exchanges;
    NeedBook needs; ///< of the moves of exchanges
    std::vector<Step> steps;
    StepId root{-1};
    StepId rounds{-1};        ///< the loop of an engine run: weight updates, or what inference does at once
    StepId micro_batches{-1}; ///< the loop within it; -1 where a round has one batch

    /// Whether a step is a loop over batches, rather than one within an operation.
    bool loops_over_batches(StepId id) const { return id == rounds || id == micro_batches; }

    /// Whether a leaf feeds or fetches beside the batches before and after.
    bool overlaps_passes(const Step& leaf) const {
        return io_overlaps && (leaf.part == ProgramPart::Infeed || leaf.part == ProgramPart::Outfeed);
    }

    Variable& variable(VariableId id) { return entry(variables, id); }
    const Variable& variable(VariableId id) const { return entry(variables, id); }
    const Step& step(StepId id) const { return entry(steps, id); }
    Step& step(StepId id) { return entry(steps, id); }
    /// What is by tile may be of the tiles that compute only.
    VariableId add_variable(Variable variable);
    std::int32_t add_compute_set(ComputeSet set);
    /// Its number. Where `moved` is empty, all of its bytes are those of the first variable that is used.
    std::int32_t add_exchange(Exchange exchange, const std::vector<VariableId>& uses);
    /// What exchange_between() works out in sums.
    Moves moves_of(const TileMapping& from, const Shape& shape, std::int64_t element_bytes,
                   const std::vector<TileNeed>& needed);
    /// The numbers of the variables of each IPU.
    std::vector<std::vector<std::size_t>> variables_by_ipu() const;
    /// Adds a step under `parent` (or as the root, where parent is -1).
    StepId add_step(Step step, StepId parent);

    /// Leaves in the order in which one pass through the tree executes them, repeats entered once.
    std::vector<StepId> leaves() const;
    /// Cycles of the whole program, repeats multiplied out.
    std::int64_t cycles() const;
    /// The tree, for people, one step per line.
    std::string print() const;
};

} // namespace tilescope::program
