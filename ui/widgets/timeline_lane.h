// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <cstdint>
#include <vector>

namespace tilescope::ui {

/// What a lane's slices stand for. Phases are drawn as red, exchange, sync parts; the rest in stable hues.
enum class LaneKind { Execution, Step, Layer, Operation, Program, Phases };

/// One box of a lane, or what several boxes too short to be told apart became.
struct TimelineSlice {
    std::int64_t start = 0; ///< cycles
    std::int64_t end = 0;
    QString label;
    std::int64_t execution = -1;
    std::int64_t step = -1;
    std::int64_t layer = -1;
    std::int64_t operation = -1;
    std::int64_t program = -1;
    std::int64_t merged = 1;
    std::int64_t sync = 0;
    std::int64_t exchange = 0;
    std::int64_t compute = 0;
    std::int64_t host = 0;  ///< transfers of stream copies, and the host's own time
    bool inter_ipu = false; ///< its exchange is between IPUs
    bool whole = false;     ///< an execution whose program steps were not traced
};

/// Slices in order of start, without overlap.
struct TimelineLane {
    LaneKind kind = LaneKind::Phases;
    QString name;
    std::vector<TimelineSlice> slices;
};

/// The lanes of one IPU of one file.
struct TimelineGroup {
    std::int64_t ipu = 0;
    bool base = false; ///< of the file that is compared with
    QString name;
    std::vector<TimelineLane> lanes;
};

/// One piece of the overview strip: how busy the IPUs were, 0 … 1 by phase.
struct OverviewPiece {
    std::int64_t start = 0;
    std::int64_t end = 0;
    double compute = 0;
    double exchange = 0;
    double sync = 0;
    double host = 0;
};

} // namespace tilescope::ui
