// SPDX-License-Identifier: GPL-3.0-or-later
// The selected range, or what is in view, as a picture, a table, or a trace for other viewers.
#include "base/try.h"
#include "export/chrome_trace.h"
#include "export/steps_csv.h"
#include "export/whole_file.h"
#include "range_picture.h"
#include "ui/session/format.h"
#include "ui/session/subject_menu.h"
#include "ui/trace/trace_view.h"
#include "ui/widgets/view_action.h"

#include <QAction>
#include <QFileDialog>
#include <QFileInfo>

namespace tilescope::ui {
namespace {

const QString export_topic = QStringLiteral("trace export");

bool ends(const QString& path, const char* suffix) {
    return path.endsWith(QLatin1String(suffix), Qt::CaseInsensitive);
}

} // namespace

void TraceView::makeExportAction() {
    QAction* action = addKeyAction(timeline_, tr("Export the range…"), Qt::CTRL | Qt::Key_E, [this] {
        const QString path = QFileDialog::getSaveFileName(
            this, tr("Export the range"),
            sources().current ? sources().current->stem() + QStringLiteral(".png") : QString(),
            tr("Picture of its lanes (*.png *.svg);;Program steps (*.csv);;Chrome trace (*.json)"));
        if (!path.isEmpty())
            exportRange(path);
    });
    markExport(action);
    action->setToolTip(
        tr("The selected range, else what is in view, as a picture of the lanes that are shown, "
           "as a table of their program steps, or for Perfetto and chrome://tracing (Ctrl+E)"));
}

void TraceView::exportRange(const QString& path) {
    const bool base = timeline_->range() && range_base_;
    const TraceFeed* feed = feedOf(base);
    if (feed == nullptr || !feed->tables() || feed->tables()->range.second <= feed->tables()->range.first) {
        Q_EMIT message(tr("There is no time line to export."));
        return;
    }
    Q_EMIT message(tr("Writing %1 …").arg(QFileInfo(path).fileName()));
    if (ends(path, ".png") || ends(path, ".svg"))
        exportPicture(path);
    else if (ends(path, ".csv"))
        exportSteps(path, base);
    else
        exportTrace(path, base);
}

void TraceView::told(const QString& path, const Result<std::int64_t>& written) {
    Q_EMIT message(!written        ? QString::fromStdString(written.error().line())
                   : *written == 0 ? tr("%1 is written.").arg(path)
                                   : tr("%1 is written: %2 program steps.").arg(path, formatCount(*written)));
}

void TraceView::exportTrace(const QString& path, bool base) {
    const analyse::Range range = totalsSubject(base).range;
    feedOf(base)->source().ask<std::int64_t>(
        this, export_topic,
        [path = path.toStdString(), range](const profile::Profile& file) -> Result<std::int64_t> {
            TRY(exports::write_whole_file(path, [&](std::ostream& out) {
                return exports::chrome_trace(file, out, exports::TracePart{.cycles = range});
            }));
            return 0;
        },
        [this, path](const Result<std::int64_t>& written) { told(path, written); });
}

void TraceView::exportSteps(const QString& path, bool base) {
    const analyse::Range range = totalsSubject(base).range;
    std::vector<std::int64_t> shown;
    for (const TimelineGroup& group : timeline_->groups())
        if (group.base == base && group.ipu >= 0 &&
            std::find(shown.begin(), shown.end(), group.ipu) == shown.end())
            shown.push_back(group.ipu);
    feedOf(base)->source().ask<std::int64_t>(
        this, export_topic,
        [path = path.toStdString(), range, shown](const profile::Profile& file) -> Result<std::int64_t> {
            std::int64_t steps = 0;
            const auto write = [&](std::ostream& out) -> Result<void> {
                TRY(steps, exports::steps_csv(file, out, range, shown));
                return {};
            };
            TRY(exports::write_whole_file(path, write));
            return steps;
        },
        [this, path](const Result<std::int64_t>& written) { told(path, written); });
}

/// "mnist, 1.2 ms from 3.4 ms": what is drawn, which an estimate says.
void TraceView::exportPicture(const QString& path) {
    struct Kind {
        bool estimate = false;
    };
    feed_->source().ask<Kind>(
        this, export_topic,
        [](const profile::Profile& file) -> Result<Kind> {
            TRY(const auto run, file.run());
            return Kind{run.estimate};
        },
        [this, path](const Result<Kind>& kind) {
            if (!kind || feed_ == nullptr || !feed_->tables())
                return;
            const auto range = timeline_->range();
            RangePicture::Wanted wanted{
                timeline_, feed_, base_, lanes_, tiles_, timeline_->view().from(), timeline_->view().to()};
            if (range) {
                wanted.from = static_cast<double>(range->first);
                wanted.to = static_cast<double>(range->second);
            }
            constexpr int least_width = 1200;
            wanted.width = std::max(least_width, timeline_->width());
            const auto time = [this](double cycles) { return formatTime(cycles, clock()); };
            wanted.heading = inHtml(tr("<b>%1</b>%2%3: %4 from %5 on"),
                                    {feed_->source().name(),
                                     base_ == nullptr ? QString() : tr(" and %1").arg(base_->source().name()),
                                     kind->estimate ? tr(", estimate") : QString(),
                                     time(wanted.to - wanted.from), time(wanted.from)});
            auto* picture = new RangePicture(wanted, path, this);
            connect(picture, &RangePicture::done, this, [this, picture, path](const QString& error) {
                picture->deleteLater();
                Q_EMIT message(error.isEmpty() ? tr("%1 is written.").arg(path) : error);
            });
        });
}

} // namespace tilescope::ui
