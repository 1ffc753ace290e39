// SPDX-License-Identifier: GPL-3.0-or-later
// How fast training computes, as a share of what Eigen's sgemm reaches on the same cores in the same run.
#include "base/worker_pool.h"
#include "build_paths.h"
#include "compile/compiler.h"
#include "kernels/kernel_table.h"
#include "operators/operators.h"
#include "run/executor.h"
#include "workload/workload.h"

#include <benchmark/benchmark.h>
#include <chrono>
#include <string>
#include <vector>

using namespace tilescope;

namespace {

double seconds_since(std::chrono::steady_clock::time_point begin) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// Flops per second of square products, one on each thread, for at least a quarter of a second.
double sgemm_rate(WorkerPool& pool, std::int64_t n) {
    const auto size = static_cast<std::size_t>(n * n);
    const std::vector<float> a(size, 0.5F);
    const std::vector<float> b(size, 0.25F);
    std::vector<std::vector<float>> c(pool.threads(), std::vector<float>(size));
    const auto product = [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i)
            kernels::best_kernels().gemm({n, n, n, a.data(), n, false, b.data(), n, false}, c[i].data(), n);
    };
    pool.parallel_for(pool.threads(), 1, product); // warm
    const auto begin = std::chrono::steady_clock::now();
    std::int64_t rounds = 0;
    do {
        pool.parallel_for(pool.threads(), 1, product);
        ++rounds;
    } while (seconds_since(begin) < 0.25);
    return 2.0 * static_cast<double>(n * n * n * rounds) * static_cast<double>(pool.threads()) /
           seconds_since(begin);
}

void square_products(benchmark::State& state) {
    WorkerPool pool;
    double rate = 0;
    for ([[maybe_unused]] auto _ : state)
        rate = sgemm_rate(pool, state.range(0));
    state.counters["Gflop/s"] = rate * 1e-9;
    state.SetLabel(kernels::best_kernels().name);
}
BENCHMARK(square_products)->Arg(256)->Arg(1024)->Unit(benchmark::kMillisecond)->Iterations(1);

/// Training steps of a sample, without the host's batches. Only matrix products and convolutions count as
/// flops.
void training(benchmark::State& state, const std::string& sample) {
    const graph::OperatorRegistry registry = operators::standard_operators();
    const auto workload =
        workload::read_workload(std::string(TILESCOPE_SOURCE_DIR "/samples/") + sample + ".json");
    if (!workload)
        return state.SkipWithError(workload.error().message.c_str());
    auto graph = workload::build_graph(*workload, registry, workload::Mode::Train);
    if (!graph)
        return state.SkipWithError(graph.error().message.c_str());
    compile::Options options;
    options.host_only = true;
    const auto executable = compile::compile(std::move(*graph), registry, options);
    if (!executable)
        return state.SkipWithError(executable.error().message.c_str());

    std::int64_t flops = 0;
    for (const graph::Operation& op : executable->graph.operations()) {
        const graph::Operator& kind = registry.at(op.kind);
        if (!kind.flops)
            continue;
        std::vector<graph::TensorType> inputs;
        std::vector<graph::TensorType> outputs;
        for (const graph::ValueId id : op.inputs)
            inputs.push_back(executable->graph.type(id));
        for (const graph::ValueId id : op.outputs)
            outputs.push_back(executable->graph.type(id));
        flops += kind.flops(inputs, outputs, op.attributes);
    }
    WorkerPool pool;
    run::Weights weights;
    run::Executor executor(executable->graph, registry, pool, weights);
    const double peer = sgemm_rate(pool, 1024);
    std::uint64_t step = 0;
    const auto begin = std::chrono::steady_clock::now();
    for ([[maybe_unused]] auto _ : state)
        executor.step({workload->seed, step++, 0, true});
    const double rate =
        static_cast<double>(flops) * static_cast<double>(state.iterations()) / seconds_since(begin);
    state.counters["Gflop/s"] = rate * 1e-9;
    state.counters["sgemm Gflop/s"] = peer * 1e-9;
    state.counters["share of sgemm"] = rate / peer;
}
BENCHMARK_CAPTURE(training, keras_mnist_faster, std::string("keras_mnist_faster"))
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(training, fashion_mnist_cnn, std::string("fashion_mnist_cnn"))
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(training, mnist_rmsprop, std::string("mnist_rmsprop"))
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

} // namespace

BENCHMARK_MAIN();
