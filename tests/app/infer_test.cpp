// SPDX-License-Identifier: GPL-3.0-or-later
#include "build_paths.h"
#include "tests/app/command_fixture.h"
#include "tests/onnx_model_maker.h"

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace tilescope::tests {
namespace {

namespace fs = std::filesystem;

const std::string model = TILESCOPE_SOURCE_DIR "/samples/models/cnn.onnx";
const std::string data = TILESCOPE_SOURCE_DIR "/samples/models/cnn_data";

class Infer : public CommandTest {};

TEST_F(Infer, GivesWhatIsExpected) {
    EXPECT_EQ(printed({"infer", model, "--inputs", data, "--expect", data}),
              "classes: float32 [2, 10], as expected\n");
}

TEST_F(Infer, EndsWithOneWhereAnOutputIsNotAsExpected) {
    fs::create_directory(folder / "wrong");
    fs::copy(data + "/input_0.pb", folder / "wrong/output_0.pb");
    const Outcome shape = run({"infer", model, "--inputs", data, "--expect", folder / "wrong"});
    EXPECT_EQ(shape.exit_code, 1);
    EXPECT_TRUE(holds(shape.err, "output \"classes\": is float32 [2, 10], expected float [2, 1, 8, 8]"))
        << shape.err;
    // Values that are computed in float differ from those computed in double.
    const Outcome exact =
        run({"infer", model, "--inputs", data, "--expect", data, "--rtol", "0", "--atol", "0"});
    EXPECT_EQ(exact.exit_code, 1);
    EXPECT_TRUE(holds(exact.err, "expected 0.")) << exact.err;
}

TEST_F(Infer, WritesOutputsThatAreExpectedFromThenOn) {
    printed({"infer", model, "--inputs", data, "-o", folder / "out"});
    EXPECT_EQ(
        run({"infer", model, "--inputs", data, "--expect", folder / "out", "--rtol", "0", "--atol", "0"})
            .exit_code,
        0);
}

// A second run would compare what it computes with what it computed.
TEST_F(Infer, DoesNotReplaceWhatItReads) {
    fs::create_directory(folder / "data");
    fs::copy(data + "/input_0.pb", folder / "data/input_0.pb");
    const std::string wrong = write("data/output_0.pb", read_file(data + "/input_0.pb"));
    for (const char* option : {"--expect", "--inputs"})
        expect_failure(run({"infer", model, "--inputs", option == std::string("--inputs") ? "data" : data,
                            "--expect", option == std::string("--expect") ? "data" : data, "-o", "data/."}),
                       2, {std::string("-o is the folder of ") + option, "name another folder"});
    fs::create_directory(folder / "out");
    fs::create_hard_link(wrong, folder / "out/output_0.pb");
    expect_failure(run({"infer", model, "--inputs", data, "--expect", "data", "-o", "out"}), 2,
                   {"out/output_0.pb: -o would replace a file of --expect"});
    EXPECT_EQ(read_file(wrong), read_file(data + "/input_0.pb"));
}

TEST_F(Infer, PrintsValuesAsJson) {
    const auto json = document({"infer", model, "--inputs", data, "--expect", data, "--format", "json"});
    const auto& output = json["outputs"][0];
    EXPECT_EQ(output["name"], "classes");
    EXPECT_EQ(output["shape"], nlohmann::ordered_json::array({2, 10}));
    EXPECT_EQ(output["as_expected"], true);
    double sum = 0; // a softmax
    for (int i = 0; i < 10; ++i)
        sum += output["values"][static_cast<std::size_t>(i)].get<double>();
    EXPECT_NEAR(sum, 1, 1e-6);
}

TEST_F(Infer, RefusesInputsThatDoNotFit) {
    expect_failure(run({"infer", model, "--inputs", folder / "none"}), 3, {"none", "is no folder"});
    expect_failure(run({"infer", model, "--inputs", folder.path().string()}), 3,
                   {"has 0 input files, the model 1 inputs", "input_0.pb"});
    fs::copy(data + "/output_0.pb", folder / "input_0.pb");
    expect_failure(run({"infer", model, "--inputs", folder.path().string()}), 3,
                   {"input \"image\"", "float [2, 10]"});
    write("input_0.pb", "nothing");
    expect_failure(run({"infer", model, "--inputs", folder.path().string()}), 3,
                   {"input_0.pb", "is no ONNX tensor"});
    expect_failure(run({"infer", model}), 2, {"--inputs"});
}

/// Arrays as numpy.save() writes them.
class InferArrays : public Infer {
  protected:
    template<class T>
    void save(const std::string& name, const std::string& type, const std::string& shape,
              const std::vector<T>& values) const {
        std::string header = "{'descr': '" + type + "', 'fortran_order': False, 'shape': (" + shape + "), }";
        header.append(117 - header.size(), ' ').push_back('\n');
        std::string file("\x93NUMPY\x01\x00\x76\x00", 10);
        file += header;
        if (!values.empty())
            file.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
        write(name, file);
    }
    /// Sums along the rows of a matrix of whole numbers (6: int32).
    std::string running_sums() const {
        OnnxModelMaker maker;
        maker.input("x", {std::int64_t{2}, std::int64_t{2}}, 6);
        maker.integers("axis", {1}, {1});
        maker.node("CumSum", {"x", "axis"}, {"y"});
        maker.output("y", 6);
        return maker.write(folder / "sums.onnx");
    }
    nlohmann::ordered_json values_of(const std::string& onnx) const {
        return document(
            {"infer", onnx, "--inputs", folder.path().string(), "--format", "json"})["outputs"][0]["values"];
    }
};

// 16,777,217 is no float.
TEST_F(InferArrays, WholeNumbersStayWhole) {
    const std::string sums = running_sums();
    const nlohmann::ordered_json wanted{16777217, 16777219, -3, 1};
    save<std::int32_t>("input_0.npy", "<i4", "2, 2", {16777217, 2, -3, 4});
    EXPECT_EQ(values_of(sums), wanted);
    save<std::int64_t>("input_0.npy", "<i8", "2, 2", {16777217, 2, -3, 4});
    EXPECT_EQ(values_of(sums), wanted);
    save<std::int32_t>("output_0.npy", "<i4", "2, 2", {16777217, 16777219, -3, 1});
    const std::string here = folder.path().string();
    EXPECT_EQ(printed({"infer", sums, "--inputs", here, "--expect", here}), "y: int32 [2, 2], as expected\n");
    save<std::int64_t>("input_0.npy", "<i8", "2, 2", {3000000000, 2, -3, 4});
    expect_failure(run({"infer", sums, "--inputs", here}), 3,
                   {"input_0.npy", "the value 3000000000 is no int32"});
    save<float>("input_0.npy", "<f4", "2, 2", {1, 2, 3, 4});
    expect_failure(run({"infer", sums, "--inputs", here}), 3, {"another int32 tensor than float [2, 2]"});
}

TEST_F(InferArrays, FloatsAreTakenFromAnyNumbersAndFromNone) {
    OnnxModelMaker maker;
    maker.input("x", {std::int64_t{2}, "n"});
    maker.integers("axis", {1}, {1});
    maker.node("ReduceSum", {"x", "axis"}, {"y"});
    maker.output("y");
    const std::string sum = maker.write(folder / "sum.onnx");
    save<double>("input_0.npy", "<f8", "2, 2", {0.5, 2, -3, 4});
    EXPECT_EQ(values_of(sum), (nlohmann::ordered_json{2.5, 1.0}));
    save<std::uint8_t>("input_0.npy", "|u1", "2, 3", {200, 100, 1, 4, 5, 6});
    EXPECT_EQ(values_of(sum), (nlohmann::ordered_json{301.0, 15.0}));
    save<float>("input_0.npy", "<f4", "2, 0", {});
    EXPECT_EQ(values_of(sum), (nlohmann::ordered_json{0.0, 0.0}));
    save<float>("output_0.npy", "<f4", "2, 1", {0, 0});
    const std::string here = folder.path().string();
    EXPECT_EQ(printed({"infer", sum, "--inputs", here, "--expect", here}),
              "y: float32 [2, 1], as expected\n");
    save<float>("input_0.npy", "<f4", "2, 0", {1});
    expect_failure(run({"infer", sum, "--inputs", here}), 3, {"its header wants 0"});
}

class OnnxProfile : public CommandTest {
  protected:
    /// x [n, sequence, 4] times a matrix.
    std::string sequences() const {
        OnnxModelMaker maker;
        maker.input("x", {"n", "sequence", std::int64_t{4}});
        maker.floats("w", {4, 2}, std::vector<float>(8, 0.5F));
        maker.node("MatMul", {"x", "w"}, {"y"});
        maker.output("y");
        return maker.write(folder / "sequences.onnx");
    }
};

TEST_F(OnnxProfile, NamesLayersAfterNodes) {
    printed({"profile", model, "--batch", "4", "--estimate", "-o", "cnn.tilescope"});
    const auto report = document({"report", "cnn.tilescope", "--format", "json"});
    std::set<std::string> layers;
    for (const auto& layer : report["layers"])
        layers.insert(layer["name"].get<std::string>());
    EXPECT_TRUE(layers.contains("conv")) << report["layers"];
    EXPECT_TRUE(layers.contains("logits")) << report["layers"];
}

TEST_F(OnnxProfile, TakesExtentsOfNamedDimensions) {
    expect_failure(run({"profile", sequences(), "--batch", "2", "--estimate"}), 3,
                   {"dimension \"sequence\" is not known", "--shape sequence=N"});
    expect_failure(run({"profile", sequences(), "--shape", "sequence", "--estimate"}), 2, {"NAME=N"});
    printed({"profile", sequences(), "--batch", "2", "--shape", "sequence=8", "--estimate"});
    const std::string summary = printed({"summary", sequences(), "--shape", "sequence=8"});
    EXPECT_TRUE(holds(summary, "(None, 8, 2)")) << summary;
    write("w.json", R"({"model": {"onnx": "sequences.onnx", "dimensions": {"sequence": 8}},
                        "fit": {"batch_size": 2}})");
    printed({"profile", "w.json", "--estimate"});
}

TEST_F(OnnxProfile, IsCutIntoShards) {
    printed({"profile", model, "--batch", "4", "--estimate", "--set", "system=pod4", "--set",
             "ipu_config.auto_select_ipus=2", "--set", "model.shards={\"logits\": 1}", "-o",
             "two.tilescope"});
    expect_failure(run({"profile", model, "--batch", "4", "--estimate", "--set", "model.shards=[0, 1]"}), 3,
                   {"model.shards", "name the node"});
}

TEST_F(OnnxProfile, RefusesWhatIsNoModel) {
    write("bad.onnx", "no model");
    expect_failure(run({"profile", "bad.onnx"}), 3, {"bad.onnx", "is no ONNX model, or is cut"});
    write("both.json", R"({"model": {"onnx": "bad.onnx", "keras": {}}})");
    expect_failure(run({"profile", "both.json"}), 3, {"model.onnx", "remove one of them"});
    write("dimensions.json", R"({"model": {"keras": {}, "dimensions": {"n": 1}}})");
    expect_failure(run({"profile", "dimensions.json"}), 3, {"model.dimensions"});
}

TEST_F(OnnxProfile, TrainsToo) {
    OnnxModelMaker maker;
    maker.input("x", {"n", std::int64_t{784}});
    std::vector<float> weights(784 * 10);
    for (std::size_t i = 0; i < weights.size(); ++i)
        weights[i] = static_cast<float>(i % 7) * 0.01F - 0.03F;
    maker.floats("w", {784, 10}, weights);
    maker.node("Gemm", {"x", "w"}, {"logits"});
    maker.node("Softmax", {"logits"}, {"y"});
    maker.output("y");
    maker.write(folder / "dense.onnx");
    write("w.json", R"({"model": {"onnx": "dense.onnx"},
        "data": {"train": {"synthetic": true, "one_hot": 10, "samples": 640}},
        "compile": {"optimizer": {"name": "sgd", "learning_rate": 0.1}, "loss": "categorical_crossentropy",
                    "metrics": ["accuracy"]},
        "fit": {"batch_size": 32, "epochs": 3}})");
    printed({"profile", "w.json", "-o", "trained.tilescope"});
    const auto epochs = document({"report", "trained.tilescope", "--format", "json"})["result"]["epochs"];
    ASSERT_EQ(epochs.size(), 3U);
    EXPECT_LT(epochs[2]["loss"].get<double>(), epochs[1]["loss"].get<double>()) << epochs;
    EXPECT_GT(epochs[2]["metrics"]["accuracy"].get<double>(), 0.5) << epochs; // one in ten by chance
}

} // namespace
} // namespace tilescope::tests
