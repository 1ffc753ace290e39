// SPDX-License-Identifier: GPL-3.0-or-later
#include "build_paths.h"
#include "tests/app/command_fixture.h"
#include "tests/core/keras/file_writer.h"
#include "tests/onnx_model_maker.h"

#include <filesystem>
#include <fstream>
#include <sstream>

/// The losses of the first hundred steps of a small CNN beside those of PyTorch (reference/torch_losses.py),
/// from the same weights and with the digits in the order of the file.
namespace tilescope::tests {
namespace {

using nlohmann::json;

constexpr std::size_t steps = 100;
constexpr std::size_t batch = 8;

/// x' = 1664525 x + 1013904223 modulo 2^32 (Numerical Recipes).
class Numbers {
  public:
    explicit Numbers(std::uint32_t seed) : state_(seed) {}
    std::uint32_t next() { return state_ = 1664525U * state_ + 1013904223U; }
    std::vector<float> floats(double scale, std::size_t count) {
        std::vector<float> values(count);
        for (float& value : values)
            value = static_cast<float>((static_cast<double>(next() >> 8U) / (1U << 24U) - 0.5) * scale);
        return values;
    }

  private:
    std::uint32_t state_;
};

/// In PyTorch's order: kernel [4, 1, 3, 3], bias, weights [10, 4 x 13 x 13], bias.
struct Weights {
    Numbers numbers{1};
    std::vector<float> kernel = numbers.floats(0.6, 36);
    std::vector<float> bias = numbers.floats(0.2, 4);
    std::vector<float> dense = numbers.floats(0.1, 6760);
    std::vector<float> dense_bias = numbers.floats(0.2, 10);
};

/// An IDX file: its magic number, its extents and its bytes.
void write_idx(const std::filesystem::path& path, const std::vector<std::uint32_t>& extents,
               const std::string& bytes) {
    std::ofstream file(path, std::ios::binary);
    const auto number = [&](std::uint32_t n) {
        for (const unsigned shift : {24U, 16U, 8U, 0U})
            file.put(static_cast<char>(n >> shift));
    };
    number(0x0800U + static_cast<std::uint32_t>(extents.size()));
    for (const std::uint32_t extent : extents)
        number(extent);
    file << bytes;
}

class TrainingReference : public CommandTest {
  protected:
    /// Noise with three bright rows that tell the class.
    void write_digits() const {
        Numbers numbers(7);
        std::string images;
        std::string labels;
        for (std::size_t i = 0; i < steps * batch; ++i) {
            const std::uint32_t label = (numbers.next() >> 16U) % 10;
            for (std::uint32_t pixel = 0; pixel < 28 * 28; ++pixel) {
                const std::uint32_t row = pixel / 28;
                const bool bright = row >= 2 * label && row < 2 * label + 3;
                images += static_cast<char>((numbers.next() >> 24U) / 4 + (bright ? 96 : 0));
            }
            labels += static_cast<char>(label);
        }
        std::filesystem::create_directory(folder / "digits");
        const auto count = static_cast<std::uint32_t>(steps * batch);
        write_idx(folder / "digits/train-images-idx3-ubyte", {count, 28, 28}, images);
        write_idx(folder / "digits/train-labels-idx1-ubyte", {count}, labels);
    }

