// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/inference.h"

#include "base/try.h"
#include "run/executor.h"

namespace tilescope::run {

Result<std::vector<graph::HostTensor>> infer(graph::Graph graph, const graph::OperatorRegistry& registry,
                                             const compile::Options& options,
                                             const std::vector<graph::HostTensor>& feeds) {
    TRY(const auto executable, compile::compile(std::move(graph), registry, options));
    WorkerPool pool;
    Weights weights;
    Executor executor(executable.graph, registry, pool, weights);
    for (std::size_t i = 0; i < feeds.size(); ++i)
        executor.set_feed(i, feeds[i]);
    executor.step({1, 0, 0, false});
    std::vector<graph::HostTensor> outputs;
    for (std::size_t i = 0; i < executable.graph.fetches.size(); ++i)
        outputs.push_back(executor.fetched(i));
    return outputs;
}

} // namespace tilescope::run
