// SPDX-License-Identifier: GPL-3.0-or-later
#include "match_panel.h"

#include "counterpart_dialog.h"
#include "ui/session/format.h"
#include "ui/widgets/data_table.h"
#include "ui/widgets/view_action.h"

#include <QAction>
#include <QHBoxLayout>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

namespace tilescope::ui {
namespace {

using analyse::HandMatch;
using analyse::MatchedPart;
using analyse::MatchGround;
using analyse::PartKind;

QString groundText(const MatchedPart& part) {
    if (part.unknown)
        return MatchPanel::tr("by hand, but a file has nothing of this name");
    if (!part.ground)
        return {};
    switch (*part.ground) {
    case MatchGround::Name:
        return MatchPanel::tr("the same name");
    case MatchGround::Renamed:
        return MatchPanel::tr("the same name but for that of its layer");
    case MatchGround::Order:
        return part.names.part == PartKind::Layer ? MatchPanel::tr("its place, kind, shape and parameters")
                                                  : MatchPanel::tr("its place and kind");
    case MatchGround::Split:
        return part.names.part == PartKind::Layer
                   ? MatchPanel::tr("a part of it, a layer of its own in one file")
                   : MatchPanel::tr("its kind, in a layer that was split or merged");
    case MatchGround::ByHand:
        return MatchPanel::tr("by hand");
    }
    return {};
}

QString partText(PartKind part) {
    return part == PartKind::Layer ? MatchPanel::tr("layer") : MatchPanel::tr("operation");
}

} // namespace

MatchPanel::MatchPanel(QWidget* parent)
    : QWidget(parent), table_(new DataTable({}, {{tr("Base")}, {tr("New")}, {tr("What")}, {tr("Ground")}})) {
    table_->setObjectName(QStringLiteral("matches"));
    counterpart_ = addKeyAction(this, tr("Counterpart…"), {}, [this] { chooseCounterpart(); });
    counterpart_->setToolTip(tr("Say which layer or operation of the other file this one is (Enter)"));
    none_ = addKeyAction(this, tr("No counterpart"), QKeySequence::Delete, [this] { haveNone(); });
    none_->setToolTip(tr("Say that the other file has nothing like it (Del)"));
    take_back_ = addKeyAction(this, tr("Match by itself"), Qt::Key_Backspace, [this] { takeBack(); });
    take_back_->setToolTip(tr("Forget what was said of this one by hand (Backspace)"));
    undo_ = addKeyAction(this, tr("Undo"), QKeySequence::Undo, [this] { undo(); });
    undo_->setObjectName(QStringLiteral("undo"));
    undo_->setToolTip(tr("Take back what was said last (Ctrl+Z)"));
    auto* bar = new QWidget;
    auto* row = new QHBoxLayout(bar);
    row->setContentsMargins(0, 0, 0, 0);
    for (QAction* action : {counterpart_, none_, take_back_, undo_}) {
        auto* button = new QToolButton;
        button->setDefaultAction(action);
        row->addWidget(button);
    }
    table_->setLead(bar);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(table_);
    connect(table_, &DataTable::keyChosen, this, [this](std::int64_t key) {
        if (key < 0 || key >= static_cast<std::int64_t>(parts_.size()))
            return;
        kept_ = parts_[static_cast<std::size_t>(key)].names;
        enable();
        Q_EMIT partChosen(*kept_);
    });
    connect(table_, &DataTable::keyActivated, this, [this] { chooseCounterpart(); });
    setFocusProxy(table_->view());
    enable();
}

void MatchPanel::setPair(const QString& base, const QString& now) {
    if (base_path_ != base || now_path_ != now)
        kept_.reset();
    base_path_ = base;
    now_path_ = now;
    enable();
}

void MatchPanel::show(std::vector<MatchedPart> parts, const analyse::HandMatches& by_hand,
                      const QString& base, const QString& now) {
    parts_ = std::move(parts);
    by_hand_ = by_hand;
    base_ = base;
    now_ = now;
    filled_ = false;
    if (isVisible()) {
        fill();
    } else {
        table_->setRows({});
        selectKept();
    }
    table_->setCaption(caption());
}

/// Tens of thousands of operations take a while, and more memory than all else that a comparison shows.
void MatchPanel::fill() {
    filled_ = true;
    std::vector<TableRow> rows;
    rows.reserve(parts_.size());
    for (std::size_t i = 0; i < parts_.size(); ++i) {
        const HandMatch& names = parts_[i].names;
        const auto name = [](const std::string& of) {
            return of.empty() ? textCell(tr("no counterpart")) : textCell(text(of));
        };
        rows.push_back({static_cast<std::int64_t>(i),
                        {name(names.base), name(names.now), textCell(partText(names.part)),
                         textCell(groundText(parts_[i]))}});
    }
    table_->setRows(std::move(rows));
    selectKept();
}

void MatchPanel::showEvent(QShowEvent* event) {
    if (!filled_)
        fill();
    QWidget::showEvent(event);
}

/// Also where its other side is another one now.
void MatchPanel::selectKept() {
    const auto found = std::find_if(parts_.begin(), parts_.end(), [this](const MatchedPart& part) {
        const HandMatch& names = part.names;
        return kept_ && kept_->part == names.part &&
               ((!names.now.empty() && names.now == kept_->now) ||
                (!names.base.empty() && names.base == kept_->base));
    });
    const bool any = found != parts_.end();
    table_->selectKey(any ? found - parts_.begin() : -1);
    if (any)
        kept_ = found->names;
    enable();
}

void MatchPanel::selectPart(PartKind part, const std::string& now) {
    const HandMatch wanted{part, {}, now};
    if (now.empty() || (kept_ && kept_->part == part && kept_->now == now))
        return;
    kept_ = wanted;
    selectKept();
}

QString MatchPanel::caption() const {
    std::map<std::optional<MatchGround>, std::int64_t> count;
    for (const MatchedPart& part : parts_)
        ++count[part.ground];
    QStringList words;
    const auto add = [&](const std::optional<MatchGround>& ground, const QString& of) {
        if (count[ground] > 0)
            words << of.arg(formatCount(count[ground]));
    };
    add(MatchGround::ByHand, tr("%1 by hand"));
    add(std::nullopt, tr("%1 without a counterpart"));
    add(MatchGround::Order, tr("%1 by their place"));
    add(MatchGround::Split, tr("%1 of split or merged layers"));
    add(MatchGround::Renamed, tr("%1 of renamed layers"));
    add(MatchGround::Name, tr("%1 by name"));
    return words.join(QStringLiteral(", "));
}

const MatchedPart* MatchPanel::chosen() const {
    const auto found = std::find_if(parts_.begin(), parts_.end(),
                                    [&](const MatchedPart& part) { return kept_ && part.names == *kept_; });
    return found == parts_.end() ? nullptr : &*found;
}

void MatchPanel::enable() {
    const MatchedPart* part = chosen();
    const bool known = part != nullptr && !part->unknown;
    counterpart_->setEnabled(known);
    none_->setEnabled(known && !part->names.base.empty() && !part->names.now.empty());
    take_back_->setEnabled(part != nullptr && part->ground == MatchGround::ByHand);
    undo_->setEnabled(std::any_of(said_.begin(), said_.end(), [this](const Said& said) {
        return said.base == base_path_ && said.now == now_path_;
    }));
}

void MatchPanel::say(const analyse::HandMatches& by_hand) {
    if (by_hand == by_hand_)
        return;
    said_.push_back({base_path_, now_path_, by_hand_});
    Q_EMIT matched(by_hand);
}

/// Of a part that both files have, another one of the base.
void MatchPanel::chooseCounterpart() {
    const MatchedPart* part = chosen();
    if (part == nullptr || part->unknown)
        return;
    const HandMatch names = part->names;
    const bool of_base = !names.now.empty(); // what is listed
    QList<CounterpartDialog::Candidate> alone, others;
    for (const MatchedPart& each : parts_) {
        const std::string& name = of_base ? each.names.base : each.names.now;
        const std::string& partner = of_base ? each.names.now : each.names.base;
        if (each.names.part != names.part || name.empty() || each.unknown)
            continue;
        if (partner.empty())
            alone.push_back({text(name), tr("has no counterpart")});
        else
            others.push_back({text(name), tr("is %1").arg(text(partner))});
    }
    auto* dialog =
        new CounterpartDialog(tr("Which %1 of %2 is %3 of %4?")
                                  .arg(partText(names.part), of_base ? base_ : now_,
                                       text(of_base ? names.now : names.base), of_base ? now_ : base_),
                              alone + others, this);
    connect(dialog, &CounterpartDialog::nameChosen, this, [this, names, of_base](const QString& name) {
        const HandMatch said = of_base ? HandMatch{names.part, name.toStdString(), names.now}
                                       : HandMatch{names.part, names.base, name.toStdString()};
        kept_ = said;
        say(with(by_hand_, said));
    });
    dialog->open();
}

/// Of both sides: else the one that is left would be matched with the next like it.
void MatchPanel::haveNone() {
    const MatchedPart* part = chosen();
    if (part == nullptr || part->names.base.empty() || part->names.now.empty())
        return;
    const HandMatch names = part->names;
    analyse::HandMatches by_hand = with(by_hand_, {names.part, {}, names.now});
    by_hand = with(std::move(by_hand), {names.part, names.base, {}});
    kept_ = HandMatch{names.part, {}, names.now};
    say(by_hand);
}

void MatchPanel::takeBack() {
    if (const MatchedPart* part = chosen())
        say(without(by_hand_, part->names));
}

void MatchPanel::undo() {
    const auto last = std::find_if(said_.rbegin(), said_.rend(), [this](const Said& said) {
        return said.base == base_path_ && said.now == now_path_;
    });
    if (last == said_.rend())
        return;
    const analyse::HandMatches before = last->before;
    said_.erase(std::next(last).base());
    Q_EMIT matched(before);
}

} // namespace tilescope::ui
