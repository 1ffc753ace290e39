// SPDX-License-Identifier: GPL-3.0-or-later
// The chart of all IPUs by the numbers of their tiles alone.
#include "analyse/tiles_by_number.h"

#include "memory_bar.h"
#include "ui/memory/memory_view.h"
#include "ui/session/format.h"
#include "ui/tiles/tile_chart.h"

#include <QAction>
#include <algorithm>

namespace tilescope::ui {

bool MemoryView::isByNumber() const {
    return by_number_->isChecked() && ipu_ < 0 && parts_.run_ipus() > 1 && !sources().difference;
}

void MemoryView::showByNumber(const analyse::MemoryParts& seen) {
    const analyse::TilesByNumber by = analyse::tiles_by_number(seen);
    chart_->setIpus({});
    chart_->setSeries(seriesOf(by.fullest));
    chart_->setNumbers(by.ipus, by.least);
    chart_->setGaps(bar_->gaps() ? by.fullest.with_gaps : std::vector<std::int64_t>{});
    if (sources().base && !base_.with_gaps.empty())
        chart_->setBase(analyse::tiles_by_number(base_.without(hidden_)).fullest.totals(),
                        sources().base->name());
    number_ipus_ = by.ipus;
}

/// The bytes of the selected variable on the tiles that the chart has.
void MemoryView::showOverlay() {
    if (!isByNumber() || overlay_.bytes.empty())
        return chart_->setOverlay(overlay_.bytes, overlay_.name);
    std::vector<std::int64_t> bytes;
    for (std::size_t tile = 0; tile < number_ipus_.size(); ++tile) {
        const auto ipu =
            std::find(parts_.ipus.begin(), parts_.ipus.end(), number_ipus_[tile]) - parts_.ipus.begin();
        const auto at = static_cast<std::size_t>(ipu * parts_.tiles_per_ipu) + tile;
        bytes.push_back(at < overlay_.bytes.size() ? overlay_.bytes[at] : 0);
    }
    chart_->setOverlay(std::move(bytes), overlay_.name);
}

void MemoryView::chooseInChart(const std::vector<std::int64_t>& tiles) {
    if (!isByNumber() || tiles.empty())
        return choose(tiles);
    const auto first = static_cast<std::size_t>(tiles.front());
    select(first < number_ipus_.size() ? number_ipus_[first] : 0, tiles);
}

} // namespace tilescope::ui
