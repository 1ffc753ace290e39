// SPDX-License-Identifier: GPL-3.0-or-later
#include "build_paths.h"
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

// Two IPUs wait for each other: those shares count too.
TEST_F(Listing, TheSharesThatMonitorPrintsAddUp) {
    printed({"profile", sample("keras_mnist_8ipu"), "--estimate", "--epochs", "1", "-o", "eight.tilescope",
             "--progress", "none"});
    std::istringstream lines(printed({"monitor", "eight.tilescope"}));
    int tenths = 0;
    for (std::string line; std::getline(lines, line);)
        if (line.ends_with(" %")) {
            const std::string number = line.substr(line.rfind(' ', line.size() - 3) + 1);
            tenths += 10 * std::stoi(number) + (number[number.find('.') + 1] - '0');
        }
    EXPECT_EQ(tenths, 1000);
}

// The two tables of gc-monitor; what a simulation has no reading of is N/A.
TEST_F(Listing, MonitorHasTheColumnsOfTheVendorsTool) {
    const std::string text = printed({"monitor", record_tutorial()});
    EXPECT_TRUE(holds(text, "Partition: ipu [active] has 1 simulated IPU\n")) << text;
    EXPECT_TRUE(holds(text, "\nIPU-M ")) << text;
    for (const char* column :
         {" Serial ", " IPU-M SW ", " Server version ", " ICU FW ", " Type ", " ID ", " IPU# ", " Routing "})
        EXPECT_EQ(count(text, column), 1) << column << text;
    EXPECT_TRUE(holds(text, " N/A ")) << text;
    EXPECT_TRUE(holds(text, "\nNo attached processes\n")) << text;
}

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
    expect_failure(run({"devices", "--system", "pod5"}), 2, {"pod5", "did you mean \"pod4\"?"});
}

// The example in the vendor's documentation of gc-info.
TEST_F(Listing, AMachineIsListedAsGcInfoListsIt) {
    EXPECT_EQ(printed({"devices", "--system", "pod4"}),
              "Graphcore device listing:\n"
              "Partition: pod4 [active]\n"
              "-+- Id: [0], target: [Fabric], IPU-M host: [10.1.5.10], IPU#: [3]\n"
              "-+- Id: [1], target: [Fabric], IPU-M host: [10.1.5.10], IPU#: [2]\n"
              "-+- Id: [2], target: [Fabric], IPU-M host: [10.1.5.10], IPU#: [1]\n"
              "-+- Id: [3], target: [Fabric], IPU-M host: [10.1.5.10], IPU#: [0]\n"
              "-+- Id: [4], target: [Multi IPU]\n"
              " |--- Id: [0], DNC Id: [0], IPU-M host: [10.1.5.10], IPU#: [3]\n"
              " |--- Id: [1], DNC Id: [1], IPU-M host: [10.1.5.10], IPU#: [2]\n"
              "-+- Id: [5], target: [Multi IPU]\n"
              " |--- Id: [2], DNC Id: [0], IPU-M host: [10.1.5.10], IPU#: [1]\n"
              " |--- Id: [3], DNC Id: [1], IPU-M host: [10.1.5.10], IPU#: [0]\n"
              "-+- Id: [6], target: [Multi IPU]\n"
              " |--- Id: [0], DNC Id: [0], IPU-M host: [10.1.5.10], IPU#: [3]\n"
              " |--- Id: [1], DNC Id: [1], IPU-M host: [10.1.5.10], IPU#: [2]\n"
              " |--- Id: [2], DNC Id: [2], IPU-M host: [10.1.5.10], IPU#: [1]\n"
              " |--- Id: [3], DNC Id: [3], IPU-M host: [10.1.5.10], IPU#: [0]\n");
}

TEST_F(Listing, CardsAreListedWithTheirPciDomains) {
    const std::string text = printed({"devices", "--system", "server16"});
    EXPECT_TRUE(holds(text, "-+- Id: [13], target: [PCIe], PCI Domain: [0000:b9:00.0]\n")) << text;
    EXPECT_TRUE(holds(text, "-+- Id: [24], target: [Multi IPU]\n"
                            " |--- PCIe Id: [5], DNC Id: [0], PCI Domain: [0000:3e:00.0]\n"
                            " |--- PCIe Id: [7], DNC Id: [1], PCI Domain: [0000:44:00.0]\n"
                            " |--- PCIe Id: [4], DNC Id: [2], PCI Domain: [0000:3d:00.0]\n"
                            " |--- PCIe Id: [6], DNC Id: [3], PCI Domain: [0000:43:00.0]\n"
                            "-+- Id: [25]"))
        << text;
}

// The first and the last IPU of each system, and which machine they are in.
TEST_F(Listing, MachinesOfAPodAreListedOneAfterAnother) {
    for (const auto& [system, last, host] :
         {std::tuple{"pod16", 15, "10.1.5.13"}, std::tuple{"pod64", 63, "10.1.5.25"},
          std::tuple{"pod256", 255, "10.1.5.73"}})
        EXPECT_TRUE(holds(printed({"devices", "--system", system}), "-+- Id: [" + std::to_string(last) +
                                                                        "], target: [Fabric], IPU-M host: [" +
                                                                        host + "], IPU#: [0]\n"))
            << system;
}

TEST_F(Listing, DevicesAsJsonHaveTheirMembersAndLinks) {
    const auto pod = document({"devices", "--system", "pod4", "--format", "json"});
    EXPECT_EQ(pod["ipus"], 4);
    EXPECT_EQ(pod["links"], nlohmann::ordered_json::parse("[[0,1],[0,2],[1,3],[2,3]]"));
    ASSERT_EQ(pod["devices"].size(), 7U);
    EXPECT_EQ(pod["devices"][5]["members"], nlohmann::ordered_json::array({2, 3}));
    EXPECT_EQ(pod["devices"][5]["target"], "Multi IPU");
    EXPECT_EQ(pod["devices"][0]["ipu_number"], 3);
    EXPECT_EQ(pod["devices"][0]["ipu_m_host"], "10.1.5.10");
    const auto server = document({"devices", "--system", "server16", "--format", "json"});
    EXPECT_EQ(server["devices"][27]["members"], nlohmann::ordered_json({9, 11, 10, 8}));
    EXPECT_EQ(server["devices"][15]["pci_domain"], "0000:bb:00.0");
    expect_failure(run({"devices", "--format", "xml"}), 2, {"xml"});
}

TEST_F(Listing, MonitorShowsWhereAFinishedRunStands) {
    const std::string file = record_training();
    const std::string text = printed({"monitor", file});
    EXPECT_EQ(text.rfind("mnist-tf2  complete: done", 0), 0U) << text;
    const auto reported = document({"report", file, "--format", "json"}).at("timing").at("by_phase");
    double cycles = 0;
    for (const auto& [phase, of_phase] : reported.items())
        cycles += of_phase.get<double>();
    for (const std::string phase : {"compute", "exchange", "sync", "host"}) {
        const std::string start = "\n" + phase + " ";
        ASSERT_EQ(count(text, start), 1) << text;
        std::istringstream row(text.substr(text.find(start) + start.size()));
        double share = -1;
        std::string unit;
        row >> share >> unit;
        EXPECT_NEAR(share, 100 * reported.at(phase).get<double>() / cycles, 0.0501) << text;
        EXPECT_EQ(unit, "%") << text;
    }
    EXPECT_TRUE(holds(text, " free\n")) << "a run that has ended holds no device" << text;
    EXPECT_TRUE(holds(printed({"monitor", file, "--follow"}), "complete: done")) << "it ends at once";
}

} // namespace
} // namespace tilescope::tests
