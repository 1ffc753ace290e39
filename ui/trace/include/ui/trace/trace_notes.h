// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/error.h"
#include "ui/timeline/timeline_lane.h"

#include <QString>
#include <vector>

namespace tilescope::ui {

/// The marks and notes of a profile lie beside it: {"marks": [{"cycle": 12, "to": 40, "note": "slow"}]}, of
/// which `to` and `note` may be missing.
QString notesPath(const QString& profile); ///< "run.tilescope.notes.json"
/// Where the folder cannot be written, they lie in the user's own.
QString ownNotesPath(const QString& profile);

/// None where there is no such file. Errors: BadInput where it cannot be read or is no such document.
Result<std::vector<TimelineMark>> readNotes(const QString& profile);
/// Without marks there is no file. Errors: where neither place can be written.
Result<void> writeNotes(const QString& profile, const std::vector<TimelineMark>& marks);

} // namespace tilescope::ui
