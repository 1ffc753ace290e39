// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <vector>

namespace tilescope::analyse {

/// How amounts of one kind are spread, as the histogram of a column shows it.
struct Distribution {
    static constexpr std::int64_t most_classes = 20;

    std::int64_t count = 0; ///< amounts; 0: there are none, and no classes
    double least = 0;
    double median = 0; ///< nearest rank: the least of which at least half are no larger
    double mean = 0;
    double most = 0;
    struct Class {
        double from = 0; ///< amounts from here on
        double to = 0;   ///< and less than this
        std::int64_t count = 0;
    };
    /// From that of the least amount to that of the most, each beginning where the one before ends.
    std::vector<Class> classes;

    /// Most amounts are in one class, so that classes that grow tell more.
    bool crowded() const;
};

/// How wide the classes are.
struct ClassWidths {
    bool grow = false;   ///< each is a multiple of the one before, and 0 is apart; of amounts below 0: equal
    bool binary = false; ///< they begin at powers of two, as bytes do, else at 1, 2 and 5 times those of ten
    double unit = 1;     ///< what they are multiples of: 1.33e6 of cycles that are shown in ms at 1.33 GHz
};

/// Classes begin at multiples of the least step of 1, 2 and 5 times a power of ten (`binary`: of the least
/// power of two) for which `most_classes` suffice; whole amounts have no step below 1. Amounts that are no
/// numbers are not counted.
Distribution distribution(std::vector<double> amounts, const ClassWidths& widths);

} // namespace tilescope::analyse
