// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/app/command_fixture.h"

#include <filesystem>

namespace tilescope::tests {
namespace {

/// A small data set in IDX files (yann.lecun.com/exdb/mnist, "File formats"): 64 images for training and 32
/// for evaluation.
class BadData : public CommandTest {
  protected:
    void SetUp() override {
        std::filesystem::create_directory(folder.path() / "mnist");
        for (const auto& [split, count] : {std::pair{"train", 64}, std::pair{"t10k", 32}}) {
            write(std::string("mnist/") + split + "-images-idx3-ubyte", images(count));
            write(std::string("mnist/") + split + "-labels-idx1-ubyte", labels(count));
        }
    }
    static std::string number(int value) { // big-endian
        return {static_cast<char>(value >> 24), static_cast<char>(value >> 16), static_cast<char>(value >> 8),
                static_cast<char>(value)};
    }
    static std::string images(int count) {
        std::string pixels(static_cast<std::size_t>(count) * 784, '\0');
        for (std::size_t i = 0; i < pixels.size(); ++i)
            pixels[i] = static_cast<char>(i * 7);
        return number(0x0803) + number(count) + number(28) + number(28) + pixels;
    }
    static std::string labels(int count) {
        std::string classes;
        for (int i = 0; i < count; ++i)
            classes += static_cast<char>(i % 10);
        return number(0x0801) + number(count) + classes;
    }
    Outcome train() const {
        return run({"profile", sample("mnist_tf2"), "--data", ".", "-o", "run.tilescope", "--progress",
                    "none", "--epochs", "1", "--set", "fit.steps_per_epoch=2", "--set",
                    "compile.steps_per_execution=2"});
    }
    void expect_refused(const std::vector<std::string>& parts) const {
        const auto before = files();
        expect_failure(train(), 3, parts);
        EXPECT_EQ(files(), before);
    }
};

TEST_F(BadData, WholeFilesAreTrainedOn) {
    ASSERT_EQ(train().exit_code, 0);
    const auto report = document({"report", "run.tilescope", "--format", "json"});
    EXPECT_EQ(report.at("run").at("data_note"), "") << "the files are used, nothing stands in";
    EXPECT_EQ(report.at("timing").at("steps"), 2);
}

TEST_F(BadData, FilesThatAreCutShortAreNamed) {
    const std::string whole = images(64);
    for (const std::size_t size : {whole.size() - 1, whole.size() / 2, std::size_t{16}, std::size_t{15}}) {
        write("mnist/train-images-idx3-ubyte", whole.substr(0, size));
        expect_refused({"mnist/train-images-idx3-ubyte: the file is truncated", "fetch it again"});
    }
    write("mnist/train-images-idx3-ubyte", whole);
    write("mnist/t10k-labels-idx1-ubyte", labels(32).substr(0, 20));
    expect_refused({"mnist/t10k-labels-idx1-ubyte: the file is truncated"});
}

TEST_F(BadData, FilesThatSayOtherThanTheyHoldAreNamed) {
    write("mnist/train-labels-idx1-ubyte", labels(64) + "x");
    expect_refused({"mnist/train-labels-idx1-ubyte: ", "longer than its header says"});
    write("mnist/train-labels-idx1-ubyte", labels(63));
    expect_refused({"64 images but 63 labels"});
    write("mnist/train-labels-idx1-ubyte", images(64));
    expect_refused({"mnist/train-labels-idx1-ubyte: not an IDX file"});
    write("mnist/train-labels-idx1-ubyte", number(0x0801) + number(-1));
    expect_refused({"mnist/train-labels-idx1-ubyte: "});
}

TEST_F(BadData, AMissingFileOfADataSetIsNamed) {
    std::filesystem::remove(folder / "mnist/t10k-labels-idx1-ubyte");
    expect_refused({"mnist: ", "no t10k-labels-idx1-ubyte"});
}

TEST_F(BadData, LabelsBeyondTheModelsOutputsAreRefused) {
    std::string classes = labels(64);
    classes.back() = 10; // the model tells 0 to 9 apart
    write("mnist/train-labels-idx1-ubyte", classes);
    expect_refused({"10 outputs", "11 classes"});
}

TEST_F(BadData, MoreSamplesThanThereAreAreRefused) {
    expect_failure(run({"profile", sample("mnist_tf2"), "--data", ".", "-o", "run.tilescope", "--set",
                        "data.train.samples=65"}),
                   3, {"mnist_tf2.json: data", "64 samples", "65"});
    EXPECT_EQ(files(), std::set<std::string>{"mnist"});
}

} // namespace
} // namespace tilescope::tests
