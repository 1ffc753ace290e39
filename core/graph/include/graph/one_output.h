// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/try.h"
#include "graph/graph.h"

#include <vector>

namespace tilescope::graph {

/// The output of an operation that has a single one, as Builder::add gives it.
inline Result<ValueId> one(const Result<std::vector<ValueId>>& values) {
    TRY(const auto all, values);
    return all.front();
}

} // namespace tilescope::graph
