// SPDX-License-Identifier: GPL-3.0-or-later
#include "build_paths.h"
#include "keras/layers.h"
#include "onnx/model.h"
#include "operators/elementwise.h"

#include <algorithm>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

namespace tilescope::workload {
namespace {

/// The names of a list of the page about workloads, sorted: what stands from `start` to the next full stop.
std::vector<std::string> described(const std::string& start) {
    std::ifstream file(TILESCOPE_SOURCE_DIR "/resources/docs/workloads.md");
    std::ostringstream text;
    text << file.rdbuf();
    const std::string page = text.str();
    const auto begin = page.find("\n" + start);
    if (begin == std::string::npos)
        return {};
    const auto names = begin + 1 + start.size();
    std::istringstream list(page.substr(names, page.find('.', names) - names));
    std::vector<std::string> result;
    for (std::string name; list >> name;) {
        name.erase(std::remove(name.begin(), name.end(), ','), name.end());
        result.push_back(name);
    }
    std::sort(result.begin(), result.end());
    return result;
}

TEST(LayerReference, NamesEveryLayerThatIsSupported) {
    std::vector<std::string> supported = keras::supported_layers();
    std::sort(supported.begin(), supported.end());
    EXPECT_EQ(described("Layers: "), supported);
}

TEST(LayerReference, NamesEveryOnnxOperatorThatIsSupported) {
    std::vector<std::string> described_elsewhere; // by their rows of the page about operators
    for (const operators::UnaryFunction& function : operators::unary_functions())
        if (!function.onnx.empty())
            described_elsewhere.push_back(function.onnx);
    std::vector<std::string> named = described("Operators: ");
    named.insert(named.end(), described_elsewhere.begin(), described_elsewhere.end());
    std::sort(named.begin(), named.end());
    EXPECT_EQ(named, onnx::supported_onnx_operators());
}

} // namespace
} // namespace tilescope::workload
