// SPDX-License-Identifier: GPL-3.0-or-later
// Whether the stages are drawn as time passes, or with each slot as wide as another.
#include "ui/pipeline/pipeline_view.h"

#include <QComboBox>
#include <algorithm>

namespace tilescope::ui {
namespace {

constexpr int slots_index = 1;

} // namespace

QComboBox* PipelineView::makeUnits() {
    units_ = new QComboBox;
    units_->setObjectName(QStringLiteral("pipelineUnit"));
    units_->setAccessibleName(tr("Unit"));
    units_->setToolTip(
        tr("Whether the stages are drawn as time passes, or with each slot of the schedule as wide "
           "as another (Shift+T)"));
    units_->addItem(tr("time"));
    units_->addItem(tr("slots"));
    units_->setSizePolicy(QSizePolicy::Maximum, QSizePolicy::Fixed);
    connect(units_, &QComboBox::activated, this, [this](int index) { showBySlot(index == slots_index); });
    return units_;
}

void PipelineView::drawStages() {
    const PipelineData& data = drawn();
    std::int64_t end = data.update.cycles;
    if (const PipelineData* base = baseData())
        end = std::max(end, drawnOf(*base).update.cycles);
    constexpr std::int64_t most_pieces = 1500;
    timeline_->setClock(data.clock_hz);
    timeline_->setOverview(pipelineOverview(data, most_pieces));
    timeline_->setSections(tr("Slot"), pipelineSections(data));
    showStages();
    timeline_->setLimits(0, end);
    units_->setEnabled(data_.slots != nullptr);
}

std::optional<std::pair<std::int64_t, std::int64_t>> PipelineView::rangeInCycles() const {
    const auto range = timeline_->range();
    const PipelineData* base = range_base_ ? baseData() : nullptr;
    const auto& scale = drawnOf(base != nullptr ? *base : data_).scale;
    if (!range || !scale)
        return range;
    return std::pair(scale->cycle(range->first), scale->cycle(range->second));
}

/// What is in view stays so, and so does the range.
void PipelineView::showBySlot(bool by_slot) {
    units_->setCurrentIndex(by_slot ? slots_index : 0);
    if (by_slot == by_slot_)
        return;
    const QVariantList zoom = timeline_->zoom();
    const auto range = rangeInCycles();
    by_slot_ = by_slot;
    if (!data_.any())
        return;
    drawStages();
    timeline_->setZoom(zoom);
    const PipelineData* base = range_base_ ? baseData() : nullptr;
    const auto& scale = drawnOf(base != nullptr ? *base : data_).scale;
    timeline_->setRange(
        range && scale ? std::optional(std::pair(scale->place(range->first), scale->place(range->second)))
                       : range);
    timeline_->dropRuler(); // its ends are no longer where they were
}

QJsonObject PipelineView::saveState() const {
    return {{QStringLiteral("slots"), by_slot_}};
}

void PipelineView::restoreState(const QJsonObject& state) {
    showBySlot(state[QStringLiteral("slots")].toBool());
}

} // namespace tilescope::ui
