// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <functional>

namespace tilescope::profile {
struct ProgressRecord;
struct RunRecord;
} // namespace tilescope::profile

namespace tilescope::ui {

class PageStack;
class View;

/// Why a run whose program is not recorded has none yet: how far it is, and when `view` (a title) has it, or
/// how it ended before; plain text. "": a run that has got further, or is complete.
QString nothingYetText(const profile::RunRecord& run, const profile::ProgressRecord& progress,
                       const QString& view);

/// Asks the file that `view` shows for that, and has `show` tell it; else `otherwise`, where only what the
/// view shows is missing.
void askNothingYet(View& view, const QString& otherwise, std::function<void(const QString& plain)> show);
/// The same in place of the view's page, `otherwise` as rich text. Of a run that used the CPU it offers to
/// run it on an IPU.
void showNothingYet(PageStack& pages, View& view, const QString& otherwise);

} // namespace tilescope::ui
