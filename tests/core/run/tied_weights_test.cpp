// SPDX-License-Identifier: GPL-3.0-or-later
// Weights that an embedding and a projection share, beside a training by hand in which they are one matrix.
#include "compile/compiler.h"
#include "compile/operation_stages.h"
#include "prepare/data_sets.h"
#include "run/executor.h"
#include "tests/core/operators/graph_runner.h"
#include "tests/onnx_model_maker.h"
#include "tests/temporary_folder.h"
#include "workload/workload.h"

#include <cmath>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <nlohmann/json.hpp>

using namespace tilescope;

namespace {

constexpr int tokens = 16, width = 12, length = 7, samples = 8, updates = 100;
constexpr double rate = 0.5;

using Matrix = std::vector<std::vector<double>>;

Matrix matrix(const graph::HostTensor& tensor) {
    Matrix result(static_cast<std::size_t>(tensor.shape()[0]),
                  std::vector<double>(static_cast<std::size_t>(tensor.shape()[1])));
    for (std::size_t r = 0; r < result.size(); ++r)
        for (std::size_t k = 0; k < result[r].size(); ++k)
            result[r][k] = tensor.at(static_cast<std::int64_t>(r * result[r].size() + k));
    return result;
}

/// A token for each of the first eight lines below line 9 of a digit: how bright its middle is.
std::vector<std::vector<int>> lines() {
    const run::DataSet data = prepare::synthetic_digits(samples * updates, prepare::Split::Train, 1);
    std::vector<std::vector<int>> result;
    for (std::size_t image = 0; image < samples * updates; ++image) {
        std::vector<int> of_image;
        for (std::size_t line = 10; line < 11 + length; ++line) {
            double sum = 0;
            for (std::size_t column = 10; column < 17; ++column)
                sum += data.samples[image * 784 + line * 28 + column];
            of_image.push_back(std::min(tokens - 1, static_cast<int>(sum / 7 * tokens)));
        }
        result.push_back(of_image);
    }
    return result;
}

/// tanh(table[x] kernel) table^T, softmax, cross entropy with the next token; the gradients of both uses of
/// the table are added up, and it takes one step of SGD.
double step_by_hand(Matrix& table, Matrix& kernel, const std::vector<std::vector<int>>& rows, int first) {
    Matrix of_table(tokens, std::vector<double>(width, 0));
    Matrix of_kernel(width, std::vector<double>(width, 0));
    double loss = 0;
    const double share = 1.0 / (samples * length);
    for (int b = 0; b < samples; ++b)
        for (int t = 0; t < length; ++t) {
            const auto& row = rows[static_cast<std::size_t>(first + b)];
            const auto x = static_cast<std::size_t>(row[static_cast<std::size_t>(t)]);
            const auto y = static_cast<std::size_t>(row[static_cast<std::size_t>(t) + 1]);
            std::vector<double> hidden(width, 0), likely(tokens, 0), back(width, 0);
            for (std::size_t j = 0; j < width; ++j) {
                for (std::size_t k = 0; k < width; ++k)
                    hidden[j] += table[x][k] * kernel[k][j];
                hidden[j] = std::tanh(hidden[j]);
            }
            double sum = 0;
            for (std::size_t v = 0; v < tokens; ++v) {
                for (std::size_t k = 0; k < width; ++k)
                    likely[v] += hidden[k] * table[v][k];
                sum += likely[v] = std::exp(likely[v]);
            }
            loss -= std::log(likely[y] / sum) * share;
            for (std::size_t v = 0; v < tokens; ++v) {
                const double error = (likely[v] / sum - (v == y ? 1 : 0)) * share;
                for (std::size_t k = 0; k < width; ++k) {
                    back[k] += error * table[v][k];
                    of_table[v][k] += error * hidden[k]; // as the projection
                }
            }
            for (std::size_t j = 0; j < width; ++j) {
                const double d = back[j] * (1 - hidden[j] * hidden[j]);
                for (std::size_t k = 0; k < width; ++k) {
                    of_table[x][k] += d * kernel[k][j]; // as the embedding
                    of_kernel[k][j] += d * table[x][k];
                }
            }
        }
    for (std::size_t v = 0; v < tokens; ++v)
        for (std::size_t k = 0; k < width; ++k)
            table[v][k] -= rate * of_table[v][k];
    for (std::size_t j = 0; j < width; ++j)
        for (std::size_t k = 0; k < width; ++k)
            kernel[k][j] -= rate * of_kernel[k][j];
    return loss;
}

class TiedWeights : public testing::Test {
  protected:
    tests::TemporaryFolder folder;

