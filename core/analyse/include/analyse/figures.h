// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/figure_unit.h"

#include <string>
#include <vector>

namespace tilescope::analyse {

/// Which way a figure becomes better. Neither: it is no merit, as the number of a tile, or no property of the
/// run, as the wall time of its compilation.
enum class Sense { Neither, LessIsBetter, MoreIsBetter };

/// A figure that people read, and what it is. Its definition stands in resources/docs/figures.md.
struct Figure {
    const char* name; ///< as comparisons call it: "step time"
    const char* key;  ///< in the report's document: "timing.step_us", "layers[].cycles"; "": not there
    FigureUnit unit;
    const char* per; ///< "step"; "" where it is of the whole run or of a moment
    Sense sense = Sense::Neither;
};

/// All of them, in the order of the documentation.
const std::vector<Figure>& figures();

/// The unit of the figure that a key of the documents is: cycles of "layers[].by_phase.host", which is
/// "layers[].by_phase.PHASE".
FigureUnit unit_of(const std::string& key);

/// Of the figure that comparisons call `name`. Of metrics ("last epoch METRIC"), losses and errors are better
/// where they are less, accuracies where they are more.
Sense sense_of(const std::string& name);
/// 1: `now` is better than `base`, -1: worse, 0: neither.
int judged(double base, double now, Sense sense);

} // namespace tilescope::analyse
