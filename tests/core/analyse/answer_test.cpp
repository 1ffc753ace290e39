// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/comparison.h"

#include <gtest/gtest.h>

namespace tilescope::analyse {

// A batch of 16 takes three quarters of the time of one of 64, and so three times as long for each sample.
TEST(Answer, UnlikeBatchesAreComparedPerSample) {
    Comparison c;
    c.basis = Basis::Step;
    c.bridge = TimeBridge{200, 150, {{"compute", -50, {}}}};
    c.headline = {{"step time", FigureUnit::Us, 200, 150},
                  {"throughput", FigureUnit::SamplesPerS, 320'000, 16 / 150e-6}};
    c.settings = {{"fit.batch_size", "batch", FigureUnit::None, "64", "16"}};
    EXPECT_EQ(answer(c, "a", "b"), "At batch 16 instead of 64, b takes 3 times as long as a: 9.38 µs instead "
                                   "of 3.12 µs per sample. Counted per step, b is 25.0 % faster than a: "
                                   "150 µs instead of 200 µs (−50 µs), of which −50 µs is compute.");
}

// Of equal batches a sample says no more than the step.
TEST(Answer, EqualBatchesAreComparedPerStep) {
    Comparison c;
    c.basis = Basis::Step;
    c.bridge = TimeBridge{200, 150, {{"compute", -50, {}}}};
    c.headline = {{"step time", FigureUnit::Us, 200, 150},
                  {"throughput", FigureUnit::SamplesPerS, 80'000, 16 / 150e-6}};
    EXPECT_EQ(answer(c, "a", "b"), "b is 25.0 % faster than a: 150 µs instead of 200 µs per step (−50 µs), "
                                   "of which −50 µs is compute.");
}

} // namespace tilescope::analyse
