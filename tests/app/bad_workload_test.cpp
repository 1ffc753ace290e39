// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/app/stand_in.h"

#include <filesystem>
#include <sys/stat.h>

namespace tilescope::tests {
namespace {

using nlohmann::json;

/// What a workload may get wrong. Each mistake is one line that says where and what to do, ends with 3 and
/// leaves no file.
class BadWorkload : public CommandTest {
  protected:
    /// Profiles `workload`, expects the refusal, and that no file was added.
    void expect_refused(const std::string& workload, const Arguments& options,
                        const std::vector<std::string>& parts) const {
        const auto before = files();
        Arguments arguments{"profile", workload, "-o", "run.tilescope"};
        arguments.insert(arguments.end(), options.begin(), options.end());
        expect_failure(run(arguments), 3, parts);
        EXPECT_EQ(files(), before) << parts.front();
    }
    /// The same with overrides of the sample `mnist_tf2`.
    void expect_refused(const std::vector<std::string>& overrides,
                        const std::vector<std::string>& parts) const {
        Arguments options;
        for (const std::string& each : overrides)
            options.insert(options.end(), {"--set", each});
        expect_refused(sample("mnist_tf2"), options, parts);
    }
    /// A Keras model of an input and one more layer.
    std::string model(const json& shape, const std::string& dtype, const std::string& layer) const {
        const json document{
            {"class_name", "Sequential"},
            {"config",
             {{"name", "model"},
              {"layers",
               {{{"class_name", "InputLayer"},
                 {"config", {{"name", "images"}, {"batch_input_shape", shape}, {"dtype", dtype}}}},
                {{"class_name", layer}, {"config", {{"name", "classes"}, {"units", 10}}}}}}}}};
        return write("model.json", document.dump());
    }
};

TEST_F(BadWorkload, AnUnsupportedLayerIsNamedWithTheNearest) {
    expect_refused(model({nullptr, 784}, "float32", "Dens"), {},
                   {"model.json: layer classes: ", "\"Dens\" is not supported", "\"Dense\""});
}

TEST_F(BadWorkload, AShapeThatIsNotStaticIsNamedWithItsLayer) {
    expect_refused(model({nullptr, nullptr, 784}, "float32", "Dense"), {},
                   {"model.json: layer images: ", "not static", "give every dimension but the batch a size"});
}

TEST_F(BadWorkload, BytesAreNotTakenByTheDevice) {
    expect_refused(model({nullptr, 784}, "uint8", "Dense"), {},
                   {"model.json: layer images: ", "uint8", "cast it on the host to float32"});
}

TEST_F(BadWorkload, ABatchSizeThatLeavesARemainderIsRefusedWithTheNumbers) {
    // 1000 = 31 * 32 + 8
    expect_refused({"data.train.samples=1000", "fit.steps_per_epoch=0"},
                   {"mnist_tf2.json: fit.batch_size: ", "remainder of 8", "keep 992 samples"});
}

TEST_F(BadWorkload, ABatchLargerThanTheDataIsRefused) {
    expect_refused({"data.train.samples=100", "fit.batch_size=101"},
                   {"mnist_tf2.json: fit.batch_size: ", "100 samples", "101", "smaller batch"});
    expect_refused({"fit.batch_size=99999999999999"}, {"fit.batch_size: ", "smaller batch"});
}

TEST_F(BadWorkload, SizesThatCannotBeMeantAreRefused) {
    expect_refused({"fit.epochs=1000000000"},
                   {"mnist_tf2.json: fit.epochs: ", "1,000,000,000 epochs of 2,000 steps", "--estimate"});
    expect_refused({"data.train.samples=1000000000000"},
                   {"mnist_tf2.json: data: ", "1,000,000,000,000 synthetic samples", "at most 10,000,000"});
}

TEST_F(BadWorkload, StepsThatDoNotFillExecutionsAreRefusedWithANumberThatDoes) {
    // The largest divisor of 2000 below 300 is 250.
    expect_refused({"compile.steps_per_execution=300"},
                   {"mnist_tf2.json: compile.steps_per_execution: ", "2000", "300", "use 250"});
}

// Where the workload sets the steps of an epoch, fewer samples would change nothing.
TEST_F(BadWorkload, TheAdviceOnStepsHoldsWhenItIsFollowed) {
    const Arguments estimate{"profile",
                             sample("mnist_tf2"),
                             "--estimate",
                             "-o",
                             "run.tilescope",
                             "--progress",
                             "none",
                             "--set",
                             "compile.steps_per_execution=300"};
    const auto with = [&](Arguments more) {
        more.insert(more.begin(), estimate.begin(), estimate.end());
        return run(more);
    };
    // 1,800 = 6 x 300
    expect_failure(with({}), 3, {"use 250, or set fit.steps_per_epoch to 1800"});
    EXPECT_EQ(with({"--set", "fit.steps_per_epoch=1800"}).exit_code, 0);
    // 60,000 samples are 1,875 batches of 32; 6 x 300 of them fill engine runs: 57,600 samples.
    expect_failure(with({"--set", "fit.steps_per_epoch=0"}), 3, {"or keep 57600 samples"});
    EXPECT_EQ(with({"--set", "fit.steps_per_epoch=0", "--set", "data.train.samples=57600"}).exit_code, 0);
}

TEST_F(BadWorkload, FilesOfOtherToolsAreToldTheWayIn) {
    expect_refused(write("model.py", "import tensorflow\n"), {},
                   {"model.py: a Python script", "tilescope run SCRIPT.py"});
    expect_refused(write("frozen.pb", "x"), {},
                   {"frozen.pb: TensorFlow's graphs", "tf2onnx.convert", "--graphdef"});
    expect_refused(write("net.pt", "x"), {}, {"net.pt: PyTorch", "torch.onnx.export"});
    std::filesystem::create_directory(folder / "saved");
    write("saved/saved_model.pb", "x");
    const std::vector<std::string> of_saved{"saved: TensorFlow's graphs and SavedModels", "tf2onnx.convert",
                                            "--saved-model"};
    expect_refused(folder / "saved", {}, of_saved);
    for (const char* kind : {"keras", "onnx"})
        expect_refused(write("within.json", R"({"model": {")" + std::string(kind) + R"(": "saved"}})"), {},
                       of_saved);
    expect_failure(run({"infer", folder / "saved", "--inputs", folder.path().string()}), 3, of_saved);
}

// It may have nothing to read for ever.
TEST_F(BadWorkload, APipeIsNoModel) {
    ASSERT_EQ(mkfifo((folder / "pipe").c_str(), 0600), 0);
    for (const char* command : {"profile", "summary"})
        expect_failure(run({command, "pipe"}), 3, {"pipe: not a file"});
}

TEST_F(BadWorkload, AFeedWithoutAFixedShapeIsToldThatShapesAreFixed) {
    const std::string graph = write("open.json", R"({"graph": {
        "nodes": [{"name": "out", "op": "relu", "inputs": ["a"]}],
        "feeds": {"a": {"shape": [null, 3]}}, "fetches": ["out"]}})");
    expect_refused(graph, {}, {"open.json: ", "leaves an extent open", "shapes are fixed on the IPU"});
}

