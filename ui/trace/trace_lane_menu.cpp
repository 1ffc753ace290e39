// SPDX-License-Identifier: GPL-3.0-or-later
// Which lanes a trace shows: the part of TraceView that asks for it.
#include "lane_panel.h"
#include "ui/trace/trace_view.h"
#include "ui/widgets/view_action.h"

#include <QAction>
#include <QInputDialog>
#include <QJsonArray>
#include <QJsonObject>
#include <QLabel>
#include <QMenu>
#include <algorithm>

namespace tilescope::ui {

std::int64_t TraceView::currentIpu() const {
    return selection() != nullptr ? selection()->current().ipu : 0;
}

std::vector<profile::IpuRecord> TraceView::ipus() const {
    return feed_ != nullptr && feed_->tables() ? feed_->tables()->ipus : std::vector<profile::IpuRecord>();
}

void TraceView::setLanes(const LaneChoice& lanes) {
    if (lanes == lanes_)
        return;
    lanes_ = lanes;
    timeline_->setHeights(lanes_.heights, lanes_.own_heights);
    for (TraceFeed* feed : {feed_, base_})
        if (feed != nullptr)
            feed->setLanes(lanes_, tiles_);
    findChild<QAction*>(QStringLiteral("flat"))->setChecked(lanes_.flat());
    rebuild();
    askHeads(); // of IPUs that were hidden
}

void TraceView::unhide(std::int64_t ipu) {
    LaneChoice next = lanes_;
    next.show(ipu, true, ipus());
    setLanes(next);
}

void TraceView::makeLaneActions() {
    addViewAction(this, tr("Lanes…"), QStringLiteral("list"), Qt::Key_L,
                  tr("Choose which lanes and IPUs are shown, where, and how tall (L)"), [this] {
                      const bool closing = lane_panel_->isVisible();
                      lane_panel_->setVisible(!closing);
                      showLanePanel();
                      (closing ? static_cast<QWidget*>(timeline_) : lane_panel_)->setFocus();
                  });
    const auto key = [this](const QString& name, const QKeySequence& shortcut, auto change) {
        return addKeyAction(timeline_, name, shortcut, [this, change, name] { // the tool bar is long enough
            LaneChoice next = lanes_;
            change(next);
            changeLanes(next, name.toLower());
        });
    };
    QAction* flat =
        addViewAction(this, tr("Flat"), QStringLiteral("collapse"), Qt::SHIFT | Qt::Key_L,
                      tr("One lane for each IPU, its program steps, or all lanes again (Shift+L)"), [this] {
                          LaneChoice next = lanes_;
                          next.setFlat(!lanes_.flat());
                          changeLanes(next, next.flat() ? tr("flat lanes") : tr("nested lanes"));
                      });
    flat->setObjectName(QStringLiteral("flat"));
    flat->setCheckable(true);
    addKeyAction(timeline_, tr("Fold the IPU, or unfold it"), Qt::Key_E,
                 [this] { timeline_->fold(currentIpu()); });
    addKeyAction(timeline_, tr("Fold all IPUs, or unfold them"), Qt::SHIFT | Qt::Key_E,
                 [this] { timeline_->foldAll(); });
    QAction* pin_ipu = key(tr("Pin the IPU, or let it go"), Qt::Key_P,
                           [this](LaneChoice& next) { next.pin(currentIpu(), !next.pins(currentIpu())); });
    QAction* pin_lane =
        key(tr("Pin the lane, or let it go"), Qt::SHIFT | Qt::Key_P, [this](LaneChoice& next) {
            if (chosen_.start < 0 || chosen_.base)
                Q_EMIT message(tr("Click a slice of the lane first, or go to one with . and ,"));
            else
                next.pin(chosen_.ipu, chosen_.lane, !next.pins(chosen_.ipu, chosen_.lane));
        });
    QAction* hide_ipu = key(tr("Hide the IPU"), Qt::Key_H,
                            [this](LaneChoice& next) { next.show(currentIpu(), false, ipus()); });
    pin_ipu->setObjectName(QStringLiteral("pinIpu"));
    pin_lane->setObjectName(QStringLiteral("pinLane"));
    hide_ipu->setObjectName(QStringLiteral("hideIpu"));
    key(tr("Move the IPU up"), Qt::ALT | Qt::Key_Up,
        [this](LaneChoice& next) { next.move(currentIpu(), -1, ipus()); });
    key(tr("Move the IPU down"), Qt::ALT | Qt::Key_Down,
        [this](LaneChoice& next) { next.move(currentIpu(), 1, ipus()); });
    const auto height = [this](LaneChoice& next, double factor) {
        if (chosen_.start < 0 || chosen_.base) {
            Q_EMIT message(tr("Click a slice of the lane first, or go to one with . and ,"));
            return;
        }
        next.heights = timeline_->heightsNow();
        const std::pair lane(chosen_.ipu, chosen_.lane);
        const auto own = next.own_heights.find(lane);
        const double now = own != next.own_heights.end() ? own->second : next.heights[chosen_.lane];
        next.own_heights[lane] =
            std::clamp(now * factor, TimelineWidget::least_height, TimelineWidget::most_height);
    };
    constexpr double step = 1.25;
    key(tr("Make the lane taller"), Qt::ALT | Qt::SHIFT | Qt::Key_Up,
        [height](LaneChoice& next) { height(next, step); });
    key(tr("Make the lane lower"), Qt::ALT | Qt::SHIFT | Qt::Key_Down,
        [height](LaneChoice& next) { height(next, 1 / step); });
    key(tr("Show all IPUs"), Qt::SHIFT | Qt::Key_H, [](LaneChoice& next) {
        next.hidden_ipus.clear();
        next.hidden_lanes.clear();
    });
    QAction* colour = addKeyAction(timeline_, tr("Colour by what the time is spent on"), Qt::Key_C, nullptr);
    colour->setObjectName(QStringLiteral("colourByTime"));
    colour->setIconText(tr("Kinds of time"));
    colour->setToolTip(
        tr("Colour layers, operations and program steps by what their time is spent on, or by what "
           "they are done for (C)"));
    colour->setCheckable(true);
    connect(colour, &QAction::toggled, this,
            [this](bool on) { timeline_->setColour(on ? SliceColour::Time : SliceColour::Activity); });
    connect(hidden_, &QLabel::linkActivated, this, [this] {
        LaneChoice next = lanes_;
        next.hidden_ipus.clear();
        next.hidden_lanes.clear();
        next.setFilter({});
        changeLanes(next, tr("show all lanes"));
    });
}

QList<QAction*> TraceView::viewActions() {
    QList<QAction*> all = actions();
    all.prepend(timeline_->findChild<QAction*>(QStringLiteral("colourByTime")));
    const QStringList first{QStringLiteral("list"),   QStringLiteral("flat"), QStringLiteral("colourByTime"),
                            QStringLiteral("search"), QStringLiteral("mark"), QStringLiteral("fit"),
                            QStringLiteral("whole")};
    const auto place = [&](const QAction* action) {
        const qsizetype at = first.indexOf(action->objectName());
        return at < 0 ? first.size() : at;
    };
    std::stable_sort(all.begin(), all.end(),
                     [&](const QAction* a, const QAction* b) { return place(a) < place(b); });
    return all;
}

void TraceView::fillLanesMenu() {
    for (QMenu* menu : lanes_menu_->findChildren<QMenu*>(Qt::FindDirectChildrenOnly))
        delete menu;
    lanes_menu_->clear();
    addLaneSets(lanes_menu_);
    lanes_menu_->addSeparator();
    const auto add = [this](const QString& name, const QString& what, bool on, auto change) {
        LaneChoice next = lanes_;
        change(next);
        QAction* action = lanes_menu_->addAction(name, this, [this, next, what] { changeLanes(next, what); });
        action->setCheckable(on);
        action->setChecked(on);
        action->setEnabled(on || next != lanes_);
    };
    const auto all = ipus();
    const std::int64_t ipu = currentIpu();
    if (all.size() > 1)
        add(tr("Only IPU %1").arg(ipu), tr("show IPU %1 alone").arg(ipu), false, [&](LaneChoice& next) {
            for (const profile::IpuRecord& other : all)
                next.show(other.id, other.id == ipu, all);
            next.hidden_ipus.erase(ipu);
        });
    if (!all.empty() && all.back().replica > 0)
        add(tr("One replica: the others do the same"), tr("show one replica"), false,
            [&](LaneChoice& next) { next.showOneReplica(all); });
    if (all.size() > 1)
        add(tr("All IPUs (Shift+H)"), tr("show all IPUs"), lanes_.hidden_ipus.empty(),
            [](LaneChoice& next) { next.hidden_ipus.clear(); });
    add(tr("Usual heights"), tr("usual heights"), false, [](LaneChoice& next) {
        next.heights.clear();
        next.own_heights.clear();
    });
    add(tr("Usual order"), tr("usual order"), false, [](LaneChoice& next) {
        next.order.clear();
        next.lane_order.clear();
    });
    lanes_menu_->addSeparator();
    const bool by_time = timeline_->colour() == SliceColour::Time;
    QAction* colour =
        lanes_menu_->addAction(tr("Colour by what the time is spent on (C)"), this, [this, by_time] {
            timeline_->findChild<QAction*>(QStringLiteral("colourByTime"))->setChecked(!by_time);
        });
    colour->setCheckable(true);
    colour->setChecked(by_time);
}

/// Those that are always there, those that were saved, and what saves and forgets these.
void TraceView::addLaneSets(QMenu* menu) {
    const auto add = [&](const LaneSet& set) {
        QAction* action = menu->addAction(set.name, this, [this, set] {
            LaneChoice next = set.lanes;
            if (next.heights.empty())
                next.heights = lanes_.heights; // a set says which lanes are shown
            if (next.own_heights.empty())
                next.own_heights = lanes_.own_heights;
            changeLanes(next, tr("the set “%1”").arg(set.name));
        });
        action->setCheckable(true);
        action->setChecked(set.lanes == lanes_);
    };
    for (const LaneSet& set : laneSets(currentIpu(), ipus()))
        add(set);
    menu->addSeparator();
    for (const LaneSet& set : lane_sets_)
        add(set);
    menu->addAction(tr("Save these lanes…"), this, [this] {
        const QString name = QInputDialog::getText(this, tr("Save these lanes"), tr("Name of the set"));
        if (!name.trimmed().isEmpty())
            saveLanes(name.trimmed());
    });
    if (lane_sets_.empty())
        return;
    QMenu* forget = menu->addMenu(tr("Forget"));
    for (const LaneSet& set : lane_sets_)
        forget->addAction(set.name, this, [this, name = set.name] {
            std::erase_if(lane_sets_, [&](const LaneSet& each) { return each.name == name; });
        });
}

void TraceView::saveLanes(const QString& name) {
    std::erase_if(lane_sets_, [&](const LaneSet& each) { return each.name == name; });
    lane_sets_.push_back({name, lanes_});
}

QJsonObject TraceView::saveState() const {
    QJsonArray sets;
    for (const LaneSet& set : lane_sets_)
        sets.append(
            QJsonObject{{QStringLiteral("name"), set.name}, {QStringLiteral("lanes"), set.lanes.written()}});
    QJsonObject state = lanes_.habits().written();
    state[QStringLiteral("lanes of files")] = keptLanes();
    state[QStringLiteral("lanes listed")] = lane_panel_->isVisibleTo(this);
    state[QStringLiteral("lane sets")] = sets;
    state[QStringLiteral("coloured by time")] = timeline_->colour() == SliceColour::Time;
    state[QStringLiteral("aligned")] = keptAlignments();
    return state;
}

void TraceView::restoreState(const QJsonObject& state) {
    if (state[QStringLiteral("lanes not shown")].isArray()) {
        LaneChoice next = lanes_;
        next.takeHabits(LaneChoice::read(state));
        setLanes(next);
    }
    lanes_of_files_.clear();
    for (const auto& each : state[QStringLiteral("lanes of files")].toArray())
        lanes_of_files_.emplace_back(each.toObject()[QStringLiteral("file")].toString(),
                                     LaneChoice::read(each.toObject()));
    lane_panel_->setVisible(state[QStringLiteral("lanes listed")].toBool());
    timeline_->findChild<QAction*>(QStringLiteral("colourByTime"))
        ->setChecked(state[QStringLiteral("coloured by time")].toBool());
    lane_sets_.clear();
    for (const auto& set : state[QStringLiteral("lane sets")].toArray())
        lane_sets_.push_back({set.toObject()[QStringLiteral("name")].toString(),
                              LaneChoice::read(set.toObject()[QStringLiteral("lanes")].toObject())});
    takeAlignments(state[QStringLiteral("aligned")].toArray());
}

} // namespace tilescope::ui
