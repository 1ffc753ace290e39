// SPDX-License-Identifier: GPL-3.0-or-later
// What of the graph is folded: operations into layers, layers into blocks, blocks into stacks.
#include "ui/graph/graph_view.h"
#include "ui/session/format.h"
#include "ui/widgets/view_action.h"

#include <QMessageBox>
#include <QPushButton>
#include <utility>

namespace tilescope::ui {

void GraphView::makeFoldActions() {
    addViewAction(this, tr("Unfold all"), QStringLiteral("expand"), Qt::Key_E,
                  tr("Show the operations of every layer (E)"), [this] { askToUnfold(); });
    addViewAction(this, tr("Layers"), QStringLiteral("list"), Qt::Key_L,
                  tr("Show one box for each layer and phase, also of blocks that repeat (L)"),
                  [this] { unfoldLayers(); });
    addViewAction(this, tr("Fold all"), QStringLiteral("collapse"), Qt::Key_C,
                  tr("Show one box for blocks that repeat, and for each other layer and phase (C)"), [this] {
                      fits_next_ = true;
                      unfold({});
                  });
    addKeyAction(canvas_, tr("Fold what holds the box"), Qt::Key_Backspace, [this] { foldAround(); });
}

/// As many boxes as that take a while, and tell little.
void GraphView::askToUnfold() {
    constexpr std::size_t most_unasked = 4000;
    const std::size_t boxes = graph_ ? graph_->nodes.size() : 0;
    if (boxes <= most_unasked)
        return unfoldOperations();
    auto* question =
        new QMessageBox(QMessageBox::Question, tr("Unfold all"),
                        tr("Show %1 boxes at once?").arg(formatCount(static_cast<std::int64_t>(boxes))),
                        QMessageBox::Cancel, this);
    question->setObjectName(QStringLiteral("unfolding"));
    question->setAttribute(Qt::WA_DeleteOnClose);
    const QPushButton* unfold = question->addButton(tr("Unfold"), QMessageBox::AcceptRole);
    connect(unfold, &QPushButton::clicked, this, &GraphView::unfoldOperations);
    question->open();
}

void GraphView::unfold(const std::set<QString>& groups) {
    choice_.unfolded = groups;
    if (graph_)
        layOut(graph_);
}

void GraphView::unfoldGroups(std::size_t from) {
    std::set<QString> keys;
    for (std::size_t g = from; graph_ && g < graph_->groups.size(); ++g)
        keys.insert(graph_->groups[g].key);
    unfold(keys);
}

void GraphView::unfoldLayers() {
    unfoldGroups(graph_ ? graph_->layer_groups : 0);
}

void GraphView::unfoldOperations() {
    unfoldGroups(0);
}

void GraphView::open(std::size_t index) {
    if (!drawn() || index >= canvas_->scene().boxes.size()) // others came while a menu was open
        return;
    const GraphBox& box = canvas_->scene().boxes[index];
    if (box.kind == GraphBox::Kind::Node || !graph_->groups[box.index].folds())
        return;
    const QString& key = graph_->groups[box.index].key;
    std::set<QString> groups = choice_.unfolded;
    if (groups.erase(key) == 0)
        groups.insert(key);
    unfold(groups);
}

/// The innermost that is unfolded, of what holds a box and of the box itself.
const GraphGroup* GraphView::unfoldedAround(std::size_t box) const {
    const GraphBox& at = canvas_->scene().boxes[box];
    const bool node = at.kind == GraphBox::Kind::Node;
    for (const std::size_t holder : graph_->holders(node ? graph_->nodes[at.index].group : at.index))
        if (graph_->groups[holder].folds() && choice_.unfolded.contains(graph_->groups[holder].key))
            return &graph_->groups[holder];
    return nullptr;
}

void GraphView::foldAround() {
    const std::size_t focus = canvas_->marks().focus;
    const GraphGroup* around = drawn() && focus != GraphScene::no_box ? unfoldedAround(focus) : nullptr;
    if (around == nullptr)
        return;
    choice_.unfolded.erase(around->key);
    focus_node_ = GraphScene::no_box;
    focus_group_ = static_cast<std::size_t>(around - graph_->groups.data());
    layOut(graph_);
}

bool GraphView::unfoldAround(std::size_t group) {
    bool folded = false;
    for (const std::size_t holder : graph_->holders(group))
        folded =
            (graph_->groups[holder].folds() && choice_.unfolded.insert(graph_->groups[holder].key).second) ||
            folded;
    return folded;
}

/// An operation is shown itself; of a layer, its own boxes.
void GraphView::bringSelection() {
    if (!graph_ || !isVisible())
        return;
    const bool reveal = std::exchange(reveal_when_shown_, false);
    const Selection s = selection() != nullptr ? selection()->current() : Selection{};
    bool folded = false;
    const auto node =
        focus_node_ != GraphScene::no_box ? std::optional(focus_node_) : graph_->nodeOf(s.operation);
    if (reveal && node)
        folded = unfoldAround(graph_->nodes[*node].group);
    else if (reveal && s.layer >= 0)
        for (const GraphGroup& group : graph_->groups)
            if (group.layer == s.layer && group.within != OperationGraph::no_group)
                folded = unfoldAround(group.within) || folded;
    if (folded) {
        reveal_when_shown_ = true; // in the drawing that comes
        return layOut(graph_);
    }
    mark(reveal);
    tellDetails();
}

} // namespace tilescope::ui
