// SPDX-License-Identifier: GPL-3.0-or-later
#include "history_page.h"

#include "ui/session/format.h"
#include "ui/theme/themed_label.h"
#include "ui/widgets/data_table.h"

#include <QVBoxLayout>
#include <algorithm>
#include <functional>

namespace tilescope::ui {

using analyse::AlikeExecutions;

namespace {

/// "train, epochs 1–3", "evaluate, epoch 2".
QString executionsName(const AlikeExecutions& alike) {
    QString kind = text(profile::to_string(alike.kind));
    if (alike.kind == profile::ExecutionKind::Predict)
        return kind;
    return alike.first_epoch == alike.last_epoch
               ? HistoryPage::tr("%1, epoch %2").arg(kind, formatCount(alike.first_epoch + 1))
               : HistoryPage::tr("%1, epochs %2–%3")
                     .arg(kind, formatCount(alike.first_epoch + 1), formatCount(alike.last_epoch + 1));
}

} // namespace

HistoryPage::HistoryPage(QWidget* parent)
    : QWidget(parent), told_(new ThemedLabel), executions_(new DataTable({}, {{tr("Executions")},
                                                                              {tr("How many")},
                                                                              {tr("Steps in each")},
                                                                              {tr("Each takes")},
                                                                              {tr("The operation in each")},
                                                                              {tr("Of its IPU time")},
                                                                              {tr("In all"), true}})) {
    told_->setObjectName(QStringLiteral("historyTold"));
    told_->setWordWrap(true);
    told_->setMargin(8);
    told_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    executions_->setObjectName(QStringLiteral("operationHistory"));
    executions_->setCaption(tr("IPU time; Enter shows the first of them in Trace"));
    connect(executions_, &DataTable::keyActivated, this, &HistoryPage::startChosen);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins({});
    column->setSpacing(0);
    column->addWidget(told_);
    column->addWidget(executions_, 1);
    column->addStretch();
    setFocusProxy(executions_);
}

void HistoryPage::setHistory(const QString& name, const std::vector<AlikeExecutions>& history,
                             double clock_hz) {
    std::vector<TableRow> rows;
    const auto [executions, known, of_it] = analyse::counts_of(history);
    for (const AlikeExecutions& alike : history) {
        if (!alike.takes_any())
            continue;
        rows.push_back(
            {alike.first_start,
             {textCell(executionsName(alike)), countCell(alike.count), countCell(alike.steps),
              cyclesCell(static_cast<double>(alike.cycles), clock_hz),
              cyclesCell(static_cast<double>(alike.spent->total()), clock_hz), shareCell(alike.share()),
              cyclesCell(static_cast<double>(alike.spent_in_all()), clock_hz)}});
    }
    QString told;
    if (history.empty()) {
        told = asHtml(tr("No execution has ended: what is planned for it is under Steps."));
    } else if (rows.empty()) {
        told = known < executions
                   ? inHtml(tr("Of the executions only the phases are known, not what %1 takes."), {name})
                   : inHtml(tr("%1 runs in no execution."), {name});
    } else {
        const auto one =
            std::find_if(history.begin(), history.end(), std::mem_fn(&AlikeExecutions::takes_any));
        const QString in = of_it == executions
                               ? (of_it == 1 ? tr("the only execution")
                                             : tr("each of the %1 executions").arg(formatCount(executions)))
                               : tr("%1 of %2 executions").arg(formatCount(of_it), formatCount(executions));
        told = rows.size() == 1
                   ? inHtml(tr("%1 takes <b>%2</b> of IPU time in %3, %4 of it%5."),
                            {name, formatCyclesAndTime(one->spent->total(), clock_hz), in,
                             formatPercent(one->share().value_or(0)),
                             of_it > 1 ? tr(", the same in each: they do one schedule") : QString()})
                   : inHtml(tr("%1 runs in %2, of <b>%3</b> kinds: those of one schedule are alike."),
                            {name, in, formatCount(std::ssize(rows))});
        if (known < executions)
            told += inHtml(tr(" Of %1 only the phases are known."),
                           {formatCounted(executions - known, tr("execution"), tr("executions"))});
    }
    told_->setHtml(told);
    executions_->setVisible(rows.size() > 1);
    executions_->setRows(std::move(rows));
}

} // namespace tilescope::ui
