// SPDX-License-Identifier: GPL-3.0-or-later
// The selected range, or what is in view, as a trace for other viewers.
#include "base/try.h"
#include "export/chrome_trace.h"
#include "ui/trace/trace_view.h"

#include <QAction>
#include <QFile>
#include <QFileDialog>
#include <QFileInfo>
#include <fstream>

namespace tilescope::ui {
namespace {

/// Written beside it first, so that there is never half of one.
Result<void> writeTrace(const profile::Profile& file, const std::string& path, analyse::Range range) {
    const std::string part = path + ".part";
    std::ofstream out(part);
    auto written = exports::chrome_trace(file, out, exports::TracePart{.cycles = range});
    out.close();
    if (written && !out)
        written = Failure(Error{ErrorKind::System, "the trace cannot be written", path,
                                "check the folder and the free space"});
    const QString from = QString::fromStdString(part);
    const QString to = QString::fromStdString(path);
    if (!written) {
        QFile::remove(from);
        return written;
    }
    QFile::remove(to);
    if (!QFile::rename(from, to))
        return Failure(
            Error{ErrorKind::System, "the trace cannot take its name", path, "look for it at " + part});
    return {};
}

} // namespace

void TraceView::makeExportAction() {
    auto* action = new QAction(tr("Export trace of the range…"), timeline_);
    action->setToolTip(tr("The selected range, else what is in view, for Perfetto and chrome://tracing"));
    connect(action, &QAction::triggered, this, [this] {
        const QString path = QFileDialog::getSaveFileName(
            this, tr("Export trace of the range"),
            sources().current ? sources().current->name() + QStringLiteral(".json") : QString(),
            tr("Chrome traces (*.json)"));
        if (!path.isEmpty())
            exportRange(path);
    });
    timeline_->addAction(action);
}

void TraceView::exportRange(const QString& path) {
    const bool base = timeline_->range() && range_base_;
    TraceFeed* feed = feedOf(base);
    if (feed == nullptr || !feed->tables() || feed->tables()->range.second <= feed->tables()->range.first) {
        Q_EMIT message(tr("There is no time line to export."));
        return;
    }
    const analyse::Range range = totalsSubject(base).range;
    Q_EMIT message(tr("Writing %1 …").arg(QFileInfo(path).fileName()));
    feed->source().ask<bool>(
        this, QStringLiteral("trace export"),
        [path = path.toStdString(), range](const profile::Profile& file) -> Result<bool> {
            TRY(writeTrace(file, path, range));
            return true;
        },
        [this, path](const Result<bool>& written) {
            Q_EMIT message(written ? tr("%1 is written.").arg(path)
                                   : QString::fromStdString(written.error().line()));
        });
}

} // namespace tilescope::ui
