// SPDX-License-Identifier: GPL-3.0-or-later
// What can be done with the run as a whole: its report, and the same run again.
#include "base/try.h"
#include "export/run_report.h"
#include "export/whole_file.h"
#include "ui/session/format.h"
#include "ui/summary/summary_view.h"
#include "ui/theme/themed_label.h"
#include "ui/widgets/headed_page.h"
#include "ui/widgets/view_action.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QFileDialog>
#include <QFileInfo>
#include <QMenu>
#include <QPushButton>

namespace tilescope::ui {
namespace {

const QString report_topic = QStringLiteral("report");

/// By the end of the file's name; what ends otherwise is text.
exports::ReportFormat formatOf(const QString& path) {
    const QString end = QFileInfo(path).suffix().toLower();
    return end == QLatin1String("html") || end == QLatin1String("htm") ? exports::ReportFormat::Html
           : end == QLatin1String("md")                                ? exports::ReportFormat::Markdown
           : end == QLatin1String("json")                              ? exports::ReportFormat::Json
                                                                       : exports::ReportFormat::Text;
}

} // namespace

QWidget* SummaryView::makeHead() {
    save_report_ = addKeyAction(this, tr("Save report…"), Qt::CTRL | Qt::Key_E, [this] {
        const QString path = QFileDialog::getSaveFileName(
            this, tr("Save the report of this run"), sources().current->stem() + QStringLiteral(".html"),
            tr("Page with pictures (*.html);;Markdown (*.md);;Text (*.txt);;JSON (*.json)"));
        if (!path.isEmpty())
            saveReport(path);
    });
    save_report_->setObjectName(QStringLiteral("saveReport"));
    save_report_->setToolTip(tr("Write what `tilescope report` tells of this run: as a page with pictures, "
                                "Markdown, text or JSON (Ctrl+E)"));
    copy_report_ =
        addKeyAction(this, tr("Copy report as Markdown"), Qt::CTRL | Qt::SHIFT | Qt::Key_E, [this] {
            askMarkdown([this](const std::string& report) {
                QApplication::clipboard()->setText(text(report));
                Q_EMIT message(tr("The report is copied."));
            });
        });
    copy_report_->setObjectName(QStringLiteral("copyReport"));
    copy_report_->setToolTip(tr("Take the report to the clipboard (Ctrl+Shift+E)"));
    run_again_ = addKeyAction(this, tr("Run again…"), Qt::CTRL | Qt::SHIFT | Qt::Key_R,
                              [this] { Q_EMIT runAgainRequested({}); });
    run_again_->setObjectName(QStringLiteral("runAgain"));

    auto* report = new QPushButton(tr("Report…"));
    report->setObjectName(QStringLiteral("reportButton"));
    report->setToolTip(tr("Save or copy the report of this run"));
    auto* ways = new QMenu(report);
    ways->addActions({save_report_, copy_report_});
    report->setMenu(ways);
    auto* again = new QPushButton(run_again_->text());
    again->setObjectName(QStringLiteral("runAgainButton"));
    connect(again, &QPushButton::clicked, run_again_, &QAction::trigger);
    const auto show = [this, report, again] {
        report->setEnabled(save_report_->isEnabled());
        again->setEnabled(run_again_->isEnabled());
        again->setToolTip(run_again_->toolTip());
    };
    for (QAction* action : {save_report_, run_again_})
        connect(action, &QAction::changed, this, show);
    offerRun();
    return headRow(heading_, {report, again});
}

/// What can be done with the file that is there now; that it can be run again is known a little later.
void SummaryView::offerRun() {
    const bool some = sources().current != nullptr;
    for (QAction* action : {save_report_, copy_report_, run_again_})
        action->setEnabled(some);
    run_again_->setToolTip(tr("Set up the same run in Live (Ctrl+Shift+R)"));
    if (some)
        sources().current->ask<RunAgain>(
            this, QStringLiteral("run again"), runAgainOf, [this](const Result<RunAgain>& again) {
                const QString problem = again ? again->problem : text(again.error().line());
                run_again_->setEnabled(problem.isEmpty());
                if (!problem.isEmpty())
                    run_again_->setToolTip(problem);
            });
}

void SummaryView::askMarkdown(const std::function<void(const std::string&)>& then) {
    sources().current->ask<std::string>(
        this, report_topic,
        [](const profile::Profile& file) { return exports::report(file, exports::ReportFormat::Markdown); },
        [this, then](const Result<std::string>& report) {
            if (report)
                then(*report);
            else
                Q_EMIT message(text(report.error().line()));
        });
}

void SummaryView::saveReport(const QString& path) {
    Q_EMIT message(tr("Writing %1 …").arg(QFileInfo(path).fileName()));
    sources().current->ask<std::string>(
        this, report_topic,
        [path](const profile::Profile& file) -> Result<std::string> {
            TRY(const std::string report, exports::report(file, formatOf(path)));
            TRY(exports::write_whole_file(path.toStdString(), [&](std::ostream& out) -> Result<void> {
                out << report;
                return {};
            }));
            return std::string();
        },
        [this, path](const Result<std::string>& written) {
            Q_EMIT message(written ? tr("%1 is written.").arg(path) : text(written.error().line()));
        });
}

} // namespace tilescope::ui
