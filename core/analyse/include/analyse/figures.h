// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

namespace tilescope::analyse {

/// A figure that people read, and what it is. Its definition stands in resources/docs/figures.md.
struct Figure {
    const char* name; ///< as comparisons call it: "step time"
    const char* key;  ///< in the report's document: "timing.step_us", "layers[].cycles"; "": not there
    const char* unit; ///< "cycles", "us", "s", "bytes", "samples/s", "" for numbers without one
    const char* per;  ///< "step"; "" where it is of the whole run or of a moment
};

/// All of them, in the order of the documentation.
const std::vector<Figure>& figures();

/// The unit of the figure that a key of the documents is: cycles of "layers[].by_phase.host", which is
/// "layers[].by_phase.PHASE"; "" for numbers without one.
std::string unit_of(const std::string& key);

} // namespace tilescope::analyse
