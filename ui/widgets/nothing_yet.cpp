// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/nothing_yet.h"

#include "base/try.h"
#include "base/wait_text.h"
#include "profile/profile.h"
#include "ui/session/format.h"
#include "ui/session/view.h"
#include "ui/widgets/cpu_run.h"
#include "ui/widgets/page_stack.h"
#include "ui/widgets/run_status.h"

#include <utility>

namespace tilescope::ui {
namespace {

struct RunSoFar {
    profile::RunRecord run;
    profile::ProgressRecord progress;
    bool compiled = false; ///< its first program
    QString whyNothingIn(const View& view) const {
        return compiled ? QString() : nothingYetText(run, progress, view.title());
    }
    static Result<RunSoFar> read(const profile::Profile& file) {
        RunSoFar so_far;
        TRY(so_far.run, file.run());
        TRY(so_far.progress, file.progress());
        TRY(const auto programs, file.device_programs());
        so_far.compiled = !programs.empty();
        return so_far;
    }
};

void askSoFar(View& view, std::function<void(const RunSoFar&)> told) {
    if (view.sources().current)
        view.sources().current->ask<RunSoFar>(&view, QStringLiteral("how far the run is"), &RunSoFar::read,
                                              [told = std::move(told)](const Result<RunSoFar>& so_far) {
                                                  if (so_far)
                                                      told(*so_far);
                                              });
}

} // namespace

QString nothingYetText(const profile::RunRecord& run, const profile::ProgressRecord& progress,
                       const QString& view) {
    const bool compiling = progress.activity == profile::RunActivity::Compile;
    if (profile::ran_to_its_end(run.status) ||
        (!compiling && progress.activity != profile::RunActivity::Prepare))
        return {};
    if (run.status != profile::RunStatus::Running)
        return View::tr("Nothing was compiled: %1. Summary has how the run ended.")
            .arg(run.error.empty() ? statusText(run.status) : text(run.error));
    if (!compiling || progress.steps == 0)
        return View::tr("The run is being prepared. The view %1 appears once it is compiled.").arg(view);
    constexpr double ms = 1e-3;
    return View::tr("Compiling: %1, %2 so far. The view %3 appears after the last one.")
        .arg(passText(progress), text(wait_text(static_cast<double>(progress.elapsed_ms) * ms)), view);
}

void askNothingYet(View& view, const QString& otherwise, std::function<void(const QString& plain)> show) {
    askSoFar(view, [&view, otherwise, show = std::move(show)](const RunSoFar& so_far) {
        const QString yet = so_far.whyNothingIn(view);
        show(yet.isEmpty() ? otherwise : yet);
    });
}

void showNothingYet(PageStack& pages, View& view, const QString& otherwise) {
    askSoFar(view, [&pages, &view, otherwise](const RunSoFar& so_far) {
        const QString yet = so_far.whyNothingIn(view);
        if (so_far.run.device == profile::RunDevice::Cpu)
            showCpuRun(pages, view, so_far.run);
        else
            pages.showText(yet.isEmpty() ? otherwise : asHtml(yet));
    });
}

} // namespace tilescope::ui
