// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/matching.h"

#include <cstdint>
#include <set>

namespace tilescope::analyse {

/// Of one run: which layers and operations are no longer free, as they have a counterpart or were said to
/// have none.
struct TakenParts {
    std::set<std::int64_t> layers, operations;
};

/// Adds to a matching the layers that are several layers in the other run, none of which is of their kind,
/// and their operations: those that follow each other, each joined by a tensor with one before, and together
/// do forward just what the layer does, to a sample of the same shape, with as many parameters. The one of
/// them with most parameters has the layer as its counterpart; the others are parts of it.
void match_layers_of_parts(Matching& matching, const Parts& base, const Parts& now, TakenParts base_taken,
                           TakenParts now_taken);

/// Adds to a matching the layers without a counterpart that are a part of a layer in the other run, and their
/// operations. A layer is such a part where a tensor joins it with a layer that has a counterpart, and all
/// that it does forward stands, in its order, among what that counterpart has more.
void match_split_layers(Matching& matching, const Parts& base, const Parts& now, TakenParts base_taken,
                        TakenParts now_taken);

} // namespace tilescope::analyse
