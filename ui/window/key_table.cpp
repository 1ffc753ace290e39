// SPDX-License-Identifier: GPL-3.0-or-later
#include "key_table.h"

#include "key_bindings.h"
#include "ui/theme/theme.h"
#include "ui/widgets/tree_rows.h"

#include <QAction>
#include <QHeaderView>
#include <QKeyEvent>
#include <QKeySequenceEdit>

namespace tilescope::ui {
namespace {

enum KeyColumn { Name, Keys, Clash };

} // namespace

KeyTable::KeyTable(KeyBindings& keys, QWidget* parent) : QTreeWidget(parent), keys_(keys) {
    setObjectName(QStringLiteral("settingKeys"));
    setAccessibleName(tr("Keys of commands"));
    setProperty("list", true);
    setHeaderLabels({tr("Command"), tr("Keys"), tr("The same keys do")});
    setRootIsDecorated(false);
    setUniformRowHeights(true);
    setAllColumnsShowFocus(true);
    header()->setSectionResizeMode(Name, QHeaderView::Stretch);
    header()->setSectionResizeMode(Keys, QHeaderView::ResizeToContents);
    header()->setSectionResizeMode(Clash, QHeaderView::ResizeToContents);
    header()->setStretchLastSection(false);
    for (std::size_t i = 0; i < keys_.all().size(); ++i)
        new QTreeWidgetItem(this, {keys_.all()[i].name});
    refresh();
    connect(this, &QTreeWidget::itemActivated, this, &KeyTable::ask);
}

void KeyTable::refresh() {
    for (int row = 0; row < topLevelItemCount(); ++row) {
        const KeyBindings::Binding& binding = keys_.all()[static_cast<std::size_t>(row)];
        QTreeWidgetItem* item = topLevelItem(row);
        const QStringList others = keys_.conflicts(binding);
        if (binding.action == nullptr) { // its part is gone
            item->setHidden(true);
            continue;
        }
        item->setText(Keys,
                      QKeySequence::listToString(binding.action->shortcuts(), QKeySequence::NativeText));
        item->setText(Clash, others.join(QStringLiteral(", ")));
        item->setForeground(Clash, Theme::of(this).bad);
    }
}

bool KeyTable::setFilter(const QString& text) {
    const TextMatch match(text);
    bool any = false;
    for (int row = 0; row < topLevelItemCount(); ++row) {
        QTreeWidgetItem* item = topLevelItem(row);
        const bool shown = keys_.all()[static_cast<std::size_t>(row)].action != nullptr &&
                           match((item->text(Name) + QLatin1Char('\n') + item->text(Keys)).toLower());
        item->setHidden(!shown);
        any = any || shown;
    }
    return any;
}

/// A field in the row takes the next keys that are pressed.
void KeyTable::ask(QTreeWidgetItem* item) {
    auto* field = new QKeySequenceEdit(this);
    setItemWidget(item, Keys, field);
    field->setFocus();
    connect(field, &QKeySequenceEdit::editingFinished, this, [this, item, field] {
        if (itemWidget(item, Keys) != field)
            return;
        const QKeySequence keys = field->keySequence();
        removeItemWidget(item, Keys);
        setFocus();
        if (keys.isEmpty())
            return;
        keys_.set(keys_.all()[static_cast<std::size_t>(indexOfTopLevelItem(item))], keys);
        refresh();
    });
}

void KeyTable::keyPressEvent(QKeyEvent* event) {
    const int row = indexOfTopLevelItem(currentItem());
    if (event->key() != Qt::Key_Delete || row < 0)
        return QTreeWidget::keyPressEvent(event);
    keys_.set(keys_.all()[static_cast<std::size_t>(row)], {});
    refresh();
}

} // namespace tilescope::ui
