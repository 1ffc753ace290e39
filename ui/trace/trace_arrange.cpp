// SPDX-License-Identifier: GPL-3.0-or-later
// Lanes that are shown, hidden, moved and given heights by hand, what is kept of that with the file, and how
// it is undone: the part of TraceView that does it.
#include "lane_panel.h"
#include "ui/trace/trace_view.h"
#include "ui/widgets/view_action.h"

#include <QAction>
#include <QJsonArray>
#include <QMenu>
#include <algorithm>
#include <cmath>

namespace tilescope::ui {
/// What is made is done, and can be undone in the order in which all of the window was made.
void TraceView::change(const QString& what, const std::function<void()>& redo,
                       const std::function<void()>& undo) {
    redo();
    Q_EMIT made(what, redo, undo);
}

void TraceView::makeLanePanel() {
    lanes_menu_ = new QMenu(this);
    lanes_menu_->setObjectName(QStringLiteral("lanesMenu"));
    connect(lanes_menu_, &QMenu::aboutToShow, this, &TraceView::fillLanesMenu);
    lane_panel_ = new LanePanel(lanes_menu_, this);
    lane_panel_->hide();
    connect(lane_panel_, &LanePanel::chosen, this, &TraceView::changeLanes);
    connect(lane_panel_, &LanePanel::heightWanted, this, &TraceView::wantHeights);
    connect(lane_panel_, &LanePanel::filtered, this, [this](const QString& text) {
        LaneChoice next = lanes_;
        next.setFilter(text);
        setLanes(next);
    });
    connect(lane_panel_, &LanePanel::closed, this, [this] {
        lane_panel_->hide();
        timeline_->setFocus();
    });
    arrangeLanes();
}

void TraceView::arrangeLanes() {
    timeline_->setArrangeable(true);
    const auto change = [this](const QString& what, auto changed) {
        LaneChoice next = lanes_;
        changed(next);
        changeLanes(next, what);
    };
    connect(timeline_, &TimelineWidget::heightsDragged, this,
            [change](const LaneHeights& heights, const OwnLaneHeights& own) {
                change(tr("height of lanes"), [&](LaneChoice& next) {
                    next.heights = heights;
                    next.own_heights = own;
                });
            });
    connect(timeline_, &TimelineWidget::laneDragged, this,
            [change](LaneKind lane, std::optional<LaneKind> before) {
                change(tr("move %1").arg(laneKindName(lane, false)),
                       [&](LaneChoice& next) { next.moveBefore(lane, before); });
            });
    connect(timeline_, &TimelineWidget::ipuDragged, this,
            [this, change](qint64 ipu, std::optional<qint64> before) {
                change(tr("move IPU %1").arg(ipu),
                       [&](LaneChoice& next) { next.moveBefore(ipu, before, ipus()); });
            });
}

void TraceView::showLanePanel() {
    if (!lane_panel_->isVisibleTo(this))
        return;
    LanePanel::Shown shown{lanes_, {}, {}, false};
    if (feed_ != nullptr && feed_->tables()) {
        shown.updates = feed_->tables()->updates();
        for (const profile::IpuRecord& ipu : ipus())
            shown.ipus.emplace_back(ipu, feed_->name(ipu));
        std::copy_if(LaneChoice::kinds.begin(), LaneChoice::kinds.end(), std::back_inserter(shown.kinds),
                     [this](LaneKind kind) { return feed_->knows(kind); });
    }
    lane_panel_->show(std::move(shown));
}

void TraceView::wantHeights(const std::vector<LaneKind>& kinds, double factor) {
    LaneChoice next = lanes_;
    next.heights = timeline_->heightsNow();
    const auto change = [&](LaneKind kind, double& height) {
        if (std::find(kinds.begin(), kinds.end(), kind) != kinds.end())
            height = std::clamp(height * factor, TimelineWidget::least_height, TimelineWidget::most_height);
    };
    for (auto& [kind, height] : next.heights)
        change(kind, height);
    for (auto& [lane, height] : next.own_heights)
        change(lane.second, height);
    changeLanes(next, tr("height of lanes"));
}

void TraceView::changeLanes(const LaneChoice& lanes, const QString& what) {
    if (lanes == lanes_)
        return;
    const auto shown = [this] { return sources().current ? sources().current->path() : QString(); };
    const auto set = [this, shown, path = shown()](const LaneChoice& wanted) {
        if (shown() == path)
            setLanes(wanted);
        keepLanes(path, wanted);
    };
    change(
        what, [set, lanes] { set(lanes); }, [set, before = lanes_] { set(before); });
}

/// Of a file, for the next time that it is shown.
void TraceView::keepLanes(const QString& path, const LaneChoice& lanes) {
    if (path.isEmpty())
        return;
    constexpr std::size_t most = 64;
    std::erase_if(lanes_of_files_, [&](const auto& each) { return each.first == path; });
    lanes_of_files_.emplace(lanes_of_files_.begin(), path, lanes);
    lanes_of_files_.front().second.setFilter({}); // which is of the moment
    lanes_of_files_.resize(std::min(most, lanes_of_files_.size()));
}

void TraceView::takeLanesOfFile() {
    const QString path = sources().current ? sources().current->path() : QString();
    const auto kept = std::find_if(lanes_of_files_.begin(), lanes_of_files_.end(),
                                   [&](const auto& each) { return each.first == path; });
    unfolded_ = kept == lanes_of_files_.end();
    lanes_ = unfolded_ ? lanes_.habits() : kept->second;
    timeline_->setHeights(lanes_.heights, lanes_.own_heights);
    findChild<QAction*>(QStringLiteral("flat"))->setChecked(lanes_.flat());
}

QJsonArray TraceView::keptLanes() const {
    QJsonArray kept;
    for (const auto& [path, lanes] : lanes_of_files_) {
        QJsonObject object = lanes.written();
        object[QStringLiteral("file")] = path;
        kept.append(object);
    }
    return kept;
}

} // namespace tilescope::ui
