// SPDX-License-Identifier: GPL-3.0-or-later
// The context menu of the graph.
#include "ui/graph/graph_view.h"
#include "ui/session/subject_menu.h"

#include <QAction>

namespace tilescope::ui {

void GraphView::makeMenu() {
    const auto cursor = [this] {
        const std::size_t focus = canvas_->marks().focus;
        return focus == GraphScene::no_box
                   ? canvas_->rect().center()
                   : canvas_->toWidget(canvas_->scene().boxes[focus].rect.center()).toPoint();
    };
    offerMenu(canvas_, {}, cursor, [this](const QPoint& global) {
        if (graph_)
            showMenu(global);
    });
}

void GraphView::showMenu(const QPoint& global) {
    SubjectMenu menu(*this);
    const std::size_t focus = canvas_->marks().focus;
    if (drawn() && focus != GraphScene::no_box) {
        menu.goTo({QStringLiteral("operations"), QStringLiteral("program"), QStringLiteral("trace"),
                   QStringLiteral("memory"), QStringLiteral("liveness"), QStringLiteral("exchange")});
        const GraphBox& box = canvas_->scene().boxes[focus];
        QStringList heads{tr("Name")}, cells;
        if (box.kind == GraphBox::Kind::Node) {
            const GraphNode& node = graph_->nodes[box.index];
            heads << tr("Kind") << tr("Shape");
            cells << node.name << node.type << node.shape;
            menu.copy(tr("Copy shape"), node.shape);
        } else {
            const GraphGroup& group = graph_->groups[box.index];
            heads << tr("Operations");
            cells << group.name << QString::number(group.members.size());
            menu.add(
                box.kind == GraphBox::Kind::Frame ? tr("Fold") : tr("Unfold"), [this, focus] { open(focus); },
                group.folds());
        }
        if (const GraphGroup* around = unfoldedAround(focus);
            around != nullptr && box.kind != GraphBox::Kind::Frame)
            menu.add(tr("Fold %1").arg(around->name), [this] { foldAround(); });
        menu.copy(tr("Copy name"), cells.first());
        menu.copy(tr("Copy as Markdown"), markdownRow(heads, cells));
        menu.add(findChild<QAction*>(QStringLiteral("fit")));
        menu.add(findChild<QAction*>(QStringLiteral("neighbourhood")));
    }
    for (const char* action : {"whole", "expand", "list", "collapse"})
        menu.add(findChild<QAction*>(QLatin1String(action)));
    for (const char* action : {"copy", "copyOperations", "export"})
        menu.save(findChild<QAction*>(QLatin1String(action)));
    menu.popup(global);
}

} // namespace tilescope::ui
