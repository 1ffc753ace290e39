// SPDX-License-Identifier: GPL-3.0-or-later
/// How long compilation takes, and how much memory, beside the limits that it is to keep on two cores: the
/// samples, and 3,000 dense layers; until it is told that a sample does not fit; how soon it ends when it is
/// cancelled; and with which power its CPU time grows with layers, IPUs, replicas and tiles. Each is measured
/// in a process of its own.
///
///     bench_compile [--passes] [WHAT]    (the time of each pass, too; only rows whose names have WHAT in
///     them)
#include "bench/table.h"
#include "build_paths.h"
#include "compile/compiler.h"
#include "compile/discard.h"
#include "graph/builder.h"
#include "operators/operators.h"
#include "prepare/job.h"
#include "profile/profile.h"
#include "run/recording.h"
#include "tests/temporary_folder.h"
#include "workload/workload.h"

#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstdio>
#include <functional>
#include <mutex>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace tilescope;
using graph::Builder;
using graph::DType;
using graph::Shape;
using graph::ValueId;

namespace {

using Clock = std::chrono::steady_clock;

double seconds_of(Clock::duration duration) {
    return std::chrono::duration<double>(duration).count();
}

bench::Table table("compile");
bench::Table growth("growth");

const graph::OperatorRegistry& registry() {
    static const auto all = operators::standard_operators();
    return all;
}

/// Dense layers of 64 units with biases and ReLU, trained by SGD, as many on each IPU.
graph::Graph dense_layers(std::int64_t layers, std::int64_t ipus) {
    graph::Graph graph;
    graph.name = std::to_string(layers) + " dense layers";
    Builder build(graph, registry());
    const graph::TensorType type{DType::Float32, {16, 64}};
    ValueId x = build.feed("x", type).value();
    const ValueId target = build.feed("target", type).value();
    for (std::int64_t layer = 0; layer < layers; ++layer) {
        const std::string name = "dense_" + std::to_string(layer);
        build.scope.layer = build.layer(name, "Dense");
        build.scope.prefix = name + "/";
        if (ipus > 1)
            build.scope.placement.shard = static_cast<std::int32_t>(layer * ipus / layers);
        const auto variable = [&](const char* what, Shape shape) {
            return build
                .variable(name + what, graph::InitialValue::filled({DType::Float32, std::move(shape)}, 0))
                .value();
        };
        x = build.emit("matmul", {x, variable("/kernel", {64, 64})}).value();
        x = build.emit("relu", {build.emit("add", {x, variable("/bias", {64})})}).value();
    }
    const ValueId loss =
        build.emit("reduce_mean", {build.emit("square", {build.emit("subtract", {x, target})})}).value();
    build.fetch("loss", loss, graph::FetchKind::Loss);
    graph.training = graph::Training{loss, {"sgd", {}}};
    return graph;
}

/// One element-wise operation after another, which all become one.
graph::Graph elementwise_chain(std::int64_t operations) {
    graph::Graph graph;
    graph.name = std::to_string(operations) + " operations";
    Builder build(graph, registry());
    ValueId x = build.feed("x", {DType::Float32, {1024}}).value();
    for (std::int64_t i = 0; i < operations; ++i)
        x = build.emit(i % 2 == 0 ? "relu" : "tanh", {x}).value();
    build.fetch("y", x);
    return graph;
}

workload::Workload sample(const std::string& name, const std::vector<std::string>& changes = {}) {
    return *workload::read_workload(TILESCOPE_SOURCE_DIR "/samples/" + name + ".json", changes);
}

compile::Options one_ipu() {
    compile::Options options;
    options.target = *ipu::find_target("ipu2");
    return options;
}

/// Stages of dense layers in a pipeline, each on an IPU of its own.
compile::Options stages(std::int32_t ipus, std::int32_t replicas) {
    compile::Options options = one_ipu();
    options.schedule.ipus_per_replica = ipus;
    options.schedule.replicas = replicas;
    options.schedule.accumulation = 4L * ipus;
    options.schedule.steps_per_execution = options.schedule.accumulation * replicas;
    options.schedule.pipeline = PipelineSchedule::Grouped;
    return options;
}

/// What a process of its own took.
struct Taken {
    bool ok = false;
    double wall_s = 0;
    double cpu_s = 0; ///< of all its threads
    double peak_gib = 0;
};

Taken in_process(const std::function<bool()>& body) {
    std::fflush(stdout);
    const auto begin = Clock::now();
    const pid_t child = fork();
    if (child == 0) {
        const bool ok = body();
        std::fflush(stdout);
        _exit(ok ? 0 : 1);
    }
    int status = 0;
    rusage usage{};
    wait4(child, &status, 0, &usage);
    const auto seconds = [](const timeval& t) {
        return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
    };
    return {WIFEXITED(status) && WEXITSTATUS(status) == 0, seconds_of(Clock::now() - begin),
            seconds(usage.ru_utime) + seconds(usage.ru_stime),
            static_cast<double>(usage.ru_maxrss) / (1 << 20)};
}

bool verbose = false;
std::string only;

bool wanted(const std::string& name) {
    return name.find(only) != std::string::npos;
}

bool compiles(graph::Graph graph, const compile::Options& options) {
    const auto executable = compile::compile(std::move(graph), registry(), options);
    if (!executable) {
        std::fprintf(stderr, "bench_compile: %s\n", executable.error().line().c_str());
        return false;
    }
    for (const auto& event : executable->events)
        if (verbose && event.parent_id == 0)
            std::printf("    %-30s %9.1f ms  %s\n", event.name.c_str(),
                        static_cast<double>(event.duration_us) * 1e-3, event.detail.c_str());
    return true;
}

/// Imports, prepares and compiles all programs of a sample.
bool compiles_sample(const workload::Workload& sample) {
    auto prepared = prepare::prepare_job(sample, registry(), {.estimate = true}, CancelToken());
    if (!prepared) {
        std::fprintf(stderr, "bench_compile: %s\n", prepared.error().line().c_str());
        return false;
    }
    run::Job& job = prepared->job;
    bool ok = true;
    if (job.train)
        ok = compiles(std::move(*job.train), run::training_options(job));
    for (auto* graph : {&job.evaluate, &job.once})
        if (*graph)
            ok = compiles(std::move(**graph), run::evaluation_options(job)) && ok;
    return ok;
}

bool measure(const std::string& name, const std::function<bool()>& body, double limit_s, double limit_gib) {
    if (!wanted(name))
        return true;
    const Taken taken = in_process(body);
    char note[48];
    std::snprintf(note, sizeof note, "(%.2f s CPU)", taken.cpu_s);
    table.at_most(name, taken.wall_s, "s", limit_s, note);
    table.at_most(name + ", memory", taken.peak_gib, "GiB", limit_gib);
    return taken.ok;
}

bool measure_sample(const std::string& name, double limit_s, double limit_gib,
                    const std::vector<std::string>& changes = {}) {
    std::string label = name;
    for (const std::string& change : changes)
        label = label.size() == name.size() ? name + ", " + change : label;
    return measure(
        label, [&] { return compiles_sample(sample(name, changes)); }, limit_s, limit_gib);
}

/// How CPU time grows with a number: the exponent of a power through the first and the last measurement.
bool measure_growth(const char* of, const std::vector<std::int64_t>& sizes,
                    const std::function<bool(std::int64_t)>& body) {
    if (!wanted(of))
        return true;
    constexpr double limit = 1;
    constexpr double noise = 0.05; // of CPU time on a machine that does other work, too
    std::vector<double> seconds;
    std::string note = "(CPU";
    for (const std::int64_t size : sizes) {
        Taken best = in_process([&] { return body(size); });
        for (int again = 0; again < 2; ++again)
            if (const Taken taken = in_process([&] { return body(size); }); taken.cpu_s < best.cpu_s)
                best = taken;
        if (!best.ok)
            return false;
        seconds.push_back(best.cpu_s);
        char one[48];
        std::snprintf(one, sizeof one, " %ld: %.2f s", static_cast<long>(size), best.cpu_s);
        note += one;
    }
    const double exponent = std::log(seconds.back() / seconds.front()) /
                            std::log(static_cast<double>(sizes.back()) / static_cast<double>(sizes.front()));
    growth.at_most(of, exponent, "exponent", limit + noise, note + ")");
    return true;
}

/// How long the program takes until it has told why a run does not fit, its start included, beside its
/// compilation alone.
bool measure_diagnosis(const std::string& name, std::int64_t bytes_per_tile) {
    const std::string label = name + " that does not fit, until that is told";
    if (!wanted(label))
        return true;
    const tests::TemporaryFolder folder;
    const std::string output = folder / "run.tilescope";
    const Taken taken = in_process([&] {
        const std::string program = TILESCOPE_BIN_DIR "/tilescope";
        const std::string workload = TILESCOPE_SOURCE_DIR "/samples/" + name + ".json";
        const std::string memory = "ipu_config.ipu_model.bytes_per_tile=" + std::to_string(bytes_per_tile);
        if (std::freopen("/dev/null", "w", stderr) != nullptr)
            execl(program.c_str(), program.c_str(), "profile", workload.c_str(), "--estimate",
                  "--no-remedies", "--progress", "none", "--set", memory.c_str(), "-o", output.c_str(),
                  nullptr);
        return false;
    });
    const auto profile = profile::Profile::open(output);
    const auto run = profile ? (*profile)->run() : Failure(profile.error());
    if (!run || run->status != profile::RunStatus::OutOfMemory) {
        std::fprintf(stderr, "bench_compile: %s: %s\n", label.c_str(),
                     run ? "it fits" : run.error().line().c_str());
        return false;
    }
    constexpr double aim = 1.3;
    table.at_most(label, taken.wall_s, "s", "compilation", run->compile_s, aim);
    return true;
}

struct ToCompile {
    graph::Graph graph;
    compile::Options options;
};

ToCompile training_of(const std::string& name) {
    auto prepared = prepare::prepare_job(sample(name), registry(), {.estimate = true}, CancelToken());
    return {std::move(*prepared->job.train), run::training_options(prepared->job)};
}

class PassWatch : public run::Observer {
  public:
    std::string pass = "start";
    void compiling(const std::string& /*program*/, const std::string& started, std::size_t /*number*/,
                   std::size_t /*count*/) override {
        pass = started;
    }
};

/// How a compilation ended.
struct Ended {
    bool cancelled = false;
    double after_s = 0; ///< it was asked to
    double whole_s = 0;
    std::string pass; ///< the last that began
};

/// Compiles, keeps and records as a run does, and cancels that `at_s` seconds after its start.
Ended cancelled_at(double at_s, ToCompile what, const tests::TemporaryFolder& folder) {
    what.options.cache_directory = folder / "cache";
    profile::RunRecord run;
    const auto recorder =
        profile::Recorder::create(folder / "run.tilescope", run, profile::Recorder::Existing::Overwrite);
    PassWatch watch;
    CancelToken cancel;
    run::Recording recording(registry(), run, **recorder, watch, cancel, 0);
    const auto begin = Clock::now();
    auto asked = begin;
    std::mutex mutex;
    std::condition_variable_any wake;
    std::jthread asks([&](const std::stop_token& stop) {
        std::unique_lock lock(mutex);
        wake.wait_for(lock, stop, std::chrono::duration<double>(at_s), [] { return false; });
        if (stop.stop_requested())
            return;
        asked = Clock::now();
        cancel.cancel();
    });
    auto program = recording.compiled(std::move(what.graph), "training", what.options);
    const auto ended = Clock::now();
    asks.request_stop();
    asks.join();
    if (program)
        compile::discard(std::move(program->executable));
    return {!program && program.error().kind == ErrorKind::Cancelled, seconds_of(ended - asked),
            seconds_of(ended - begin), watch.pass};
}

/// The longest that it goes on, over cancels at moments that are spread over the time that it takes. Then the
/// same where the executable is kept already, and loaded.
void measure_cancel(const std::string& name, const std::function<ToCompile()>& make) {
    constexpr double limit_s = 0.1;
    constexpr double never = 1e6;
    for (const bool kept : {false, true}) {
        const std::string label = name + ", cancelled" + (kept ? " while it is loaded" : "");
        if (!wanted(label))
            continue;
        const int moments = kept ? 8 : 16;
        const tests::TemporaryFolder folder;
        if (kept)
            cancelled_at(never, make(), folder);
        const double whole_s = [&] {
            const tests::TemporaryFolder other;
            return cancelled_at(never, make(), kept ? folder : other).whole_s;
        }();
        Ended last;
        int heard = 0;
        for (int i = 0; i < moments; ++i)
            if (Ended one = cancelled_at(whole_s * (i + 0.5) / moments, make(), folder); one.cancelled) {
                ++heard;
                if (one.after_s > last.after_s)
                    last = std::move(one);
            }
        char note[96];
        std::snprintf(note, sizeof note, "(the longest of %d, after \"%s\" began)", heard, last.pass.c_str());
        table.at_most(label, last.after_s * 1e3, "ms", limit_s * 1e3, note);
    }
}

} // namespace

