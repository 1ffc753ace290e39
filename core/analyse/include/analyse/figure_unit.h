// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/spelling.h"

namespace tilescope::analyse {

using tilescope::to_string;

/// What a figure is a number of. Share: of 1. Times: of another figure. Words: a setting that is no number,
/// whose words underscores join.
enum class FigureUnit {
    None,
    Cycles,
    Us,
    Seconds,
    Bytes,
    Samples,
    SamplesPerS,
    Flops,
    FlopsPerS,
    Share,
    Times,
    Count,
    Hz,
    Words
};
/// As documents and texts have it.
constexpr auto spelling(FigureUnit) {
    return spelled("unit", "", "cycles", "us", "s", "bytes", "samples", "samples/s", "flops", "flops/s",
                   "share", "times", "count", "Hz", "words");
}

} // namespace tilescope::analyse
