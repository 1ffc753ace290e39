// SPDX-License-Identifier: GPL-3.0-or-later
#include "keys_overview.h"

#include "ui/session/view.h"
#include "ui/widgets/told_keys.h"
#include "ui/widgets/tree_rows.h"
#include "view_actions.h"

#include <QAction>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QSet>
#include <QTreeWidget>
#include <QVBoxLayout>

namespace tilescope::ui {
namespace {

enum OverviewColumn { KeysColumn, CommandColumn };

/// Its own and those of its parts that have keys: of what several parts have, the first.
QList<QAction*> withKeys(View& view) {
    QList<QAction*> all;
    QSet<QString> told;
    for (const ViewAction& each : actionsOf(view)) {
        const QList<QKeySequence> keys = each.action->shortcuts();
        const QString line = QKeySequence::listToString(keys) + each.action->text();
        if (!keys.isEmpty() && !told.contains(line))
            all << each.action;
        told << line;
    }
    return all;
}

/// What it does, without the keys at the end.
QString tipOf(const QAction& action) {
    const QString tip = action.toolTip();
    const qsizetype keys = tip.lastIndexOf(QLatin1String(" ("));
    return keys > 0 && tip.endsWith(QLatin1Char(')')) ? tip.left(keys) : tip;
}

} // namespace

KeysOverview::KeysOverview(View* view, const QList<QAction*>& commands, QWidget* parent)
    : QDialog(parent), keys_(new QTreeWidget(this)) {
    setWindowTitle(tr("Keys"));
    auto* field = new QLineEdit(this);
    field->setPlaceholderText(tr("Filter"));
    field->setAccessibleName(tr("Filter of keys"));
    field->setClearButtonEnabled(true);
    keys_->setObjectName(QStringLiteral("keysOverview"));
    keys_->setAccessibleName(tr("Keys that work now"));
    keys_->setProperty("list", true);
    keys_->setHeaderLabels({tr("Keys"), tr("Command")});
    keys_->setRootIsDecorated(false);
    keys_->setItemsExpandable(false);
    keys_->setIndentation(0);
    keys_->header()->setSectionResizeMode(KeysColumn, QHeaderView::ResizeToContents);
    keys_->header()->setSectionResizeMode(CommandColumn, QHeaderView::Stretch);
    if (view != nullptr) {
        add(view->title(), withKeys(*view));
        addParts(*view);
    }
    add(tr("Everywhere"), commands);
    auto* note =
        new QLabel(tr("What the pointer does is in the help of the view (F1); other keys can be chosen "
                      "in the settings."),
                   this);
    note->setWordWrap(true);
    auto* layout = new QVBoxLayout(this);
    layout->addWidget(field);
    layout->addWidget(keys_, 1);
    layout->addWidget(note);
    connect(field, &QLineEdit::textChanged, this, &KeysOverview::filter);
    const int wide = fontMetrics().averageCharWidth();
    resize(90 * wide, 70 * wide);
}

/// A new one, or the one of that name: a view has keys that are commands, and others.
QTreeWidgetItem* KeysOverview::addGroup(const QString& name) {
    for (int g = 0; g < keys_->topLevelItemCount(); ++g)
        if (keys_->topLevelItem(g)->text(KeysColumn) == name)
            return keys_->topLevelItem(g);
    auto* head = new QTreeWidgetItem(keys_, {name});
    head->setFirstColumnSpanned(true);
    QFont bold = font();
    bold.setBold(true);
    head->setFont(KeysColumn, bold);
    head->setFlags(Qt::ItemIsEnabled);
    return head;
}

/// Those that parts of the view take by themselves, of each sort once.
void KeysOverview::addParts(const View& view) {
    QStringList told;
    QList<const QWidget*> parts{&view};
    for (const QWidget* part : view.findChildren<QWidget*>())
        parts << part;
    for (const QWidget* part : parts) {
        const KeysOfPart of = toldKeys(*part);
        const bool takes_keys = part == &view || (part->isVisible() && part->focusPolicy() != Qt::NoFocus);
        if (of.keys.isEmpty() || told.contains(of.name) || !takes_keys)
            continue;
        told << of.name;
        QTreeWidgetItem* head = addGroup(part == &view ? of.name : tr("%1, with the focus").arg(of.name));
        for (const ToldKeys& each : of.keys)
            new QTreeWidgetItem(head, {each.keys, each.does});
        head->setExpanded(true);
    }
}

void KeysOverview::add(const QString& group, const QList<QAction*>& actions) {
    QTreeWidgetItem* head = addGroup(group);
    for (const QAction* action : actions) {
        if (action->shortcut().isEmpty())
            continue;
        const QString name = action->text().remove(QLatin1Char('&'));
        const QString tip = tipOf(*action);
        auto* item = new QTreeWidgetItem(
            head, {QKeySequence::listToString(action->shortcuts(), QKeySequence::NativeText),
                   tip == name || tip.isEmpty() ? name : QStringLiteral("%1: %2").arg(name, tip)});
        item->setToolTip(CommandColumn, tip);
    }
    head->setExpanded(true);
}

void KeysOverview::filter(const QString& text) {
    const TextMatch match(text);
    for (int g = 0; g < keys_->topLevelItemCount(); ++g) {
        QTreeWidgetItem* group = keys_->topLevelItem(g);
        bool any = false;
        for (int i = 0; i < group->childCount(); ++i) {
            QTreeWidgetItem* item = group->child(i);
            const bool shown =
                match((item->text(KeysColumn) + QLatin1Char('\n') + item->text(CommandColumn)).toLower());
            item->setHidden(!shown);
            any = any || shown;
        }
        group->setHidden(!any);
    }
}

} // namespace tilescope::ui