int main(int argc, char** argv) {
    for (int i = 1; i < argc; ++i)
        if (const std::string argument = argv[i]; argument == "--passes")
            verbose = true;
        else
            only = argument;
    bool all = true;
    for (const char* name :
         {"keras_mnist", "keras_mnist_faster", "keras_mnist_pipelined", "keras_mnist_replicated", "mnist_tf2",
          "mnist_rmsprop", "tutorial_basic", "tutorial_sharding", "tutorial_xla_compile"})
        all = measure_sample(name, 0.3, 1) && all;
    all = measure_sample("unet", 5, 1) && all;
    all = measure_sample("resnet50", 5, 1) && all;
    all = measure_sample("bert_large_pod16_grouped", 15, 2) && all;
    all = measure_sample(
              "bert_large_pod16_grouped", 30, 2,
              {"system=pod64", "ipu_config.auto_select_ipus=64", "compile.steps_per_execution=1024"}) &&
          all;
    all = measure(
              "3000 dense layers", [] { return compiles(dense_layers(3000, 1), one_ipu()); }, 20, 4) &&
          all;
    all = measure_diagnosis("bert_large_pod16_grouped", 400'000) && all;
    measure_cancel("resnet50", [] { return training_of("resnet50"); });
    measure_cancel("bert_large_pod16_grouped", [] { return training_of("bert_large_pod16_grouped"); });
    measure_cancel("3000 dense layers", [] { return ToCompile{dense_layers(3000, 1), one_ipu()}; });
    // Tiles that hold the same are laid out once.
    all = measure_growth("dense layers", {750, 1500, 3000},
                         [](std::int64_t n) { return compiles(dense_layers(n, 1), one_ipu()); }) &&
          all;
    all = measure_growth("element-wise operations in a chain", {2000, 4000, 8000},
                         [](std::int64_t n) { return compiles(elementwise_chain(n), one_ipu()); }) &&
          all;
    all = measure_growth("IPUs, 8 layers on each", {4, 8, 16, 32, 64},
                         [](std::int64_t n) {
                             return compiles(dense_layers(8 * n, n), stages(static_cast<std::int32_t>(n), 1));
                         }) &&
          all;
    all = measure_growth("replicas", {1, 4, 16},
                         [](std::int64_t n) {
                             return compiles(dense_layers(64, 8), stages(8, static_cast<std::int32_t>(n)));
                         }) &&
          all;
    all = measure_growth("tiles", {184, 368, 736, 1472},
                         [](std::int64_t n) {
                             compile::Options options = one_ipu();
                             options.target.tiles_per_ipu = n;
                             return compiles(dense_layers(400, 1), options);
                         }) &&
          all;
    return all && table.exit_code() == 0 ? growth.exit_code() : 1;
}
