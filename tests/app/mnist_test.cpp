// SPDX-License-Identifier: GPL-3.0-or-later
#include "build_paths.h"
#include "tests/app/command_fixture.h"

#include <cmath>
#include <cstdlib>
#include <filesystem>

namespace tilescope::tests {
namespace {

/// Trainings on the real MNIST: the folder that TILESCOPE_DATA names, or the one beside the checkout.
class Mnist : public CommandTest {
  protected:
    void SetUp() override {
        const char* named = std::getenv("TILESCOPE_DATA");
        data = named != nullptr ? named : TILESCOPE_SOURCE_DIR "/../shared/datasets";
        if (!std::filesystem::is_directory(data + "/mnist"))
            GTEST_SKIP() << "no folder of data sets: name one in TILESCOPE_DATA";
    }
    /// The report of a sample, trained and evaluated on all of its data.
    nlohmann::ordered_json trained(const std::string& name) const {
        printed({"profile", sample(name), "--data", data, "-o", "run.tilescope", "--progress", "none"});
        auto report = document({"report", "run.tilescope", "--format", "json"});
        EXPECT_EQ(report.at("run").at("data_note"), "") << "nothing stands in for MNIST";
        return report;
    }
    /// The evaluation must have read each of the 10,000 test images once: what is left is a multiple of
    /// 1/10,000.
    static void expect_evaluated(const nlohmann::ordered_json& report, double least) {
        const double accuracy = report.at("result").at("evaluate").at("accuracy");
        EXPECT_GE(accuracy, least);
        EXPECT_NEAR(accuracy * 10000, std::round(accuracy * 10000), 0.01);
    }
    std::int64_t evaluated_steps() const {
        return document({"query", "run.tilescope",
                         "SELECT sum(steps) AS n FROM execution WHERE kind = 'evaluate'", "--format", "json"})
            .at(0)
            .at("n");
    }
    std::string data;
};

TEST_F(Mnist, RmspropReachesNinetyEightPercentInItsFifthEpoch) {
    const auto report = trained("mnist_rmsprop");
    const auto& epochs = report.at("result").at("epochs");
    ASSERT_EQ(epochs.size(), 5U);
    EXPECT_GE(epochs.at(4).at("metrics").at("accuracy").get<double>(), 0.98);
    EXPECT_EQ(report.at("timing").at("steps"), 5 * 60000 / 32);
    expect_evaluated(report, 0.96);
    EXPECT_EQ(evaluated_steps(), 400) << "10,000 images in batches of 25, the largest without a remainder";
}

// The tutorial prints 0.9326 after its third epoch.
TEST_F(Mnist, TheKerasCnnReachesNinetyTwoPercentInItsThirdEpoch) {
    if (std::getenv("TILESCOPE_LONG_TESTS") == nullptr)
        GTEST_SKIP() << "takes a minute: set TILESCOPE_LONG_TESTS";
    const auto report = trained("keras_mnist_faster");
    const auto& epochs = report.at("result").at("epochs");
    ASSERT_EQ(epochs.size(), 3U);
    EXPECT_GE(epochs.at(2).at("metrics").at("accuracy").get<double>(), 0.92);
    EXPECT_EQ(report.at("timing").at("executions"), 3) << "an engine run for each epoch";
    expect_evaluated(report, 0.94);
    EXPECT_EQ(evaluated_steps(), 200) << "10,000 images in batches of 50, the largest without a remainder";
}

// A model that Keras 3 trained and saved with its weights. The expected figures were computed from the file
// with NumPy.
TEST_F(Mnist, ATrainedKerasModelIsAsGoodHereAsInKeras) {
    const std::string model = TILESCOPE_SOURCE_DIR "/../shared/keras-models/mnist_cnn_keras3.h5";
    if (!std::filesystem::exists(model))
        GTEST_SKIP() << "no folder of real Keras models beside the checkout";
    const nlohmann::json workload{{"model", {{"keras", model}}},
                                  {"data", {{"evaluate", {{"idx", "mnist"}, {"one_hot", 10}}}}},
                                  {"fit", {{"batch_size", 50}}}};
    write("w.json", workload.dump());
    printed({"profile", "w.json", "--data", data, "-o", "run.tilescope", "--progress", "none"});
    const auto result = document({"report", "run.tilescope", "--format", "json"}).at("result");
    EXPECT_NEAR(result.at("evaluate").at("accuracy").get<double>(), 0.9905, 1e-6);
    EXPECT_NEAR(result.at("evaluate").at("loss").get<double>(), 0.02853, 1e-4);
}

} // namespace
} // namespace tilescope::tests
