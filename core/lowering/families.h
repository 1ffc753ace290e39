// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "lowering/context.h"
#include "lowering/lowering_table.h"

#include <functional>

/// The lowerings of each family of operations, one file each; `standard_lowerings` calls them all.
namespace tilescope::lowering {

void add_elementwise_lowerings(LoweringTable& table);
void add_matmul_lowerings(LoweringTable& table);
void add_convolution_lowerings(LoweringTable& table);
void add_pooling_lowerings(LoweringTable& table);
void add_reduction_lowerings(LoweringTable& table);
void add_indexing_lowerings(LoweringTable& table);
void add_norm_lowerings(LoweringTable& table);
void add_embedding_lowerings(LoweringTable& table);
void add_shape_lowerings(LoweringTable& table);
void add_scan_lowering(LoweringTable& table);
void add_update_lowerings(LoweringTable& table);
void add_collective_lowerings(LoweringTable& table);
void add_remote_lowerings(LoweringTable& table);

/// Lowers what works element by element on inputs that broadcast to the output: exchanges of what is
/// elsewhere, then one compute set with these cycles for the elements of a tile. The output takes the memory
/// of an input where it may. `types`: what the codelet is instantiated for.
void lower_elementwise_set(LoweringContext& context, const ipu::Codelet& codelet,
                           const std::function<std::int64_t(std::int64_t elements)>& cycles,
                           const std::string& types = {});

/// What reductions of tensors of one shape read and make: the i-th of `sources`, which lie on the same tiles,
/// is reduced to the operation's output i.
struct ReductionParts {
    graph::TensorType type; ///< of what is reduced
    std::vector<Placed> sources;
    bool innermost = false;  ///< over the last dimension among others
    std::string prefix = {}; ///< of its steps' names
};
/// Lowers reductions in stages: every tile reduces what it holds to partials, exchanges gather each output's
/// partials, and those are added up (PopLibs lib/popops/reduction: a further stage in between while the
/// fan-in is above twice the square root of the number of tiles). Several share their steps, as by
/// reduceMany.
void lower_reduction(LoweringContext& context, const ReductionParts& parts);

/// A tensor of the operation's type, and where its sum over replicas is to be, which may be the same place.
struct RingSum {
    program::VariableId from;
    program::VariableId to;
    program::TileMapping mapping; ///< of both
};
/// Around the ring of the replicas, in two phases: each part of the tensors goes to where it has been added
/// up (reduce-scatter), then its sum goes to all (all-gather). All go together; either all have room for what
/// comes in another place than their own, or none has.
void lower_ring_sums(LoweringContext& context, std::int64_t replicas, const std::vector<RingSum>& of);
/// What each of so many replicas has of a tensor that they share.
program::TileMapping shared_by(std::int64_t replicas, const program::TileMapping& whole, graph::DType dtype);

/// What the blocks of a mapping read of an operand that broadcasts to the tensor of shape `full` that it lays
/// out, and the shape of the operand in which that is said: all of it where it does not follow the mapping.
struct BroadcastNeeds {
    program::Shape shape;
    std::vector<program::TileNeed> needs;
};
BroadcastNeeds broadcast_needs(const program::Shape& operand, const program::Shape& full,
                               const program::TileMapping& mapping);

} // namespace tilescope::lowering
