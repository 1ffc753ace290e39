// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "lowering/context.h"

/// Remote buffers as both vendor frameworks use them: what streaming memory sends or receives lies in a
/// landing pad, a clone of the tensor on its tiles, and is copied between the two (PopART
/// willow/src/popx/op/exchange/exchangex.cpp; IPU TensorFlow driver/visitors/deferred_visitor.cc).
namespace tilescope::lowering {

/// Appends the steps by which `home`, in streaming memory, comes to `to`; `of`: its name, where the operation
/// does not tell.
void load_remotely(LoweringContext& context, program::VariableId home, const Placed& to, graph::DType dtype,
                   const std::string& of = {});
/// And by which `from` goes there.
void store_remotely(LoweringContext& context, const Placed& from, program::VariableId home,
                    graph::DType dtype, const std::string& of = {});

/// Once an operation is lowered: appends the steps of loads that waited for it to say where it wants what it
/// reads.
void load_awaited(LoweringState& state, const graph::Operation& reader);

} // namespace tilescope::lowering
