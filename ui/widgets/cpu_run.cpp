// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/cpu_run.h"

#include "profile/profile.h"
#include "ui/session/view.h"
#include "ui/widgets/page_stack.h"

#include <functional>

namespace tilescope::ui {

void showCpuRun(PageStack& pages, View& view, const profile::RunRecord& run) {
    std::function<void()> offered;
    if (!run.workload_path.empty())
        offered = [&view] { Q_EMIT view.runAgainRequested({QStringLiteral("device=ipu")}); };
    pages.showText(View::tr("This run used the CPU: no tiles, exchanges or program steps were simulated."),
                   View::tr("Run it on an IPU"), std::move(offered));
}

} // namespace tilescope::ui
