// SPDX-License-Identifier: GPL-3.0-or-later
/// How long compilation takes, and how much memory, beside the limits that it is to keep: the Keras CNN for
/// 1,472 tiles, a residual network of 50 convolutions (ResNet-50's without its norms; batch 4, half,
/// training), 24 blocks of dense layers, 4096 -> 16384 -> 4096 in half, as a pipeline of 8 stages in 2
/// replicas, and the samples of ResNet-50 on one IPU and of BERT-Large over sixteen.
#include "build_paths.h"
#include "compile/compiler.h"
#include "graph/builder.h"
#include "operators/operators.h"
#include "prepare/job.h"
#include "workload/workload.h"

#include <chrono>
#include <cstdio>
#include <map>
#include <sys/resource.h>

using namespace tilescope;
using graph::Builder;
using graph::DType;
using graph::Shape;
using graph::ValueId;

namespace {

const graph::OperatorRegistry& registry() {
    static const auto all = operators::standard_operators();
    return all;
}

/// Adds convolutions to a graph, each a layer of its own.
class Network {
  public:
    explicit Network(graph::Graph& graph) : build_(graph, registry()) {}

    ValueId convolution(ValueId x, std::int64_t kernel, std::int64_t channels, std::int64_t stride) {
        const std::string name = "conv" + std::to_string(count_++);
        build_.scope.layer = build_.layer(name, "Conv2D");
        build_.scope.prefix = name + "/";
        const Shape in = build_.type(x).shape;
        const ValueId w = build_.variable(
            name + "/kernel", graph::HostTensor({DType::Float16, {kernel, kernel, in[3], channels}}));
        const std::int64_t pad = kernel / 2;
        return build_.emit("conv2d", {x, w},
                           {{"strides", Shape{stride, stride}}, {"padding", Shape{pad, pad, pad, pad}}});
    }
    ValueId relu(ValueId x) { return build_.emit("relu", {x}); }
    /// 1x1, 3x3, 1x1 beside the input, which passes a 1x1 convolution where its shape changes.
    ValueId bottleneck(ValueId x, std::int64_t width, std::int64_t stride) {
        const Shape in = build_.type(x).shape;
        ValueId shortcut = x;
        if (stride != 1 || in[3] != 4 * width)
            shortcut = convolution(x, 1, 4 * width, stride);
        ValueId y = relu(convolution(x, 1, width, 1));
        y = relu(convolution(y, 3, width, stride));
        y = convolution(y, 1, 4 * width, 1);
        return relu(build_.emit("add", {y, shortcut}));
    }
    Builder& build() { return build_; }
    int convolutions() const { return count_; }

