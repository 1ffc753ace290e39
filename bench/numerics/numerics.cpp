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
#include <optional>
#include <sys/resource.h>
#include <sys/wait.h>
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
    Sample(const std::string& name, std::int64_t batch, const graph::OperatorRegistry& registry,
           std::size_t threads)
        : workload_(
              must(workload::read_workload(std::string(TILESCOPE_SOURCE_DIR "/samples/") + name + ".json",
                                           {"fit.batch_size=" + std::to_string(batch)}))),
          executable_(compiled(registry)), pool_(threads),
          executor_(executable_.graph, registry, pool_, weights_, 1, {}, true) {}

    FirstValues first_values() const {
        FirstValues values;
        for (const auto& [name, tensor] : weights_)
            values[name] = {tensor.floats().begin(), tensor.floats().end()};
        return values;
    }
    const graph::Graph& graph() const { return executable_.graph; }
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
                            [](const graph::Operation& op) { return op.kind.ends_with("_update"); })
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

/// The convolutions of a tutorial's network, none where it is dense.
std::vector<ConvolutionalSettings::Convolution> convolutions_of(const std::string& name) {
    if (name == "keras_mnist_faster")
        return {{32, false, true}, {64, false, true}};
    if (name == "fashion_mnist_cnn")
        return {{8, true, false}, {8, true, false}};
    return {};
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
    if (const auto convolutions = convolutions_of(name); !convolutions.empty()) {
        ConvolutionalSettings convolutional{batch, convolutions, sample.dropout(), rate, {}};
        settings["kind"] = "convolutional";
        settings["dropout"] = sample.dropout().rate > 0;
        for (const auto& [filters, padded, pooled] : convolutions)
            settings["convolutions"].push_back(
                {{"filters", filters}, {"padded", padded}, {"pooled", pooled}});
        if (name == "fashion_mnist_cnn") {
            const AdamSettings adam{real(update, "beta_1"), real(update, "beta_2"), real(update, "epsilon")};
            convolutional.adam = adam;
            settings["adam"] = {{"beta_1", adam.beta_1}, {"beta_2", adam.beta_2}, {"epsilon", adam.epsilon}};
        }
        peers.push_back({"Eigen", eigen_convolutional(convolutional, first, cores), {}});
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

struct Comparison {
    const char* name;
    std::int64_t batch;
    std::size_t batches; ///< that are trained with over and over
    int rounds;
};
constexpr Comparison comparisons[] = {{"keras_mnist_faster", 64, 40, 9},
                                      {"fashion_mnist_cnn", 32, 40, 9},
                                      {"mnist_rmsprop", 32, 40, 9},
                                      {"mnist_tf2", 32, 40, 9}};
constexpr Comparison large = {"keras_mnist_faster", 8192, 1, 3};

/// Prints the rates of one training and returns whether all train alike.
bool compare(const Comparison& of, std::size_t threads, const graph::OperatorRegistry& registry) {
    const std::string name =
        of.name + (of.batch == large.batch ? " with batches of " + std::to_string(of.batch) : "");
    auto sample = std::make_unique<Sample>(of.name, of.batch, registry, threads);
    const auto batches = random_batches(of.batches, of.batch, features);
    std::vector<Contestant> contestants = peers_of(of.name, *sample, batches, threads);
    contestants.insert(contestants.begin(), Contestant{"tilescope", std::move(sample), {}});
    const double difference = largest_difference(contestants, batches);
    if (difference > agreement) {
        std::printf("%-20s losses differ by %.2g: not the same training\n", name.c_str(), difference);
        return false;
    }
    measure(contestants, batches, of.rounds);
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

constexpr double gib = 1 << 30;

/// What the values of a step share, beside what must be live at once.
void measure_memory_plan(const Comparison& of, const graph::OperatorRegistry& registry) {
    const Sample sample(of.name, of.batch, registry, 1);
    const operators::Interpreter values(sample.graph(), registry);
    constexpr double aim = 1.02;
    table.at_most(of.name + (", memory for the values of " + std::to_string(of.batch) + " samples"),
                  static_cast<double>(values.shared_bytes()) / gib, "GiB", "live at once",
                  static_cast<double>(values.needed_bytes()) / gib, aim);
}

/// The most memory that PyTorch has for the same training, in GiB; nothing where it is not installed.
std::optional<double> pytorch_peak(std::int64_t batch) {
    const char* python = std::getenv("TILESCOPE_PYTORCH");
    const std::string command = std::string(python == nullptr ? "python3" : python) +
                                " " TILESCOPE_SOURCE_DIR "/bench/numerics/pytorch_memory.py " +
                                std::to_string(batch) + " 2>/dev/null";
    std::FILE* program = popen(command.c_str(), "r");
    if (program == nullptr)
        return std::nullopt;
    double kib = 0;
    const bool told = std::fscanf(program, "%lf", &kib) == 1;
    return pclose(program) == 0 && told ? std::optional(kib * 1024 / gib) : std::nullopt;
}

/// The most memory of a process that trains.
void measure_peak(const Comparison& of, const graph::OperatorRegistry& registry) {
    const pid_t child = fork();
    if (child == 0) {
        Sample sample(of.name, of.batch, registry, 2);
        const auto batches = random_batches(1, of.batch, features);
        for (int step = 0; step < 2; ++step)
            sample.step(batches[0]);
        _exit(0);
    }
    const std::string figure =
        of.name + (", process that trains on " + std::to_string(of.batch) + " samples");
    rusage usage{};
    int status = -1;
    if (wait4(child, &status, 0, &usage) != child || status != 0) {
        std::fprintf(stderr, "bench_numerics: the process that trains ended with %d\n", status);
        std::exit(1);
    }
    const double peak = static_cast<double>(usage.ru_maxrss) * 1024 / gib;
    constexpr double limit_gib = 2;
    table.at_most(figure, peak, "GiB", limit_gib);
    if (const auto peer = pytorch_peak(of.batch))
        table.at_most(figure, peak, "GiB", "PyTorch", *peer, 1);
    else
        table.skipped(figure + ", PyTorch", "no torch for python3 (or what TILESCOPE_PYTORCH names)");
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
    const auto wanted = [&](const Comparison& of) {
        return named.empty() || std::find(named.begin(), named.end(), of.name) != named.end();
    };
    if (wanted(large)) {
        measure_peak(large, registry);
        measure_memory_plan(large, registry);
    }
    bool alike = true;
    for (const Comparison& of : comparisons) {
        if (!wanted(of))
            continue;
        for (const std::size_t threads : {std::size_t{1}, std::size_t{2}})
            alike = compare(of, threads, registry) && alike;
    }
    if (wanted(large))
        alike = compare(large, 2, registry) && alike;
    return alike ? table.exit_code() : 1;
} catch (const std::exception& failure) {
    std::fprintf(stderr, "bench_numerics: %s\n", failure.what());
    return 1;
}
