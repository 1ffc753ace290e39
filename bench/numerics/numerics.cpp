// SPDX-License-Identifier: GPL-3.0-or-later
// How fast the tutorials' trainings compute, beside the same trainings written by hand, in the same run.
#include "base/worker_pool.h"
#include "bench/must.h"
#include "bench/table.h"
#include "build_paths.h"
#include "compile/compiler.h"
#include "kernels/kernel_table.h"
#include "measurement.h"
#include "onnxruntime.h"
#include "operators/operators.h"
#include "run/executor.h"
#include "workload/workload.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <unistd.h>

using namespace tilescope;
using namespace tilescope::bench;

namespace {

Table table("numerics");
constexpr std::int64_t features = 28 * 28;
constexpr double agreement = 2e-3; ///< of losses, relative

/// A sample of the project's, as `tilescope profile` trains it.
class Sample : public Training {
  public:
    Sample(const std::string& name, const graph::OperatorRegistry& registry, std::size_t threads)
        : workload_(
              must(workload::read_workload(std::string(TILESCOPE_SOURCE_DIR "/samples/") + name + ".json"))),
          executable_(compiled(registry)), pool_(threads),
          executor_(executable_.graph, registry, pool_, weights_) {}

    FirstValues first_values() const {
        FirstValues values;
        for (const auto& [name, tensor] : weights_)
            values[name] = {tensor.floats().begin(), tensor.floats().end()};
        return values;
    }
    DropoutSettings dropout() const {
        for (const graph::Operation& op : executable_.graph.operations())
            if (op.kind == "dropout")
                return {op.attributes.real("rate"), workload_.seed,
                        static_cast<std::uint64_t>(op.attributes.integer("salt"))};
        return {};
    }
    /// The attributes of the first operation that updates a weight.
    const graph::Attributes& update() const {
        const auto& operations = executable_.graph.operations();
        return std::find_if(operations.begin(), operations.end(),
                            [](const graph::Operation& op) { return op.phase == Phase::Update; })
            ->attributes;
    }

    float step(const Batch& batch) override {
        std::copy(batch.samples.begin(), batch.samples.end(), executor_.feed(0).floats().begin());
        graph::HostTensor& labels = executor_.feed(1);
        if (graph::is_floating(labels.type().dtype)) {
            std::fill(labels.floats().begin(), labels.floats().end(), 0.0F);
            for (std::size_t i = 0; i < batch.labels.size(); ++i)
                labels.floats()[i * 10 + static_cast<std::size_t>(batch.labels[i])] = 1.0F;
        } else {
            std::copy(batch.labels.begin(), batch.labels.end(), labels.ints().begin());
        }
        executor_.step({workload_.seed, step_++, 0, true});
        return static_cast<float>(executor_.fetched(0).at(0));
    }

  private:
    compile::Executable compiled(const graph::OperatorRegistry& registry) const {
        compile::Options options;
        options.host_only = true;
        return must(compile::compile(must(workload::build_graph(workload_, registry, workload::Mode::Train)),
                                     registry, options));
    }

    workload::Workload workload_;
    compile::Executable executable_;
    WorkerPool pool_;
    run::Weights weights_;
    run::Executor executor_;
    std::uint64_t step_ = 0;
};

float real(const graph::Attributes& attributes, const char* name) {
    return static_cast<float>(attributes.real(name));
}

/// The peers, from the sample's first values. Those that are not installed are named.
std::vector<Contestant> peers_of(const std::string& name, const Sample& sample,
                                 const std::vector<Batch>& batches, std::size_t threads) {
    const graph::Attributes& update = sample.update();
    const FirstValues first = sample.first_values();
    const auto batch = static_cast<std::int64_t>(batches.front().labels.size());
    const float rate = real(update, "learning_rate");
    nlohmann::json settings{{"kind", "dense"}, {"batch", batch},     {"batches", batches.size()},
                            {"rate", rate},    {"threads", threads}, {"round_s", round_s}};
    std::vector<Contestant> peers;
    const int cores = static_cast<int>(threads);
    if (name == "keras_mnist_faster") {
        settings["kind"] = "convolutional";
        peers.push_back({"Eigen", eigen_convolutional({batch, rate, sample.dropout()}, first, cores), {}});
    } else {
        DenseSettings dense{batch, {features, 128, 10}, name == "mnist_rmsprop", rate, 0, 0};
        if (dense.rmsprop) {
            dense.widths = {features, 256, 128, 10};
            dense.rho = real(update, "rho");
            dense.epsilon = real(update, "epsilon");
        }
        settings.update({{"widths", dense.widths},
                         {"rmsprop", dense.rmsprop},
                         {"rho", dense.rho},
                         {"epsilon", dense.epsilon}});
        peers.push_back({"Eigen", eigen_dense(dense, first, cores), {}});
    }
    std::string missing;
    if (auto peer = onnxruntime(settings.dump(), first, batches, sample.dropout(), missing))
        peers.push_back({"onnxruntime", std::move(peer), {}});
    else
        table.skipped(name + ", onnxruntime", missing);
    return peers;
}

/// Prints the rates of one training and returns whether it is at least as fast as each peer.
bool compare(const std::string& name, std::int64_t batch, std::size_t threads,
             const graph::OperatorRegistry& registry) {
    auto sample = std::make_unique<Sample>(name, registry, threads);
    const auto batches = random_batches(40, batch, features);
    std::vector<Contestant> contestants = peers_of(name, *sample, batches, threads);
    contestants.insert(contestants.begin(), Contestant{"tilescope", std::move(sample), {}});
    const double difference = largest_difference(contestants, batches);
    if (difference > agreement) {
        std::printf("%-20s losses differ by %.2g: not the same training\n", name.c_str(), difference);
        return false;
    }
    measure(contestants, batches);
    const Rate& own = contestants.front().rate;
    char note[48];
    std::snprintf(note, sizeof note, "(losses within %.1g)", difference);
    for (std::size_t i = 1; i < contestants.size(); ++i) {
        const Contestant& c = contestants[i];
        const bool of_wall = threads > 1; // threads that wait for each other use no processor time, or all
        table.at_least(name + (of_wall ? ", two threads" : ", one thread"),
                       of_wall ? own.of_wall : own.of_processor, of_wall ? "samples/s" : "per CPU s", c.name,
                       of_wall ? c.rate.of_wall : c.rate.of_processor, 1, note);
    }
    return true;
}

} // namespace

/// The trainings that are named, or all.
int main(int argc, char** argv) try {
    if (std::getenv("OMP_WAIT_POLICY") == nullptr) { // the peers' threads sleep while they wait, as ours do
        setenv("OMP_WAIT_POLICY", "passive", 0);     // which OpenMP wants to know before the program starts
        execv("/proc/self/exe", argv);
    }
    const std::vector<std::string> named(argv + 1, argv + argc);
    const graph::OperatorRegistry registry = operators::standard_operators();
    std::fprintf(stderr, "kernels: %s\n", kernels::best_kernels().name);
    const std::pair<const char*, std::int64_t> trainings[] = {
        {"keras_mnist_faster", 64}, {"mnist_rmsprop", 32}, {"mnist_tf2", 32}};
    bool alike = true;
    for (const auto& [name, batch] : trainings) {
        if (!named.empty() && std::find(named.begin(), named.end(), name) == named.end())
            continue;
        for (const std::size_t threads : {std::size_t{1}, std::size_t{2}})
            alike = compare(name, batch, threads, registry) && alike;
    }
    return alike ? table.exit_code() : 1;
} catch (const std::exception& failure) {
    std::fprintf(stderr, "bench_numerics: %s\n", failure.what());
    return 1;
}