    std::string written(const std::string& name, const nlohmann::json& text) const {
        std::ofstream(folder / name) << text;
        return folder / name;
    }

    /// An embedding that is called again in reverse, after a layer between; both are done in so many parts.
    nlohmann::json keras_model(const std::string& policy = "float32", int parts = 1) const {
        using Json = nlohmann::json;
        const auto of = [](const char* layer, Json arguments = Json::object()) {
            return Json::array({Json::array({layer, 0, 0, std::move(arguments)})});
        };
        Json table{
            {"class_name", "ReversibleEmbedding"},
            {"name", "table"},
            {"config",
             {{"name", "table"},
              {"input_dim", tokens},
              {"output_dim", width},
              {"dtype", policy},
              {"serialization_factor", parts},
              {"embeddings_initializer", {{"class_name", "GlorotUniform"}, {"config", Json::object()}}}}},
            {"inbound_nodes", Json::array({of("ids"), of("hidden", {{"reverse", true}})})}};
        Json hidden{{"class_name", "Dense"},
                    {"name", "hidden"},
                    {"config",
                     {{"name", "hidden"},
                      {"units", width},
                      {"activation", "tanh"},
                      {"use_bias", false},
                      {"dtype", policy}}},
                    {"inbound_nodes", Json::array({of("table")})}};
        Json ids{
            {"class_name", "InputLayer"},
            {"name", "ids"},
            {"config",
             {{"name", "ids"}, {"batch_input_shape", Json::array({nullptr, length})}, {"dtype", "int32"}}},
            {"inbound_nodes", Json::array()}};
        return {{"class_name", "Functional"},
                {"config",
                 {{"name", "pixels"},
                  {"layers", Json::array({ids, table, hidden})},
                  {"input_layers", Json::array({Json::array({"ids", 0, 0})})},
                  {"output_layers", Json::array({Json::array({"table", 1, 0})})}}}};
    }

    std::string workload_of(nlohmann::json model,
                            const nlohmann::json& more = nlohmann::json::object()) const {
        nlohmann::json text{
            {"name", "tied"},
            {"model", std::move(model)},
            {"system", "pod4"},
            {"compile",
             {{"optimizer", {{"name", "sgd"}, {"learning_rate", rate}}},
              {"loss", "sparse_categorical_crossentropy"},
              {"from_logits", true}}},
            {"data", {{"train", {{"random", {length}}, {"classes", tokens}, {"samples", 64}}}}},
            {"fit", {{"batch_size", samples}}}};
        text.merge_patch(more);
        return written("tied.json", text);
    }

    graph::Graph graph_of(const std::string& path) const {
        const auto workload = workload::read_workload(path);
        EXPECT_TRUE(workload) << (workload ? "" : workload.error().line());
        if (!workload)
            return {};
        auto graph = workload::build_graph(*workload, test::registry(), workload::Mode::Train);
        EXPECT_TRUE(graph) << (graph ? "" : graph.error().line());
        return graph ? std::move(*graph) : graph::Graph();
    }

