// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "graph/graph.h"
#include "graph/operator_registry.h"
#include "ipu/codelets.h"
#include "ipu/conv_planner.h"
#include "ipu/planning_options.h"
#include "ipu/target.h"
#include "lowering/lowering_table.h"
#include "program/exchange_traffic.h"
#include "program/program.h"
#include "program/tile_mapping.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace tilescope::lowering {

inline constexpr std::int32_t any_stage = -1;
inline constexpr std::int64_t minimum_bytes_per_tile = 128; ///< of a linear mapping

/// Where a graph value lives on the IPU.
struct Placed {
    program::VariableId variable = program::no_variable;
    program::TileMapping mapping;
    /// Of a pipeline whose stages work on different micro-batches at a time: the one whose micro-batch this
    /// is.
    std::int32_t stage = any_stage;
    /// Micro-batches that the variable holds: one for each slot that passes before it is read.
    std::int32_t slots = 1;
};

/// The plans made for one product, best first.
struct OperationPlan {
    graph::OpId operation = graph::no_op;
    std::string product; ///< the operation's name, or that of one in the body of its loop
    std::vector<ipu::ConvPlan> plans;
    /// What the best one costs with its operands where they lie, and in the pieces in which they do.
    ipu::ConvCost placed;
};

struct LoweringState;

/// Of a loop's body: what is around it.
struct Surroundings {
    LoweringState& state;
    std::int32_t operation = -1; ///< of the whole graph, that the body is part of
    std::int32_t layer = -1;
    std::string prefix;                                ///< before the names of the body's operations
    std::string path;                                  ///< the same without that of the whole operation
    std::map<std::int32_t, graph::ValueId> fixed = {}; ///< by feed that is the same in each step, not placed
    std::int32_t first_fixed = 0;                      ///< number of the first such feed
};

/// Where linear mappings of operations that are alike start, and how many have.
struct StartTiles {
    std::vector<std::int64_t> tiles;
    std::int64_t times = 0;
};
using FirstTiles = std::map<std::tuple<std::int32_t, std::string, std::int64_t>, StartTiles>;
/// So many start on one tile before the next ones start anew, so that what they keep does not pile up there:
/// 4 KiB of tensors that have 128 bytes on a tile.
inline constexpr std::int64_t most_alike = 32;
/// On so many tiles they start, then on the first one again, so that tiles do not differ more with more
/// operations.
inline constexpr std::int64_t most_first_tiles = 16;

/// Products of dense layers by layer, whether they make the gradient of the weights, and the shapes of their
/// operands: x and w, or x and the gradient of y.
using DenseProducts = std::set<std::tuple<std::int32_t, bool, program::Shape, program::Shape>>;

/// What lowering has made so far; shared by the operations of one program.
struct LoweringState {
    const graph::Graph& graph;
    const LoweringTable& lowerings;
    const ipu::Target& target;
    program::Program& program;
    ipu::ConvPlanner& planner;
    program::ExchangeBook& exchanges;
    std::vector<Placed> values; ///< by graph value; variable -1: not placed yet
    std::vector<OperationPlan> plans;
    std::int64_t next_tile = 0;         ///< where the next linear mapping starts (TF rotates the offset)
    std::vector<std::int32_t> last_use; ///< as `last_uses` says
    ipu::PlanningOptions planning;
    std::int32_t ipu = 0; ///< where what is lowered now runs
    /// By value and place(): values of another place, as they were copied to one that reads them.
    std::map<std::pair<std::int32_t, std::int32_t>, Placed> copies = {};

    /// By IPU: the virtual device that it is of; "" for the first. What goes between two of them goes over
    /// the host.
    std::map<std::int32_t, std::string> devices = {};
    std::optional<Surroundings> around = std::nullopt;
    /// By value: the sequence of a load of a weight that lies where its first reader wants it.
    std::map<std::int32_t, program::StepId> awaited = {};
    std::int64_t streaming_sharers = 1; ///< IPUs that load from one IPU-Machine's memory at the same time
    /// By IPU of a replica: of those of all replicas the most that are on one IPU-Machine, which copy from
    /// its host, or to it, at the same time.
    std::vector<std::int64_t> host_sharers = {};
    /// That what is lowered now is part of, in a pipeline whose stages work on different micro-batches at a
    /// time.
    std::int32_t stage = any_stage;
    /// By stage of such a pipeline: the IPU that runs it; empty where two stages share one.
    std::vector<std::int32_t> stage_ipus = {};
    /// By IPU, what an operation is like, and which of its tensors.
    FirstTiles first_tiles = {};
    std::int64_t io_tiles = 0; ///< the last ones of each IPU, kept for the host
    /// Of a graph that is trained; found when they are first asked for.
    std::optional<DenseProducts> dense_products = {};
    /// By gradient that nothing else reads: what adds it to its accumulator. Found in the same way.
    std::optional<std::map<std::int32_t, const graph::Operation*>> accumulations = {};