    /// Trains the model with this optimiser; expects the losses of PyTorch's.
    void expect_losses(const json& model, const std::string& reference, const json& optimiser) const {
        SCOPED_TRACE(reference);
        write("w.json", json{{"model", model},
                             {"data", {{"train", {{"idx", "digits"}}}}},
                             {"compile",
                              {{"optimizer", optimiser},
                               {"loss", "sparse_categorical_crossentropy"},
                               {"from_logits", true}}},
                             {"fit", {{"batch_size", batch}, {"epochs", 1}, {"shuffle", false}}}}
                            .dump());
        printed({"profile", "w.json", "--data", folder.path().string(), "-o", "run.tilescope", "--progress",
                 "none"});
        const auto rows = document({"query", "run.tilescope",
                                    "SELECT value FROM metric WHERE name = 'loss' ORDER BY execution_id",
                                    "--format", "json"});
        std::ifstream file(TILESCOPE_SOURCE_DIR "/tests/app/reference/torch_losses.json");
        const json expected = json::parse(file).at(reference);
        ASSERT_EQ(rows.size(), steps);
        ASSERT_EQ(expected.size(), steps);
        double before = 0; // what is recorded is the mean since the epoch began, as Keras shows it
        for (std::size_t i = 0; i < steps; ++i) {
            const double sum = rows[i].at("value").get<double>() * static_cast<double>(i + 1);
            EXPECT_NEAR(sum - before, expected[i].get<double>(), 1e-4) << "step " << i;
            before = sum;
        }
    }
    void expect_all(const json& model) const {
        expect_losses(model, "sgd", {{"name", "sgd"}, {"learning_rate", 0.02}});
        expect_losses(model, "momentum", {{"name", "sgd"}, {"learning_rate", 0.005}, {"momentum", 0.9}});
        expect_losses(model, "nesterov",
                      {{"name", "sgd"}, {"learning_rate", 0.005}, {"momentum", 0.9}, {"nesterov", true}});
        expect_losses(model, "rmsprop", {{"name", "rmsprop"}, {"learning_rate", 0.0005}});
        expect_losses(model, "adam", {{"name", "adam"}, {"learning_rate", 0.001}, {"epsilon", 1e-12}});
    }
};

TEST_F(TrainingReference, AnOnnxModelLosesAsInPyTorch) {
    write_digits();
    const Weights weights;
    OnnxModelMaker maker;
    maker.input("x", {"n", std::int64_t{1}, std::int64_t{28}, std::int64_t{28}});
    maker.floats("kernel", {4, 1, 3, 3}, weights.kernel);
    maker.floats("bias", {4}, weights.bias);
    maker.floats("dense", {10, 676}, weights.dense);
    maker.floats("dense_bias", {10}, weights.dense_bias);
    maker.node("Conv", {"x", "kernel", "bias"}, {"conv"});
    maker.node("Relu", {"conv"}, {"relu"});
    using Numbers64 = std::vector<std::int64_t>;
    maker.node("MaxPool", {"relu"}, {"pool"},
               {{"kernel_shape", Numbers64{2, 2}}, {"strides", Numbers64{2, 2}}});
    maker.node("Flatten", {"pool"}, {"flat"});
    maker.node("Gemm", {"flat", "dense", "dense_bias"}, {"y"}, {{"transB", std::int64_t{1}}});
    maker.output("y");
    maker.write(folder / "model.onnx");
    expect_all({{"onnx", "model.onnx"}});
}

/// The same weights as Keras lays them out: channels last, [inputs, outputs].
TEST_F(TrainingReference, AKerasModelWithWeightsLosesAsInPyTorch) {
    write_digits();
    const Weights weights;
    std::vector<float> kernel(36);
    for (std::size_t out = 0; out < 4; ++out)
        for (std::size_t place = 0; place < 9; ++place)
            kernel[place * 4 + out] = weights.kernel[out * 9 + place];
    std::vector<float> dense(6760);
    for (std::size_t out = 0; out < 10; ++out)
        for (std::size_t channel = 0; channel < 4; ++channel)
            for (std::size_t place = 0; place < 169; ++place)
                dense[(place * 4 + channel) * 10 + out] = weights.dense[out * 676 + channel * 169 + place];
    {
        Hdf5Writer file(folder / "model.weights.h5");
        file.floats("layers/conv2d/vars/0", {3, 3, 1, 4}, kernel);
        file.floats("layers/conv2d/vars/1", {4}, weights.bias);
        file.floats("layers/dense/vars/0", {676, 10}, dense);
        file.floats("layers/dense/vars/1", {10}, weights.dense_bias);
    }
    const auto layer = [](const std::string& kind, json config) {
        config["name"] = kind;
        return json{{"class_name", kind}, {"config", std::move(config)}};
    };
    write("model.json",
          json{{"class_name", "Sequential"},
               {"config",
                {{"name", "net"},
                 {"layers",
                  {layer("InputLayer", {{"batch_input_shape", {nullptr, 28, 28, 1}}}),
                   layer("Conv2D", {{"filters", 4}, {"kernel_size", {3, 3}}, {"activation", "relu"}}),
                   layer("MaxPooling2D", {{"pool_size", {2, 2}}}), layer("Flatten", json::object()),
                   layer("Dense", {{"units", 10}})}}}}}
              .dump());
    expect_all({{"keras", "model.json"}, {"weights", "model.weights.h5"}});
}

} // namespace
} // namespace tilescope::tests