    static void expect_the_losses_by_hand(graph::Graph graph) {
        ASSERT_EQ(graph.variables.size(), 2U) << "the table is one variable";
        Matrix table, kernel;
        for (const graph::Variable& variable : graph.variables)
            (graph.type(variable.value).shape == graph::Shape{tokens, width} ? table : kernel) =
                matrix(variable.initial.make());
        compile::Options options;
        options.host_only = true;
        const auto executable = compile::compile(std::move(graph), test::registry(), options);
        ASSERT_TRUE(executable) << executable.error().line();
        const auto& operations = executable->graph.operations();
        EXPECT_EQ(std::count_if(operations.begin(), operations.end(),
                                [](const auto& op) { return op.phase == Phase::Update; }),
                  2)
            << "one for each variable";
        WorkerPool pool(2);
        run::Weights weights;
        run::Executor executor(executable->graph, test::registry(), pool, weights);
        const auto rows = lines();
        double before = 0;
        for (int step = 0; step < updates; ++step) {
            for (std::size_t feed = 0; feed < 2; ++feed) {
                graph::HostTensor& values = executor.feed(feed);
                for (int b = 0; b < samples; ++b)
                    for (int t = 0; t < length; ++t)
                        values.set(b * length + t, rows[static_cast<std::size_t>(samples * step + b)]
                                                       [static_cast<std::size_t>(t) + feed]);
            }
            executor.step({1, static_cast<std::uint64_t>(step), 0, true});
            const double expected = step_by_hand(table, kernel, rows, samples * step);
            ASSERT_NEAR(executor.fetched(0).at(0), expected, 1e-4) << "step " << step;
            EXPECT_NE(expected, before);
            before = expected;
        }
        EXPECT_LT(before, std::log(tokens)) << "it has learned";
    }
};

} // namespace

TEST_F(TiedWeights, ALayerOfKerasThatIsCalledInReverseTrainsAsByHand) {
    expect_the_losses_by_hand(graph_of(workload_of({{"keras", keras_model()}})));
}

// The look-up of its rows, the projection onto them, and the gradients of both operands of that.
TEST_F(TiedWeights, ATableThatIsReadInPartsTrainsAsByHand) {
    graph::Graph graph = graph_of(workload_of({{"keras", keras_model("float32", 4)}}));
    compile::Options options;
    options.host_only = true;
    const auto executable = compile::compile(graph, test::registry(), options);
    ASSERT_TRUE(executable) << executable.error().line();
    std::map<std::string, int> in_parts; // operations by kind and dimension
    for (const graph::Operation& op : executable->graph.operations())
        if (op.attributes.integer("serialization_factor", 1) == 4)
            ++in_parts[op.kind + " " + op.attributes.text("serialization_dimension")];
    EXPECT_EQ(in_parts, (std::map<std::string, int>{{"embedding_lookup ", 1},
                                                    {"matmul b_rows", 1},
                                                    {"matmul a_rows_b_columns", 1},
                                                    {"matmul a_columns", 1}}));
    expect_the_losses_by_hand(std::move(graph));
}

// As exporters write them: the projection's transposition stands before the product, and an Identity may give
// the initialiser another name.
TEST_F(TiedWeights, AnInitialiserThatTwoNodesReadTrainsAsByHand) {
    for (const bool renamed : {false, true}) {
        tests::OnnxModelMaker maker;
        std::vector<float> table, kernel;
        for (int i = 0; i < tokens * width; ++i)
            table.push_back(0.3F * std::sin(static_cast<float>(i)));
        for (int i = 0; i < width * width; ++i)
            kernel.push_back(0.3F * std::cos(static_cast<float>(i)));
        maker.input("ids", {std::int64_t{samples}, std::int64_t{length}}, 7);
        maker.floats("table", {tokens, width}, table);
        maker.floats("kernel", {width, width}, kernel);
        if (renamed)
            maker.node("Identity", {"table"}, {"projection"});
        maker.node("Gather", {"table", "ids"}, {"rows"});
        maker.node("MatMul", {"rows", "kernel"}, {"between"});
        maker.node("Tanh", {"between"}, {"hidden"});
        maker.node("Transpose", {renamed ? "projection" : "table"}, {"turned"},
                   {{"perm", std::vector<std::int64_t>{1, 0}}});
        maker.node("MatMul", {"hidden", "turned"}, {"logits"});
        maker.output("logits");
        maker.write(folder / "tied.onnx");
        expect_the_losses_by_hand(graph_of(workload_of({{"onnx", "tied.onnx"}})));
    }
}

