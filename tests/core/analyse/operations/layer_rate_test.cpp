// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/layer_rate.h"

#include <gtest/gtest.h>

namespace tilescope::analyse {

// 6,000 operations in 400 cycles at 1 GHz: 15 in a nanosecond.
TEST(LayerRate, IsOfTheTimeInWhichItComputes) {
    LayerCost layer;
    layer.flops = 6000;
    layer.cycles.compute = 400;
    layer.cycles.exchange = 1000;
    profile::TargetRecord target;
    target.clock_hz = 1e9;
    EXPECT_DOUBLE_EQ(flops_per_s(layer, target).value_or(0), 15e9);
    target.clock_hz = 0;
    EXPECT_FALSE(flops_per_s(layer, target));
    target.clock_hz = 1e9;
    layer.flops = 0;
    EXPECT_FALSE(flops_per_s(layer, target));
    layer.flops = 6000;
    layer.cycles.compute = 0;
    EXPECT_FALSE(flops_per_s(layer, target));
}

} // namespace tilescope::analyse
