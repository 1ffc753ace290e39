// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/random.h"
#include "onnx/model.h"
#include "operators/operators.h"
#include "tests/onnx_model_maker.h"
#include "tests/temporary_folder.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <limits>

namespace tilescope::onnx {
namespace {

using tests::OnnxModelMaker;

class Onnx : public testing::Test {
  protected:
    std::string path() const { return folder / "m.onnx"; }

    /// The graph of what `maker` made.
    Result<graph::Graph> imported(const OnnxModelMaker& maker, const OnnxSettings& settings = {}) const {
        return imported(maker.write(path()), settings);
    }
    Result<graph::Graph> imported(const std::string& file, const OnnxSettings& settings = {}) const {
        const auto model = load_onnx_model(file);
        if (!model)
            return Failure(model.error());
        graph::Graph graph;
        graph::Builder build(graph, registry);
        const auto outputs = add_onnx_model(build, *model, file, settings);
        if (!outputs)
            return Failure(outputs.error());
        for (const graph::ValueId output : *outputs)
            build.fetch("y", output);
        return graph;
    }
    std::string error_of(const OnnxModelMaker& maker, const OnnxSettings& settings = {}) const {
        const auto graph = imported(maker, settings);
        return graph ? "" : graph.error().line();
    }
    static std::vector<std::string> kinds(const graph::Graph& graph) {
        std::vector<std::string> result;
        for (const graph::Operation& op : graph.operations())
            result.push_back(op.kind);
        return result;
    }
    /// Two convolutions of one channel with a relu between them.
    static OnnxModelMaker convolutions() {
        OnnxModelMaker maker;
        maker.input("x", {"batch", std::int64_t{1}, std::int64_t{8}, std::int64_t{8}});
        maker.floats("w", {1, 1, 3, 3}, std::vector<float>(9, 0.5F));
        maker.floats("b", {1}, {1.0F});
        maker.node("Conv", {"x", "w", "b"}, {"h"});
        maker.node("Relu", {"h"}, {"r"});
        maker.node("Conv", {"r", "w"}, {"y"});
        maker.output("y");
        return maker;
    }