namespace {

constexpr std::size_t pixels = 784, codes = 24, kinds_of_digits = 10, images = 16;

/// Numbers by row and column.
struct Numbers {
    std::size_t columns;
    std::vector<double> values;
    double& at(std::size_t row, std::size_t column) { return values[row * columns + column]; }
    double at(std::size_t row, std::size_t column) const { return values[row * columns + column]; }
    std::size_t rows() const { return values.size() / columns; }
};

Numbers zeros(std::size_t rows, std::size_t columns) {
    return {columns, std::vector<double>(rows * columns, 0)};
}
Numbers turned(const Numbers& a) {
    Numbers result = zeros(a.columns, a.rows());
    for (std::size_t r = 0; r < a.rows(); ++r)
        for (std::size_t c = 0; c < a.columns; ++c)
            result.at(c, r) = a.at(r, c);
    return result;
}
Numbers times(const Numbers& a, const Numbers& b) {
    Numbers result = zeros(a.rows(), b.columns);
    for (std::size_t r = 0; r < a.rows(); ++r)
        for (std::size_t k = 0; k < a.columns; ++k)
            for (std::size_t c = 0; c < b.columns; ++c)
                result.at(r, c) += a.at(r, k) * b.at(k, c);
    return result;
}
void descend(Numbers& weights, const Numbers& gradient, double by) {
    for (std::size_t i = 0; i < weights.values.size(); ++i)
        weights.values[i] -= by * gradient.values[i];
}

/// tanh(x w) w^T v, softmax and cross entropy: digits are coded and decoded by one matrix, and read from what
/// is decoded. One step of SGD; returns the loss before it.
double digits_by_hand(Numbers& w, Numbers& v, const Numbers& x, const std::vector<std::size_t>& labels,
                      double by) {
    Numbers code = times(x, w);
    for (double& value : code.values)
        value = std::tanh(value);
    const Numbers decoded = times(code, turned(w));
    Numbers errors = times(decoded, v); // of the logits
    double loss = 0;
    for (std::size_t b = 0; b < images; ++b) {
        double sum = 0;
        for (std::size_t d = 0; d < kinds_of_digits; ++d)
            sum += errors.at(b, d) = std::exp(errors.at(b, d));
        loss -= std::log(errors.at(b, labels[b]) / sum) / images;
        for (std::size_t d = 0; d < kinds_of_digits; ++d)
            errors.at(b, d) = (errors.at(b, d) / sum - (d == labels[b] ? 1 : 0)) / images;
    }
    const Numbers of_v = times(turned(decoded), errors);
    const Numbers of_decoded = times(errors, turned(v));
    Numbers of_code = times(of_decoded, w);
    for (std::size_t i = 0; i < code.values.size(); ++i)
        of_code.values[i] *= 1 - code.values[i] * code.values[i];
    const Numbers of_coder = times(turned(x), of_code);
    const Numbers of_decoder = times(turned(of_decoded), code);
    descend(w, of_coder, by);
    descend(w, of_decoder, by);
    descend(v, of_v, by);
    return loss;
}

} // namespace

