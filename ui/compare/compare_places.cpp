// SPDX-License-Identifier: GPL-3.0-or-later
// Where the layers and operations of a comparison lead.
#include "base_offers.h"
#include "bridge_chart.h"
#include "ui/compare/compare_view.h"
#include "ui/session/subject_link.h"
#include "ui/session/subject_menu.h"
#include "ui/widgets/data_table.h"

namespace tilescope::ui {

void CompareView::offerPlaces() {
    connect(bridge_, &BridgeChart::layerActivated, this,
            [this] { Q_EMIT viewRequested(QStringLiteral("operations")); });
    connect(bridge_, &BridgeChart::partChosen, this, [this] {
        const Selection s = selection() == nullptr ? Selection() : selection()->current();
        bridge_at_ = {s.operation, s.layer};
        tellDetails();
    });
    offerSubjectOf(*this, bridge_, [this] {
        const auto layer = layer_ids_.find(bridge_->chosenLayer().toStdString());
        return PictureSubject{bridge_->chosenName(),
                              layer == layer_ids_.end() ? QString() : linkTo(Subject::Layer, layer->second)};
    });
    for (DataTable* of_layers : {causes_, layers_})
        of_layers->setSubjects([](std::int64_t layer) { return linkTo(Subject::Layer, layer); });
    for (DataTable* of_operations : {operations_, plans_})
        of_operations->setSubjects(
            [](std::int64_t operation) { return linkTo(Subject::Operation, operation); });
}

/// Below the button, as long as there is no base.
QWidget* CompareView::makeOffers() {
    offers_ = new BaseOffers;
    offers_->hide();
    connect(offers_, &BaseOffers::chosen, this, &View::comparisonRequested);
    connect(offers_, &BaseOffers::changed, offers_,
            [this] { offers_->setVisible(offers_->topLevelItemCount() > 0); });
    return offers_;
}

void CompareView::offer(const QStringList& open, const QList<QStringList>& comparisons) {
    offers_->offer(sources().current && !sources().base ? sources().current->path() : QString(), open,
                   comparisons);
    if (isVisible())
        offers_->look();
}

void CompareView::chooseOperation(std::int64_t operation) {
    const auto layer = layer_of_operation_.find(operation);
    choose(operation, layer == layer_of_operation_.end() ? -1 : layer->second);
}

void CompareView::choosePart(const analyse::HandMatch& names) {
    if (names.part == analyse::PartKind::Layer) {
        const auto layer = layer_ids_.find(names.now);
        return choose(-1, layer == layer_ids_.end() ? -1 : layer->second);
    }
    const auto operation = operation_ids_.find(names.now);
    if (operation == operation_ids_.end())
        return choose(-1, -1);
    chooseOperation(operation->second);
}

/// Where it shows: what fills the tile in Memory, what changes a layer among its operations, and what is of
/// no layer, as launching engine runs, in Trace.
void CompareView::goToCause(std::int64_t layer) {
    constexpr int bytes_column = 2;
    const QModelIndex row = causes_->view()->currentIndex();
    choose(-1, layer);
    if (row.siblingAtColumn(bytes_column).data().toString() != absentCell().text)
        Q_EMIT viewRequested(QStringLiteral("memory"));
    else
        Q_EMIT viewRequested(layer >= 0 ? QStringLiteral("operations") : QStringLiteral("trace"));
}

} // namespace tilescope::ui
