// SPDX-License-Identifier: GPL-3.0-or-later
#include "profile/records.h"

namespace tilescope::profile {

std::string to_string(RunStatus status) {
    switch (status) {
    case RunStatus::Running:
        return "running";
    case RunStatus::Complete:
        return "complete";
    case RunStatus::Cancelled:
        return "cancelled";
    case RunStatus::OutOfMemory:
        return "out_of_memory";
    case RunStatus::Killed:
        return "killed";
    case RunStatus::Failed:
        break;
    }
    return "failed";
}

std::string to_string(Phase phase) {
    switch (phase) {
    case Phase::Recompute:
        return "recompute";
    case Phase::Backward:
        return "backward";
    case Phase::Update:
        return "update";
    case Phase::Forward:
        break;
    }
    return "forward";
}

std::string to_string(ExecutionKind kind) {
    switch (kind) {
    case ExecutionKind::Evaluate:
        return "evaluate";
    case ExecutionKind::Predict:
        return "predict";
    case ExecutionKind::Train:
        break;
    }
    return "train";
}

} // namespace tilescope::profile
