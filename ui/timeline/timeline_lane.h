// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/pipeline.h"

#include <QString>
#include <cstdint>
#include <vector>

namespace tilescope::ui {

/// What a lane's slices stand for. Phases are drawn as red, exchange, sync parts; activities of a pipeline in
/// colours of their own, with gaps for idling; the rest in stable hues.
enum class LaneKind { Execution, Step, Layer, Operation, Program, Phases, Activity };

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
    analyse::PipelineActivity activity = analyse::PipelineActivity::Idle; ///< of a lane of activities
    std::int64_t slot = -1;                                               ///< of the pipeline's schedule
    std::int64_t micro_batch = -1;
};

/// Slices in order of start, without overlap.
struct TimelineLane {
    LaneKind kind = LaneKind::Phases;
    QString name;
    std::vector<TimelineSlice> slices;
    QString remark;        ///< below the name, where there is room
    std::int64_t key = -1; ///< what a click on the name says
};

/// The lanes of one IPU of one file.
struct TimelineGroup {
    std::int64_t ipu = 0;
    bool base = false; ///< of the file that is compared with
    QString name;
    std::vector<TimelineLane> lanes;
};

/// A part of the time line with a name above the lanes and faint lines around it.
struct TimelineSection {
    std::int64_t start = 0;
    std::int64_t end = 0;
    QString label;
    std::int64_t inner = -1; ///< a fainter line within; -1: none
};

/// One piece of the overview strip: how busy the IPUs were, 0 … 1 by phase, or by activity of a pipeline.
struct OverviewPiece {
    std::int64_t start = 0;
    std::int64_t end = 0;
    double compute = 0;
    double exchange = 0;
    double sync = 0;
    double host = 0;
    analyse::PipelineShares activities{};
};

} // namespace tilescope::ui
