// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/moved_layers.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace tilescope::analyse {
namespace {

profile::OperationRecord operation(std::int64_t id, std::int64_t layer, std::int64_t ipu) {
    profile::OperationRecord record;
    record.id = id;
    record.name = "op" + std::to_string(id);
    record.kind = "matmul";
    record.layer_id = layer;
    record.ipu = ipu;
    return record;
}

// Of three layers the second goes from IPU 1 to IPU 0 under another name, the third to both; a fourth is new.
TEST(MovedLayers, AreThoseOfBothRunsWhoseOperationsLieElsewhere) {
    using Layers = std::vector<profile::LayerRecord>;
    const Parts base{
        Layers{{0, "a", "Dense", "[4]", 20}, {1, "b", "Dense", "[8]", 40}, {2, "c", "Dense", "[2]", 18}},
        std::vector{operation(0, 0, 0), operation(1, 1, 1), operation(2, 2, 1), operation(3, 2, 1)}};
    const Parts now{Layers{{0, "a", "Dense", "[4]", 20},
                           {1, "beta", "Dense", "[8]", 40},
                           {2, "c", "Dense", "[2]", 18},
                           {3, "d", "Softmax", "[2]", 0}},
                    std::vector{operation(0, 0, 0), operation(1, 1, 0), operation(2, 2, 0),
                                operation(3, 2, 1), operation(4, 3, 1), operation(5, -1, 1)}};
    const auto moved = moved_layers(base, now, match(base, now));
    ASSERT_EQ(moved.size(), 2U);
    EXPECT_EQ(moved[0].name, "beta");
    EXPECT_EQ(move_text(moved[0]), "IPU 1 → 0");
    EXPECT_EQ(moved[1].id, 2);
    EXPECT_EQ(move_text(moved[1]), "IPU 1 → 0, 1");
    EXPECT_TRUE(moved_layers(base, base, match(base, base)).empty());
}

} // namespace
} // namespace tilescope::analyse
