// SPDX-License-Identifier: GPL-3.0-or-later
#include "lane_panel.h"

#include "ui/theme/theme.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QScrollBar>
#include <QToolButton>
#include <QTreeWidgetItemIterator>
#include <QVBoxLayout>
#include <algorithm>

namespace tilescope::ui {

bool LanePanel::Shown::operator==(const Shown& other) const {
    const auto same = [](const auto& a, const auto& b) {
        return a.first.id == b.first.id && a.second == b.second;
    };
    return lanes == other.lanes && kinds == other.kinds && updates == other.updates &&
           std::equal(ipus.begin(), ipus.end(), other.ipus.begin(), other.ipus.end(), same);
}

LanePanel::LanePanel(QMenu* sets, QWidget* parent) : QWidget(parent) {
    setObjectName(QStringLiteral("lanePanel"));
    auto* title = new QLabel(tr("Lanes"), this);
    QFont bold = title->font();
    bold.setWeight(QFont::DemiBold);
    title->setFont(bold);
    auto* menu = new QToolButton(this);
    menu->setObjectName(QStringLiteral("laneSets"));
    menu->setText(tr("Sets ▾"));
    menu->setStyleSheet(QStringLiteral("QToolButton::menu-indicator { image: none; }"));
    menu->setToolTip(tr("Sets of lanes, and what else is shown"));
    menu->setMenu(sets);
    menu->setPopupMode(QToolButton::InstantPopup);
    auto* close = new QToolButton(this);
    close->setIcon(themeIcon(QStringLiteral("clear")));
    close->setAutoRaise(true);
    close->setToolTip(tr("Close (L)"));
    close->setAccessibleName(tr("Close the list of lanes"));
    auto* head = new QHBoxLayout;
    head->setContentsMargins({});
    head->addWidget(title, 1);
    head->addWidget(menu);
    head->addWidget(close);
    filter_ = new QLineEdit(this);
    filter_->setObjectName(QStringLiteral("laneFilter"));
    filter_->setPlaceholderText(tr("Only lanes like “IPU [0-3] phases”"));
    filter_->setAccessibleName(tr("Filter of lanes"));
    filter_->setClearButtonEnabled(true);
    tree_ = new LaneTree(this);
    auto* hint = new QLabel(tr("Drag a row to another place, or Alt+↑ and Alt+↓. Space shows and hides, "
                               "+ and − make lanes taller and lower; Ctrl+Z takes it back."),
                            this);
    hint->setWordWrap(true);
    hint->setForegroundRole(QPalette::BrightText);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(12, 8, 8, 8);
    layout->addLayout(head);
    layout->addWidget(filter_);
    layout->addWidget(tree_, 1);
    layout->addWidget(hint);
    setFocusProxy(tree_);
    setMinimumWidth(fontMetrics().averageCharWidth() * 30);

    connect(filter_, &QLineEdit::textChanged, this, &LanePanel::filtered);
    connect(close, &QToolButton::clicked, this, &LanePanel::closed);
    connect(tree_, &LaneTree::eyeClicked, this,
            [this](QTreeWidgetItem* item) { toggle(LaneTree::rowOf(item)); });
    connect(tree_, &LaneTree::pinClicked, this, [this](QTreeWidgetItem* item) {
        const LaneTree::Row row = LaneTree::rowOf(item);
        LaneChoice next = shown_.lanes;
        const bool pinned = row.kind ? next.pins(*row.ipu, *row.kind) : next.pins(*row.ipu);
        row.kind ? next.pin(*row.ipu, *row.kind, !pinned) : next.pin(*row.ipu, !pinned);
        Q_EMIT chosen(next, (pinned ? tr("let go %1") : tr("pin %1")).arg(nameOf(row)));
    });
    connect(tree_, &LaneTree::movedBefore, this, [this](QTreeWidgetItem* item, QTreeWidgetItem* before) {
        move(LaneTree::rowOf(item),
             before == nullptr ? std::nullopt : std::optional(LaneTree::rowOf(before)));
    });
    connect(tree_, &LaneTree::heightWanted, this, [this](QTreeWidgetItem* item, double factor) {
        const LaneTree::Row row = LaneTree::rowOf(item);
        Q_EMIT heightWanted(row.kind ? std::vector{*row.kind} : shown_.kinds, factor);
    });
}

void LanePanel::show(Shown shown) {
    if (filter_->text() != shown.lanes.filter()) {
        const QSignalBlocker silent(filter_);
        filter_->setText(shown.lanes.filter());
    }
    if (shown_ == shown)
        return;
    shown_ = std::move(shown);
    fill();
}

std::vector<profile::IpuRecord> LanePanel::ipus() const {
    std::vector<profile::IpuRecord> all;
    for (const auto& [ipu, name] : shown_.ipus)
        all.push_back(ipu);
    return all;
}

LaneTree::Sight LanePanel::sight(LaneKind kind, std::optional<std::int64_t> ipu) const {
    using enum LaneTree::Sight;
    const LaneChoice& lanes = shown_.lanes;
    if (!lanes.shows(kind))
        return Hidden;
    if (ipu)
        return lanes.hidden_lanes.contains({*ipu, kind}) ? Hidden : Shown;
    return std::any_of(lanes.hidden_lanes.begin(), lanes.hidden_lanes.end(),
                       [&](const auto& lane) { return lane.second == kind; })
               ? Some
               : Shown;
}

void LanePanel::fillKinds(QTreeWidgetItem* above, std::optional<std::int64_t> ipu) {
    for (const LaneKind kind : shown_.lanes.orderedKinds())
        if (kind != LaneKind::Host && kind != LaneKind::LinkRate &&
            std::find(shown_.kinds.begin(), shown_.kinds.end(), kind) != shown_.kinds.end())
            if (QTreeWidgetItem* item =
                    tree_->add(above, {ipu, kind}, laneKindName(kind, shown_.updates), sight(kind, ipu));
                ipu)
                tree_->setPinned(item, shown_.lanes.pins(*ipu, kind));
}

/// What was unfolded and chosen stays so.
void LanePanel::fill() {
    std::vector<LaneTree::Row> open;
    for (QTreeWidgetItemIterator all(tree_); *all != nullptr; ++all)
        if ((*all)->isExpanded())
            open.push_back(LaneTree::rowOf(*all));
    const bool first = tree_->topLevelItemCount() == 0;
    const auto current =
        tree_->currentItem() == nullptr ? std::nullopt : std::optional(LaneTree::rowOf(tree_->currentItem()));
    const int scrolled = tree_->verticalScrollBar()->value();
    tree_->clear();

    const bool several = shown_.ipus.size() > 1;
    if (several)
        fillKinds(
            tree_->add(nullptr, {}, tr("All IPUs"),
                       shown_.lanes.hidden_ipus.empty() ? LaneTree::Sight::Shown : LaneTree::Sight::Some),
            std::nullopt);
    LaneChoice all = shown_.lanes;
    all.hidden_ipus.clear();
    for (const profile::IpuRecord& ipu : all.ordered(ipus())) {
        const auto named = std::find_if(shown_.ipus.begin(), shown_.ipus.end(),
                                        [&](const auto& each) { return each.first.id == ipu.id; });
        QTreeWidgetItem* item =
            tree_->add(nullptr, {ipu.id, {}}, named->second,
                       shown_.lanes.shows(ipu.id) ? LaneTree::Sight::Shown : LaneTree::Sight::Hidden);
        if (several)
            tree_->setPinned(item, shown_.lanes.pins(ipu.id));
        fillKinds(item, ipu.id);
    }
    for (const auto& [ipu, kind] : {std::pair(the_host, LaneKind::Host), {the_links, LaneKind::LinkRate}})
        if (std::find(shown_.kinds.begin(), shown_.kinds.end(), kind) != shown_.kinds.end())
            tree_->setPinned(
                tree_->add(nullptr, {ipu, kind}, laneKindName(kind, false), sight(kind, std::nullopt)),
                shown_.lanes.pins(ipu, kind));

    for (const LaneTree::Row& row : open)
        if (QTreeWidgetItem* item = tree_->find(row))
            item->setExpanded(true);
    if (first && tree_->topLevelItemCount() > 0)
        tree_->topLevelItem(0)->setExpanded(true);
    QTreeWidgetItem* chosen = current ? tree_->find(*current) : nullptr;
    tree_->setCurrentItem(chosen != nullptr ? chosen : tree_->topLevelItem(0));
    tree_->verticalScrollBar()->setValue(scrolled);
}

QString LanePanel::nameOf(const LaneTree::Row& row) const {
    const QString lane = row.kind ? laneKindName(*row.kind, shown_.updates) : QString();
    if (!row.ipu || *row.ipu < 0)
        return row.kind ? lane : tr("all IPUs");
    return row.kind ? tr("%1 of IPU %2").arg(lane).arg(*row.ipu) : tr("IPU %1").arg(*row.ipu);
}

void LanePanel::toggle(const LaneTree::Row& row) {
    LaneChoice next = shown_.lanes;
    const bool single = shown_.ipus.size() < 2;
    bool shown = true; // from now on
    if (row.kind && row.ipu && *row.ipu >= 0 && !single) {
        shown = sight(*row.kind, row.ipu) == LaneTree::Sight::Hidden;
        next.show(*row.ipu, *row.kind, shown, ipus());
    } else if (row.kind) {
        shown = sight(*row.kind, std::nullopt) != LaneTree::Sight::Shown;
        next.show(*row.kind, shown);
    } else if (row.ipu) {
        shown = !next.shows(*row.ipu);
        next.show(*row.ipu, shown, ipus());
    } else if (next.hidden_ipus.empty()) {
        shown = false;
        next.showOneReplica(ipus());
    } else {
        next.hidden_ipus.clear();
    }
    Q_EMIT chosen(next, (shown ? tr("show %1") : tr("hide %1")).arg(nameOf(row)));
}

void LanePanel::move(const LaneTree::Row& row, const std::optional<LaneTree::Row>& before) {
    LaneChoice next = shown_.lanes;
    if (row.kind)
        next.moveBefore(*row.kind, before ? before->kind : std::nullopt);
    else
        next.moveBefore(*row.ipu, before ? before->ipu : std::nullopt, ipus());
    Q_EMIT chosen(next, tr("move %1").arg(nameOf({row.kind ? std::nullopt : row.ipu, row.kind})));
}

} // namespace tilescope::ui
