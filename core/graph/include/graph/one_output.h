// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/error.h"
#include "graph/graph.h"

#include <vector>

namespace tilescope::graph {

/// The output of an operation that has a single one, as Builder::add gives it.
inline Result<ValueId> one(Result<std::vector<ValueId>> values) {
    if (!values)
        return Failure(values.error());
    return values->front();
}

} // namespace tilescope::graph