    /// Of each IPU, without those that are kept for the host.
    std::int64_t compute_tiles() const { return target.tiles_per_ipu - io_tiles; }
    std::int32_t home(const Placed& placed) const { return program.variable(placed.variable).ipu; }
    /// A copy between the host and the tiles of `mapping` on an IPU.
    program::Exchange host_exchange(std::int32_t on, const program::TileMapping& mapping,
                                    std::int64_t element_bytes, bool to_device) const {
        const auto i = static_cast<std::size_t>(on);
        return program::host_exchange(target, mapping, element_bytes, to_device,
                                      i < host_sharers.size() ? host_sharers[i] : 1);
    }
    /// Where what is lowered now finds values without a copy: a stage where stages overlap, else an IPU.
    std::int32_t place() const { return stage == any_stage ? ipu : stage; }
    bool is_here(const Placed& placed) const {
        return home(placed) == ipu &&
               (placed.stage == any_stage || stage == any_stage || placed.stage == stage);
    }
};

/// The lowering of one operation from graph to program: it maps tensors to tiles and appends exchanges and
/// compute sets to the operation's sequence.
class LoweringContext {
  public:
    LoweringContext(LoweringState& state, const graph::Operation& operation, program::StepId sequence);

    LoweringState& state() const { return state_; }
    program::StepId sequence() const { return sequence_; }
    const graph::Operation& operation() const { return operation_; }
    /// With those of the loops that it is within.
    std::string full_name() const;
    /// Within the body of a loop: from the whole operation to this one, "matmul/".
    std::string path() const;
    /// The operation and the layer of the whole graph that it is part of.
    std::int32_t whole_operation() const;
    std::int32_t whole_layer() const;
    const graph::Attributes& attributes() const { return operation_.attributes; }
    const ipu::Target& target() const { return state_.target; }
    const graph::TensorType& input_type(std::size_t i) const;
    const graph::TensorType& output_type(std::size_t i = 0) const;
    std::int64_t tiles() const { return state_.compute_tiles(); }

    /// A mapping over consecutive tiles from the rotating offset, at least 128 bytes each; from the same one
    /// as for earlier operations that are alike, so that they can share their code (functions of IPU
    /// TensorFlow and of PopART keep the layouts of their first caller).
    program::TileMapping linear(const graph::TensorType& type);
    bool placed(std::size_t i) const;
    /// The mapping of input i; places it linearly where nobody has placed it.
    const program::TileMapping& input_mapping(std::size_t i);
    program::VariableId input_variable(std::size_t i);
    Placed input(std::size_t i);
    /// A placed value as this operation's IPU has it.
    Placed here(graph::ValueId id) { return placed_value(id); }
    /// Places an input that nobody has placed: operands lie where their first user wants them.
    void place_input(std::size_t i, program::TileMapping mapping);
    /// Places output i. The variable is temporary (not always live).
    program::VariableId place_output(std::size_t i, program::TileMapping mapping);
    /// Where output 0 is only added to an accumulator that lies as `mapping` says, or that nobody has placed:
    /// it becomes the memory of this, to which it is to be added. Returns that variable.
    std::optional<program::VariableId> place_in_accumulator(const program::TileMapping& mapping);
    /// Output i is the memory of input k (views and updates in place), or the part of it that is mapped so.
    void alias_output(std::size_t i, std::size_t k);
    void alias_output(std::size_t i, std::size_t k, program::TileMapping part);
    /// Whether input k is a variable whose new value is output 0.
    bool updates_variable(std::size_t k) const;
    /// Whether output 0 may take the memory of input k, which nobody reads later: made in this step, or a
    /// variable whose new value the output is.
    bool may_overwrite(std::size_t k) const;

