// SPDX-License-Identifier: GPL-3.0-or-later
// How full and how busy each of several IPUs is: the part of SummaryView that shows it.
#include "analyse/replicas.h"
#include "analyse/stage_ipus.h"
#include "base/try.h"
#include "ui/session/also_text.h"
#include "ui/session/format.h"
#include "ui/summary/summary_view.h"
#include "ui/widgets/card.h"
#include "ui/widgets/ipu_gauges.h"

#include <QLabel>
#include <QVBoxLayout>
#include <utility>

namespace tilescope::ui {

void SummaryView::makeGauges() {
    gauges_of_ =
        new QLabel(tr("Each IPU: its fullest tile, gaps included; share of the time in which it computes"));
    gauges_of_->setForegroundRole(QPalette::PlaceholderText);
    gauges_of_->setWordWrap(true);
    gauges_ = new IpuGauges;
    gauges_->setObjectName(QStringLiteral("summaryIpus"));
    gauges_->setChoosing(tr("Show the IPU in Sharding"));
    phases_card_->body()->addSpacing(6);
    phases_card_->body()->addWidget(gauges_of_);
    phases_card_->body()->addWidget(gauges_);
    connect(gauges_, &IpuGauges::chosen, this, [this](int gauge) {
        if (selection() == nullptr)
            return;
        Selection s = selection()->current();
        s.lookAt(gauged_[static_cast<std::size_t>(gauge)]);
        s.tiles.clear();
        selection()->set(s);
        Q_EMIT viewRequested(QStringLiteral("sharding"));
    });
}

/// Those of replicas that do the same stand for one.
void SummaryView::showGauges(const analyse::Summary& s) {
    const bool several = s.ipus.size() > 1;
    gauges_of_->setVisible(several);
    gauges_->setVisible(several);
    if (!several)
        return;
    sources().current->ask<Gauged>(
        this, QStringLiteral("fullest tile of each IPU"),
        [](const profile::Profile& file) -> Result<Gauged> {
            TRY(auto ipus, file.ipus());
            TRY(auto fullest, analyse::fullest_tiles(file, ipus));
            TRY(const auto operations, file.operations());
            auto stages = analyse::stage_ipus(operations, ipus);
            return Gauged{std::move(ipus), std::move(fullest), std::move(stages)};
        },
        [this, s](const Result<Gauged>& found) {
            if (found)
                fillGauges(s, *found);
        });
}

void SummaryView::fillGauges(const analyse::Summary& s, const Gauged& found) {
    std::vector<IpuGauges::Gauge> gauges;
    gauged_.clear();
    for (std::size_t i = 0; i < found.ipus.size(); ++i) {
        const profile::IpuRecord& ipu = found.ipus[i];
        if (analyse::first_like(ipu, found.ipus) != ipu.id)
            continue;
        IpuGauges::Gauge gauge{
            ipuName(ipu.id, analyse::all_like(ipu.id, found.ipus),
                    text(analyse::stages_text(analyse::stages_on(ipu, found.stage_ipus))))};
        if (const auto bytes = found.fullest[i].bytes; bytes > 0)
            gauge.setFull(bytes, s.target.bytes_per_tile);
        for (const analyse::IpuSummary& each : s.ipus)
            if (each.id == ipu.id)
                gauge.setBusy(each.utilisation);
        gauges.push_back(std::move(gauge));
        gauged_.push_back(ipu.id);
    }
    gauges_->setGauges(std::move(gauges));
}

} // namespace tilescope::ui