TEST_F(BadWorkload, UnknownKeysAreNamedWithTheNearest) {
    expect_refused({"fit.epoch=2"}, {"mnist_tf2.json: fit.epoch: ", "did you mean \"epochs\"?"});
    expect_refused({"ipu_config.ipu_model.tile_per_ipu=4"}, {"did you mean \"tiles_per_ipu\"?"});
    expect_refused({"pipeline.optimizer_state_offchip=true"},
                   {"the name is offload_weight_update_variables"});
    expect_refused({"optimiser=sgd"}, {"mnist_tf2.json: optimiser: unknown key"});
}

TEST_F(BadWorkload, UnknownNamesAreNamedWithTheNearest) {
    expect_refused({"compile.optimizer.name=rmsprob"},
                   {"mnist_tf2.json: compile.optimizer.name: ", "did you mean \"rmsprop\"?"});
    expect_refused({"compile.loss=sparse_categorical_crossentropi"},
                   {"mnist_tf2.json: compile.loss: ", "did you mean \"sparse_categorical_crossentropy\"?"});
    expect_refused({"compile.metrics=[\"acuracy\"]"},
                   {"mnist_tf2.json: compile.metrics: ", "did you mean \"accuracy\"?"});
    expect_refused({"compile.metrics=[\"accuracy\", \"accuracy\"]"},
                   {"mnist_tf2.json: compile.metrics: ", "named twice", "name it once"});
    expect_refused({"system=pod5"}, {"mnist_tf2.json: ", "did you mean \"pod4\"?"});
    expect_refused({"ipu_config.ipu_model.version=ipu3"},
                   {"mnist_tf2.json: ipu_config.ipu_model.version: ", "did you mean \"ipu"});
    expect_refused({"device=gpu"}, {"mnist_tf2.json: device: ", "use \"ipu\" or \"cpu\""});
}

