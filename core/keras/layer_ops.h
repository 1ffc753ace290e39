// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "settings.h"

#include <utility>

namespace tilescope::keras {

/// A layer's graph as the recipes of core/layers extend it. Operations are called after their kind.
struct KerasOps {
    using Value = graph::ValueId;
    KerasLayer& l;
    graph::Shape shape(graph::ValueId x) const { return l.build.type(x).shape; }
    Result<graph::ValueId> emit(const char* kind, const Values& values, graph::Attributes attributes) const {
        return l.build.emit(kind, values, std::move(attributes), kind);
    }
};

} // namespace tilescope::keras
