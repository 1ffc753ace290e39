// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "training.h"

#include <string>

namespace tilescope::bench {

/// Samples per second of a training: the fastest of several rounds, since whatever else runs only takes away.
struct Rate {
    double of_processor = 0; ///< per second of processor time, all threads together
    double of_wall = 0;
};

struct Contestant {
    std::string name;
    std::unique_ptr<Training> training;
    Rate rate;
};

/// Random samples with classes that can be learnt from them.
std::vector<Batch> random_batches(std::size_t count, std::int64_t batch, std::int64_t features);

/// Trains all with the same batches; the largest relative difference of a loss from the first contestant's.
double largest_difference(std::vector<Contestant>& contestants, const std::vector<Batch>& batches);

/// In turns, so that what else the machine does meets them alike.
void measure(std::vector<Contestant>& contestants, const std::vector<Batch>& batches, int rounds);

} // namespace tilescope::bench