TEST_F(BadWorkload, WrongTypesAndNumbersAreNamedWithTheirPath) {
    expect_refused({"fit.epochs=three"}, {"mnist_tf2.json: fit.epochs: ", "whole number", "three"});
    expect_refused({"fit.batch_size=0"}, {"mnist_tf2.json: fit.batch_size: ", "at least 1", "got 0"});
    expect_refused({"seed=-3"}, {"mnist_tf2.json: seed: ", "got -3"});
    expect_refused({"fit.shuffle=1"}, {"mnist_tf2.json: fit.shuffle: ", "true or false"});
    expect_refused({"ipu_config.ipu_model.workers_per_tile=1000"}, {"workers_per_tile", "use 1 to 64"});
}

TEST_F(BadWorkload, MissingFilesAreNamed) {
    expect_refused("nowhere.json", {}, {"nowhere.json: there is no such file"});
    expect_refused({"model.keras=nowhere.json"}, {"nowhere.json: there is no such file"});
    expect_refused(sample("mnist_tf2"), {"--data", "nowhere"}, {"nowhere", "not there", "--data"});
    expect_refused({"data.train.allow_synthetic=false"}, {"\"mnist\" is not there", "--data"});
}

TEST_F(BadWorkload, SyntaxErrorsHaveALineAndAColumn) {
    expect_refused(write("w.json", "{\n  \"name\": \"a\",\n  \"fit\": {,}\n}\n"), {},
                   {"w.json: not valid JSON at line 3, column 11"});
    expect_refused(write("empty.json", ""), {}, {"empty.json: not valid JSON"});
    expect_refused(write("bytes.json", std::string(1000, '\xFF')), {}, {"bytes.json: not valid JSON"});
}

TEST_F(BadWorkload, AFileThatIsNoProfileIsNotReplaced) {
    const std::string notes = write("notes.txt", "keep me");
    expect_failure(run({"profile", sample("tutorial_basic"), "-o", notes}), 3,
                   {"notes.txt: ", "choose another name"});
    EXPECT_EQ(read_file(notes), "keep me");
}

TEST_F(BadWorkload, APlaceThatCannotBeWrittenIsNamed) {
    expect_failure(run({"profile", sample("tutorial_basic"), "-o", "nowhere/run.tilescope"}), 3,
                   {"nowhere: the folder does not exist", "create it"});
    expect_failure(run({"profile", sample("tutorial_basic"), "-o", "/dev/full"}), 3,
                   {"/dev/full: not a regular file", "choose another name"});
    // Even root may not make files in /proc.
    expect_failure(run({"profile", sample("tutorial_basic"), "-o", "/proc/run.tilescope"}), 3,
                   {"/proc/run.tilescope: ", "permissions"});
    EXPECT_EQ(files(), std::set<std::string>{});
}

// A machine of one tile of 64 KiB holds the model's 100,352 weights of 4 bytes nowhere.
TEST_F(BadWorkload, TooLittleMemoryEndsWithFourAndAProfileThatSaysWhere) {
    const Outcome outcome =
        run({"profile", sample("mnist_tf2"), "-o", "oom.tilescope", "--progress", "none", "--set",
             "ipu_config.ipu_model.tiles_per_ipu=1", "--set", "ipu_config.ipu_model.bytes_per_tile=65536"});
    expect_failure(outcome, 4, {"tile 0"}, digits_stand_in(outcome));
    EXPECT_EQ(files(), std::set<std::string>{"oom.tilescope"});
    const auto report = document({"report", "oom.tilescope", "--format", "json"});
    EXPECT_EQ(report.at("run").at("status"), "out_of_memory");
    EXPECT_GT(report.at("memory").at("max_tile_bytes").get<std::int64_t>(), 401408);
}

} // namespace
} // namespace tilescope::tests