    /// Makes the boxes of input i (in `shape`, a shape of as many elements) available on their tiles:
    /// an exchange into a rearrangement buffer, or nothing where all is in place. Appends to `uses` what
    /// the compute set then reads.
    void bring(std::size_t i, const program::Shape& shape, const std::vector<program::TileNeed>& needs,
               std::vector<program::VariableId>& uses);
    /// The same for any placed variable.
    void bring(const Placed& from, std::int64_t element_bytes, const std::string& name,
               const program::Shape& shape, const std::vector<program::TileNeed>& needs,
               std::vector<program::VariableId>& uses);
    /// The operand of a product under another mapping with its elements in another order, padded or several
    /// times, or only some of them, so that a tile has `made` of them: an exchange, and a copy on each tile
    /// that knows of `channels` (`ipu::transform_cycles`).
    Placed rearrange(const Placed& from, program::TileMapping mapping, std::int64_t element_bytes,
                     std::int64_t channels, const std::vector<std::int64_t>& made, const std::string& name);
    /// What is appended up to `end_repeat` runs `times` times.
    void begin_repeat(const std::string& name, std::int64_t times);
    void end_repeat();
    /// Whether the variable must lie in interleaved memory.
    void interleave(program::VariableId variable, bool must);
    program::VariableId temporary(const std::string& name, std::optional<DType> dtype,
                                  std::vector<std::int32_t> tile_bytes);
    /// Appends an exchange that the caller has worked out, of an operand (Bring) or of what the operation has
    /// made. One between IPUs is timed when it is routed.
    void exchange(const StepWork& work, program::Exchange exchange, std::vector<program::VariableId> uses);
    /// Of an exchange that the caller has worked out: it brings what is needed of a tensor that lies so.
    program::Moves moves(const program::TileMapping& from, const program::Shape& shape,
                         std::int64_t element_bytes, const std::vector<program::TileNeed>& needs);
    /// Like exchange(), of what program::balance() makes of it; nothing where nothing moves.
    void exchange_balanced(const StepWork& work, program::Exchange exchange,
                           std::vector<program::VariableId> uses, std::int64_t receivers = 1,
                           bool in_pairs = false);
    /// Appends a load or store of a remote buffer, from or to the tiles of `mapping`; `of`: what it holds.
    void stream(StepKind kind, const program::TileMapping& mapping, std::int64_t element_bytes,
                std::vector<program::VariableId> uses, const std::string& of = {});
    /// Appends a compute set: cycles[tile], one multi-vertex of `codelet` on each tile with cycles > 0.
    /// `types`: what the codelet is instantiated for, "half,float".
    void execute(const std::string& verb, const ipu::Codelet& codelet,
                 const std::vector<std::int64_t>& cycles, std::vector<program::VariableId> uses,
                 const std::string& types = {});
    /// The same of any work. `list_bytes`: what a tile's vertex has beside its fields, by tile.
    void execute(const StepWork& work, const ipu::Codelet& codelet, const std::vector<std::int64_t>& cycles,
                 std::vector<program::VariableId> uses, const std::string& types = {},
                 const std::vector<std::int64_t>& list_bytes = {});

    const std::vector<ipu::ConvPlan>& plan(const ipu::ConvProblem& problem);
    /// Of the product that was planned last.
    void set_placed_cost(const ipu::ConvCost& cost);
    /// What the options say of this operation as such a product.
    ipu::ProductPlanning planning(ipu::ProductKind kind) const;
    /// What is known of a planned product of input 0 but its extents: types, and how it is planned.
    ipu::ConvProblem product(ipu::ProductKind kind) const;

  private:
    /// A variable for elements of `from` on other tiles, or in another order.
    program::VariableId buffer_for(const Placed& from, const std::string& name, StepRole role,
                                   std::vector<std::int32_t> tile_bytes);
    void append(StepKind kind, const StepWork& work, program::Exchange exchange, std::int64_t sync_cycles,
                std::vector<program::VariableId> uses);
    /// A leaf that does this for the operation here.
    program::Step leaf(StepKind kind, StepWork work) const;
    /// Where a value lies for this operation: a value of another IPU or stage is copied to this one, once.
    Placed& placed_value(graph::ValueId id);
    Placed copied_here(graph::ValueId id, const Placed& from);
    /// As the stage beside this one has it, on the way from its home.
    Placed from_neighbour(graph::ValueId id, const Placed& home);
    std::int32_t maker_of(const Placed& from, const graph::Value& value) const;
    void copy_within(const Placed& from, const Placed& to, const graph::Value& value);
    void copy_over_links(const Placed& from, const Placed& to, const graph::Value& value);
    void copy_over_host(const Placed& from, const Placed& to, const graph::Value& value);
    void append_copy(program::Step step, program::Exchange exchange);
    /// `which`: an input, or less than 0.
    program::TileMapping linear_as_before(const graph::TensorType& type, std::int64_t which);
    LoweringState& state_;
    const graph::Operation& operation_;
    program::StepId sequence_;
    program::StepId outer_{-1};        ///< the sequence around a repeat
    std::string signature_;            ///< of the operation, once it was asked for
    std::int64_t linear_mappings_ = 0; ///< so far, but for those of inputs
};

/// For each value, the last operation that reads its memory, a view's being that of what it views; the number
/// of operations where it outlives the graph.
std::vector<std::int32_t> last_uses(const graph::Graph& graph, const graph::OperatorRegistry& registry);
/// Adds a variable for a graph value. Weights, optimiser state and constants are always live.
Placed place_value(LoweringState& state, graph::ValueId id, program::TileMapping mapping);
/// The same for a variable that lives in streaming memory; `mapping` is how its elements go to tiles and
/// back.
Placed place_remotely(LoweringState& state, graph::ValueId id, program::TileMapping mapping);
/// What an operation is like: its kind, attributes and operands' types.
std::string signature(const graph::Graph& graph, const graph::Operation& op);
/// The linear mapping that a value gets where no operation asks for another.
program::TileMapping linear_mapping(LoweringState& state, const graph::TensorType& type);

} // namespace tilescope::lowering