// A kernel that codes a digit's 784 pixels and, transposed, decodes them.
TEST_F(TiedWeights, AKernelThatIsReadTransposedTrainsOnDigitsAsByHand) {
    Numbers w = zeros(pixels, codes);
    Numbers v = zeros(pixels, kinds_of_digits);
    for (std::size_t i = 0; i < w.values.size(); ++i)
        w.values[i] = 0.05 * std::sin(static_cast<double>(i));
    for (std::size_t i = 0; i < v.values.size(); ++i)
        v.values[i] = 0.05 * std::cos(0.7 * static_cast<double>(i));
    const auto floats = [](const Numbers& of) {
        return std::vector<float>(of.values.begin(), of.values.end());
    };
    tests::OnnxModelMaker maker;
    maker.input("x", {std::int64_t{images}, std::int64_t{pixels}});
    maker.floats("w", {pixels, codes}, floats(w));
    maker.floats("v", {pixels, kinds_of_digits}, floats(v));
    maker.node("MatMul", {"x", "w"}, {"summed"});
    maker.node("Tanh", {"summed"}, {"code"});
    maker.node("Transpose", {"w"}, {"turned"}, {{"perm", std::vector<std::int64_t>{1, 0}}});
    maker.node("MatMul", {"code", "turned"}, {"decoded"});
    maker.node("MatMul", {"decoded", "v"}, {"logits"});
    maker.output("logits");
    maker.write(folder / "tied.onnx");
    compile::Options options;
    options.host_only = true;
    const double by = 0.1;
    const auto executable = compile::compile(
        graph_of(workload_of({{"onnx", "tied.onnx"}}, {{"compile", {{"optimizer", {{"learning_rate", by}}}}},
                                                       {"data", nullptr},
                                                       {"fit", {{"batch_size", images}}}})),
        test::registry(), options);
    ASSERT_TRUE(executable) << executable.error().line();
    ASSERT_EQ(executable->graph.variables.size(), 2U) << "the kernel is one variable";
    const run::DataSet data = prepare::synthetic_digits(images * updates, prepare::Split::Train, 1);
    WorkerPool pool(2);
    run::Weights weights;
    run::Executor executor(executable->graph, test::registry(), pool, weights);
    double first = 0, last = 0;
    for (std::size_t step = 0; step < updates; ++step) {
        std::vector<std::int64_t> chosen;
        for (std::size_t i = 0; i < images; ++i)
            chosen.push_back(static_cast<std::int64_t>(images * step + i));
        run::gather(data, chosen, executor.feed(0), executor.feed(1));
        Numbers x = zeros(images, pixels);
        std::vector<std::size_t> labels;
        for (std::size_t i = 0; i < x.values.size(); ++i)
            x.values[i] = executor.feed(0).at(static_cast<std::int64_t>(i));
        for (std::size_t b = 0; b < images; ++b)
            labels.push_back(static_cast<std::size_t>(executor.feed(1).at(static_cast<std::int64_t>(b))));
        executor.step({1, step, 0, true});
        last = digits_by_hand(w, v, x, labels, by);
        first = step == 0 ? last : first;
        ASSERT_NEAR(executor.fetched(0).at(0), last, 1e-4) << "step " << step;
    }
    EXPECT_LT(last, first) << "it has learned";
}

TEST_F(TiedWeights, TilesHoldThemOnceAndTheProductReadsThemAsTheyAre) {
    compile::Options options;
    options.target = *ipu::find_target("ipu2", {{{"tiles_per_ipu", 16}}, {}});
    const auto executable =
        compile::compile(graph_of(workload_of({{"keras", keras_model()}})), test::registry(), options);
    ASSERT_TRUE(executable) << executable.error().line();
    std::int64_t bytes = 0;
    for (const program::Variable& variable : executable->program.variables)
        if (variable.category == MemoryCategory::Variables && variable.always_live)
            bytes += variable.total_bytes();
    EXPECT_EQ(bytes, 4 * (tokens * width + width * width));
    for (const graph::Operation& op : executable->graph.operations())
        EXPECT_NE(op.kind, "transpose") << op.name;
}

