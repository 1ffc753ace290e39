// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/cancellation.h"
#include "base/worker_pool.h"
#include "ipu/conv_plan.h"
#include "ipu/target.h"

#include <map>
#include <vector>

namespace tilescope::ipu {

/// Chooses transform, vertex and splits by enumerating every number of parts that changes the size of a
/// part, under the problem's bound of temporary memory (doubled where nothing fits, as PopLibs does). Serial
/// parts are tried where the bound keeps the fastest plan out; where the problem has a number of them, no
/// other. Fewest cycles wins; ties go to fewer tiles, then to the first found: the same answer on every
/// machine. Source: PopLibs lib/poplin/ConvPlan.cpp, ConvModel.cpp.
class ConvPlanner {
  public:
    explicit ConvPlanner(Target target, const CancelToken* cancel = nullptr);
    /// The best plan first, then up to three runners-up that differ from it and one another. Cached by
    /// problem. Once cancelled, what was found until then. The products of a trained layer have one joint
    /// plan where that takes fewer cycles than three.
    const std::vector<ConvPlan>& plan(const ConvProblem& problem);
    /// Plans each of these products once, side by side, so that `plan` finds them.
    void plan_ahead(const std::vector<ConvProblem>& problems, WorkerPool& pool);

  private:
    struct Planned {
        std::vector<ConvPlan> forward, data, weights; ///< of a problem that is no layer's: `forward`
    };
    std::vector<ConvPlan> planned(const ConvProblem& problem) const;
    Planned planned_layer(const ConvProblem& forward) const;
    Planned planned_all(const ConvProblem& problem) const;
    void keep(const ConvProblem& problem, Planned plans);
    Target target_;
    const CancelToken* cancel_;
    std::map<ConvProblem, std::vector<ConvPlan>> cache_;
};

} // namespace tilescope::ipu
