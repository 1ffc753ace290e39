// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/theme/sight.h"
#include "ui/memory/memory_view.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <vector>

namespace tilescope::ui {
namespace {

using analyse::Lasting;
using analyse::TileRegion;
using Part = analyse::MemoryParts::Part;

/// Of the nearest two, over readers of any sight: 1 is just noticeable.
double nearest(const std::vector<Part>& parts, const Theme& theme) {
    double least = 100;
    for (const tests::Sight sight : tests::all_sights)
        for (std::size_t i = 0; i < parts.size(); ++i)
            for (std::size_t j = 0; j < i; ++j)
                least = std::min(
                    least, tests::difference(tests::seen(MemoryView::colorOf(parts[i], 0).in(theme), sight),
                                             tests::seen(MemoryView::colorOf(parts[j], 0).in(theme), sight)));
    return least;
}

TEST(PartColors, OfRegionsAndOfWhatIsAlwaysLiveAreToldApartByReadersOfAnySight) {
    const std::vector<Part> regions{
        {TileRegion::NonInterleaved, {}}, {TileRegion::Interleaved, {}}, {TileRegion::Overflowed, {}}};
    const std::vector<Part> lasting{{Lasting::Always, {}}, {Lasting::NotAlways, {}}};
    for (const bool dark : {false, true})
        for (const ThemeColours colours : theme_colours) {
            const Theme& theme = Theme::get(dark, colours);
            EXPECT_GE(nearest(regions, theme), 18) << dark << static_cast<int>(colours);
            EXPECT_GE(nearest(lasting, theme), 18) << dark << static_cast<int>(colours);
        }
}

} // namespace
} // namespace tilescope::ui
