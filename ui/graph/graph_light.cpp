// SPDX-License-Identifier: GPL-3.0-or-later
// Which part of the graph keeps its full colours: what is near to the selection, what has changed.
#include "ui/graph/graph_view.h"
#include "ui/session/format.h"
#include "ui/widgets/view_action.h"

#include <QAction>
#include <QCheckBox>
#include <algorithm>
#include <optional>
#include <set>

namespace tilescope::ui {

void GraphView::makeLightActions() {
    QAction* near = addKeyAction(
        canvas_, tr("Neighbourhood: 1 to 4 lines around what is chosen, or all"), Qt::Key_V, [this] {
            constexpr int most = 4;
            if (canvas_->marks().focus == GraphScene::no_box && around_ == 0)
                return Q_EMIT message(tr("Choose a box first, whose neighbourhood is shown."));
            showAround(around_ == most ? 0 : around_ + 1);
        });
    near->setObjectName(QStringLiteral("neighbourhood"));
    only_changes_ = new QCheckBox(tr("Only changes"), this);
    only_changes_->setObjectName(QStringLiteral("onlyChanges"));
    only_changes_->setToolTip(tr("What is the same in both files is pale"));
    only_changes_->hide();
    connect(only_changes_, &QCheckBox::toggled, this, &GraphView::light);
}

void GraphView::showAround(int steps) {
    around_ = steps;
    light();
    Q_EMIT message(steps == 0 ? tr("The whole graph.")
                              : tr("What is within %1 of what is chosen; V goes on.")
                                    .arg(formatCounted(steps, tr("line"), tr("lines"))));
}

void GraphView::light() {
    const GraphScene& scene = canvas_->scene();
    const GraphMarks& marks = canvas_->marks();
    std::optional<std::set<std::size_t>> lit;
    if (around_ > 0 && marks.focus != GraphScene::no_box)
        lit = neighbourhood(scene, {marks.focus}, around_);
    if (graph_ && base_ && sources().difference && only_changes_->isChecked() &&
        canvas_->graph() == graph_.get()) {
        std::set<std::size_t> changed;
        for (std::size_t b = 0; b < scene.boxes.size(); ++b) {
            const GraphBox& box = scene.boxes[b];
            if (box.kind == GraphBox::Kind::Frame || (lit && !lit->contains(b)))
                continue;
            const GraphChange change = box.kind == GraphBox::Kind::Node
                                           ? nodeChange(*graph_, *base_, box.index)
                                           : groupChange(*graph_, *base_, box.index);
            if (change != GraphChange::Same)
                changed.insert(b);
        }
        lit = std::move(changed);
    }
    canvas_->setLit(std::move(lit));
}

} // namespace tilescope::ui
