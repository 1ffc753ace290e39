// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/app/command_fixture.h"

#include <sstream>

namespace tilescope::tests {
namespace {

class Listing : public CommandTest {
  protected:
    static int count(const std::string& text, const std::string& part) {
        int found = 0;
        for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
            ++found;
        return found;
    }
};

// The totals that the Keras tutorial prints for its CNN.
TEST_F(Listing, TheSummaryHasTheParametersThatKerasPrints) {
    for (const std::string& model :
         {sample("keras_mnist"), std::string(TILESCOPE_SOURCE_DIR "/samples/models/mnist_cnn.json")}) {
        const std::string text = printed({"summary", model});
        EXPECT_TRUE(holds(text, "Total params: 34,826\nTrainable params: 34,826\nNon-trainable params: 0\n"))
            << text;
        const auto document = this->document({"summary", model, "--format", "json"});
        EXPECT_EQ(document.at("parameters"), 34826);
        std::vector<std::int64_t> each;
        for (const auto& layer : document.at("layers"))
            if (layer.at("parameters") != 0)
                each.push_back(layer.at("parameters"));
        EXPECT_EQ(each, (std::vector<std::int64_t>{320, 18496, 16010}));
    }
    expect_failure(run({"summary", "none.json"}), 3, {"none.json: there is no such file"});
}

// IPUs, and a multi-IPU device for each power of two that divides them: 4 + 2 + 1, 16 + 8 + 4 + 2 + 1.
TEST_F(Listing, DevicesOfASystemAreItsIpusAndTheirGroups) {
    for (const auto& [system, ipus, devices] :
         {std::tuple{"ipu", 1, 1}, std::tuple{"pod4", 4, 7}, std::tuple{"pod16", 16, 31},
          std::tuple{"pod64", 64, 127}, std::tuple{"server16", 16, 31}}) {
        const std::string text = printed({"devices", "--system", system});
        EXPECT_EQ(count(text, "-+- Id: ["), devices) << text;
        EXPECT_EQ(count(text, "target: [Multi IPU]"), devices - ipus) << text;
        EXPECT_TRUE(holds(text, "Id: [" + std::to_string(devices - 1) + "]")) << text;
    }
    expect_failure(run({"devices", "--system", "pod5"}), 3, {"pod5", "did you mean \"pod4\"?"});
}

TEST_F(Listing, MonitorShowsWhereAFinishedRunStands) {
    const std::string file = record_training();
    const std::string text = printed({"monitor", file});
    EXPECT_EQ(text.rfind("mnist-tf2  complete: done", 0), 0U) << text;
    double all = 0;
    for (const std::string phase : {"compute", "exchange", "sync", "host"}) {
        const std::string start = "\n" + phase + " ";
        ASSERT_EQ(count(text, start), 1) << text;
        std::istringstream row(text.substr(text.find(start) + start.size()));
        double share = -1;
        std::string unit;
        row >> share >> unit;
        EXPECT_GE(share, 0) << text;
        EXPECT_EQ(unit, "%") << text;
        all += share;
    }
    EXPECT_NEAR(all, 100, 0.3) << "each is rounded to a tenth";
    EXPECT_TRUE(holds(text, "1,330MHz")) << text;
    EXPECT_TRUE(holds(printed({"monitor", file, "--follow"}), "complete: done")) << "it ends at once";
}

} // namespace
} // namespace tilescope::tests
