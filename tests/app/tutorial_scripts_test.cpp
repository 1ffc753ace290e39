// SPDX-License-Identifier: GPL-3.0-or-later
// The tutorials' own scripts, unchanged, where they lie beside the checkout: on a few images always, and on
// all of MNIST, with what they print on real IPUs, where TILESCOPE_LONG_TESTS is set.
#include "build_paths.h"
#include "tests/app/command_fixture.h"
#include "tests/runs_scripts.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <ostream>
#include <random>
#include <regex>

namespace tilescope::tests {
namespace {

namespace fs = std::filesystem;

/// The last values that a script prints of an epoch, as on real IPUs. The same model gives losses from 0.2240
/// to 0.2376 and accuracies from 0.9289 to 0.9326 there, from seed to seed.
struct Printed {
    std::string steps; ///< of the last epoch, as its line begins: "937/937"
    double loss = 0;   ///< 0 where no figure is published; then neither is the accuracy
    double accuracy = 0;
};
constexpr double loss_spread = 0.016;
constexpr double accuracy_spread = 0.005;

struct Script {
    std::string name; ///< below the folder of scripts
    Arguments arguments;
    std::int64_t epochs;
    Printed few; ///< trained on 2,048 images of noise
    Printed all;
    friend std::ostream& operator<<(std::ostream& out, const Script& script) { return out << script.name; }
};

const std::vector<Script> scripts{
    {"mnist.py", {}, 4, {"2000/2000"}, {"2000/2000"}},
    {"tensorflow_ipu.py", {}, 5, {"64/64"}, {"1875/1875", 0.0473, 0.9877}},
    {"keras/demo.py", {}, 3, {"32/32"}, {"938/938", 0.2376, 0.9289}},
    {"keras/completed_demo_ipu.py", {}, 3, {"32/32"}, {"937/937", 0.2358, 0.9294}},
    {"keras/completed_demo_faster.py", {}, 3, {"32/32"}, {"937/937", 0.2240, 0.9326}},
    {"keras/completed_demo_replicated.py", {}, 3, {"16/16"}, {"468/468", 0.2277, 0.9304}},
    {"keras/completed_demo_pipelining.py", {}, 3, {"16/16"}, {"464/464"}},
    {"keras/completed_example/main.py", {}, 3, {"25/25"}, {"750/750"}},
    {"keras/completed_example/main.py", {"--use-ipu"}, 3, {"12/12"}, {"375/375"}},
    {"keras/completed_example/main.py", {"--use-ipu", "--pipelining"}, 3, {"24/24"}, {"744/744"}},
};

class TutorialScripts : public CommandTest {
  protected:
    void SetUp() override {
        if (!tests::runs_scripts())
            GTEST_SKIP() << "this build has no Python";
        if (!fs::exists(path("mnist.py")))
            GTEST_SKIP() << "the tutorials' scripts are not beside the checkout";
    }
    static std::string path(const std::string& name) {
        return TILESCOPE_SOURCE_DIR "/../shared/scripts/" + name;
    }
    /// What a script prints, line by line as it ends up on a terminal.
    std::vector<std::string> lines_of(const std::string& data, const std::string& name,
                                      const Arguments& arguments) const {
        Arguments all{"run", "-o", "run.tilescope", "--data", data, path(name)};
        all.insert(all.end(), arguments.begin(), arguments.end());
        const Outcome outcome = run(all);
        EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
        EXPECT_FALSE(holds(outcome.err, "Traceback")) << outcome.err;
        std::vector<std::string> lines;
        std::istringstream text(outcome.out);
        for (std::string line; std::getline(text, line);)
            lines.push_back(line.substr(line.rfind('\r') + 1));
        return lines;
    }
    static std::string page() { return read_file(TILESCOPE_SOURCE_DIR "/resources/docs/scripts.md"); }
    /// Small IDX files in the place of a data set.
    void write_few_images(const std::string& data_set) const {
        fs::create_directories(folder / ("few/" + data_set));
        write_split("few/" + data_set + "/train", 2048);
        write_split("few/" + data_set + "/t10k", 1024);
    }

