// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/accuracy.h"

#include <gtest/gtest.h>

namespace tilescope::analyse {
namespace {

const ErrorBands bands{{FigureKind::Compute, 3, 1.111, 0.756, 1.284, "a, b, c"},
                       {FigureKind::Memory, 1, 1.25, 0.8, 0.8, "d"}};

} // namespace

TEST(Accuracy, SaysOfEachKindHowFarItsFiguresAreOff) {
    EXPECT_EQ(typical_error(bands, {FigureKind::Compute}), "typical error ×1.11");
    EXPECT_EQ(typical_error(bands, {FigureKind::Compute, FigureKind::Memory}),
              "typical error of cycles ×1.11, of bytes ×1.25");
    EXPECT_EQ(typical_error(bands, {FigureKind::Host, FigureKind::Memory}), "typical error of bytes ×1.25")
        << "nothing is known of whole steps";
    EXPECT_EQ(typical_error(bands, {FigureKind::Host}), "");
    EXPECT_EQ(typical_error(bands, {}), "");
    EXPECT_EQ(typical_error({}, {FigureKind::Compute}), "") << "computed on the host";
}

TEST(Accuracy, NamesThePublishedFigures) {
    EXPECT_EQ(band_of(bands, FigureKind::Host), nullptr);
    EXPECT_EQ(
        error_text(*band_of(bands, FigureKind::Compute)),
        "Figures of this kind (cycles) were predicted at 0.756 to 1.28 of what is published, on average "
        "a factor of 1.11 off, over 3 rows: a, b, c");
    EXPECT_EQ(error_text(*band_of(bands, FigureKind::Memory)),
              "Figures of this kind (bytes) were predicted at 0.8 to 0.8 of what is published, on average a "
              "factor of 1.25 off, over 1 row: d");
}

} // namespace tilescope::analyse