    const tests::TemporaryFolder folder;
    const graph::OperatorRegistry registry = operators::standard_operators();
};

TEST_F(Onnx, NamesTheNodeAndTheNearestOperatorForOneThatIsUnknown) {
    OnnxModelMaker maker;
    maker.input("x", {std::int64_t{2}});
    maker.node("Relux", {"x"}, {"y"});
    maker.output("y");
    EXPECT_EQ(error_of(maker), path() + ": node \"y_node\" (Relux): operator \"Relux\" is not supported; the "
                                        "nearest supported one is \"Relu\"");
    EXPECT_EQ(imported(maker).error().kind, ErrorKind::NotSupported);
}

TEST_F(Onnx, RefusesAnOpsetThatIsNewer) {
    OnnxModelMaker maker(99);
    maker.input("x", {std::int64_t{2}});
    maker.node("Relu", {"x"}, {"y"});
    maker.output("y");
    EXPECT_EQ(error_of(maker), path() + ": the model is of opset 99; export it with an opset from 1 to 21");
}

TEST_F(Onnx, RefusesWhatTheCheckerObjectsTo) {
    OnnxModelMaker maker;
    maker.input("x", {std::int64_t{2}});
    maker.node("Relu", {"x", "x"}, {"y"});
    maker.output("y");
    EXPECT_TRUE(error_of(maker).starts_with(path() + ": is no valid ONNX model: ")) << error_of(maker);
}

/// The checker objects to such a model, too: whoever gives one that was not checked gets the same answer.
TEST_F(Onnx, RefusesAnAttributeOfAnotherTypeAndAnInputThatIsMissing) {
    const auto unchecked = [&](const std::string& kind, const OnnxModelMaker::Attribute& axis,
                               const std::vector<std::string>& inputs) {
        OnnxModelMaker maker;
        maker.input("x", {std::int64_t{2}, std::int64_t{3}});
        maker.node(kind, inputs, {"y"}, {{"axis", axis}});
        maker.output("y");
        const auto model = read_onnx_model(maker.write(path())).value();
        graph::Graph graph;
        graph::Builder build(graph, registry);
        return add_onnx_model(build, model, "model.onnx", {}).error().line();
    };
    EXPECT_EQ(
        unchecked("Softmax", std::string("last"), {"x"}),
        "model.onnx: node \"y_node\" (Softmax): attribute \"axis\" is of an unexpected type; export the "
        "model again");
    EXPECT_EQ(unchecked("Gather", std::int64_t{0}, {"x"}),
              "model.onnx: node \"y_node\" (Gather): input 1 is missing; export the model again");
}

TEST_F(Onnx, FillsTheBatchAndNamedDimensions) {
    OnnxModelMaker maker;
    maker.input("x", {"n", "sequence", std::int64_t{4}});
    maker.node("Relu", {"x"}, {"y"});
    maker.output("y");
    EXPECT_EQ(error_of(maker, {8, {}, {}, {}}),
              path() + ": input \"x\": dimension \"sequence\" is not known; give it with --shape sequence=N");
    EXPECT_EQ(error_of(maker, {8, {{"sequense", 3}}, {}, {}}),
              path() + ": input \"x\": dimension \"sequence\" is not known; give it with --shape sequence=N");
    EXPECT_EQ(error_of(maker, {8, {{"sequence", 3}, {"sequences", 3}}, {}, {}}),
              path() + ": no input has a dimension \"sequences\"; did you mean \"sequence\"?");
    const auto graph = imported(maker, {8, {{"sequence", 3}}, {}, {}});
    ASSERT_TRUE(graph) << graph.error().line();
    EXPECT_EQ(graph->type(graph->fetches[0].value).shape, (graph::Shape{8, 3, 4}));
}

TEST_F(Onnx, RefusesAnotherBatchThanTheModelHas) {
    OnnxModelMaker maker;
    maker.input("x", {std::int64_t{2}, std::int64_t{4}});
    maker.node("Relu", {"x"}, {"y"});
    maker.output("y");
    EXPECT_EQ(error_of(maker, {8, {}, {}, {}}),
              path() + ": the model's batch is fixed at 2, 8 is asked for; use --batch 2");
}

TEST_F(Onnx, RefusesAShapeThatDependsOnAnInput) {
    OnnxModelMaker maker;
    maker.input("x", {std::int64_t{2}, std::int64_t{3}});
    maker.input("shape", {std::int64_t{1}}, 7);
    maker.node("Reshape", {"x", "shape"}, {"y"});
    maker.output("y");
    EXPECT_EQ(error_of(maker),
              path() +
                  ": node \"y_node\" (Reshape): input 1 \"shape\" decides about shapes, and its values are "
                  "not known before the run; make it an initialiser; tilescope infer takes it from its "
                  "file too");
}

TEST_F(Onnx, TakesShapesFromValuesThatAreGiven) {
    OnnxModelMaker maker;
    maker.input("x", {std::int64_t{2}, std::int64_t{3}});
    maker.input("shape", {std::int64_t{1}}, 7);
    maker.node("Reshape", {"x", "shape"}, {"y"});
    maker.output("y");
    OnnxTensor x{"x", "float", {2, 3}, {}, graph::HostTensor({graph::DType::Float32, {2, 3}})};
    OnnxTensor shape{"shape", "int64", {1}, {-1}, {}};
    const auto graph = imported(maker, {0, {}, {x, shape}, {}});
    ASSERT_TRUE(graph) << graph.error().line();
    EXPECT_EQ(graph->type(graph->fetches[0].value).shape, (graph::Shape{6}));
}

TEST_F(Onnx, RefusesWholeNumbersBeyondInt32ByName) {
    OnnxModelMaker maker;
    maker.input("x", {std::int64_t{1}}, 7);
    maker.integers("large", {1}, {3000000000});
    maker.node("Add", {"x", "large"}, {"y"});
    maker.output("y", 7);
    EXPECT_EQ(error_of(maker), path() + ": node \"y_node\" (Add): the int64 value 3000000000 of tensor "
                                        "\"large\" does not fit the device's int32; keep whole numbers "
                                        "between -2147483648 and 2147483647");
}

TEST_F(Onnx, SlicesToAnEndBeyondInt32) {
    OnnxModelMaker maker;
    maker.input("x", {std::int64_t{5}});
    maker.integers("starts", {1}, {2});
    maker.integers("end", {}, {std::numeric_limits<std::int64_t>::max()});
    maker.integers("axes", {1}, {0});
    maker.node("Unsqueeze", {"end", "axes"}, {"ends"});
    maker.node("Slice", {"x", "starts", "ends"}, {"y"});
    maker.output("y");
    const auto graph = imported(maker);
    ASSERT_TRUE(graph) << graph.error().line();
    EXPECT_EQ(graph->type(graph->fetches[0].value).shape, (graph::Shape{3}));
}

TEST_F(Onnx, WorksOutShapesBeforehand) {
    OnnxModelMaker maker;
    maker.input("x", {"n", std::int64_t{3}, std::int64_t{4}});
    maker.integers("zero", {1}, {0});
    maker.integers("rest", {1}, {-1});
    maker.node("Shape", {"x"}, {"shape"});
    maker.node("Gather", {"shape", "zero"}, {"first"});
    maker.node("Concat", {"first", "rest"}, {"wanted"}, {{"axis", std::int64_t{0}}});
    maker.node("Reshape", {"x", "wanted"}, {"y"});
    maker.output("y");
    const auto graph = imported(maker, {5, {}, {}, {}});
    ASSERT_TRUE(graph) << graph.error().line();
    EXPECT_EQ(kinds(*graph), std::vector<std::string>{"reshape"});
    EXPECT_EQ(graph->layers.size(), 1U);
    EXPECT_EQ(graph->type(graph->fetches[0].value).shape, (graph::Shape{5, 12}));
}

// As PyTorch counts them: of 3 with 1 before and after, windows of 2 begin at -1 and 1; one at 3 would hold
// padding alone.
TEST_F(Onnx, NoWindowBeginsInThePaddingBehind) {
    OnnxModelMaker maker;
    maker.input("x", {std::int64_t{1}, std::int64_t{1}, std::int64_t{3}, std::int64_t{4}});
    maker.node("MaxPool", {"x"}, {"y"},
               {{"kernel_shape", std::vector<std::int64_t>{2, 2}},
                {"strides", std::vector<std::int64_t>{2, 2}},
                {"pads", std::vector<std::int64_t>{1, 1, 1, 1}},
                {"ceil_mode", std::int64_t{1}}});
    maker.output("y");
    const auto graph = imported(maker, {1, {}, {}, {}});
    ASSERT_TRUE(graph) << graph.error().line();
    EXPECT_EQ(graph->type(graph->fetches[0].value).shape, (graph::Shape{1, 1, 2, 3}));
}

// What cancels is left to the compiler, for all models alike.
TEST_F(Onnx, PutsChannelsLastAroundEachConvolution) {
    const auto graph = imported(convolutions(), {2, {}, {}, {}});
    ASSERT_TRUE(graph) << graph.error().line();
    EXPECT_EQ(kinds(*graph), (std::vector<std::string>{"transpose", "conv2d", "transpose", "add", "relu",
                                                       "transpose", "conv2d", "transpose"}));
    EXPECT_EQ(graph->type(graph->fetches[0].value).shape, (graph::Shape{2, 1, 4, 4}));
}

TEST_F(Onnx, CountsInitialisersAsParametersOfTheirNodes) {
    const auto graph = imported(convolutions(), {2, {}, {}, {}});
    ASSERT_TRUE(graph);
    ASSERT_EQ(graph->layers.size(), 3U);
    EXPECT_EQ(graph->layers[0].name, "h_node");
    EXPECT_EQ(graph->layers[0].kind, "Conv");
    EXPECT_EQ(graph->layers[0].parameters, 10);
    EXPECT_EQ(graph->layers[0].output_shape, (graph::Shape{2, 1, 6, 6}));
}

TEST_F(Onnx, GivesShardsToNodesFromTheNamedOnesOn) {
    const auto graph = imported(convolutions(), {2, {}, {}, {{"y_node", 1}}});
    ASSERT_TRUE(graph) << graph.error().line();
    EXPECT_EQ(graph->operations().front().placement.shard, 0);
    EXPECT_EQ(graph->operations().back().placement.shard, 1);
    const auto unknown = imported(convolutions(), {2, {}, {}, {{"z", 1}}});
    ASSERT_FALSE(unknown);
    EXPECT_EQ(unknown.error().message, "the model has no node \"z\" to give a shard");
}

TEST_F(Onnx, ReadsExternalDataBesideTheModelOnly) {
    OnnxModelMaker maker;
    maker.input("x", {std::int64_t{2}});
    maker.external("w", {2}, "weights.bin");
    maker.node("Mul", {"x", "w"}, {"y"});
    maker.output("y");
    EXPECT_NE(error_of(maker).find("weights.bin is not there"), std::string::npos) << error_of(maker);
    const float values[] = {1.5F, -2.0F};
    std::ofstream(folder / "weights.bin", std::ios::binary)
        .write(reinterpret_cast<const char*>(values), sizeof values);
    const auto graph = imported(maker);
    ASSERT_TRUE(graph) << graph.error().line();
    EXPECT_EQ(graph->variables.at(0).initial.make().at(1), -2.0);
}

/// A model of one tensor [2], whose floats are in another file.
OnnxModelMaker with_weights_in(const std::string& location,
                               const std::map<std::string, std::string>& more = {}) {
    OnnxModelMaker maker;
    maker.input("x", {std::int64_t{2}});
    maker.external("w", {2}, location, more);
    maker.node("Mul", {"x", "w"}, {"y"});
    maker.output("y");
    return maker;
}

// A link is as good as what it leads to: within the folder a file, out of it anyone's.
TEST_F(Onnx, ReadsExternalDataWithinTheModelsFolderOnly) {
    namespace fs = std::filesystem;
    const std::string eight(8, '\x3F');
    const fs::path base = folder.path();
    fs::create_directories(base / "model" / "weights");
    std::ofstream(base / "model" / "weights" / "w.bin") << eight;
    std::ofstream(base / "secret.bin") << eight;
    fs::create_symlink("weights/w.bin", base / "model" / "inside.bin");
    fs::create_symlink("weights", base / "model" / "inside");
    fs::create_symlink("../secret.bin", base / "model" / "outside.bin");
    fs::create_symlink("..", base / "model" / "outside");
    fs::create_symlink("/dev/zero", base / "model" / "device.bin");
    fs::create_directory_symlink("model", base / "linked");
    for (const char* folder_name : {"model", "linked"}) {
        const std::string at = (base / folder_name / "m.onnx").string();
        const auto refusal = [&](const std::string& location) {
            const auto graph = imported(with_weights_in(location).write(at), {});
            return graph ? "" : graph.error().line();
        };
        for (const char* location : {"weights/w.bin", "inside.bin", "inside/w.bin", "weights/../inside.bin"})
            EXPECT_EQ(refusal(location), "") << location;
        for (const std::string& location :
             {std::string("../secret.bin"), std::string("outside.bin"), std::string("outside/secret.bin"),
              std::string("device.bin"), (base / "secret.bin").string(),
              std::string("weights/../../secret.bin"), std::string()})
            EXPECT_NE(refusal(location).find("is not beside the model; keep the data in the model's folder"),
                      std::string::npos)
                << location << ": " << refusal(location);
        for (const char* location : {"weights", ".", "none.bin"})
            EXPECT_NE(refusal(location).find("is not there"), std::string::npos)
                << location << refusal(location);
    }
}

TEST_F(Onnx, ChecksOffsetAndLengthOfExternalData) {
    const float values[] = {1, 2, 3};
    std::ofstream(folder / "w.bin", std::ios::binary)
        .write(reinterpret_cast<const char*>(values), sizeof values);
    const auto refusal = [&](const std::map<std::string, std::string>& more) {
        return error_of(with_weights_in("w.bin", more));
    };
    const auto graph = imported(with_weights_in("w.bin", {{"offset", "4"}, {"length", "8"}}));
    ASSERT_TRUE(graph) << graph.error().line();
    EXPECT_EQ(graph->variables.at(0).initial.make().at(0), 2.0);
    for (const char* offset : {"5", "12", "9223372036854775807"})
        EXPECT_NE(refusal({{"offset", offset}}).find("ends before the tensor does"), std::string::npos)
            << offset;
    for (const char* offset : {"-4", "4x", "", "99999999999999999999", "0x4"})
        EXPECT_NE(refusal({{"offset", offset}}).find("is nowhere"), std::string::npos) << offset;
    EXPECT_NE(refusal({{"length", "-8"}}).find("is nowhere"), std::string::npos);
    EXPECT_NE(refusal({{"length", "4"}}).find("has 4 bytes of external data, its shape needs 8"),
              std::string::npos);
}

TEST_F(Onnx, RefusesAModelThatIsCutAtAnyPlace) {
    const std::string whole = convolutions().bytes();
    for (std::size_t length = 0; length < whole.size(); ++length) {
        std::ofstream(path(), std::ios::binary) << whole.substr(0, length);
        const auto graph = imported(path(), {2, {}, {}, {}});
        EXPECT_FALSE(graph) << length << " of " << whole.size() << " bytes";
    }
}

/// Whatever the bytes are, the outcome is a graph or a refusal.
TEST_F(Onnx, SurvivesDamage) {
    const std::string whole = convolutions().bytes();
    const RandomStream random(7, "damage");
    int refused = 0;
    constexpr std::uint64_t files = 400;
    for (std::uint64_t i = 0; i < files; ++i) {
        std::string damaged = whole;
        for (std::uint64_t k = 0; k < 3; ++k) {
            const auto place = static_cast<std::size_t>(static_cast<double>(random.uniform(9 * i + k)) *
                                                        static_cast<double>(whole.size()));
            damaged[std::min(place, whole.size() - 1)] = static_cast<char>(
                static_cast<unsigned char>(256 * static_cast<double>(random.uniform(9 * i + k + 3))));
        }
        std::ofstream(path(), std::ios::binary) << damaged;
        const auto graph = imported(path(), {2, {}, {}, {}});
        if (graph)
            continue;
        ++refused;
        EXPECT_EQ(exit_code(graph.error().kind), 3) << graph.error().line();
        EXPECT_EQ(graph.error().line().find('\n'), std::string::npos);
    }
    EXPECT_GT(refused, 100);
}

/// One node on x and known whole numbers, each of which would be fatal if it were believed.
TEST_F(Onnx, RefusesExtentsThatCannotBe) {
    using Attributes = std::map<std::string, OnnxModelMaker::Attribute>;
    using Ints = std::vector<std::int64_t>;
    constexpr std::int64_t huge = std::int64_t{1} << 40;
    const auto refused = [&](const std::string& kind, const graph::Shape& x, const Ints& numbers,
                             const Attributes& attributes = {}, std::int64_t opset = 13) {
        OnnxModelMaker maker(opset);
        maker.input("x", {x.begin(), x.end()});
        std::vector<std::string> inputs{"x"};
        if (!numbers.empty()) {
            maker.integers("numbers", {static_cast<std::int64_t>(numbers.size())}, numbers);
            inputs.emplace_back("numbers");
        }
        maker.node(kind, inputs, {"y"}, attributes);
        maker.output("y");
        return error_of(maker);
    };
    EXPECT_NE(refused("Reshape", {2, 3}, {-2, -3}), "");
    EXPECT_NE(refused("Expand", {1, 1}, {huge, huge}), "");
    EXPECT_NE(refused("Tile", {2, 3}, {huge, huge}), "");
    EXPECT_NE(refused("Tile", {2, 3}, {-1, 1}), "");
    EXPECT_NE(refused("Pad", {2}, {huge, huge}, {{"mode", std::string("edge")}}), "");
    EXPECT_NE(refused("DepthToSpace", {1, 4, 2, 2}, {}, {{"blocksize", std::int64_t{1} << 32}}), "");
    EXPECT_NE(refused("SpaceToDepth", {1, 4, 2, 2}, {}, {{"blocksize", std::int64_t{0}}}), "");
    EXPECT_NE(refused("MaxPool", {0, 1, 4, 4}, {}, {{"kernel_shape", Ints{2, 2}}}), "");
    EXPECT_NE(refused("MaxPool", {1, 1, 4, 4}, {}, {{"kernel_shape", Ints{0, 2}}}), "");
    EXPECT_NE(refused("MaxPool", {1, 1, 4, 4}, {},
                      {{"kernel_shape", Ints{2, 2}}, {"pads", Ints{huge, huge, huge, huge}}}),
              "");
    EXPECT_NE(refused("ArgMax", {3, 0}, {}, {{"axis", std::int64_t{1}}}), "");
    EXPECT_NE(refused("Softmax", {0, 4}, {}), "");
    EXPECT_NE(refused("TopK", {2, 4}, {huge}), "");
    EXPECT_NE(refused("TopK", {2, 4}, {0}), "");
    EXPECT_NE(refused("OneHot", {4}, {huge}, {}, 11), "");
    EXPECT_NE(refused("Relu", {huge, huge}, {}), "");
}

TEST_F(Onnx, RefusesTensorsLargerThanAnyIpu) {
    constexpr std::int64_t huge = std::int64_t{1} << 40;
    OnnxModelMaker fed;
    fed.input("x", {huge, huge});
    fed.node("Relu", {"x"}, {"y"});
    fed.output("y");
    EXPECT_EQ(error_of(fed), path() +
                                 ": input \"x\": makes a tensor of shape [1099511627776, 1099511627776], "
                                 "more than an IPU can hold; use a smaller batch or model");
    OnnxModelMaker held; // beyond 64 bits, and nothing in it
    held.input("x", {std::int64_t{1}});
    held.floats("w", {huge, huge, 0}, {});
    held.node("Add", {"x", "w"}, {"y"});
    held.output("y");
    EXPECT_NE(error_of(held), "");
}

// Truth values take a byte each on the host, floats four.
TEST_F(Onnx, RefusesAConvolutionOfTruthValues) {
    for (const char* kind : {"Conv", "ConvTranspose"}) {
        OnnxModelMaker maker(11);
        maker.integers("shape", {4}, {1, 1, 4, 4});
        maker.node("ConstantOfShape", {"shape"}, {"zeros"});
        maker.node("Cast", {"zeros"}, {"x"}, {{"to", std::int64_t{9}}});
        maker.node(kind, {"x", "x"}, {"y"});
        maker.output("y");
        const std::string line = error_of(maker);
        EXPECT_NE(line.find("got bool [1, 4, 4, 1]"), std::string::npos) << line;
    }
}

TEST_F(Onnx, RefusesASingleValueWhereOneHotHasTwo) {
    OnnxModelMaker maker(11);
    maker.input("x", {std::int64_t{3}});
    maker.integers("depth", {}, {4});
    maker.integers("values", {}, {1});
    maker.node("OneHot", {"x", "depth", "values"}, {"y"});
    maker.output("y");
    EXPECT_EQ(error_of(maker),
              path() + ": node \"y_node\" (OneHot): expects more dimensions than int32 [] has");
}

/// What ONNX has and this device or this tool has not: the node by its name, and what to do instead.
TEST_F(Onnx, SaysWhatToUseInsteadOfWhatIsNotSupported) {
    const auto line = [&](const std::string& kind,
                          const std::map<std::string, OnnxModelMaker::Attribute>& attributes = {}) {
        OnnxModelMaker maker;
        maker.input("x", {std::int64_t{2}});
        maker.node(kind, {"x"}, {"y"}, attributes);
        maker.output("y");
        return error_of(maker);
    };
    const std::string node = path() + ": node \"y_node\" (";
    const auto unsupported = [&](const std::string& kind, const std::string& remedy) {
        EXPECT_EQ(line(kind), node + kind + "): operator \"" + kind + "\" is not supported; " + remedy);
    };
    unsupported("If",
                "export the model with the branch that is taken; the nearest supported one is \"Where\"");
    unsupported("Loop", "export the model with its loops unrolled; the nearest supported one is \"LSTM\"");
    unsupported("Scan", "export the model with its loops unrolled; the nearest supported one is \"LSTM\"");
    unsupported("QLinearConv", "export the model in float or float16; the nearest supported one is \"Conv\"");
    unsupported("QuantizeLinear", "export the model in float or float16");
    unsupported("SequenceConstruct",
                "use tensors instead of sequences; the nearest supported one is \"Concat\"");
    unsupported("OptionalGetElement",
                "use tensors that are always there; the nearest supported one is \"Identity\"");
    unsupported("StringNormalizer", "turn text into numbers before the model");
    unsupported("Bernoulli", "page workloads lists the supported ones");
    for (const auto& [number, name] : {std::pair{2, "uint8"}, {3, "int8"}, {4, "uint16"}, {5, "int16"}})
        EXPECT_EQ(line("Cast", {{"to", std::int64_t{number}}}),
                  node + "Cast): casts to " + name +
                      ", which the device cannot hold; cast to float, float16, int32, int64 or bool");
}

TEST_F(Onnx, RefusesInputsThatTheDeviceCannotHold) {
    OnnxModelMaker maker;
    maker.input("x", {std::int64_t{2}}, 8);
    maker.node("Identity", {"x"}, {"y"});
    maker.output("y", 8);
    EXPECT_EQ(error_of(maker), path() +
                                   ": input \"x\": element type string cannot be on the device; use float, "
                                   "float16, int32, int64 or bool");
}

TEST_F(Onnx, RefusesInputsThatAreNoTensors) {
    OnnxModelMaker maker;
    maker.sequence("x");
    maker.node("Identity", {"x"}, {"y"});
    maker.output("y");
    EXPECT_EQ(error_of(maker),
              path() + ": input \"x\": is a sequence, an optional or a map; export the model with tensors");
}

TEST_F(Onnx, RefusesWhatIsNoModel) {
    std::ofstream(path()) << "not a model";
    EXPECT_EQ(imported(path()).error().line(),
              path() + ": is no ONNX model, or is cut; export the model again");
    EXPECT_EQ(imported(folder / "none.onnx").error().line(),
              (folder / "none.onnx") + ": the file is not there; name an ONNX file");
    EXPECT_EQ(imported(folder.path().string()).error().message, "is no regular file");
}

} // namespace
} // namespace tilescope::onnx
