// SPDX-License-Identifier: GPL-3.0-or-later
// Which tiles the lanes of tiles show: the part of TraceView that chooses them.
#include "ui/session/format.h"
#include "ui/trace/trace_view.h"
#include "ui/widgets/leave_field.h"
#include "ui/widgets/view_action.h"

#include <QLineEdit>
#include <QRegularExpression>
#include <algorithm>
#include <cmath>

namespace tilescope::ui {

void TraceView::makeTileActions() {
    tile_box_->setObjectName(QStringLiteral("traceTiles"));
    tile_box_->setPlaceholderText(tr("All tiles, or 0-63"));
    tile_box_->setAccessibleName(tr("Tiles"));
    tile_box_->setToolTip(tr("Tiles that their lanes show: “all”, “0-63”, “45”"));
    tile_box_->setClearButtonEnabled(true);
    tile_box_->setMinimumWidth(fontMetrics().averageCharWidth() * 18);
    tile_box_->setMaximumWidth(fontMetrics().averageCharWidth() * 22);
    tile_box_->hide();
    connect(tile_box_, &QLineEdit::editingFinished, this, &TraceView::typeTiles);
    leaveFieldBy({Qt::Key_Escape}, tile_box_, [this] {
        showTiles();
        timeline_->setFocus();
    });
    connect(timeline_, &TimelineWidget::tilesZoomed, this, &TraceView::zoomTiles);
    addKeyAction(timeline_, tr("Fewer tiles"), Qt::SHIFT | Qt::Key_W, [this] { zoomTiles(1.5, 0.5); });
    addKeyAction(timeline_, tr("More tiles"), Qt::SHIFT | Qt::Key_S, [this] { zoomTiles(1 / 1.5, 0.5); });
}

void TraceView::setTiles(const TileRange& tiles) {
    if (feed_ == nullptr || !feed_->tables() || tiles == tiles_)
        return;
    tiles_ = tiles;
    showTiles();
    for (TraceFeed* feed : {feed_, base_})
        if (feed != nullptr)
            feed->setLanes(lanes_, tiles_);
}

void TraceView::showTiles() {
    tile_box_->setText(tiles_ == TileRange() ? QString()
                                             : QStringLiteral("%1-%2").arg(tiles_.first).arg(tiles_.last));
}

void TraceView::zoomTiles(double factor, double at) {
    if (feed_ == nullptr || !feed_->tables() || !lanes_.shows(LaneKind::Tiles))
        return;
    constexpr double least = 16; // tiles, each of 12 pixels
    const auto all = static_cast<double>(feed_->tables()->tiles_per_ipu);
    const auto first = static_cast<double>(tiles_.first);
    const double count = tiles_.last < 0 ? all : static_cast<double>(tiles_.last) + 1 - first;
    const double wanted = std::clamp(std::round(count / factor), std::min(least, all), all);
    if (wanted >= all)
        return setTiles({});
    const double begin = std::clamp(std::round(first + at * (count - wanted)), 0.0, all - wanted);
    setTiles({static_cast<std::int64_t>(begin), static_cast<std::int64_t>(begin + wanted) - 1});
}

void TraceView::typeTiles() {
    if (feed_ == nullptr || !feed_->tables())
        return;
    const std::int64_t last = feed_->tables()->tiles_per_ipu - 1;
    const QString text = tile_box_->text().trimmed();
    static const QRegularExpression range(QStringLiteral("^(\\d+)(?:\\s*[-–]\\s*(\\d+))?$"));
    const auto match = range.match(text);
    if (text.isEmpty() || text.compare(tr("all"), Qt::CaseInsensitive) == 0)
        return setTiles({});
    const qint64 from = match.captured(1).toLongLong();
    const qint64 to = match.captured(2).isEmpty() ? from : match.captured(2).toLongLong();
    if (!match.hasMatch() || from > to || to > last) {
        Q_EMIT message(
            !match.hasMatch() ? tr("“%1” is no range of tiles: 0-63, 45, all").arg(text)
            : from > to       ? tr("tiles %1: the first is behind the last").arg(text)
                        : tr("tile %1: this IPU has tiles 0 to %2").arg(formatCount(to), formatCount(last)));
        return;
    }
    setTiles({from, to});
}

} // namespace tilescope::ui
