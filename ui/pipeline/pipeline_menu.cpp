// SPDX-License-Identifier: GPL-3.0-or-later
// The context menu of the pipeline.
#include "ui/pipeline/pipeline_view.h"
#include "ui/pipeline/stage_panel.h"
#include "ui/session/subject_link.h"
#include "ui/session/subject_menu.h"
#include "ui/timeline/pipeline_slice.h"
#include "ui/timeline/timeline_widget.h"
#include "ui/widgets/data_table.h"

#include <QAction>

namespace tilescope::ui {

void PipelineView::makeMenu() {
    offerMenu(
        timeline_, {}, [this] { return timeline_->viewport()->rect().center(); },
        [this](const QPoint& global) {
            if (data_.any() && selection() != nullptr)
                showMenu(global);
        });
}

/// What the rows of the tables are about: the IPU of a stage.
void PipelineView::nameSubjects() {
    const auto stage_link = [this](std::int64_t stage) {
        const profile::IpuRecord* ipu = data_.ipuOf(stage, replica());
        return ipu == nullptr ? QString() : linkTo(Subject::Ipu, ipu->id);
    };
    for (DataTable* table : {&panel_->shares(), &panel_->cycles()})
        table->setSubjects(stage_link);
    panel_->life().setSubjects([this, stage_link](std::int64_t pass) {
        const auto stage = panel_->stageOfPass(pass);
        return stage ? stage_link(*stage) : QString();
    });
    panel_->stashes().setSubjects([this](std::int64_t stash) {
        return stash < 0 || stash >= std::ssize(data_.stashes)
                   ? QString()
                   : linkTo(Subject::Ipu, data_.stashes[static_cast<std::size_t>(stash)].ipu);
    });
}

void PipelineView::showMenu(const QPoint& global) {
    SubjectMenu menu(*this);
    menu.goTo({QStringLiteral("trace"), QStringLiteral("sharding"), QStringLiteral("memory"),
               QStringLiteral("liveness"), QStringLiteral("program")});
    const Selection& s = selection()->current();
    menu.add(findChild<QAction*>(QStringLiteral("fit")));
    menu.add(
        tr("Let go of the micro-batch"), [this] { chooseMicroBatch(-1); }, micro_batch_ >= 0);
    menu.add(
        tr("Let go of the range"), [this] { clearRange(); }, timeline_->range().has_value());
    const profile::IpuRecord* ipu = data_.ipu(s.ipu);
    QStringList heads, cells;
    const auto cell = [&](const QString& head, const QString& value) {
        heads << head;
        cells << value;
    };
    if (ipu != nullptr) {
        cell(tr("IPU"), QString::number(ipu->id));
        if (ipu->stage >= 0)
            cell(tr("Stage"), QString::number(ipu->stage));
    }
    if (micro_batch_ >= 0) {
        cell(tr("Micro-batch"), QString::number(micro_batch_));
        cell(tr("Activity"), activityName(s.activity));
    }
    QStringList words;
    for (qsizetype i = 0; i < heads.size(); ++i)
        words << heads[i] + QLatin1Char(' ') + cells[i];
    menu.copy(tr("Copy name"), words.join(QStringLiteral(", ")));
    if (!heads.isEmpty())
        menu.copy(tr("Copy as Markdown"), markdownRow(heads, cells));
    menu.save(*timeline_);
    menu.popup(global);
}

} // namespace tilescope::ui
