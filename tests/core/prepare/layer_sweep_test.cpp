// SPDX-License-Identifier: GPL-3.0-or-later
// Layers in training, with batches that grow: no step backwards but for the reasons that are written here.
#include "compile/compiler.h"
#include "operators/operators.h"
#include "prepare/job.h"

#include <cstdlib>
#include <gtest/gtest.h>
#include <map>
#include <numeric>
#include <ostream>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace tilescope::prepare {
namespace {

/// JSON: the shape of what a layer reads of each sample, and its configuration.
struct Layer {
    const char* name;
    const char* input;
    const char* kind;
    const char* settings;
    friend std::ostream& operator<<(std::ostream& out, const Layer& layer) { return out << layer.name; }
};

const std::vector<Layer>& layers() {
    static const std::vector<Layer> all = {
        {"DenseOf256", "784", "Dense", R"("units": 256)"},
        {"DenseOf1024", "1024", "Dense", R"("units": 1024)"},
        {"Convolution", "14, 14, 32", "Conv2D", R"("filters": 64, "kernel_size": [3, 3])"},
        {"Lstm", "8, 32", "LSTM", R"("units": 128)"},
        {"Gru", "8, 32", "GRU", R"("units": 128)"},
    };
    return all;
}

std::string layer_text(const std::string& kind, const std::string& settings, const std::string& dtype) {
    return R"({"class_name": ")" + kind + R"(", "config": {"name": ")" + kind + R"(", "dtype": ")" + dtype +
           "\"" + (settings.empty() ? "" : ", ") + settings + "}}";
}

