// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

namespace tilescope::profile {
struct RunRecord;
}

namespace tilescope::ui {

class PageStack;
class View;

/// What a view of tiles, exchanges or program steps says of a run that had none, with a way to one that has
/// them, where the file names its workload.
void showCpuRun(PageStack& pages, View& view, const profile::RunRecord& run);

} // namespace tilescope::ui
