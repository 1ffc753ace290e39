// SPDX-License-Identifier: GPL-3.0-or-later
// Which lanes a trace shows: the part of TraceView that asks for it.
#include "ui/trace/trace_view.h"
#include "ui/widgets/view_action.h"

#include <QAction>
#include <QCursor>
#include <QInputDialog>
#include <QJsonArray>
#include <QJsonObject>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QWidgetAction>

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
    for (TraceFeed* feed : {feed_, base_})
        if (feed != nullptr)
            feed->setLanes(lanes_, tiles_);
    rebuild();
}

void TraceView::unhide(std::int64_t ipu) {
    LaneChoice next = lanes_;
    next.show(ipu, true, ipus());
    setLanes(next);
}

void TraceView::makeLaneActions() {
    lanes_menu_ = new QMenu(this);
    lanes_menu_->setObjectName(QStringLiteral("lanesMenu"));
    connect(lanes_menu_, &QMenu::aboutToShow, this, &TraceView::fillLanesMenu);
    lane_filter_ = new QLineEdit(this);
    lane_filter_->setObjectName(QStringLiteral("laneFilter"));
    lane_filter_->setPlaceholderText(tr("Only lanes like “IPU [0-3] phases”"));
    lane_filter_->setAccessibleName(tr("Filter of lanes"));
    lane_filter_->setClearButtonEnabled(true);
    lane_filter_->setMinimumWidth(fontMetrics().averageCharWidth() * 36);
    connect(lane_filter_, &QLineEdit::textChanged, this, [this](const QString& text) {
        LaneChoice next = lanes_;
        next.setFilter(text);
        setLanes(next);
    });
    connect(lane_filter_, &QLineEdit::returnPressed, lanes_menu_, &QMenu::close);
    auto* field = new QWidgetAction(lanes_menu_);
    field->setDefaultWidget(lane_filter_);
    lanes_menu_->addAction(field);
    addViewAction(this, tr("Lanes…"), QStringLiteral("list"), Qt::Key_L,
                  tr("Choose which lanes and IPUs are shown (L)"), [this] {
                      lanes_menu_->popup(underMouse() ? QCursor::pos() : mapToGlobal(rect().topLeft()));
                  });
    const auto key = [this](const QString& name, const QKeySequence& shortcut, auto change) {
        addKeyAction(timeline_, name, shortcut, [this, change] { // the tool bar is long enough
            LaneChoice next = lanes_;
            change(next);
            setLanes(next);
        });
    };
    key(tr("Pin the IPU, or let it go"), Qt::Key_P,
        [this](LaneChoice& next) { next.pin(currentIpu(), !next.pins(currentIpu())); });
    key(tr("Hide the IPU"), Qt::Key_H, [this](LaneChoice& next) { next.show(currentIpu(), false, ipus()); });
    key(tr("Move the IPU up"), Qt::ALT | Qt::Key_Up,
        [this](LaneChoice& next) { next.move(currentIpu(), -1, ipus()); });
    key(tr("Move the IPU down"), Qt::ALT | Qt::Key_Down,
        [this](LaneChoice& next) { next.move(currentIpu(), 1, ipus()); });
    key(tr("Show all IPUs"), Qt::SHIFT | Qt::Key_H, [](LaneChoice& next) { next.hidden_ipus.clear(); });
    QAction* colour = addKeyAction(timeline_, tr("Colour by what the time is spent on"), Qt::Key_C, nullptr);
    colour->setObjectName(QStringLiteral("colourByTime"));
    colour->setCheckable(true);
    connect(colour, &QAction::toggled, this,
            [this](bool on) { timeline_->setColour(on ? SliceColour::Time : SliceColour::Activity); });
    connect(hidden_, &QLabel::linkActivated, this, [this] {
        LaneChoice next = lanes_;
        next.hidden_ipus.clear();
        next.setFilter({});
        setLanes(next);
    });
}