    /// The lines of the epochs are there, and the last of them says what it should.
    static void expect_epochs(const std::vector<std::string>& lines, std::int64_t epochs,
                              const Printed& expected) {
        std::size_t last = 0;
        for (std::size_t i = 0; i < lines.size(); ++i)
            if (lines[i] == "Epoch " + std::to_string(epochs) + "/" + std::to_string(epochs))
                last = i + 1;
        ASSERT_GT(last, 0U) << "no line of the last epoch";
        ASSERT_LT(last, lines.size());
        const std::string& line = lines[last];
        EXPECT_TRUE(line.starts_with(expected.steps + " [==============================] - ")) << line;
        EXPECT_TRUE(std::regex_search(line, std::regex("/step - loss: \\d\\.\\d{4}"))) << line;
        if (expected.loss > 0) {
            EXPECT_NEAR(value(line, "loss"), expected.loss, loss_spread) << line;
            EXPECT_NEAR(value(line, "accuracy"), expected.accuracy, accuracy_spread) << line;
        }
    }
    void expect_profile() const {
        const auto report = document({"report", "run.tilescope", "--format", "json"});
        EXPECT_EQ(report["run"]["status"], "complete");
        EXPECT_EQ(printed({"query", "run.tilescope", "SELECT count(*) > 0 AS any FROM execution", "--format",
                           "csv"}),
                  "any\n1\n");
    }

  private:
    void write_split(const std::string& name, std::uint32_t count) const {
        const auto word = [](std::ofstream& out, std::uint32_t value) {
            for (int shift = 24; shift >= 0; shift -= 8)
                out.put(static_cast<char>(value >> shift));
        };
        std::ofstream images(folder / (name + "-images-idx3-ubyte"), std::ios::binary);
        std::ofstream labels(folder / (name + "-labels-idx1-ubyte"), std::ios::binary);
        for (const std::uint32_t value : {0x803U, count, 28U, 28U})
            word(images, value);
        for (const std::uint32_t value : {0x801U, count})
            word(labels, value);
        std::mt19937 random(count); // NOLINT(cert-msc51-cpp): the same images each time
        for (std::uint32_t i = 0; i < count; ++i) {
            for (int pixel = 0; pixel < 28 * 28; ++pixel)
                images.put(static_cast<char>(random() & 255U));
            labels.put(static_cast<char>(i % 10));
        }
    }
    static double value(const std::string& line, const std::string& name) {
        const std::size_t at = line.find(" - " + name + ": ");
        return at == std::string::npos ? -1 : std::stod(line.substr(at + name.size() + 5));
    }
};

class TutorialScript : public TutorialScripts, public testing::WithParamInterface<Script> {};

TEST_P(TutorialScript, RunsToItsEnd) {
    const auto& [name, arguments, epochs, few, all] = GetParam();
    write_few_images("mnist");
    const auto lines = lines_of("few", name, arguments);
    expect_epochs(lines, epochs, few);
    if (name == "mnist.py") { // whose first lines the page shows
        EXPECT_TRUE(holds(page(), "\n    " + lines.at(1).substr(0, lines.at(1).find(" - loss"))))
            << lines.at(1);
    }
    expect_profile();
}

TEST_P(TutorialScript, ReachesWhatItReachesOnIpus) {
    if (std::getenv("TILESCOPE_LONG_TESTS") == nullptr)
        GTEST_SKIP() << "takes a minute: set TILESCOPE_LONG_TESTS";
    const std::string data = TILESCOPE_SOURCE_DIR "/../shared/datasets";
    if (!fs::is_directory(data + "/mnist"))
        GTEST_SKIP() << "MNIST is not beside the checkout";
    const auto& [name, arguments, epochs, few, all] = GetParam();
    const auto lines = lines_of(data, name, arguments);
    expect_epochs(lines, epochs, all);
    if (name == "mnist.py") {
        EXPECT_TRUE(holds(page(), "\n    " + lines.at(1) + "\n")) << lines.at(1);
    }
    expect_profile();
}

INSTANTIATE_TEST_SUITE_P(All, TutorialScript, testing::ValuesIn(scripts), [](const auto& script) {
    std::string name = script.param.name;
    for (const std::string& argument : script.param.arguments)
        name += argument;
    return std::regex_replace(name, std::regex("\\.py|[^A-Za-z0-9]+"), "_");
});

TEST_F(TutorialScripts, ThePortingTutorialPrintsLossAndTimeOfEachEpoch) {
    write_few_images("fashion-mnist");
    const auto lines = lines_of("few", "porting_a_model.py", {});
    std::vector<double> losses;
    std::size_t times = 0;
    for (const std::string& line : lines) {
        if (line.starts_with("Loss: "))
            losses.push_back(std::stod(line.substr(6)));
        times += line.starts_with("Time: ") && std::stod(line.substr(6)) > 0 ? 1U : 0U;
    }
    ASSERT_EQ(losses.size(), 5U);
    EXPECT_EQ(times, 5U);
    EXPECT_LT(losses.back(), losses.front()) << "it learns the labels of the noise by heart";
    EXPECT_EQ(lines.back(), "Program ran successfully");
    expect_profile();
}

} // namespace
} // namespace tilescope::tests
