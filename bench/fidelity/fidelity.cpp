// SPDX-License-Identifier: GPL-3.0-or-later
/// Predicted beside published: every row is a workload of this repository, compiled for the system on which
/// the figure was published. `bench_fidelity [NAME…]` prints the rows whose id holds one of the names.
#include "build_paths.h"
#include "compile/compiler.h"
#include "operators/operators.h"
#include "prepare/job.h"
#include "run/clock.h"
#include "workload/workload.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <numeric>

using namespace tilescope;

namespace {

const graph::OperatorRegistry& registry() {
    static const auto all = operators::standard_operators();
    return all;
}

[[noreturn]] void give_up(const Error& error) {
    std::fprintf(stderr, "bench_fidelity: %s\n", error.line().c_str());
    std::exit(exit_code(error.kind));
}

template<class T>
T required(Result<T> result) {
    if (!result)
        give_up(result.error());
    return std::move(*result);
}

compile::Executable compiled(const std::string& workload, const workload::Overrides& overrides = {}) {
    const auto w = required(
        workload::read_workload(std::string(TILESCOPE_SOURCE_DIR) + "/" + workload + ".json", overrides));
    auto job = required(prepare::prepare_job(w, registry(), {.estimate = true}, CancelToken())).job;
    if (job.train)
        return required(compile::compile(std::move(*job.train), registry(), run::training_options(job)));
    auto& graph = job.once ? job.once : job.evaluate;
    return required(compile::compile(std::move(*graph), registry(), run::evaluation_options(job)));
}

double step_us(const compile::Executable& e) {
    const auto host = e.target.host_execution_us;
    return (host + e.target.seconds(e.program.cycles()) * 1e6) /
           static_cast<double>(e.schedule.steps_per_execution);
}
/// Steps of `batch` samples each, over all replicas.
double samples_per_s(const compile::Executable& e, std::int64_t batch) {
    const double seconds = e.target.seconds(run::execution_cycles(e));
    return static_cast<double>(batch * e.schedule.steps_per_execution) / seconds;
}
/// Of one run, without the stream copies between host and device.
double device_cycles(const compile::Executable& e) {
    std::int64_t copies = 0;
    for (const auto& step : e.program.steps)
        if (step.kind == StepKind::StreamCopy)
            copies += step.cycles() * e.schedule.steps_per_execution;
    return static_cast<double>(e.program.cycles() - copies);
}
double total_cycles(const compile::Executable& e) {
    return static_cast<double>(e.program.cycles());
}
/// By tile of the first IPU: bytes from address `from` on that some variable has at some time, as the
/// vendor's tools count what is allocated, without gaps (`tile.memory.total.excludingGaps`).
std::vector<std::int64_t> allocated(const compile::Executable& e, std::int64_t from = 0) {
    using Piece = std::pair<std::int64_t, std::int64_t>; // begin, end
    std::vector<std::vector<Piece>> pieces(static_cast<std::size_t>(e.program.tiles));
    for (std::size_t v = 0; v < e.program.variables.size(); ++v) {
        const program::Variable& variable = e.program.variables[v];
        for (std::size_t t = 0; variable.ipu == 0 && t < variable.tile_bytes.size(); ++t)
            if (const std::int64_t begin = e.memory.addresses[v][t]; begin >= 0 && variable.tile_bytes[t] > 0)
                pieces[t].emplace_back(std::max(begin, from), begin + variable.tile_bytes[t]);
    }
    std::vector<std::int64_t> bytes;
    for (std::vector<Piece>& tile : pieces) {
        std::sort(tile.begin(), tile.end());
        std::int64_t end = from;
        std::int64_t& sum = bytes.emplace_back(0);
        for (const auto& [first, last] : tile) {
            sum += std::max<std::int64_t>(0, last - std::max(first, end));
            end = std::max(end, last);
        }
    }
    return bytes;
}
double sum_of(const std::vector<std::int64_t>& bytes) {
    return static_cast<double>(std::accumulate(bytes.begin(), bytes.end(), std::int64_t{0}));
}
double total_bytes(const compile::Executable& e) {
    return sum_of(allocated(e));
}
double interleaved_bytes(const compile::Executable& e) {
    return sum_of(allocated(e, e.target.bytes_per_tile - e.target.interleaved_bytes_per_tile));
}
double fullest_tile(const compile::Executable& e) {
    const std::vector<std::int64_t> bytes = allocated(e);
    return static_cast<double>(*std::max_element(bytes.begin(), bytes.end()));
}

/// The best rate of a square matrix product over sizes, in TFLOP/s.
double best_product(const std::string& dtype) {
    double best = 0;
    for (const int n : {512, 768, 1024, 1280, 1536, 2048, 2304, 2560}) {
        const std::string shape = "{\"dtype\": \"" + dtype + "\", \"shape\": [" + std::to_string(n) + ", " +
                                  std::to_string(n) + "]}";
        const auto e = compiled("bench/fidelity/workloads/product",
                                {"graph.feeds.a=" + shape, "graph.feeds.b=" + shape});
        const double seconds = device_cycles(e) / e.target.clock_hz;
        if (e.fits())
            best = std::max(best, 2.0 * n * n * n / seconds * 1e-12);
    }
    return best;
}

struct Row {
    std::string id;
    const char* unit;
    double published;
    std::function<double()> predict;
};

std::vector<Row> rows() {
    const auto of = [](const char* workload, double (*figure)(const compile::Executable&)) {
        return [=] { return figure(compiled(workload)); };
    };
    std::vector<Row> all = {
        {"tutorial-cnn-spe", "us", 223, of("samples/keras_mnist_faster", step_us)},
        {"tutorial-cnn-replicated", "us", 134.5, of("samples/keras_mnist_replicated", step_us)},
        {"tutorial-cnn-nospe", "us", 3000, of("samples/keras_mnist", step_us)},
        {"tutorial-mlp", "us", 2000, of("samples/mnist_rmsprop", step_us)},
        {"tut4-cycles", "cycles", 34655, of("bench/fidelity/workloads/tut4", device_cycles)},
        {"tut4-memory", "bytes", 59894241, of("bench/fidelity/workloads/tut4", total_bytes)},
        {"tut4-interleaved", "bytes", 8960000, of("bench/fidelity/workloads/tut4", interleaved_bytes)},
        {"tf-mm-infer", "bytes", 12181182, of("bench/fidelity/workloads/tf_mm_infer", total_bytes)},
        {"tf-mm-train1", "bytes", 7738391, of("bench/fidelity/workloads/tf_mm_train", total_bytes)},
        {"tf-mm-train2", "bytes", 16126623,
         [] {
             return total_bytes(compiled("bench/fidelity/workloads/tf_mm_train",
                                         {"fit.batch_size=2", "data.train.samples=2"}));
         }},
        {"tf-rn-infer", "bytes", 25260426, of("bench/fidelity/workloads/tf_rn_infer", total_bytes)},
        {"tf-rn-train", "bytes", 39743117, of("bench/fidelity/workloads/tf_rn_train", total_bytes)},
        {"jia-gemm-fp32", "TFLOP/s", 18.9, [] { return best_product("float32"); }},
        {"jia-gemm-mixed", "TFLOP/s", 58.9, [] { return best_product("float16"); }},
    };
    // 0: it does not fit, as the published run did.
    const auto add_throughput = [&](const char* id, double published, const char* sample,
                                    std::int64_t batch) {
        all.push_back({id, "samples/s", published, [=] {
                           const compile::Executable e = compiled(sample);
                           return e.fits() ? samples_per_s(e, batch) : 0;
                       }});
    };
    add_throughput("bertl-bow16", 5179, "samples/bert_large_pod16", 8);
    add_throughput("rn50-bow16", 42029, "samples/resnet50_pod16", 20);
    // Cycles of one run, bytes on all tiles and on the fullest one.
    const auto add_run = [&](const std::string& name, double cycles, double bytes, double fullest) {
        const std::string workload = "bench/fidelity/workloads/tf_" + name;
        std::string id = "tf-" + name;
        std::replace(id.begin(), id.end(), '_', '-');
        const auto add = [&](const char* suffix, const char* unit, double published,
                             double (*figure)(const compile::Executable&)) {
            all.push_back({id + suffix, unit, published, [=] { return figure(compiled(workload)); }});
        };
        add("-cycles", "cycles", cycles, total_cycles);
        add("-memory", "bytes", bytes, total_bytes);
        add("-max-tile", "bytes", fullest, fullest_tile);
    };
    add_run("cnn1", 8213006, 29405932, 30289);
    add_run("rnn1", 10999625, 20259402, 21282);
    add_run("rnn2", 16464234, 19420572, 21746);
    add_run("lstm1", 19966644, 61549834, 48463);
    add_run("gru1", 39319429, 38483422, 35952);
    add_run("model_rnn1", 13779950, 20849887, 23069);
    add_run("model_rnn2", 26412619, 27357268, 29247);
    add_run("keras_lstm", 25305718, 21240386, 30110);
    return all;
}

} // namespace

int main(int argc, char** argv) {
    std::printf("%-20s %14s %14s %7s\n", "row", "published", "predicted", "ratio");
    double logs = 0;
    double deviations = 0; // either way
    int count = 0;
    for (const Row& row : rows()) {
        bool wanted = argc == 1;
        for (int i = 1; i < argc; ++i)
            wanted = wanted || row.id.find(argv[i]) != std::string::npos;
        if (!wanted)
            continue;
        const double predicted = row.predict();
        if (predicted == 0) {
            std::printf("%-20s %14.6g %14s\n", row.id.c_str(), row.published, "does not fit");
            continue;
        }
        std::printf("%-20s %14.6g %14.6g %7.3f %s\n", row.id.c_str(), row.published, predicted,
                    predicted / row.published, row.unit);
        std::fflush(stdout);
        const double log = std::log(predicted / row.published);
        logs += log;
        deviations += std::abs(log);
        ++count;
    }
    if (count > 0)
        std::printf(
            "geometric mean of the ratios: %.3f, of their deviations either way: %.3f, over %d rows\n",
            std::exp(logs / count), std::exp(deviations / count), count);
}