compile::Executable compiled(const Layer& layer, const std::string& dtype, std::int64_t batch) {
    static const graph::OperatorRegistry registry = operators::standard_operators();
    const std::string samples = std::to_string(batch);
    const std::string input = layer.input;
    const std::string text =
        R"({"model": {"keras": {"class_name": "Sequential", "config": {"name": "sweep", "layers": [)" +
        layer_text("InputLayer", R"("batch_input_shape": [null, )" + input + "]", dtype) + "," +
        layer_text(layer.kind, layer.settings, dtype) + "," + layer_text("Flatten", "", dtype) + R"(]}}},
          "data": {"train": {"random": [)" +
        input + R"(], "classes": 10, "samples": )" + samples +
        R"(}}, "compile": {"loss": "sparse_categorical_crossentropy", "optimizer": {"name": "sgd"}},
          "fit": {"batch_size": )" +
        samples + R"(, "epochs": 1}})";
    const auto workload = workload::parse_workload(text, "sweep.json");
    EXPECT_TRUE(workload) << workload.error().line();
    auto prepared = prepare_job(*workload, registry, {.estimate = true}, CancelToken());
    EXPECT_TRUE(prepared) << prepared.error().line();
    run::Job& job = prepared->job;
    return *compile::compile(std::move(*job.train), registry, run::training_options(job));
}

/// Cycles of a layer's own steps in a training step, forward, backward and its update, by their names.
using Steps = std::map<std::string, std::int64_t>;

void add_steps(const program::Program& program, program::StepId id, std::int64_t times, const Layer& layer,
               Steps& steps) {
    const program::Step& step = program.step(id);
    for (const program::StepId child : step.children)
        add_steps(program, child, times * step.repeats, layer, steps);
    const std::string own = std::string(layer.kind) + "/";
    if (step.leaf() && (step.name.starts_with(own) || step.name.starts_with("sgd/" + own)))
        steps[step.name] += times * step.cycles();
}

Steps steps_of(const Layer& layer, const std::string& dtype, std::int64_t batch) {
    const compile::Executable e = compiled(layer, dtype, batch);
    Steps steps;
    add_steps(e.program, e.program.root, 1, layer, steps);
    return steps;
}

std::int64_t sum(const Steps& steps) {
    return std::accumulate(steps.begin(), steps.end(), std::int64_t{0},
                           [](std::int64_t all, const auto& step) { return all + step.second; });
}

/// The steps that differ most.
std::string differences(const Steps& before, const Steps& now) {
    Steps both = before;
    both.insert(now.begin(), now.end());
    std::string text;
    for (const auto& [name, ignored] : both) {
        const auto of = [&name = name](const Steps& steps) {
            const auto found = steps.find(name);
            return found == steps.end() ? 0 : found->second;
        };
        if (100 * std::abs(of(before) - of(now)) > sum(now) / 5)
            text += "\n" + name + " " + std::to_string(of(before)) + " to " + std::to_string(of(now));
    }
    return text;
}

/// Why a batch takes less time than the one before.
enum class Why {
    /// Its rows fill the groups of the AMP's vertices. With fewer, a product's operand is padded, for which
    /// it
    /// is copied, or has a vertex that takes one row at a time: PopLibs does and counts both likewise
    /// (lib/poplin/ConvModel.cpp, addTransformCycleEstimate; ConvVertexType.cpp).
    FillsGroups,
    /// The plan of the batch before has more steps, or leaves its gradient elsewhere than its weights lie. It
    /// is the one with the fewest cycles as PopLibs counts them: without the syncs and the ways of exchanges,
    /// and without that of the update.
    FewerSteps,
};

struct Dip {
    const char* layer;
    const char* dtype;
    std::int64_t batch; ///< that takes less time than the one before
    Why why;
};

const std::vector<Dip>& dips() {
    static const std::vector<Dip> all = {
        {"DenseOf256", "float16", 8, Why::FillsGroups},   {"DenseOf256", "float16", 16, Why::FillsGroups},
        {"DenseOf256", "float32", 3, Why::FewerSteps},    {"DenseOf256", "float32", 8, Why::FillsGroups},
        {"DenseOf256", "float32", 16, Why::FillsGroups},  {"DenseOf1024", "float16", 8, Why::FillsGroups},
        {"DenseOf1024", "float16", 16, Why::FillsGroups}, {"Lstm", "float16", 8, Why::FillsGroups},
        {"Lstm", "float16", 16, Why::FillsGroups},        {"Lstm", "float32", 5, Why::FewerSteps},
        {"Lstm", "float32", 8, Why::FillsGroups},         {"Gru", "float16", 8, Why::FillsGroups},
    };
    return all;
}

/// What is within that share of the layer's cycles is how far the tiles lie from each other that its tensors
/// are on, and in how many messages these come.
constexpr double as_long = 0.01;

/// Products, and copies that lay an operand out in another order.
std::int64_t of_products(const Steps& steps) {
    std::int64_t cycles = 0;
    for (const auto& [name, taken] : steps)
        if (name.ends_with("/Convolve") || name.find("/Rearrange(") != std::string::npos)
            cycles += taken;
    return cycles;
}

class LayerSweep : public testing::TestWithParam<std::tuple<Layer, const char*>> {};

} // namespace

TEST_P(LayerSweep, ALargerBatchTakesNoLessTimeWithoutAReason) {
    const auto& [layer, dtype] = GetParam();
    std::map<std::int64_t, Why> told;
    for (const Dip& dip : dips())
        if (std::string(dip.layer) == layer.name && std::string(dip.dtype) == dtype)
            told.emplace(dip.batch, dip.why);
    std::set<std::int64_t> found;
    Steps before;
    for (const std::int64_t batch : {1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 24, 32}) {
        const Steps now = steps_of(layer, dtype, batch);
        ASSERT_GT(now.size(), 5U);
        if (static_cast<double>(sum(now)) < static_cast<double>(sum(before)) * (1 - as_long)) {
            found.insert(batch);
            const std::string what = std::to_string(batch) + ": " + std::to_string(sum(before)) + " to " +
                                     std::to_string(sum(now)) + differences(before, now);
            ASSERT_TRUE(told.contains(batch)) << what;
            if (told.at(batch) == Why::FillsGroups) {
                EXPECT_EQ(batch % 8, 0) << what;
                EXPECT_LT(of_products(now), of_products(before)) << what;
            } else {
                EXPECT_GE(before.size(), now.size()) << what;
            }
        }
        before = now;
    }
    EXPECT_EQ(found.size(), told.size()) << "a reason without a step backwards";
}

INSTANTIATE_TEST_SUITE_P(Layers, LayerSweep,
                         testing::Combine(testing::ValuesIn(layers()), testing::Values("float16", "float32")),
                         [](const auto& sweep) {
                             return std::string(std::get<0>(sweep.param).name) + std::get<1>(sweep.param);
                         });

} // namespace tilescope::prepare