/// Everything below the field that filters, which stays.
void TraceView::fillLanesMenu() {
    const auto old = lanes_menu_->actions().mid(1);
    for (QAction* action : old)
        delete (action->menu() != nullptr ? static_cast<QObject*>(action->menu()) : action);
    lane_filter_->setText(lanes_.filter());
    addLaneSets(lanes_menu_->addMenu(tr("Sets of lanes")));
    const bool by_time = timeline_->colour() == SliceColour::Time;
    QAction* colour =
        lanes_menu_->addAction(tr("Colour by what the time is spent on (C)"), this, [this, by_time] {
            timeline_->findChild<QAction*>(QStringLiteral("colourByTime"))->setChecked(!by_time);
        });
    colour->setCheckable(true);
    colour->setChecked(by_time);
    lanes_menu_->addSeparator();
    const auto add = [this](QMenu* menu, const QString& name, bool on, bool checkable, auto change) {
        QAction* action = menu->addAction(name, this, [this, change] {
            LaneChoice next = lanes_;
            change(next);
            setLanes(next);
        });
        action->setCheckable(checkable);
        action->setChecked(on);
    };
    const bool updates = feed_ != nullptr && feed_->tables() && feed_->tables()->steps_per_update > 1;
    for (const LaneKind kind : LaneChoice::kinds)
        add(lanes_menu_, laneKindName(kind, updates), lanes_.shows(kind), true,
            [kind](LaneChoice& next) { next.show(kind, !next.shows(kind)); });
    const auto all = ipus();
    if (all.size() < 2)
        return;
    lanes_menu_->addSeparator();
    const std::int64_t ipu = currentIpu();
    add(lanes_menu_, tr("Pin IPU %1 (P)").arg(ipu), lanes_.pins(ipu), true,
        [ipu](LaneChoice& next) { next.pin(ipu, !next.pins(ipu)); });
    add(lanes_menu_, tr("Hide IPU %1 (H)").arg(ipu), false, false,
        [ipu, all](LaneChoice& next) { next.show(ipu, false, all); });
    add(lanes_menu_, tr("Only IPU %1").arg(ipu), false, false, [ipu, all](LaneChoice& next) {
        for (const profile::IpuRecord& other : all)
            next.show(other.id, other.id == ipu, all);
        next.hidden_ipus.erase(ipu);
    });
    if (all.back().replica > 0)
        add(lanes_menu_, tr("One replica: the others do the same"), false, false,
            [all](LaneChoice& next) { next.showOneReplica(all); });
    add(lanes_menu_, tr("All IPUs (Shift+H)"), lanes_.hidden_ipus.empty(), false,
        [](LaneChoice& next) { next.hidden_ipus.clear(); });
    QMenu* each = lanes_menu_->addMenu(tr("IPUs"));
    for (const profile::IpuRecord& one : all)
        add(each, tr("IPU %1").arg(one.id), lanes_.shows(one.id), true,
            [id = one.id, all](LaneChoice& next) { next.show(id, !next.shows(id), all); });
}

/// Those that are always there, those that were saved, and what saves and forgets these.
void TraceView::addLaneSets(QMenu* menu) {
    const auto add = [&](const LaneSet& set) {
        QAction* action = menu->addAction(set.name, this, [this, lanes = set.lanes] { setLanes(lanes); });
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
    return {{QStringLiteral("lanes not shown"), QJsonArray::fromStringList(lanes_.names())},
            {QStringLiteral("lane sets"), sets},
            {QStringLiteral("coloured by time"), timeline_->colour() == SliceColour::Time},
            {QStringLiteral("aligned"), keptAlignments()}};
}

void TraceView::restoreState(const QJsonObject& state) {
    if (const QJsonValue hidden = state[QStringLiteral("lanes not shown")]; hidden.isArray()) {
        LaneChoice next = lanes_;
        QStringList names;
        for (const auto& name : hidden.toArray())
            names.append(name.toString());
        next.setNames(names);
        setLanes(next);
    }
    timeline_->findChild<QAction*>(QStringLiteral("colourByTime"))
        ->setChecked(state[QStringLiteral("coloured by time")].toBool());
    lane_sets_.clear();
    for (const auto& set : state[QStringLiteral("lane sets")].toArray())
        lane_sets_.push_back({set.toObject()[QStringLiteral("name")].toString(),
                              LaneChoice::read(set.toObject()[QStringLiteral("lanes")].toObject())});
    takeAlignments(state[QStringLiteral("aligned")].toArray());
}

} // namespace tilescope::ui
