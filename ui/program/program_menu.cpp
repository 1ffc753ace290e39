// SPDX-License-Identifier: GPL-3.0-or-later
// The context menu of the program.
#include "ui/program/program_view.h"
#include "ui/session/subject_menu.h"

#include <QAction>
#include <QLineEdit>
#include <QTreeView>

namespace tilescope::ui {
namespace {

/// A step and all below it as a question for Query; "": it stands in no table, as a stage of a pipeline.
QString stepsSql(const ProgramTree& tree, const ProgramStep& step) {
    if (step.stage_ipu >= 0)
        return {};
    const QString table = tree.program.id == 0 ? QStringLiteral("program") : QStringLiteral("further_step");
    return QStringLiteral("WITH RECURSIVE below (id) AS (SELECT %1\n"
                          "    UNION ALL SELECT p.id FROM %2 p JOIN below ON p.parent_id = below.id)\n"
                          "SELECT p.id AS program_id, p.kind, p.name, p.operation_id, p.repeats, p.runs,\n"
                          "    p.sync_cycles, p.exchange_cycles, p.compute_cycles, p.ipu\n"
                          "FROM %2 p JOIN below ON p.id = below.id ORDER BY p.id")
        .arg(step.id)
        .arg(table);
}

} // namespace

void ProgramView::makeMenu() {
    const auto cursor = [this] {
        const QModelIndex row = view_->currentIndex();
        return row.isValid() ? view_->visualRect(row.siblingAtColumn(0)).center() : QPoint(8, 8);
    };
    const auto chosen_by_the_press = [](const QPoint&) {};
    offerMenu(view_, chosen_by_the_press, cursor, [this](const QPoint& global) { showMenu(global); });
}

void ProgramView::showMenu(const QPoint& global) {
    SubjectMenu menu(*this);
    const QModelIndex row = view_->currentIndex().siblingAtColumn(0);
    if (row.isValid()) {
        menu.goTo({QStringLiteral("operations"), QStringLiteral("trace"), QStringLiteral("liveness"),
                   QStringLiteral("memory"), QStringLiteral("exchange"), QStringLiteral("graph")});
        const ProgramStep& step = model_->tree().steps[model_->stepAt(row)];
        menu.add(tr("Show only this"), [this, name = step.label] { filter_->setText(name); });
        if (!step.leaf())
            menu.add(
                view_->isExpanded(row) ? tr("Collapse") : tr("Expand"),
                [this, at = QPersistentModelIndex(row)] { view_->setExpanded(at, !view_->isExpanded(at)); });
        QStringList heads, cells;
        for (int c = 0; c < model_->columnCount(); ++c)
            if (!view_->isColumnHidden(c)) {
                heads << model_->headerData(c, Qt::Horizontal, ProgramModel::ExactRole).toString();
                cells << row.siblingAtColumn(c).data(ProgramModel::ExactRole).toString();
            }
        const QString sql = stepsSql(model_->tree(), step);
        menu.add(
            tr("Open as SQL"), [this, sql] { Q_EMIT sqlRequested(sql); }, !sql.isEmpty());
        menu.copy(tr("Copy name"), step.label);
        menu.copy(tr("Copy row"), cells.join(QLatin1Char('\t')));
        menu.copy(tr("Copy row as Markdown"), markdownRow(heads, cells));
    }
    if (!filter_->text().isEmpty())
        menu.add(tr("Show all again"), [this] { filter_->clear(); });
    for (const char* action : {"expand", "collapse"})
        menu.add(findChild<QAction*>(QLatin1String(action)));
    for (const char* action : {"copy", "export"})
        menu.save(findChild<QAction*>(QLatin1String(action)));
    menu.save(*view_);
    menu.popup(global);
}

} // namespace tilescope::ui