TEST_F(TiedWeights, InAPipelineTheirStagesAreOnOneIpu) {
    const auto compiled = [&](const std::string& schedule, const nlohmann::json& mapping) {
        nlohmann::json more{{"ipu_config", {{"auto_select_ipus", 4}}},
                            {"compile", {{"steps_per_execution", 6}}},
                            {"fit", {{"steps_per_epoch", 6}}},
                            {"pipeline",
                             {{"schedule", schedule},
                              {"gradient_accumulation_steps_per_replica", 6},
                              {"stages", {{"hidden", 1}, {"head", 2}}}}}};
        if (!mapping.is_null())
            more["pipeline"]["device_mapping"] = mapping;
        // The second call stands in a layer of its own, which begins the last stage.
        nlohmann::json model = keras_model();
        nlohmann::json& layers = model["config"]["layers"];
        layers.push_back({{"class_name", "Identity"},
                          {"name", "head"},
                          {"config", {{"name", "head"}}},
                          {"inbound_nodes", {{{"hidden", 0, 0, nlohmann::json::object()}}}}});
        layers[1]["inbound_nodes"][1][0][0] = "head";
        const auto workload = workload::read_workload(workload_of({{"keras", model}}, more));
        EXPECT_TRUE(workload) << workload.error().line();
        auto graph = workload::build_graph(*workload, test::registry(), workload::Mode::Train);
        EXPECT_TRUE(graph) << graph.error().line();
        compile::Options options;
        options.target = *ipu::find_target("ipu2", {{{"tiles_per_ipu", 16}}, {}});
        options.schedule.pipeline = workload->pipeline;
        options.schedule.accumulation = workload->accumulation;
        options.schedule.steps_per_execution = workload->steps_per_execution;
        options.schedule.ipus_per_replica = static_cast<std::int32_t>(workload->ipus_per_model());
        options.schedule.stage_ipus = workload->stage_ipus();
        return compile::compile(std::move(*graph), test::registry(), options);
    };
    const auto apart = compiled("Grouped", nullptr);
    ASSERT_FALSE(apart);
    EXPECT_EQ(apart.error().kind, ErrorKind::BadInput);
    EXPECT_EQ(apart.error().message,
              "variable \"table/embeddings\" is read by stage 0 on IPU 0 and by stage 2 on "
              "IPU 2: in a pipeline it is on one IPU");
    const auto together = compiled("Sequential", {0, 1, 0});
    ASSERT_TRUE(together) << together.error().line();
    int tables = 0, accumulators = 0;
    for (const program::Variable& variable : together->program.variables) {
        tables += variable.name == "table/embeddings" ? 1 : 0;
        accumulators +=
            variable.total_bytes() == 4 * tokens * width && variable.name.ends_with("/accumulator") ? 1 : 0;
    }
    EXPECT_EQ(tables, 1);
    EXPECT_EQ(accumulators, 1) << "of the sum of both gradients";
    // Under Grouped the stages work on different micro-batches: each adds its own gradient to the
    // accumulator.
    const auto overlapping = compiled("Grouped", {0, 1, 0});
    ASSERT_TRUE(overlapping) << overlapping.error().line();
    std::vector<std::int32_t> adding;
    const std::vector<std::int32_t> stages = compile::operation_stages(overlapping->graph);
    for (const graph::Operation& op : overlapping->graph.operations())
        if (op.kind == "accumulate" &&
            overlapping->graph.type(op.outputs[0]).shape == graph::Shape{tokens, width})
            adding.push_back(stages[static_cast<std::size_t>(op.id.value)]);
    EXPECT_EQ(adding, (std::vector<std::int32_t>{2, 0}));
    // The same losses, each stage's part being added by itself.
    run::Weights one, other;
    WorkerPool pool(2);
    run::Executor in_turn(together->graph, test::registry(), pool, one);
    run::Executor at_once(overlapping->graph, test::registry(), pool, other);
    const auto rows = lines();
    double first = 0, last = 0;
    for (std::size_t batch = 0; batch < 60; ++batch) {
        for (run::Executor* executor : {&in_turn, &at_once}) {
            for (std::size_t feed = 0; feed < 2; ++feed)
                for (int b = 0; b < samples; ++b)
                    for (int t = 0; t < length; ++t)
                        executor->feed(feed).set(b * length + t,
                                                 rows[(samples * batch + static_cast<std::size_t>(b)) %
                                                      rows.size()][static_cast<std::size_t>(t) + feed]);
            executor->compute({1, batch, 0, true});
            if (batch % 6 == 5)
                executor->update({1, batch, 0, true});
        }
        last = in_turn.fetched(0).at(0);
        first = batch == 0 ? last : first;
        ASSERT_NEAR(at_once.fetched(0).at(0), last, 1e-5) << "micro-batch " << batch;
    }
    EXPECT_LT(last, first) << "it has learned";
}
