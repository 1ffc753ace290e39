// SPDX-License-Identifier: GPL-3.0-or-later
#include "import/keras_layers.h"

#include <algorithm>
#include <fstream>
#include <sstream>

namespace tilescope::import {
namespace {

TEST(LayerReference, NamesEveryLayerThatIsSupported) {
    std::ifstream file(TILESCOPE_SOURCE_DIR "/resources/docs/workloads.md");
    std::ostringstream text;
    text << file.rdbuf();
    const std::string page = text.str();
    const auto begin = page.find("\nLayers: ");
    ASSERT_NE(begin, std::string::npos);
    std::istringstream list(page.substr(begin + 9, page.find('.', begin) - begin - 9));
    std::vector<std::string> described;
    for (std::string name; list >> name;) {
        name.erase(std::remove(name.begin(), name.end(), ','), name.end());
        described.push_back(name);
    }
    std::vector<std::string> supported = supported_layers();
    std::sort(supported.begin(), supported.end());
    std::sort(described.begin(), described.end());
    EXPECT_EQ(described, supported);
}

} // namespace
} // namespace tilescope::import