  private:
    Builder build_;
    int count_ = 0;
};

graph::Graph residual_network() {
    graph::Graph graph;
    graph.name = "residual network";
    Network network(graph);
    Builder& build = network.build();
    ValueId y = build.feed("images", {DType::Float16, {4, 224, 224, 4}});
    const ValueId labels = build.feed("labels", {DType::Int32, {4}});
    y = network.relu(network.convolution(y, 7, 64, 2));
    y = build.emit("max_pool2d", {y},
                   {{"window", Shape{3, 3}}, {"strides", Shape{2, 2}}, {"padding", Shape{1, 1, 1, 1}}});
    const std::int64_t blocks[] = {3, 4, 6, 3};
    for (std::size_t stage = 0; stage < 4; ++stage)
        for (std::int64_t block = 0; block < blocks[stage]; ++block)
            y = network.bottleneck(y, std::int64_t{64} << stage, stage > 0 && block == 0 ? 2 : 1);
    y = build.emit("reduce_mean", {y}, {{"axes", Shape{1, 2}}});
    const ValueId w = build.variable("fc/kernel", graph::HostTensor({DType::Float16, {2048, 1000}}));
    y = build.emit("matmul", {y, w});
    const ValueId each = build.emit("sparse_categorical_crossentropy", {y, labels}, {{"from_logits", true}});
    const ValueId loss = build.emit("reduce_mean", {each});
    build.fetch("loss", loss, graph::FetchKind::Loss);
    graph.training = graph::Training{loss, {"sgd", {}}};
    std::printf("%d convolutions\n", network.convolutions());
    return graph;
}

workload::Workload sample(const std::string& name) {
    return *workload::read_workload(TILESCOPE_SOURCE_DIR "/samples/" + name + ".json");
} // namespace

graph::Graph dense_blocks() {
    graph::Graph graph;
    graph.name = "24 dense blocks";
    Builder build(graph, registry());
    ValueId x = build.feed("x", {DType::Float16, {16, 4096}});
    const ValueId target = build.feed("target", {DType::Float16, {16, 4096}});
    for (std::int32_t block = 0; block < 24; ++block)
        for (const std::int64_t width : {16384, 4096}) {
            const std::string name = "block" + std::to_string(block) + (width > 4096 ? "_up" : "_down");
            build.scope.layer = build.layer(name, "Dense");
            build.scope.prefix = name + "/";
            build.scope.placement.shard = block / 3;
            const graph::TensorType kernel{DType::Float16, {build.type(x).shape[1], width}};
            x = build.emit("matmul",
                           {x, build.variable(name + "/kernel", graph::InitialValue::filled(kernel, 0))});
            const graph::TensorType bias{DType::Float16, {width}};
            x = build.emit("add", {x, build.variable(name + "/bias", graph::InitialValue::filled(bias, 0))});
            x = width > 4096 ? build.emit("relu", {x}) : x;
        }
    const ValueId loss =
        build.emit("reduce_mean", {build.emit("square", {build.emit("subtract", {x, target})})});
    build.fetch("loss", loss, graph::FetchKind::Loss);
    graph.training = graph::Training{loss, {"sgd", {}}};
    return graph;
}

compile::Options one_ipu() {
    compile::Options options;
    options.target = *ipu::find_target("ipu2");
    return options;
}

compile::Options eight_stages_twice() {
    compile::Options options = one_ipu();
    options.schedule.ipus_per_replica = 8;
    options.schedule.replicas = 2;
    options.schedule.accumulation = 32;
    options.schedule.steps_per_execution = 64;
    options.schedule.pipeline = program::PipelineSchedule::Grouped;
    return options;
}

double peak_gib() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_maxrss) / (1 << 20);
}

bool measure(const char* name, graph::Graph graph, const compile::Options& options, double limit_s,
             double limit_gib) {
    const auto begin = std::chrono::steady_clock::now();
    const auto executable = compile::compile(std::move(graph), registry(), options);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    if (!executable) {
        std::fprintf(stderr, "bench_compile: %s\n", executable.error().line().c_str());
        return false;
    }
    std::printf("%-18s %6.2f s (limit %.0f s), %5.2f GiB (limit %.0f GiB), %s\n", name, seconds, limit_s,
                peak_gib(), limit_gib, executable->fits() ? "fits" : "does not fit");
    for (const auto& event : executable->events)
        if (event.parent_id == 0)
            std::printf("  %-30s %9.1f ms  %s\n", event.name.c_str(),
                        static_cast<double>(event.duration_us) * 1e-3, event.detail.c_str());
    std::map<std::string, std::int64_t> categories;
    for (const auto& variable : executable->program.variables)
        if (variable.always_live)
            categories[program::to_string(variable.category)] += variable.total_bytes();
    for (const auto& [category, bytes] : categories)
        std::printf("  %-30s %9.1f MB always live\n", category.c_str(), static_cast<double>(bytes) * 1e-6);
    return seconds <= limit_s && peak_gib() <= limit_gib;
}

bool measure_sample(const std::string& name, double limit_s, double limit_gib) {
    const auto begin = std::chrono::steady_clock::now();
    auto prepared = prepare::prepare_job(sample(name), registry(), {.estimate = true}, CancelToken());
    if (!prepared) {
        std::fprintf(stderr, "bench_compile: %s\n", prepared.error().line().c_str());
        return false;
    }
    run::Job& job = prepared->job;
    const double prepare_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    std::printf("%-18s %6.2f s to import and prepare\n", name.c_str(), prepare_s);
    return measure(name.c_str(), std::move(*job.train), run::training_options(job), limit_s - prepare_s,
                   limit_gib);
}

} // namespace

int main() {
    bool all = measure_sample("keras_mnist", 2, 4);
    all = measure("residual network", residual_network(), one_ipu(), 30, 4) && all;
    all = measure("24 dense blocks", dense_blocks(), eight_stages_twice(), 60, 6) && all;
    all = measure_sample("resnet50", 30, 4) && all;
    all = measure_sample("bert_large_pod16", 60, 6) && all;
    return all ? 0 : 1;
}
