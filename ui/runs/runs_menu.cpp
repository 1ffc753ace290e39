// SPDX-License-Identifier: GPL-3.0-or-later
// The context menu of the charts of runs.
#include "run_reader.h"
#include "ui/runs/runs_view.h"
#include "ui/session/format.h"
#include "ui/session/subject_menu.h"
#include "ui/widgets/parallel_axes.h"
#include "ui/widgets/scatter_plot.h"

#include <QAction>

namespace tilescope::ui {

void RunsView::makeMenu() {
    const auto show = [this](QWidget& chart, const QPoint& global) { showMenu(chart, global); };
    offerMenuOf(plot_, show);
    offerMenuOf(axes_chart_, show);
}

/// Another view of a run is one of its file.
void RunsView::showMenu(QWidget& chart, const QPoint& global) {
    SubjectMenu menu(*this);
    if (chosen_.size() == 1) {
        const analyse::RunEntry& run = reader_->runs()[static_cast<std::size_t>(*chosen_.begin())];
        const QString path = text(run.path);
        menu.goTo({QStringLiteral("summary"), QStringLiteral("insights"), QStringLiteral("memory"),
                   QStringLiteral("operations"), QStringLiteral("trace")},
                  [this, path](const QString& view) {
                      Q_EMIT fileRequested(path);
                      Q_EMIT viewRequested(view);
                  });
        menu.copy(tr("Copy name"), text(run.workload));
        menu.copy(tr("Copy path"), path);
    }
    menu.add(compare_);
    menu.add(what_if_);
    menu.save(chart);
    menu.popup(global);
}

} // namespace tilescope::ui
